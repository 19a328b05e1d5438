"""Score tables on disk: Parquet files with signatures, or any other table of scores, read and written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tare._data.columns import quoted
from tare._data.findings import Finding
from tare._data.formats import parquet
from tare._data.formats.damage import guarded
from tare._data.recognised_files import kind_of_columns, kind_of_text, refuse_other_kind
from tare._data.table_files import table_in
from tare._data.tables import (
    InputTable,
    ids_of,
    missing_values,
    numbers_of,
    read_table,
    refuse_types,
    to_polars,
)
from tare._files.opening import head_of, name_of
from tare._kernels.threads_and_blocks import seams
from tare._measures.aggregation import PARTS
from tare._measures.exports import is_samples, samples_table
from tare._measures.geometric_ranks import JUDGED, STATISTICS, parts_of
from tare._measures.judged_share import JudgedShares
from tare._measures.measure import Measure
from tare._measures.names import column_measures
from tare._measures.replicates import averaged, runs_apart
from tare._measures.scores import Scores
from tare._signature import Signature, tare_version
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

    from tare._data.findings import Frame
    from tare._files.opening import PathLike

__all__ = [
    "KEY",
    "MAX_VALUE",
    "ScoreSource",
    "from_table",
    "load",
    "metadata_of",
    "row_blocks",
    "save",
    "scores_of",
]


# The rows of a saved score table, in blocks: one row per system, item and measure.


Places = NDArray[np.intp]
Floats = NDArray[np.float64]


def row_blocks(
    scores: Scores, shares: JudgedShares, headings: Mapping[str, str], rows: int
) -> Iterator[pl.DataFrame]:
    """Yield the rows of a score table to save as data frames of at most `rows` rows, with the same columns; at least one.

    Systems are in the outer loop, measures in the inner one. `headings` names the arrays next to the values.
    """
    import polars as pl

    total = scores.values.size
    cells = scores.values.reshape(-1)
    names = {
        "system": pl.Series(scores.systems, dtype=pl.String),
        "item": pl.Series(scores.items, dtype=pl.String),
        "measure": pl.Series(scores.measure_names, dtype=pl.String),
    }
    attributes = pl.DataFrame({name: list(c) for name, c in scores.attributes.items()}).to_dict()
    for start in range(0, max(1, total), rows):
        stop = min(total, start + rows)
        s, i, m = _places(np.arange(start, stop), scores.values.shape)
        columns = {
            name: given.gather(at)
            for (name, given), at in zip(names.items(), (s, i, m), strict=True)
        }
        columns["value"] = _numbers(cells[start:stop])
        columns |= {name: given.gather(i) for name, given in attributes.items()}
        for name, heading in headings.items():
            if name == JUDGED:
                columns[heading] = _numbers(_shares(scores, shares, s, i, m))
            else:
                columns[heading] = _beside(scores, name, s, i, m)
        yield pl.DataFrame(columns)


def _places(rows: Places, shape: tuple[int, ...]) -> tuple[Places, Places, Places]:
    """Return system, item and measure of each row of a saved score table, as numbers."""
    _, items, measures = shape
    cells, m = np.divmod(rows, max(1, measures))
    s, i = np.divmod(cells, max(1, items))
    return s, i, m


def _numbers(values: Floats) -> pl.Series:
    import polars as pl

    return pl.Series(values).fill_nan(None)


def _beside(scores: Scores, name: str, s: Places, i: Places, m: Places) -> pl.Series:
    """Return a named array beside the values of a score table to save: numbers, or lists of numbers; null where there is none."""
    import polars as pl

    held = {k: scores.columns.get(x, {}).get(name) for k, x in enumerate(scores.measures)}
    known = {k: array for k, array in held.items() if array is not None}
    if all(array.ndim == 2 for array in known.values()):
        made = np.full(len(m), np.nan)
        for k, array in known.items():
            own = m == k
            made[own] = array[s[own], i[own]]
        return _numbers(made)
    lists: list[list[float] | None] = []
    for system, item, k in zip(s.tolist(), i.tolist(), m.tolist(), strict=True):
        row = known[k][system, item] if k in known else np.array([np.nan])
        lists.append(None if np.isnan(row).any() else row.tolist())
    return pl.Series(lists, dtype=pl.List(pl.Float64))


def _shares(scores: Scores, shares: JudgedShares, s: Places, i: Places, m: Places) -> Floats:
    """Return the judged share of each row of a score table to save, system by system; NaN for other measures."""
    made = np.full(len(m), np.nan)
    for system in np.unique(s):
        start, stop = np.searchsorted(s, (system, system + 1))
        items, measures = i[start:stop], m[start:stop]
        for measure, values in shares.of_system(int(system)).items():
            own = measures == scores.measures.index(measure)
            made[start:stop][own] = values[items[own]]
    return made


# Named arrays next to the values of a table that is read.


MAX_VALUE = 1e150  # squares of larger numbers, and their sums, overflow


@dataclass(frozen=True)
class _Rows:
    """The rows of a saved score table that is read: their cells, and the names of the axes."""

    name: str
    frame: pl.DataFrame
    lines: NDArray[np.int64]  # the numbers of the rows in messages
    shape: tuple[int, int]
    measures: tuple[Measure, ...]
    place: tuple[Places, Places, Places]

    def columns(self, about: Mapping[str, Any]) -> dict[Measure, dict[str, Floats]]:
        """Return the arrays beside the values that the metadata of a saved table name, or those that another table can have."""
        made: dict[Measure, dict[str, Floats]] = {}
        for name, heading, texts in _named_columns(self.frame, about):
            wanted = {
                k: measure
                for k, measure in enumerate(self.measures)
                if (_has(measure, name) if texts is None else measure.text in texts)
            }
            read = self._lists if self.frame.schema[heading].is_nested() else self._numbers
            if name == STATISTICS:
                read = self._lists
            for measure, array in read(name, heading, wanted).items():
                if texts is not None or not np.isnan(array).all():
                    made.setdefault(measure, {})[name] = array
        return made

    def _numbers(
        self, name: str, heading: str, wanted: Mapping[int, Measure]
    ) -> dict[Measure, Floats]:
        import polars as pl

        with guarded(self.name, f"a score table whose column {heading} has numbers"):
            numbers = self.frame[heading].cast(pl.Float64)
        _refuse_large(numbers, heading, self.name, self.lines)
        s, i, m = self.place
        made = {}
        for k, measure in wanted.items():
            own = m == k
            made[measure] = np.full(self.shape, np.nan)
            made[measure][s[own], i[own]] = numbers.to_numpy()[own]
        return made

    def _lists(
        self, name: str, heading: str, wanted: Mapping[int, Measure]
    ) -> dict[Measure, Floats]:
        if not wanted:
            return {}
        import polars as pl

        with guarded(self.name, f"a score table whose column {heading} has lists of numbers"):
            lists = self.frame[heading].cast(pl.List(pl.Float64)).to_list()
        made: dict[Measure, Floats] = {}
        axes = (axis.tolist() for axis in self.place)
        for number, s, i, m, row in zip(self.lines, *axes, lists, strict=True):
            if row is None or m not in wanted:
                continue
            measure = wanted[m]
            size = _size_of(measure, name, len(row))
            array = made.setdefault(measure, np.full((*self.shape, size), np.nan))
            if len(row) != array.shape[2] or not all(map(_sound_number, row)):
                raise FormatError(
                    f"{self.name}, row {number}: {measure} needs {array.shape[2]} {name} that are 0 or more, "
                    f"found {row!r:.80}."
                )
            array[s, i] = row
        return made


def _named_columns(
    frame: pl.DataFrame, about: Mapping[str, Any]
) -> list[tuple[str, str, Sequence[str] | None]]:
    """Return name, heading and measures of the arrays in a saved table; None for the measures that can have it."""
    if "columns" in about:
        return [tuple(column) for column in about["columns"] if column[1] in frame.columns]
    parts = PARTS if set(PARTS) <= set(frame.columns) else ()
    return [(name, name, None) for name in (*parts, STATISTICS) if name in frame.columns]


def _has(measure: Measure, name: str) -> bool:
    """Return whether the mean of a measure is computed from an array of this name in a saved table."""
    if name == STATISTICS:
        return measure.registered and measure.aggregate == STATISTICS
    return parts_of(measure) is not None


def _size_of(measure: Measure, name: str, otherwise: int) -> int:
    """Return how many numbers a cell has."""
    rule = measure.definition.summed
    return rule.size(measure) if name == STATISTICS and rule is not None else otherwise


def _sound_number(number: float | None) -> bool:
    """Return whether a number read from a table can be a count or a mean length; sums of others would overflow."""
    return number is not None and (number == 0 or 1e-6 <= number < 1e15)


def _lacking(
    name: str, measures: Sequence[Measure], columns: Mapping[Measure, Mapping[str, Floats]]
) -> tuple[list[Finding], list[Finding]]:
    """Report ratios of means read without their parts, and measures made of sums read without their statistics."""
    ratios, sums = [], []
    for measure in measures:
        held = columns.get(measure, {})
        kind = parts_of(measure)
        if kind is not None and kind.needed and not held.keys() >= set(PARTS):
            ratios.append(measure.text)
        if _has(measure, STATISTICS) and STATISTICS not in held:
            sums.append(measure.text)
    found: tuple[list[Finding], list[Finding]] = ([], [])
    if ratios:
        message = (
            f"{name}: {', '.join(ratios)} is a ratio of means, and the table has no columns gross, tare and "
            "ideal; the mean over items is shown instead."
        )
        found[0].append(Finding("no gross, tare and ideal", message, len(ratios)))
    if sums:
        message = (
            f"{name}: {', '.join(sums)} is made of summed statistics, and the table has none; the mean over "
            "items is shown instead."
        )
        found[1].append(Finding("no statistics", message, len(sums)))
    return found


def _signatures(
    name: str, about: Mapping[str, Any], measures: Sequence[Measure], items: int
) -> tuple[Signature, ...]:
    """Return the signatures in the metadata of a saved score table; other measures are signed with the file."""
    known = dict(zip(about.get("measures", []), about.get("signatures", []), strict=False))
    other = {"source": name, "n": items, "tare": tare_version()}
    return tuple(
        Signature.parse(known[m.text]) if m.text in known else Signature.of(m.text, other)
        for m in measures
    )


# Writing of score tables as Parquet files that are read without loss.


KEY = "tare"


def save(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Save a score table as Parquet: cells as rows, and signatures, findings and attributes as metadata."""
    about = {
        "measures": list(scores.measure_names),
        "signatures": [str(signature) for signature in scores.signatures],
        "systems": list(scores.systems),
        "items": list(scores.items),
        "findings": [
            [f.kind, f.message, f.count, f.severity, list(f.examples)] for f in scores.findings
        ],
        "attributes": list(scores.attributes),
        "seed": scores.seed,
        "cluster": scores.cluster,
        "range": scores.range,
    }
    shares = JudgedShares(scores, seams().saved_rows)
    held = {x: [*scores.columns.get(x, {})] for x in scores.measures}
    for measure in shares.measures:
        held[measure] = [*(name for name in held[measure] if name != JUDGED), JUDGED]
    names = dict.fromkeys(name for measure in scores.measures for name in held[measure])
    headings = {name: _heading(name, scores.attributes) for name in names}
    about["columns"] = [
        [name, heading, [x.text for x in scores.measures if name in held[x]]]
        for name, heading in headings.items()
    ]
    blocks = row_blocks(scores, shares, headings, seams().saved_rows)
    parquet.write_groups(blocks, path, {KEY: json.dumps(about)})


