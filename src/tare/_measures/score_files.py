"""Score tables on disk: Parquet files with signatures, or any other table of scores."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._data import frames
from tare._data.columns import ids_of, quoted, refuse_types
from tare._data.findings import Finding
from tare._data.formats import parquet
from tare._data.formats.by_suffix import guarded
from tare._data.misplaced_files import kind_of_columns, kind_of_text, refuse_other_kind
from tare._data.rows import TABLES, first_row
from tare._files.addresses import is_file
from tare._files.opening import head_of, name_of, plain_suffix
from tare._measures.column_measure import column_measures
from tare._measures.lm_eval_samples import is_samples, samples_table
from tare._measures.replicates import averaged, runs_apart
from tare._measures.score_cells import MAX_VALUE, Cells, scores_of_cells
from tare._measures.score_parquet import JUDGED, KEY, PARTS, metadata_of, save
from tare._measures.scores import Scores
from tare._measures.statistics_column import COLUMN, statistics_of_frame
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["from_frame", "load", "save"]

MAX_CELLS = 10_000_000
MAX_GAPS = 1_000
NEEDED = ("system", "item", "measure", "value")
PERQUERY = ("name", "qid", "measure", "value")  # as pt.Experiment(perquery=True) returns and saves
SPELLINGS = {
    "query": "item",
    "qid": "item",
    "topic": "item",
    "query_id": "item",
    "doc_id": "item",
    "run": "system",
    "score": "value",
}


def load(source: Any) -> Scores:
    """Read a saved table, or another table of scores."""
    if isinstance(source, Scores):
        return source
    if not isinstance(source, str | os.PathLike):
        return from_frame(frames.to_polars(source), "data frame")
    module = TABLES.get(plain_suffix(source))
    if module is None:
        if is_file(source):
            refuse_other_kind(name_of(source), kind_of_text(head_of(source)), "scores")
        raise FormatError(
            f"{name_of(source)}: scores are read from .parquet, .csv, .tsv or .jsonl files."
        )
    if plain_suffix(source) in parquet.SUFFIXES:
        return _load_parquet(source)
    return _of_frame(module.read(source), source, {})


def _load_parquet(source: str | os.PathLike[str]) -> Scores:
    """Read a saved table, or another table of scores."""
    with parquet.opened(source) as file:
        about = metadata_of(file.metadata.get(KEY, "{}"), name_of(source))
        frame = file.read()
    return _of_frame(frame, source, about)


def _of_frame(frame: pl.DataFrame, source: str | os.PathLike[str], about: dict[str, Any]) -> Scores:
    if is_samples(frame):
        with guarded(name_of(source), "a file of samples of lm-eval"):
            frame = samples_table(frame, source, name_of(source))
    return from_frame(frame, name_of(source), about, first_row(source))


def _refuse_sparse(name: str, shape: tuple[int, int, int], rows: int) -> None:
    """Refuse a table whose few rows name so many systems, items and measures that it is nearly empty."""
    cells = shape[0] * shape[1] * shape[2]
    if cells > MAX_CELLS and cells > MAX_GAPS * rows:
        raise FormatError(
            f"{name}: {rows:,} rows with {shape[0]:,} systems, {shape[1]:,} items and {shape[2]:,} "
            f"measures make a table of {cells:,} cells, nearly all empty. Use one table per measure, or "
            "only the items that the systems share."
        )


def _refuse_large(column: pl.Series, heading: str, name: str, first: int) -> None:
    """Refuse a table with a number that is infinite or so large that statistics of it overflow."""
    import polars as pl

    if column.dtype != pl.Float64:
        raise FormatError(f"{name}: the column {heading!r} is {column.dtype}, not numbers.")
    wrong = ((column.abs() > MAX_VALUE) & column.is_not_nan()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise FormatError(
            f"{name}, row {row + first}: the {heading} {column[row]!r} is too large; numbers from "
            "-1e150 to 1e150 are accepted."
        )


def _refuse_duplicates(
    name: str,
    place: tuple[NDArray[np.intp], ...],
    shape: tuple[int, ...],
    ids: dict[str, pl.Series],
    first: int,
) -> None:
    """Refuse a table in which two rows give the same cell; the second such row is named."""
    cells = np.ravel_multi_index(place, shape) if len(place[0]) else place[0]
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order[1:]] == cells[order[:-1]]]
    if len(again):
        row = int(again.min())
        raise FormatError(
            f"{name}, row {row + first}: duplicate value of {ids['measure'][row]} for "
            f"{ids['system'][row]} on {ids['item'][row]}."
        )


def _places(ids: pl.Series, names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the place of each id among the names, which hold all of them."""
    import polars as pl

    return ids.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.intp)


