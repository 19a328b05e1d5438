"""Ratings: values that coders (assessors) gave to units, with missing and repeated ones; and values mapped from one scale to another."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._data import tables
from tare._data.columns import COLUMNS
from tare._data.findings import Finding, Frame, listed
from tare._data.recognised_files import (
    PREFERENCES,
    QRELS,
    form_of,
    kind_of_columns,
    kind_of_text,
    refuse_other_kind,
)
from tare._data.summaries import Summaries, read_summaries
from tare._data.table_files import TableFile, table_in
from tare._data.tables import InputTable, is_blank, is_frame, read_table, records_of, to_polars
from tare._files.opening import PathLike, head_of, name_of, plain_suffix, read_text
from tare._tables.delimited import unmarked
from tare.errors import FormatError, OptionError, choose, nearest
from tare.stats._ranks_with_ties import rescaled

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "PREFERENCES",
    "RatedSummaries",
    "RatingRows",
    "Ratings",
    "RatingsInput",
    "first_seen",
    "is_missing",
    "number_of",
    "read_rated_summaries",
    "read_ratings",
]


# Mapping of values from one scale to another, such as 1 to 10 onto 1 to 5.


# Tables of ratings, long or wide, with or without a header, as rows of unit, coder and value.


SPELLINGS = {
    "unit": ("unit", "item", "id", "unit_id", "item_id", "document", "doc_id", "summary"),
    "coder": COLUMNS["assessor"],
    "value": ("value", "rating", "label", "score", "grade", "answer", "category", "judgement"),
}
NO_RATINGS = (
    "holds preferences, not ratings. `tare judge export STUDY.db --what ratings -o ratings.csv` writes the answers "
    "of a study as ratings. For other preferences, make a table with unit (the query and the pair), coder (the "
    "assessor) and value (the winner)."
)
MISSING = ("*", ".", "none")  # also mean that a rating is missing


class RatingRows(NamedTuple):
    """The ratings of a source: (unit, coder, value) triples, attributes of the units, and findings."""

    rows: Sequence[tuple[Any, Any, Any]]
    attributes: Mapping[str, Mapping[str, Any]] = {}
    findings: Sequence[Finding] = ()


def _cells_of(source: PathLike) -> list[tuple[int, list[str]]]:
    """Return the line and the cells of each row of a CSV or TSV file of ratings."""
    text = read_text(source)
    first = text.partition("\n")[0]
    separator = "\t" if "\t" in first and "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    found, line = [], 1
    try:
        for row in reader:
            if row:
                found.append((line, [unmarked(cell) for cell in row]))
            line = reader.line_num + 1
        return found
    except csv.Error as error:
        raise FormatError(
            f"{name_of(source)}, line {reader.line_num}: not a readable table ({error})."
        ) from None


def _rows_of_cells(found: list[tuple[int, list[str]]], name: str, coders: str) -> RatingRows:
    """Return the ratings of numbered rows of cells, with or without a header."""
    if not found:
        raise FormatError(f"{name} is empty. Ratings are unit, coder, value, or a matrix.")
    rows = [row for _, row in found]
    for line, row in found:
        if len(row) != len(rows[0]):
            raise FormatError(
                f"{name}, line {line}: expected {len(rows[0])} cells as in line {found[0][0]}, found {len(row)}."
            )
    headed = any(not is_missing(cell) and number_of(cell) is None for cell in rows[0])
    body_numeric = all(is_missing(c) or number_of(c) is not None for row in rows[1:] for c in row)
    recognised = _recognise(rows[0])
    if recognised is None:
        refuse_preferences(rows[0], name)
        refuse_other_kind(name, _clear_kind(rows[0]), "ratings")
    if (
        recognised is not None
        or (headed and (body_numeric or coders == "columns"))
        or _has_header(rows)
    ):
        import polars as pl

        header, body = rows[0], rows[1:]
        if len(set(header)) != len(header):
            twice = next(x for x in header if header.count(x) > 1)
            raise FormatError(f"{name}: duplicate column {twice!r}.")
        columns = {h: [row[k] for row in body] for k, h in enumerate(header)}
        frame = pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String))
        lines = np.array([line for line, _ in found[1:]], dtype=np.int64)
        return _rows_of_table(InputTable(name, frame, lines), coders)
    by_rows = coders != "columns"
    return RatingRows(
        [
            (f"u{c + 1}", f"c{r + 1}", cell) if by_rows else (f"u{r + 1}", f"c{c + 1}", cell)
            for r, row in enumerate(rows)
            for c, cell in enumerate(row)
        ]
    )


def _clear_kind(columns: Sequence[str]) -> str | None:
    """Return what a table given as ratings is by its columns; None for judgements, which can also be ratings."""
    kind = kind_of_columns(columns)
    return None if kind == QRELS else kind


def _has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row of ratings has the names of coders: none of its cells is a value below."""
    first = {c.strip() for c in rows[0] if not is_missing(c)}
    below = {c.strip() for row in rows[1:] for c in row}
    words = all(number_of(c) is None for c in first)
    return bool(below) and words and not first & below