def _heading(name: str, attributes: Mapping[str, object]) -> str:
    """Return the heading of an array in a saved score table; an attribute of the items keeps its name."""
    return f"{name} of the measure" if name in attributes else name


def metadata_of(text: str, name: str) -> dict[str, Any]:
    """Return the checked metadata of a saved table."""
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        about = None
    if isinstance(about, dict) and about.get("kind") == "estimates":
        raise FormatError(
            f"{name}: the file holds estimates, not scores. tare compare, report and design judge read it."
        )
    if not isinstance(about, dict) or not _sound_metadata(about):
        raise FormatError(f"{name}: its metadata {KEY!r} are damaged. Save the scores again.")
    return about


def _sound_metadata(about: dict[str, Any]) -> bool:
    """Return whether the metadata of a saved score table are those that `save` writes."""
    texts = ("systems", "items", "measures", "signatures", "attributes")
    findings, columns = about.get("findings", []), about.get("columns", [])
    ends = about.get("range") or (0, 0)
    return (
        all(_is_texts(about.get(key, [])) for key in texts)
        and isinstance(about.get("seed", 0), int)
        and 0 <= about.get("seed", 0) < 1 << 64
        and isinstance(about.get("cluster", ""), str)
        and len(ends) == 2
        and all(isinstance(end, int | float) for end in ends)
        and isinstance(columns, list)
        and all(
            isinstance(c, list) and len(c) == 3 and _is_texts(c[:2]) and _is_texts(c[2])
            for c in columns
        )
        and isinstance(findings, list)
        and all(
            isinstance(f, list)
            and len(f) == 5
            and _is_texts([f[0], f[1], f[3]])
            and isinstance(f[2], int)
            and _is_texts(f[4])
            for f in findings
        )
    )


