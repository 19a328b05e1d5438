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
from tare._data.tables import InputTable, ids_of, read_table, refuse_types, to_polars
from tare._files.opening import head_of, name_of
from tare._kernels.threads_and_blocks import seams
from tare._measures.aggregation import Ratio, SummedStatistics
from tare._measures.exports import is_samples, samples_table
from tare._measures.geometric_ranks import parts_of
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
    "COLUMN",
    "JUDGED",
    "KEY",
    "MAX_VALUE",
    "PARTS",
    "Axes",
    "Cells",
    "ScoreSource",
    "from_frame",
    "load",
    "metadata_of",
    "row_blocks",
    "save",
    "scores_of",
    "scores_of_cells",
    "statistics_of_frame",
]


# Summed statistics in the file of a score table: one list of numbers per row.


COLUMN = "statistics"


def statistics_of_frame(
    frame: pl.DataFrame,
    ids: dict[str, pl.Series],
    name: str,
    axes: tuple[tuple[str, ...], tuple[str, ...], tuple[Measure, ...]],
    first: int = 1,
) -> tuple[dict[Measure, SummedStatistics], list[Finding]]:
    """Return the statistics of measures that are made of them, and a finding about those without."""
    systems, items, measures = axes
    wanted = {m.text: m for m in measures if m.registered and m.aggregate == "statistics"}
    if not wanted:
        return {}, []
    if COLUMN not in frame.columns:
        return {}, [_without(list(wanted), name)]
    with guarded(name, "a score table whose column statistics has lists of numbers"):
        import polars as pl

        lists = frame[COLUMN].cast(pl.List(pl.Float64)).to_list()
    s, i = ({x: k for k, x in enumerate(xs)} for xs in (systems, items))
    made: dict[Measure, SummedStatistics] = {}
    names = (ids[column].to_list() for column in ("system", "item", "measure"))
    rows = zip(*names, lists, strict=True)
    for number, (system, item, text, row) in enumerate(rows, first):
        if text not in wanted or row is None:
            continue
        measure = wanted[text]
        if measure not in made:
            made[measure] = SummedStatistics.empty(measure, (len(systems), len(items)))
        cells = made[measure].cells
        if len(row) != cells.shape[2] or not all(map(_sound_number, row)):
            raise FormatError(
                f"{name}, row {number}: {text} needs {cells.shape[2]} statistics that are 0 or more, found "
                f"{row!r:.80}."
            )
        cells[s[system], i[item]] = row
    lacking = [text for text, measure in wanted.items() if measure not in made]
    return made, [_without(lacking, name)] if lacking else []


def _without(measures: list[str], name: str) -> Finding:
    message = (
        f"{name}: {', '.join(measures)} is made of summed statistics, and the table has none; the mean over "
        "items is shown instead."
    )
    return Finding("no statistics", message, len(measures))


def _sound_number(number: float | None) -> bool:
    """Return whether a number can be a count or a mean length; sums of others would overflow."""
    return number is not None and (number == 0 or 1e-6 <= number < 1e15)


# The rows of a saved score table, in blocks: one row per system, item and measure.


PARTS = ("gross", "tare", "ideal")  # of measures that are ratios of means
JUDGED = "judged"  # share of judged documents at the cutoff of the measure

Places = NDArray[np.intp]
Floats = NDArray[np.float64]