def _recognise(header: Sequence[str]) -> dict[str, str] | None:
    lowered = {h.strip().lower(): h for h in reversed(list(header))}
    found = {}
    for part, spellings in SPELLINGS.items():
        column = next((lowered[s] for s in spellings if s in lowered), None)
        if column is None:
            return None
        found[part] = column
    return found


def refuse_preferences(columns: Sequence[str], name: str) -> None:
    """Raise if a table holds preferences, which are not ratings."""
    lowered = {column.strip().lower() for column in columns}
    if all(lowered & set(COLUMNS[part]) for part in ("left", "right", "preferred")):
        raise FormatError(f"{name} {NO_RATINGS}")


def _rows_of_table(table: InputTable, coders: str) -> RatingRows:
    """Return the ratings of a table, long (one rating per row) or wide (units by coders)."""
    frame, name = table.frame, table.name
    parts = _recognise(frame.columns)
    if parts is None:
        refuse_preferences(frame.columns, name)
        refuse_other_kind(name, _clear_kind(frame.columns), "ratings")
    if parts is None:
        return _wide(frame, name, coders)
    columns = [frame[parts[p]].to_list() for p in ("unit", "coder", "value")]
    for part, column in zip(("unit", "coder"), columns, strict=False):
        gap = next((k for k, x in enumerate(column) if is_blank(x)), None)
        if gap is not None:
            raise FormatError(f"{table.where(gap)}: the {part} is missing.")
    findings, attributes = [], {}
    for column_name in frame.columns:
        if column_name in parts.values():
            continue
        of_unit: dict[str, Any] = {}
        same = True
        for unit, value in zip(columns[0], frame[column_name].to_list(), strict=True):
            same &= of_unit.setdefault(str(unit), value) == value
        if same:
            attributes[column_name] = of_unit
        else:
            findings.append(
                Finding(
                    "column left out",
                    f"{name}: the column {column_name!r} differs within units and was left out",
                    severity="note",
                )
            )
    return RatingRows(list(zip(*columns, strict=True)), attributes, findings)


def _wide(frame: pl.DataFrame, name: str, coders: str) -> RatingRows:
    """Read ratings from one row per unit and one column per coder, or the reverse; the first column may be ids."""
    columns = frame.columns
    if not columns:
        raise FormatError(f"{name}: no ratings found; the table has no columns.")
    first = frame[columns[0]].to_list()
    ids = [str(x) for x in first]
    known = columns[0].strip().lower() in (*SPELLINGS["unit"], *SPELLINGS["coder"], "")
    words = any(not is_missing(x) and number_of(x) is None for x in first)
    others = [next((x for x in frame[c].to_list() if not is_missing(x)), None) for c in columns[1:]]
    numbers = any(number_of(x) is not None for x in others)
    has_ids = len(columns) > 1 and (known or (words and numbers))
    if not has_ids:
        ids = [f"u{k + 1}" for k in range(frame.height)]
    elif len(set(ids)) != len(ids):
        twice = [x for x in dict.fromkeys(ids) if ids.count(x) > 1]
        raise FormatError(
            f"{name}: duplicate {', '.join(listed(twice))} in the column {columns[0]!r}. "
            "Give repeated judgements as a long table: unit, coder, value."
        )
    wide = columns[1:] if has_ids else columns
    flipped = coders == "rows"
    return RatingRows(
        [
            (column, row, value) if flipped else (row, column, value)
            for column in wide
            for row, value in zip(ids, frame[column].to_list(), strict=True)
        ]
    )