def _is_texts(given: Any) -> bool:
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


# Score tables on disk: Parquet files with signatures, or any other table of scores.


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
    """Load a score table that was saved, or another table of scores."""
    if isinstance(source, Scores):
        return source
    if not isinstance(source, str | os.PathLike):
        return from_table(InputTable("data frame", to_polars(source)))
    table = table_in(source)
    if table is None:
        refuse_other_kind(name_of(source), kind_of_text(head_of(source)), "scores")
        raise FormatError(
            f"{name_of(source)}: scores are read from .parquet, .csv, .tsv or .jsonl files."
        )
    if table.form == "parquet":
        with parquet.opened(source) as file:
            about = metadata_of(file.metadata.get(KEY, "{}"), name_of(source))
            return _of_table(InputTable(name_of(source), file.read()), source, about)
    return _of_table(read_table(table), source, {})


def _of_table(table: InputTable, source: str | os.PathLike[str], about: dict[str, Any]) -> Scores:
    frame = table.frame
    if is_samples(frame):
        with guarded(table.name, "a file of samples of lm-eval"):
            frame = samples_table(frame, source, table.name)
        table = InputTable(table.name, frame)
    return from_table(table, about)


def _refuse_sparse(name: str, shape: tuple[int, int, int], rows: int) -> None:
    """Refuse a table of scores whose few rows name so many systems, items and measures that it is nearly empty."""
    cells = shape[0] * shape[1] * shape[2]
    if cells > MAX_CELLS and cells > MAX_GAPS * rows:
        raise FormatError(
            f"{name}: {rows:,} rows with {shape[0]:,} systems, {shape[1]:,} items and {shape[2]:,} "
            f"measures make a table of {cells:,} cells, nearly all empty. Use one table per measure, or "
            "only the items that the systems share."
        )


