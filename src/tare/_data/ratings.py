"""Ratings: values that coders (assessors) gave to units, with missing and repeated ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._data import frames
from tare._data.findings import Finding
from tare._data.formats import delimited
from tare._data.inputs import Frame
from tare._data.rating_tables import (
    PREFERENCES,
    RatingRows,
    cells_of,
    is_missing,
    number_of,
    rows_of_cells,
    rows_of_frame,
)
from tare._data.rescaling import rescaled
from tare._data.rows import TABLES
from tare._data.source import PathLike, name_of, plain_suffix, read_text
from tare.errors import FormatError, OptionError, TareError, choose, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Ratings", "RatingsInput", "read_ratings"]

RatingsInput: TypeAlias = "Ratings | PathLike | Frame | Mapping[Any, Mapping[Any, Any]] | ArrayLike"
"""What `read_ratings` takes: ratings, a path, a data frame, {coder: {unit: value}} or a matrix."""

CODERS = ("auto", "rows", "columns")


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of units by coders. Made by `read_ratings`.

    Rating k is `values[k]`, given by coder `coder[k]` to unit `unit[k]`. If values are categories,
    `values` are indices into `labels`.
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
        """Make ratings from (unit, coder, value) triples; missing values are left out."""
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

    @classmethod
    def of_matrix(cls, matrix: NDArray[np.float64], *, coders: str = "rows") -> Ratings:
        """Make ratings from numbers, one row per coder or one column per coder; NaN is missing."""
        rows, columns = np.nonzero(~np.isnan(matrix))
        values = matrix[rows, columns]
        row_places, rows = _first_seen(rows)
        column_places, columns = _first_seen(columns)
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
        """Keep only some coders and units."""
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
        """Keep only units with a given value of an attribute."""
        if attribute not in self.attributes:
            known = list(self.attributes)
            raise OptionError(
                f"the units have no attribute {attribute!r}; they have: "
                f"{', '.join(known) or 'none'}.{nearest(attribute, known)}"
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
        """Map ratings from one scale to another; `where` (attribute, value) restricts the units."""
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
        """Return the matrix coders × units of first ratings, NaN for missing ones."""
        single, _ = self.once()
        made = np.full((len(self.coders), len(self.units)), np.nan)
        made[single.coder, single.unit] = single.values
        return made

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with the columns unit, coder and value."""
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


def read_ratings(
    source: RatingsInput,
    *,
    coders: str = "auto",
) -> Ratings:
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

    Examples
    --------
    >>> read_ratings({"ann": {"u1": 1, "u2": 2}, "bob": {"u1": 1}})
    Ratings('ratings': 3 judgements of 2 units by 2 coders)
    """
    choose("coders", coders, CODERS)
    if isinstance(source, Ratings):
        return source
    if isinstance(source, Mapping):
        return Ratings.of(
            (unit, coder, value) for coder, given in source.items() for unit, value in given.items()
        )
    if frames.is_frame(source):
        return _made(rows_of_frame(frames.to_polars(source), "data frame", coders), "data frame")
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        suffix = plain_suffix(source)
        if suffix in delimited.SUFFIXES or suffix == "":
            return _made(rows_of_cells(cells_of(source), name, coders), name)
        if suffix in TABLES:
            return _made(rows_of_frame(TABLES[suffix].read(source), name, coders), name)
        if _is_preferences(source):
            raise FormatError(f"{name} {PREFERENCES}")
        raise FormatError(f"{name}: ratings are read from .csv, .tsv, .jsonl and .parquet files.")
    matrix = np.asarray(source, dtype=np.float64)
    if matrix.ndim != 2:
        raise FormatError(f"a matrix of ratings has two dimensions; found {matrix.ndim}.")
    if not np.isinf(matrix).any() and not np.isnan(matrix).all():
        return Ratings.of_matrix(matrix, coders=coders)
    cells = [[str(v) for v in row] for row in matrix.tolist()]
    return _made(rows_of_cells(cells, "matrix", coders), "matrix")


def _first_seen(places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct numbers in order of appearance, and the index of each number among them."""
    first = np.full(places.max() + 1, len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(places))]
    rank = np.empty_like(first)
    rank[order] = np.arange(len(order))
    return order, rank[places]


def _made(given: RatingRows, name: str) -> Ratings:
    return Ratings.of(given.rows, name=name, attributes=given.attributes, findings=given.findings)


def _is_preferences(source: PathLike) -> bool:
    """Return whether a text begins with a line 'query document document winner'."""
    try:
        text = read_text(source)
    except TareError:  # such as a spreadsheet; the caller says which formats are read
        return False
    for line in text.split("\n"):
        fields = line.split()
        if fields and not fields[0].startswith("#"):
            return len(fields) >= 4 and fields[3] in (*fields[1:3], "left", "right", "equal")
    return False