def first_seen(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct numbers (of units or coders) in order of appearance, and the index of each number among them."""
    first = np.full(places.max() + 1, len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(places))]
    rank = np.empty_like(first)
    rank[order] = np.arange(len(order))
    return order, rank[places]


def is_missing(value: Any) -> bool:
    """Return whether a cell is a missing value."""
    marked = isinstance(value, str) and value.strip().lower() in MISSING
    return marked or tables.is_missing(value)


def number_of(value: Any) -> float | None:
    """Return the finite number that a cell gives as a rating, or None."""
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


# Ratings: values that coders (assessors) gave to units, with missing and repeated ones.


RatingsInput: TypeAlias = "Ratings | PathLike | Frame | Mapping[Any, Mapping[Any, Any]] | ArrayLike"
"""What `read_ratings` takes: ratings, a path, a data frame, {coder: {unit: value}} or a matrix."""

CODERS = ("auto", "rows", "columns")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of units by coders. Made by `read_ratings`.

    Attributes
    ----------
    units, coders : tuple of str
        The units and the coders.
    unit, coder : array of int64
        The unit and the coder of each rating, as indices into `units` and `coders`.
    values, labels
        The ratings; for categories, indices into `labels`, which is None for numbers.
    findings, attributes, name
        What users should know about the data; {attribute: one value per unit}; the source of the data.

    Examples
    --------
    >>> ratings = read_ratings({"ann": {"u1": 1, "u2": 2}, "bob": {"u1": 3}})
    >>> ratings.matrix().tolist()
    [[1.0, 2.0], [3.0, nan]]
    """

    units: tuple[str, ...]
    coders: tuple[str, ...]
    unit: NDArray[np.int64]
    coder: NDArray[np.int64]
    values: NDArray[np.float64]
    labels: tuple[str, ...] | None = None
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    name: str = "ratings"

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[object, object, object]],
        *,
        name: str = "ratings",
        attributes: Mapping[str, Mapping[str, object]] | None = None,
        findings: Sequence[Finding] = (),
    ) -> Ratings:
        """Make ratings from (unit, coder, value) triples; missing values are left out.

        Parameters
        ----------
        rows : iterable of (unit, coder, value)
            The ratings. Values that are not all numbers are categories.
        name, attributes, findings
            The source, {attribute: {unit: value}}, and what users should know about the data.
        """
        given = [(str(u), str(c), v) for u, c, v in rows if not is_missing(v)]
        if not given:
            raise FormatError(f"{name}: no ratings found. A row is unit, coder, value.")
        units = tuple(dict.fromkeys(u for u, _, _ in given))
        coders = tuple(dict.fromkeys(c for _, c, _ in given))
        numbers = [number_of(v) for _, _, v in given]
        labels: tuple[str, ...] | None = None
        if any(x is None for x in numbers):
            labels = tuple(sorted({str(v).strip() for _, _, v in given}))
            code = {label: float(k) for k, label in enumerate(labels)}
            values = [code[str(v).strip()] for _, _, v in given]
        else:
            values = [x for x in numbers if x is not None]
        u, c = ({x: k for k, x in enumerate(xs)} for xs in (units, coders))
        of_units = {k: tuple(m.get(x) for x in units) for k, m in (attributes or {}).items()}
        return cls(
            units,
            coders,
            np.array([u[x] for x, _, _ in given], dtype=np.int64),
            np.array([c[x] for _, x, _ in given], dtype=np.int64),
            np.array(values, dtype=np.float64),
            labels,
            tuple(findings),
            of_units,
            name,
        )

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.float64], *, coders: str = "rows") -> Ratings:
        """Make ratings from a matrix of numbers.

        Parameters
        ----------
        matrix, coders
            The numbers, NaN if missing, and where the coders are: in "rows" or "columns".
        """
        rows, columns = np.nonzero(~np.isnan(matrix))
        values = matrix[rows, columns]
        row_places, rows = first_seen(rows)
        column_places, columns = first_seen(columns)
        if coders == "columns":
            rows, columns, row_places, column_places = columns, rows, column_places, row_places
        units = tuple([f"u{k + 1}" for k in column_places.tolist()])
        names = tuple([f"c{k + 1}" for k in row_places.tolist()])
        return cls(units, names, columns, rows, values, name="matrix")

    def once(self) -> tuple[Ratings, int]:
        """Keep the first rating of each unit by each coder; also return the number of others."""
        cells = self.unit * len(self.coders) + self.coder
        if len(self) * 4 > len(self.units) * len(self.coders) and np.bincount(cells).max() == 1:
            return self, 0
        _, first = np.unique(cells, return_index=True)
        return self._take(np.sort(first)), len(self) - len(first)

    def select(
        self, *, coders: Sequence[str] | None = None, units: Sequence[str] | None = None
    ) -> Ratings:
        """Keep only some coders and units.

        Parameters
        ----------
        coders, units : sequence of str, optional
            What to keep; by default all. Unknown names raise an `OptionError`.
        """
        keep = np.ones(len(self), dtype=bool)
        for known, wanted, column, what in (
            (self.coders, coders, self.coder, "coder"),
            (self.units, units, self.unit, "unit"),
        ):
            if wanted is None:
                continue
            for x in wanted:
                if x not in known:
                    raise OptionError(f"there is no {what} {x!r}.{nearest(x, known)}")
            keep &= np.isin(column, [known.index(x) for x in wanted])
        return self._take(np.flatnonzero(keep))

    def filter(self, attribute: str, value: object) -> Ratings:
        """Keep only units with a given value of an attribute.

        Parameters
        ----------
        attribute, value
            The attribute and its value. An unknown attribute raises an `OptionError`.
        """
        if attribute not in self.attributes:
            known = list(self.attributes)
            raise OptionError(
                f"the units have no attribute {attribute!r}; they have: {', '.join(known) or 'none'}.{nearest(attribute, known)}"
            )
        column = self.attributes[attribute]
        keep = np.array([column[k] == value for k in self.unit], dtype=bool)
        return self._take(np.flatnonzero(keep))

    def rescaled(
        self,
        given: tuple[float, float],
        wanted: tuple[float, float],
        *,
        where: tuple[str, str] | None = None,
    ) -> Ratings:
        """Map ratings from one scale to another.

        Parameters
        ----------
        given, wanted : (float, float)
            The ends of the scale that was used, and of the new scale.
        where : (str, str), optional
            An attribute and its value: map only the ratings of these units.
        """
        if self.labels is not None:
            raise OptionError(f"{self.name}: values are categories; only numbers can be rescaled.")
        chosen = np.ones(len(self), dtype=bool)
        if where is not None:
            self.filter(where[0], None)  # raises an error if the attribute does not exist
            column = self.attributes[where[0]]
            chosen = np.array([str(column[k]) == where[1] for k in self.unit], dtype=bool)
            if not chosen.any():
                raise OptionError(f"no unit has {where[0]} {where[1]!r}.")
        values = self.values.copy()
        values[chosen] = rescaled(values[chosen], given, wanted)
        return replace(self, values=values)

    def _take(self, places: NDArray[np.int64]) -> Ratings:
        unit, coder, values = self.unit[places], self.coder[places], self.values[places]
        return replace(self, unit=unit, coder=coder, values=values)

    def matrix(self) -> NDArray[np.float64]:
        """Return the matrix coders × units of first ratings, NaN for missing ones."""
        single, _ = self.once()
        made = np.full((len(self.coders), len(self.units)), np.nan)
        made[single.coder, single.unit] = single.values
        return made

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with the columns unit, coder and value."""
        import polars as pl

        names = self.labels
        values: Any = self.values if names is None else [names[int(v)] for v in self.values]
        units, coders = [self.units[k] for k in self.unit], [self.coders[k] for k in self.coder]
        return pl.DataFrame({"unit": units, "coder": coders, "value": values})

    def __repr__(self) -> str:
        return (
            f"Ratings({self.name!r}: {len(self):,} judgements of {len(self.units):,} units "
            f"by {len(self.coders):,} coders)"
        )


def read_ratings(source: RatingsInput, *, coders: str = "auto") -> Ratings:
    """Read ratings of units by coders.

    Parameters
    ----------
    source : path, data frame, dict or matrix
        A long table has the columns unit, coder and value; other columns become attributes of the
        units. A wide table with a header has one row per unit and one column per coder; without a
        header it has one row per coder, as reliability data are usually printed. A dictionary is
        {coder: {unit: value}}. Empty cells, NA, * and . are missing values.
    coders : {"auto", "rows", "columns"}, default "auto"
        Where the coders of a wide table are.

    Returns
    -------
    Ratings
        The ratings.

    Raises
    ------
    FormatError
        If there are no ratings, or the source does not follow the format.
    UnreadableError
        If the file cannot be read.
    OptionError
        If `coders` has an unknown value.

    Examples
    --------
    >>> read_ratings({"ann": {"u1": 1, "u2": 2}, "bob": {"u1": 1}})
    Ratings('ratings': 3 judgements of 2 units by 2 coders)
    """
    choose("coders", coders, CODERS)
    if isinstance(source, Ratings):
        return source
    if isinstance(source, Mapping):
        return Ratings.of((u, c, v) for c, given in source.items() for u, v in given.items())
    if is_frame(source):
        return _made(
            _rows_of_table(InputTable("data frame", to_polars(source)), coders), "data frame"
        )
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        table = table_in(source)
        if table is not None and table.form in ("jsonl", "parquet"):
            return _made(_rows_of_table(read_table(table), coders), name)
        if table is not None or plain_suffix(source) in ("", ".csv", ".tsv"):
            return _made(_rows_of_cells(_cells_of(source), name, coders), name)
        if kind_of_text(head_of(source)) == PREFERENCES:
            raise FormatError(f"{name} {NO_RATINGS}")
        raise FormatError(f"{name}: ratings are read from .csv, .tsv, .jsonl and .parquet files.")
    matrix = np.asarray(source, dtype=np.float64)
    if matrix.ndim != 2:
        raise FormatError(f"a matrix of ratings has two dimensions; found {matrix.ndim}.")
    if not np.isinf(matrix).any() and not np.isnan(matrix).all():
        return Ratings.of_matrix(matrix, coders=coders)
    cells = [(k, [str(v) for v in row]) for k, row in enumerate(matrix.tolist(), 1)]
    return _made(_rows_of_cells(cells, "matrix", coders), "matrix")


def _made(given: RatingRows, name: str) -> Ratings:
    return Ratings.of(given.rows, name=name, attributes=given.attributes, findings=given.findings)


# Summaries with human ratings on several dimensions.


Rating = tuple[str, str, str, float]


@dataclass(frozen=True)
class RatedSummaries:
    """Texts, and ratings as (system, item, dimension, value)."""

    texts: Summaries
    ratings: tuple[Rating, ...]

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The rated dimensions, in order of appearance."""
        return tuple(dict.fromkeys(dimension for _, _, dimension, _ in self.ratings))