def _refuse_large(column: pl.Series, heading: str, name: str, lines: NDArray[np.int64]) -> None:
    """Refuse a table of scores with a number that is infinite or so large that statistics of it overflow."""
    import polars as pl

    if column.dtype != pl.Float64:
        raise FormatError(f"{name}: the column {heading!r} is {column.dtype}, not numbers.")
    wrong = ((column.abs() > MAX_VALUE) & column.is_not_nan()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise FormatError(
            f"{name}, row {lines[row]}: the {heading} {column[row]!r} is too large; numbers from "
            "-1e150 to 1e150 are accepted."
        )


def _refuse_duplicates(
    name: str,
    place: tuple[NDArray[np.intp], ...],
    shape: tuple[int, ...],
    ids: dict[str, pl.Series],
    lines: NDArray[np.int64],
) -> None:
    """Refuse a table of scores in which two rows give the same cell; the second such row is named."""
    cells = np.ravel_multi_index(place, shape) if len(place[0]) else place[0]
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order[1:]] == cells[order[:-1]]]
    if len(again):
        row = int(again.min())
        raise FormatError(
            f"{name}, row {lines[row]}: duplicate value of {ids['measure'][row]} for "
            f"{ids['system'][row]} on {ids['item'][row]}."
        )


def _given_places(ids: pl.Series, names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the place of each id in a saved score table among the names, which hold all of them."""
    import polars as pl

    return ids.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.intp)


def from_table(table: InputTable, about: dict[str, Any] | None = None) -> Scores:
    """Return the scores of a long table that was read; what `about` knows (order, signatures, findings) is kept."""
    about = about or {}
    frame, name = table.frame, table.name
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
    lines = np.resize(table.line_numbers, frame.height)  # a table is lengthened column by column
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
        numbers = numbers_of(frame["value"])
    for column, cells in ids.items():
        blank = (cells.is_null() | (cells.str.strip_chars() == "")).arg_true()
        if len(blank):
            raise FormatError(f"{name}, row {lines[int(blank[0])]}: the {column} is missing.")
    given = frame["value"]
    wrong = ((numbers.is_null() & ~missing_values(given)) | numbers.is_infinite()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        raise FormatError(
            f"{name}, row {lines[row]}: the value {given[row]!r} is not a finite number."
        )
    _refuse_large(numbers, "value", name, lines)
    found = {column: cells.unique(maintain_order=True).to_list() for column, cells in ids.items()}
    systems = tuple(dict.fromkeys([*about.get("systems", []), *found["system"]]))
    items = tuple(dict.fromkeys([*about.get("items", []), *sorted(found["item"])]))
    measures = tuple(dict.fromkeys([*about.get("measures", []), *found["measure"]]))
    _refuse_sparse(name, (len(systems), len(items), len(measures)), frame.height)
    values = np.full((len(systems), len(items), len(measures)), np.nan)
    place = (
        _given_places(ids["system"], systems),
        _given_places(ids["item"], items),
        _given_places(ids["measure"], measures),
    )
    _refuse_duplicates(name, place, values.shape, ids, lines)
    values[place] = numbers.to_numpy()
    measured = column_measures(measures)
    rows = _Rows(name, frame, lines, values.shape[:2], measured, place)
    columns = rows.columns(about)
    attributes = {}
    known_columns = {*NEEDED, STATISTICS, *(h for _, h, _ in _named_columns(frame, about))}
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
    stored = [
        Finding(kind, message, count, severity, tuple(examples))
        for kind, message, count, severity, examples in about.get("findings", [])
    ]
    ratios, sums = _lacking(name, measured, columns)
    cluster, ends = about.get("cluster", ""), about.get("range")
    made = Scores(
        systems,
        items,
        measured,
        values,
        _signatures(name, about, measured, len(items)),
        (*stored, *ratios, *findings, *sums),
        attributes,
        columns,
        about.get("seed", 0),
        cluster=cluster if cluster in attributes else "",
        range=None if ends is None else (float(ends[0]), float(ends[1])),
    )
    return averaged(made, replicates) if replicates else made


def _lengthened(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table of scores with one column per measure in long form; any other table unchanged."""
    import polars as pl

    known = ("system", "item")
    if not set(known) <= set(frame.columns) or {"measure", "value"} & set(frame.columns):
        return frame
    others = [c for c in frame.columns if c not in known and not frame[c].dtype.is_temporal()]
    numbers = frame.select(pl.col(others).cast(pl.Float64, strict=False))
    measures = [
        c
        for c in others
        if numbers[c].null_count() < frame.height
        and not (numbers[c].is_null() & ~missing_values(frame[c])).any()
    ]
    if not measures:
        return frame
    rest = [c for c in frame.columns if c not in measures]
    return (
        frame.select(rest)
        .with_columns(numbers.select(measures))
        .unpivot(on=measures, index=rest, variable_name="measure", value_name="value")
    )


# Score tables as studies accept them: a table, a path or a data frame.


ScoreSource: TypeAlias = "Scores | PathLike | Frame"
"""A score table, the path of one, or a data frame with the columns system, item, measure, value."""


def scores_of(source: ScoreSource) -> Scores:
    """Return the score table of a source."""
    return source if isinstance(source, Scores) else Scores.load(source)
