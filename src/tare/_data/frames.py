"""Any data frame (pandas, polars, Arrow, …) as rows of query, document and value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tare._data.columns import recognise
from tare._data.findings import Finding
from tare._data.odd_columns import by_column, refuse_types
from tare._kernels import Rows, rows_from_arrow
from tare.errors import MOST_TOLD, FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_frame", "parts_of", "rows_of", "table_of", "to_polars"]


def is_frame(source: object) -> bool:
    """Whether narwhals would take it for a data frame, without importing anything for a path."""
    kind = type(source)  # to ask a lazy frame itself for its columns would compute them
    return hasattr(kind, "columns") or hasattr(kind, "__arrow_c_stream__")


def to_polars(source: Any) -> pl.DataFrame:
    """A polars frame of anything narwhals understands; nothing that was passed in changes."""
    import narwhals as nw

    _refuse_twins(source)
    try:
        frame = nw.from_native(source)
    except TypeError:
        raise FormatError(
            f"a {type(source).__name__} is no data frame that tare understands. "
            "Accepted: pandas, polars, Arrow tables, and what narwhals takes."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    try:
        made: pl.DataFrame = frame.to_polars()
        return made
    except Exception:  # pandas without pyarrow, or with columns that Arrow does not take
        return by_column(frame)


def _refuse_twins(source: Any) -> None:
    """Refuses pandas frames with two columns of one name: which of them is meant?"""
    if not hasattr(source, "iloc"):  # other frames have no twins, and lazy ones would be computed
        return
    name, count = (
        Counter(map(str, source.columns)).most_common(1)[0] if len(source.columns) else ("", 0)
    )
    if count > 1:
        raise FormatError(
            f"data frame: the column {name!r} appears {count} times. Rename or drop all but one."
        )


def rows_of(
    frame: pl.DataFrame, value: str, name: str, first: int = 1
) -> tuple[Rows, list[Finding]]:
    """Rows of a frame with recognised columns; `value` is "score", "rank" or "grade".

    A rank is negated, so that what comes first has the largest value, as with scores.
    `first` is the number that messages give to the first row.
    """
    table, findings = table_of(frame, value, name, first)
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
    frame: pl.DataFrame, value: str, name: str, first: int = 1
) -> tuple[pl.DataFrame, list[Finding]]:
    """The columns query, document and value of a frame, checked."""
    import polars as pl

    parts = recognise(frame.columns, ["query", "document", value], name)
    ids = [parts["query"], parts["document"]]
    refuse_types(frame, ids, parts[value], name, value)
    given = frame[parts[value]]
    try:
        table = frame.select(
            pl.col(parts["query"]).cast(pl.String).alias("query"),
            pl.col(parts["document"]).cast(pl.String).alias("document"),
            (-_numbers(given) if value == "rank" else _numbers(given)).alias("value"),
        )
        if table.schema["value"] != pl.Float64:  # lists stay lists, of numbers
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
        for row in bad.head(MOST_TOLD).iter_rows(named=True):
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
    recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
    note = Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")
    return table, [note]


def _numbers(given: pl.Series) -> pl.Series:
    import polars as pl

    if given.dtype in (pl.Categorical, pl.Enum):
        given = given.cast(pl.String)  # its names, not their numbers
    if given.dtype == pl.String:
        given = given.str.strip_chars()
    return given.cast(pl.Float64, strict=False)