def from_frame(
    frame: pl.DataFrame, name: str, about: dict[str, Any] | None = None, first: int = 1
) -> Scores:
    """Scores of a long table; what `about` knows (order, signatures, findings) is kept.

    `first` is the number that messages give to the first row.
    """
    import polars as pl

    about = about or {}
    given_columns = frame.columns
    if set(PERQUERY) <= set(frame.columns) and "system" not in frame.columns:
        frame = frame.rename({"name": "system"})
    renamed = {
        c: SPELLINGS[c]
        for c in frame.columns
        if c in SPELLINGS and SPELLINGS[c] not in frame.columns
    }
    with guarded(name, "a score table"):
        frame, replicates = runs_apart(frame.rename(renamed))
        frame = _lengthened(frame)
    missing = [column for column in NEEDED if column not in frame.columns]
    if missing:
        refuse_other_kind(name, kind_of_columns(given_columns), "scores")
        raise FormatError(
            f"{name}: no column {', '.join(map(repr, missing))}; found "
            f"{quoted(frame.columns)}. A score table has system, item, measure, value; "
            "or system, item and one column of numbers per measure."
        )
    refuse_types(frame, ("system", "item", "measure"), "value", name, "value")
    with guarded(name, "a score table with ids that are text and values that are numbers"):
        ids = {c: ids_of(frame[c]) for c in ("system", "item", "measure")}
        numbers = frame["value"].cast(pl.Float64, strict=False)
        if numbers.dtype != pl.Float64:
            raise FormatError(f"{name}: the values are {frame['value'].dtype}, not numbers.")
    for column, cells in ids.items():
        if cells.null_count():
            row = int(cells.is_null().arg_true()[0])
            raise FormatError(f"{name}, row {row + first}: the {column} is missing.")
    given = frame["value"]
    wrong = ((numbers.is_null() & given.is_not_null()) | numbers.is_infinite()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise FormatError(
            f"{name}, row {row + first}: the value {given[row]!r} is not a finite number."
        )
    _refuse_large(numbers, "value", name, first)
    found = {column: cells.unique(maintain_order=True).to_list() for column, cells in ids.items()}
    systems = tuple(dict.fromkeys([*about.get("systems", []), *found["system"]]))
    items = tuple(dict.fromkeys([*about.get("items", []), *sorted(found["item"])]))
    measures = tuple(dict.fromkeys([*about.get("measures", []), *found["measure"]]))
    _refuse_sparse(name, (len(systems), len(items), len(measures)), frame.height)
    values = np.full((len(systems), len(items), len(measures)), np.nan)
    has_parts = set(PARTS) <= set(frame.columns)
    parts = np.full((len(PARTS), *values.shape), np.nan) if has_parts else None
    if parts is not None:
        with guarded(name, "a score table whose columns gross, tare and ideal are numbers"):
            read_parts = [frame[c].cast(pl.Float64) for c in PARTS]
        for column, given_part in zip(PARTS, read_parts, strict=True):
            _refuse_large(given_part, column, name, first)
        given_parts = [each.to_numpy() for each in read_parts]
    has_judged = JUDGED in about and JUDGED in frame.columns
    judged = np.full(values.shape, np.nan)
    if has_judged:
        with guarded(name, "a score table whose column judged contains numbers"):
            read_judged = frame[JUDGED].cast(pl.Float64)
        _refuse_large(read_judged, JUDGED, name, first)
        given_judged = read_judged.to_numpy()
    place = (
        _places(ids["system"], systems),
        _places(ids["item"], items),
        _places(ids["measure"], measures),
    )
    _refuse_duplicates(name, place, values.shape, ids, first)
    values[place] = numbers.to_numpy()
    if parts is not None:
        for part, numbers_of in zip(parts, given_parts, strict=True):
            part[place] = numbers_of
    if has_judged:
        judged[place] = given_judged
    columns = column_measures(measures)
    statistics, unsummed = statistics_of_frame(frame, ids, name, (systems, items, columns), first)
    attributes = {}
    known_columns = (*NEEDED, *PARTS, COLUMN) if has_parts else (*NEEDED, COLUMN)
    others = [c for c in frame.columns if c not in known_columns]
    nested = [
        c for c in others if frame.schema[c].is_nested() and c not in about.get("attributes", ())
    ]
    for column in about.get("attributes", [c for c in others if c not in nested]):
        if column not in frame.columns:
            raise FormatError(
                f"{name}: the column {column!r} is named in the metadata, but missing."
            )
        of_item = dict(zip(ids["item"].to_list(), frame[column].to_list(), strict=True))
        attributes[column] = tuple(of_item.get(item) for item in items)
    findings = []
    if nested:
        message = f"{name}: {', '.join(map(repr, nested))}: lists and structures are not kept as attributes of items."
        findings.append(Finding("nested columns", message, len(nested)))
    made = scores_of_cells(
        name,
        about,
        (systems, items, columns),
        Cells(values, parts, judged if has_judged else None),
        findings=[*findings, *unsummed],
        attributes=attributes,
        statistics=statistics,
    )
    return averaged(made, replicates) if replicates else made


def _lengthened(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with one column per measure in long form; any other table unchanged."""
    import polars as pl

    known = ("system", "item")
    if not set(known) <= set(frame.columns) or {"measure", "value"} & set(frame.columns):
        return frame
    others = [c for c in frame.columns if c not in known and not frame[c].dtype.is_temporal()]
    numbers = frame.select(pl.col(others).cast(pl.Float64, strict=False))
    measures = [
        c for c in others if numbers[c].null_count() == frame[c].null_count() < frame.height
    ]
    if not measures:
        return frame
    rest = [c for c in frame.columns if c not in measures]
    return (
        frame.select(rest)
        .with_columns(numbers.select(measures))
        .unpivot(on=measures, index=rest, variable_name="measure", value_name="value")
    )