def read_rated_summaries(source: Any) -> RatedSummaries:
    """Read the texts of summaries and their ratings from JSON lines or a list of dictionaries.

    Either one document per line, as in SummEval: doc_id, src, ref_summs and sys_summs, which has
    sys_summ and scores for each system. Or one text per line, as for `read_summaries`, with `scores`
    as {dimension: value}. Other tables of summaries are read without ratings.

    >>> row = {"doc_id": "d", "src": "a b", "ref_summs": ["a"],
    ...        "sys_summs": {"x": {"sys_summ": "b", "scores": {"fluency": 4}}}}
    >>> read_rated_summaries([row]).ratings
    (('x', 'd', 'fluency', 4.0),)
    """
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        if form_of(source) != "jsonl":
            return RatedSummaries(read_summaries(source), ())
        objects: Iterable[tuple[int, Any]] = records_of(TableFile(source, "jsonl"), "doc_id")
    elif isinstance(source, Iterable) and not isinstance(source, Mapping | Summaries):
        name, objects = "list", enumerate(source, 1)
    else:
        return RatedSummaries(read_summaries(source), ())
    rows: list[dict[str, Any]] = []
    ratings: list[Rating] = []
    for number, given in objects:
        where = f"{name}, row {number}"
        if not isinstance(given, Mapping):
            raise FormatError(f"{where}: expected columns, found {type(given).__name__}.")
        for row in _of_document(given, where) if "sys_summs" in given else [dict(given)]:
            scores = row.pop("scores", None) or {}
            rows.append(row)
            key = str(row.get("system", "system")), str(row.get("item", len(rows)))
            ratings += [(*key, *rating) for rating in _ratings(scores, where)]
    texts = read_summaries(rows)
    return RatedSummaries(_with_name(texts, name), tuple(ratings))