def row_blocks(scores: Scores, shares: JudgedShares | None, rows: int) -> Iterator[pl.DataFrame]:
    """Yield data frames of at most `rows` rows, all with the same columns; at least one frame.

    Systems are in the outer loop, measures in the inner one.
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
        if scores.ratios:
            parts = {measure: ratio.parts for measure, ratio in scores.ratios.items()}
            for k, name in enumerate(PARTS):
                held = {measure: part[k] for measure, part in parts.items()}
                columns[name] = _numbers(_placed(scores, held, s, i, m))
        if scores.statistics:
            columns[COLUMN] = _statistics(scores, s, i, m)
        if shares is not None and shares.measures:
            columns[JUDGED] = _numbers(_shares(scores, shares, s, i, m))
        yield pl.DataFrame(columns)


def _places(rows: Places, shape: tuple[int, ...]) -> tuple[Places, Places, Places]:
    """Return system, item and measure of each row, as numbers."""
    _, items, measures = shape
    cells, m = np.divmod(rows, max(1, measures))
    s, i = np.divmod(cells, max(1, items))
    return s, i, m


def _numbers(values: Floats) -> pl.Series:
    import polars as pl

    return pl.Series(values).fill_nan(None)


def _placed(
    scores: Scores, held: Mapping[Measure, Floats], s: Places, i: Places, m: Places
) -> Floats:
    """Return a value per row from arrays of systems × items; NaN for other measures."""
    made = np.full(len(m), np.nan)
    for measure, values in held.items():
        own = m == scores.measures.index(measure)
        made[own] = values[s[own], i[own]]
    return made


def _shares(scores: Scores, shares: JudgedShares, s: Places, i: Places, m: Places) -> Floats:
    """Return the judged share of each row, system by system; NaN for other measures."""
    made = np.full(len(m), np.nan)
    for system in np.unique(s):
        start, stop = np.searchsorted(s, (system, system + 1))
        items, measures = i[start:stop], m[start:stop]
        for measure, values in shares.of_system(int(system)).items():
            own = measures == scores.measures.index(measure)
            made[start:stop][own] = values[items[own]]
    return made


def _statistics(scores: Scores, s: Places, i: Places, m: Places) -> pl.Series:
    """Return the statistics of each row; null for other measures."""
    import polars as pl

    summed = [scores.statistics.get(measure) for measure in scores.measures]
    cells: list[list[float] | None] = []
    for system, item, measure in zip(s.tolist(), i.tolist(), m.tolist(), strict=True):
        one = summed[measure]
        known = one is not None and not np.isnan(one.cells[system, item]).any()
        cells.append(one.cells[system, item].tolist() if one is not None and known else None)
    return pl.Series(cells, dtype=pl.List(pl.Float64))


# A score table made of its cells and of what was saved with them.


MAX_VALUE = 1e150  # squares of larger numbers, and their sums, overflow
Axes = tuple[tuple[str, ...], tuple[str, ...], tuple[Measure, ...]]


@dataclass(frozen=True)
class Cells:
    """Numbers by system, item and measure; NaN where there is none."""

    values: Floats
    parts: Floats | None = None  # gross, tare and ideal of ratios, each of the same shape
    judged: Floats | None = None  # shares of judged documents


def scores_of_cells(
    name: str,
    about: dict[str, Any],
    axes: Axes,
    cells: Cells,
    *,
    findings: Sequence[Finding] = (),
    attributes: Mapping[str, tuple[Any, ...]] | None = None,
    statistics: Mapping[Measure, SummedStatistics] | None = None,
) -> Scores:
    """Return the scores; signatures, findings and the seed are those of `about`, if it has them."""
    systems, items, measures = axes
    ratios, without = _ratios(measures, cells.parts)
    shares = {
        measure: cells.judged[:, :, k]
        for k, measure in enumerate(measures)
        if cells.judged is not None and measure.text in about[JUDGED]
    }
    names = [measure.text for measure in measures]
    known = dict(zip(about.get("measures", []), about.get("signatures", []), strict=False))
    signatures = tuple(
        Signature.parse(known[text])
        if text in known
        else Signature.of(text, {"source": name, "n": len(items), "tare": tare_version()})
        for text in names
    )
    stored = [
        Finding(kind, message, count, severity, tuple(examples))
        for kind, message, count, severity, examples in about.get("findings", [])
    ]
    if without:
        message = (
            f"{name}: {', '.join(without)} is a ratio of means, and the table has no columns gross, tare and "
            "ideal; the mean over items is shown instead."
        )
        stored.append(Finding("no gross, tare and ideal", message, len(without)))
    return Scores(
        systems,
        items,
        measures,
        cells.values,
        signatures,
        (*stored, *findings),
        dict(attributes or {}),
        seed=about.get("seed", 0),
        ratios=ratios,
        statistics=dict(statistics or {}),
        judged=shares,
    )


def _ratios(
    measures: tuple[Measure, ...], parts: Floats | None
) -> tuple[dict[Measure, Ratio], list[str]]:
    """Return the parts of measures that are ratios of means, and the names of those without."""
    ratios: dict[Measure, Ratio] = {}
    without = []
    for m, measure in enumerate(measures):
        kind = parts_of(measure)
        if kind is None:
            continue
        if parts is not None and not np.isnan(parts[:, :, :, m]).all():
            ratios[measure] = kind(*(part[:, :, m].copy() for part in parts))
        elif kind.needed:
            without.append(measure.text)
    return ratios, without


# Writing of score tables as Parquet files that are read without loss.


KEY = "tare"


def save(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Write the cells as rows, and signatures, findings and attributes as metadata."""
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
        "ratios": [str(measure) for measure in scores.ratios],
    }
    known = JUDGED in scores.attributes
    shares = None if known else JudgedShares(scores, seams().saved_rows)
    if shares is not None and shares.measures:
        about[JUDGED] = [str(measure) for measure in shares.measures]
    blocks = row_blocks(scores, shares, seams().saved_rows)
    parquet.write_groups(blocks, path, {KEY: json.dumps(about)})


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
    """Return whether the metadata are those that `save` writes."""
    texts = (
        "systems",
        "items",
        "measures",
        "signatures",
        "attributes",
        "examples",
        "ratios",
        JUDGED,
    )
    findings = about.get("findings", [])
    return (
        all(_is_texts(about.get(key, [])) for key in texts)
        and isinstance(about.get("seed", 0), int)
        and 0 <= about.get("seed", 0) < 1 << 64
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
    """Read a saved table, or another table of scores."""
    if isinstance(source, Scores):
        return source
    if not isinstance(source, str | os.PathLike):
        return from_frame(to_polars(source), "data frame")
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
    return from_frame(frame, table.name, about, table.line(0) if len(table) else 1)


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


def _given_places(ids: pl.Series, names: tuple[str, ...]) -> NDArray[np.intp]:
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
        _given_places(ids["system"], systems),
        _given_places(ids["item"], items),
        _given_places(ids["measure"], measures),
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


# Score tables as studies accept them: a table, a path or a data frame.


ScoreSource: TypeAlias = "Scores | PathLike | Frame"
"""A score table, the path of one, or a data frame with the columns system, item, measure, value."""


def scores_of(source: ScoreSource) -> Scores:
    """Return the score table of a source."""
    return source if isinstance(source, Scores) else Scores.load(source)
