"""Ratings: what coders (assessors) said about units, with gaps and repetitions."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare.data import frames
from tare.data.findings import Finding, listed
from tare.data.formats import delimited
from tare.data.rows import TABLES
from tare.data.source import PathLike, name_of, plain_suffix, read_all
from tare.errors import FormatError, OptionError, choose, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Ratings", "read_ratings"]

SPELLINGS = {
    "unit": ("unit", "item", "id", "unit_id", "item_id", "document", "doc_id", "summary"),
    "coder": ("coder", "assessor", "annotator", "rater", "judge", "worker", "worker_id", "user"),
    "value": ("value", "rating", "label", "score", "grade", "answer", "category", "judgement"),
}
MISSING = frozenset(("", "*", ".", "na", "nan", "null", "none", "n/a"))
CODERS = ("auto", "rows", "columns")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Judgements in the order given: `unit[k]` was rated `values[k]` by `coder[k]`.

    Values that are not numbers are categories: `values` then indexes `labels`.
    """

    units: tuple[str, ...]
    coders: tuple[str, ...]
    unit: NDArray[np.int64]
    coder: NDArray[np.int64]
    values: NDArray[np.float64]
    labels: tuple[str, ...] | None = None
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    name: str = "ratings"

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[Any, Any, Any]],
        *,
        name: str = "ratings",
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
        findings: Sequence[Finding] = (),
    ) -> Ratings:
        """Ratings from (unit, coder, value) triples; missing values are left out."""
        given = [(str(u), str(c), v) for u, c, v in rows if not _is_missing(v)]
        if not given:
            raise FormatError(f"{name}: no ratings found. A row is unit, coder, value.")
        units = tuple(dict.fromkeys(u for u, _, _ in given))
        coders = tuple(dict.fromkeys(c for _, c, _ in given))
        numbers = [_number(v) for _, _, v in given]
        labels: tuple[str, ...] | None = None
        if any(x is None for x in numbers):
            labels = tuple(sorted({str(v).strip() for _, _, v in given}))
            code = {label: float(k) for k, label in enumerate(labels)}
            values = [code[str(v).strip()] for _, _, v in given]
        else:
            values = [x for x in numbers if x is not None]
        u, c = ({x: k for k, x in enumerate(xs)} for xs in (units, coders))
        return cls(
            units,
            coders,
            np.array([u[x] for x, _, _ in given], dtype=np.int64),
            np.array([c[x] for _, x, _ in given], dtype=np.int64),
            np.array(values, dtype=np.float64),
            labels,
            tuple(findings),
            {k: tuple(m.get(x) for x in units) for k, m in (attributes or {}).items()},
            name,
        )

    def once(self) -> tuple[Ratings, int]:
        """Only the first judgement of each unit by each coder, and how many others there were."""
        _, first = np.unique(self.unit * len(self.coders) + self.coder, return_index=True)
        return self._take(np.sort(first)), len(self) - len(first)

    def select(
        self, *, coders: Sequence[str] | None = None, units: Sequence[str] | None = None
    ) -> Ratings:
        """Only these coders and units."""
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

    def filter(self, attribute: str, value: Any) -> Ratings:
        """Only the units with this value of an attribute."""
        if attribute not in self.attributes:
            known = list(self.attributes)
            raise OptionError(
                f"the units have no attribute {attribute!r}; they have: "
                f"{', '.join(known) or 'none'}.{nearest(attribute, known)}"
            )
        column = self.attributes[attribute]
        keep = np.array([column[k] == value for k in self.unit], dtype=bool)
        return self._take(np.flatnonzero(keep))

    def _take(self, places: NDArray[np.int64]) -> Ratings:
        return Ratings(
            self.units,
            self.coders,
            self.unit[places],
            self.coder[places],
            self.values[places],
            self.labels,
            self.findings,
            self.attributes,
            self.name,
        )

    def matrix(self) -> NDArray[np.float64]:
        """Coders × units of each one's first judgement, NaN where there is none."""
        single, _ = self.once()
        made = np.full((len(self.coders), len(self.units)), np.nan)
        made[single.coder, single.unit] = single.values
        return made

    def to_frame(self) -> pl.DataFrame:
        """A polars frame with the columns unit, coder and value."""
        import polars as pl

        values: Any = self.values
        if self.labels is not None:
            values = [self.labels[int(v)] for v in self.values]
        columns: dict[str, Any] = {
            "unit": [self.units[k] for k in self.unit],
            "coder": [self.coders[k] for k in self.coder],
            "value": values,
        }
        return pl.DataFrame(columns)

    def __repr__(self) -> str:
        return (
            f"Ratings({self.name!r}: {len(self):,} judgements of {len(self.units):,} units "
            f"by {len(self.coders):,} coders)"
        )