def _of_document(given: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return one row per system of a document."""
    systems = given["sys_summs"]
    item = given.get("doc_id", given.get("id"))
    if not isinstance(systems, Mapping) or item is None:
        raise FormatError(
            f"{where}: a document has doc_id, src, ref_summs and sys_summs, {{system: {{sys_summ: "
            "text, scores: {dimension: value}}}."
        )
    references = given.get("ref_summs", [given["ref_summ"]] if "ref_summ" in given else [])
    rows = []
    for system, one in systems.items():
        if not isinstance(one, Mapping) or "sys_summ" not in one:
            raise FormatError(f"{where}: system {system!r} has no sys_summ.")
        rows.append(
            {
                "system": str(system),
                "item": str(item),
                "text": one["sys_summ"],
                "references": list(references),
                "source": given.get("src"),
                "scores": one.get("scores"),
            }
        )
    return rows


def _ratings(scores: Any, where: str) -> list[tuple[str, float]]:
    try:
        return [(str(k), float(v)) for k, v in scores.items() if v is not None]
    except (AttributeError, TypeError, ValueError):
        raise FormatError(
            f"{where}: scores must be {{dimension: number}}; found {scores!r:.80}."
        ) from None


def _with_name(texts: Summaries, name: str) -> Summaries:
    from dataclasses import replace

    return replace(texts, name=name)
