"""Data frames (pandas, polars, Arrow, …) as rows of query, document and value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tare._data.columns import (
    COLUMNS,
    Chosen,
    by_column,
    ids_of,
    lengthened,
    recognise,
    refuse_types,
)
from tare._data.findings import Finding
from tare._data.recognised_files import told_apart
from tare._kernels import Rows, rows_from_arrow
from tare.errors import MAX_REPORTED, FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_frame", "parts_of", "rows_of", "table_of", "to_polars"]


def is_frame(source: object) -> bool:
    """Return whether an object is a data frame, without importing narwhals."""
    kind = type(source)  # asking a lazy frame for its columns would compute them
    return hasattr(kind, "columns") or hasattr(kind, "__arrow_c_stream__")


def to_polars(source: Any) -> pl.DataFrame:
    """Convert any frame that narwhals supports to polars; the input is not changed."""
    import narwhals as nw

    _refuse_duplicate_columns(source)
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise FormatError(
            f"a {type(source).__name__} is not a supported data frame. Accepted: pandas, polars, Arrow "
            "tables, and other frames that narwhals supports."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    try:
        made: pl.DataFrame = frame.to_polars()
        return made
    except Exception:  # pandas columns that Arrow does not support
        return by_column(frame)


def _refuse_duplicate_columns(source: Any) -> None:
    """Raise an error if a pandas frame or an Arrow table has two columns of the same name.

    Other frames have unique names, and lazy ones would be computed.
    """
    kind = type(source)
    if hasattr(kind, "iloc") and hasattr(kind, "columns"):
        names = source.columns
    else:
        names = source.column_names if hasattr(kind, "column_names") else ()
    name, count = Counter(map(str, names)).most_common(1)[0] if len(names) else ("", 0)
    if count > 1:
        raise FormatError(
            f"data frame: the column {name!r} appears {count} times. Rename or drop all but one."
        )


def rows_of(
    frame: pl.DataFrame, value: str, name: str, first: int = 1, chosen: Chosen | None = None
) -> tuple[Rows, list[Finding]]:
    """Return the rows of a frame; `value` is "score", "rank" or "grade".

    Ranks are negated, so that larger is better, as for scores. `first` is the number of the first
    row in messages. `chosen` names columns whose names are not recognised.
    """
    table, findings = table_of(frame, value, name, first, chosen)
    return rows_from_arrow(table.__arrow_c_stream__(), first), findings


def parts_of(table: pl.DataFrame, groups: pl.Series, first: int) -> Iterator[tuple[str, Rows]]:
    """Yield each group of a checked table with its rows, numbered as in the whole table."""
    import polars as pl

    stretches = groups.rle().struct.unnest()
    if stretches["value"].n_unique() == stretches.height:  # sorted by group: no row has to move
        start = 0
        for length, group in stretches.select("len", "value").iter_rows():
            part = table.slice(start, length)
            yield str(group), rows_from_arrow(part.__arrow_c_stream__(), first + start)
            start += length
        return
    numbered = table.with_row_index("line", offset=first).with_columns(groups.alias("group"))
    columns = ["query", "document", "value", pl.col("line").cast(pl.UInt64)]
    for (group,), part in numbered.group_by(["group"], maintain_order=True):
        yield str(group), rows_from_arrow(part.select(columns).__arrow_c_stream__())


def table_of(
    frame: pl.DataFrame,
    value: str,
    name: str,
    first: int = 1,
    chosen: Chosen | None = None,
    group: str | None = None,
) -> tuple[pl.DataFrame, list[Finding]]:
    """Return the checked columns query, document, value and, if it is named, group of a frame."""
    import polars as pl

    chosen = dict(chosen or {})
    notes: list[Finding] = []
    long = lengthened(frame, value, name, first, chosen, group)
    if long is not None:
        frame, value, notes = long
        chosen = {}
    value, chosen = _value_column(frame.columns, value, chosen)
    with told_apart(name, frame.columns, "qrels" if value == "grade" else "run"):
        parts = recognise(frame.columns, ["query", "document", value], name, chosen, frame)
    ids = [parts["query"], parts["document"]]
    refuse_types(frame, ids, parts[value], name, value)
    given = frame[parts[value]]
    try:
        table = frame.select(
            ids_of(frame[parts["query"]]).alias("query"),
            ids_of(frame[parts["document"]]).alias("document"),
            (-_numbers(given) if value == "rank" else _numbers(given)).alias("value"),
            *([pl.col(group).alias("group")] if group else []),
        )
        if table.schema["value"] != pl.Float64:  # lists remain lists of numbers
            raise pl.exceptions.SchemaError
    except pl.exceptions.PolarsError:
        types = ", ".join(f"{column!r} {frame[column].dtype}" for column in parts.values())
        raise FormatError(
            f"{name}: the columns hold {types}; ids must be text or numbers, and the {value} "
            "a number."
        ) from None

    bad = table.with_row_index("row").filter(
        pl.any_horizontal(
            pl.col("query").is_null(),
            pl.col("document").is_null(),
            pl.col("value").is_null(),
            ~pl.col("value").is_finite(),
        )
    )
    if bad.height:
        shown = []
        for row in bad.head(MAX_REPORTED).iter_rows(named=True):
            where = f"{name}, row {row['row'] + first}: "
            if row["query"] is None or row["document"] is None:
                part = "query" if row["query"] is None else "document"
                shown.append(f"{where}the {part} is missing.")
            else:
                shown.append(
                    f"{where}the {value} {given[row['row']]!r} is not a finite number "
                    f"(column {parts[value]!r})."
                )
        raise_all(shown, bad.height)
    if notes:
        return table, notes
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return table, [note]


def _value_column(
    columns: Sequence[str], value: str, chosen: dict[str, str | None]
) -> tuple[str, dict[str, str | None]]:
    """Return what the value of a table is, and the columns that are named for it.

    Ranks are used in place of scores if a table has only these. The grades of BEIR are called score.
    """
    present = {column.strip().lower(): column for column in reversed(columns)}

    def has(part: str) -> bool:
        return chosen.get(part) is not None or any(s in present for s in COLUMNS[part])

    ranks = chosen.get("rank") is not None or (not has("score") and has("rank"))
    if value == "score" and chosen.get("score") is None and ranks:
        return "rank", chosen
    beir = {"query-id", "query_id"} & set(present) and {"corpus-id", "corpus_id"} & set(present)
    if value == "grade" and not has("grade") and beir and "score" in present:
        return "grade", {**chosen, "grade": present["score"]}
    return value, chosen


def _numbers(given: pl.Series) -> pl.Series:
    import polars as pl

    if given.dtype in (pl.Categorical, pl.Enum):
        given = given.cast(pl.String)  # the category names, not their codes
    if given.dtype == pl.String:
        given = given.str.strip_chars()
    return given.cast(pl.Float64, strict=False)