def read_ratings(source: Any, *, coders: str = "auto") -> Ratings:
    """Reads ratings from a file, a data frame, a dictionary {coder: {unit: value}} or a matrix.

    Long tables have a column each for unit, coder and value; other columns become attributes of
    the units. Wide tables with a header have a row a unit and a column a coder; those without one
    (only values) have a row a coder, as reliability data are printed. `coders` = "rows" or
    "columns" says otherwise. Empty cells, NA, * and . are gaps.
    """
    choose("coders", coders, CODERS)
    if isinstance(source, Ratings):
        return source
    if isinstance(source, Mapping):
        return Ratings.of(
            (unit, coder, value) for coder, given in source.items() for unit, value in given.items()
        )
    if frames.is_frame(source):
        return _from_frame(frames.to_polars(source), "data frame", coders)
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        suffix = plain_suffix(source)
        if suffix in delimited.SUFFIXES or suffix == "":
            return _from_cells(_cells(source), name, coders)
        if suffix in TABLES:
            return _from_frame(TABLES[suffix].read(source), name, coders)
        raise FormatError(f"{name}: ratings are read from .csv, .tsv, .jsonl and .parquet files.")
    matrix = np.asarray(source, dtype=np.float64)
    if matrix.ndim != 2:
        raise FormatError(f"a matrix of ratings has two dimensions, found {matrix.ndim}.")
    return _from_cells([[str(v) for v in row] for row in matrix.tolist()], "matrix", coders)


def _cells(source: PathLike) -> list[list[str]]:
    data = read_all(source)
    separator = "\t" if plain_suffix(source) == ".tsv" else ","
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{name_of(source)}: not UTF-8 text ({error}).") from None
    return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]


def _from_cells(rows: list[list[str]], name: str, coders: str) -> Ratings:
    if not rows:
        raise FormatError(f"{name} is empty. Ratings are unit, coder, value, or a matrix.")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        wrong = next(k for k, row in enumerate(rows) if len(row) != len(rows[0]))
        raise FormatError(
            f"{name}, line {wrong + 1}: expected {len(rows[0])} cells as in line 1, "
            f"found {len(rows[wrong])}."
        )
    headed = any(not _is_missing(cell) and _number(cell) is None for cell in rows[0])
    body_numeric = all(_is_missing(c) or _number(c) is not None for row in rows[1:] for c in row)
    recognised = _recognise(rows[0])
    if recognised is not None or (headed and (body_numeric or coders == "columns")) or _named(rows):
        import polars as pl

        header, body = rows[0], rows[1:]
        if len(set(header)) != len(header):
            twice = next(x for x in header if header.count(x) > 1)
            raise FormatError(f"{name}: the column {twice!r} stands there twice.")
        columns = {h: [row[k] for row in body] for k, h in enumerate(header)}
        return _from_frame(pl.DataFrame(columns, schema=dict.fromkeys(header, pl.String)), name, coders)  # fmt: skip
    by_rows = coders != "columns"
    return Ratings.of(
        (
            (f"u{c + 1}", f"c{r + 1}", cell) if by_rows else (f"u{r + 1}", f"c{c + 1}", cell)
            for r, row in enumerate(rows)
            for c, cell in enumerate(row)
        ),
        name=name,
    )


def _named(rows: list[list[str]]) -> bool:
    """Whether the first row names coders: no cell of it occurs as a value below."""
    first = {c.strip() for c in rows[0] if not _is_missing(c)}
    below = {c.strip() for row in rows[1:] for c in row}
    words = all(_number(c) is None for c in first)
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


def _from_frame(frame: pl.DataFrame, name: str, coders: str) -> Ratings:
    parts = _recognise(frame.columns)
    if parts is None:
        return _from_wide(frame, name, coders)
    columns = [frame[parts[p]].to_list() for p in ("unit", "coder", "value")]
    for part, column in zip(("unit", "coder"), columns, strict=False):
        gap = next((k for k, x in enumerate(column) if x is None or str(x).strip() == ""), None)
        if gap is not None:
            raise FormatError(f"{name}, row {gap + 1}: the {part} is missing.")
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
    return Ratings.of(
        zip(*columns, strict=True), name=name, attributes=attributes, findings=findings
    )


def _from_wide(frame: pl.DataFrame, name: str, coders: str) -> Ratings:
    """A row a unit and a column a coder (or the other way round); a first column of ids is seen."""
    columns = frame.columns
    first = frame[columns[0]].to_list()
    ids = [str(x) for x in first]
    known = columns[0].strip().lower() in (*SPELLINGS["unit"], *SPELLINGS["coder"], "")
    words = any(not _is_missing(x) and _number(x) is None for x in first)
    others = [c for c in columns[1:] if _number(frame[c].drop_nulls().to_list()[0] if frame[c].drop_nulls().len() else None) is not None]  # fmt: skip
    has_ids = len(columns) > 1 and (known or (words and len(others) > 0))
    if not has_ids:
        ids = [f"u{k + 1}" for k in range(frame.height)]
    elif len(set(ids)) != len(ids):
        twice = [x for x in dict.fromkeys(ids) if ids.count(x) > 1]
        raise FormatError(
            f"{name}: {', '.join(listed(twice))} stands twice in the column {columns[0]!r}. "
            "Repeated judgements are given as a long table: unit, coder, value."
        )
    wide = columns[1:] if has_ids else columns
    flipped = coders == "rows"
    return Ratings.of(
        (
            (column, row, value) if flipped else (row, column, value)
            for column in wide
            for row, value in zip(ids, frame[column].to_list(), strict=True)
        ),
        name=name,
    )


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return True
    return isinstance(value, str) and value.strip().lower() in MISSING


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None
