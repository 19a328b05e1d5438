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
    first_seen,
    is_missing,
    is_preferences,
    number_of,
    rows_of_cells,
    rows_of_frame,
)
from tare._data.rescaling import rescaled
from tare._data.rows import TABLES
from tare._files.opening import PathLike, name_of, plain_suffix
from tare.errors import FormatError, OptionError, choose, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Ratings", "RatingsInput", "read_ratings"]

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
    if frames.is_frame(source):
        return _made(rows_of_frame(frames.to_polars(source), "data frame", coders), "data frame")
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        suffix = plain_suffix(source)
        if suffix in delimited.SUFFIXES or suffix == "":
            return _made(rows_of_cells(cells_of(source), name, coders), name)
        if suffix in TABLES:
            return _made(rows_of_frame(TABLES[suffix].read(source), name, coders), name)
        if is_preferences(source):
            raise FormatError(f"{name} {PREFERENCES}")
        raise FormatError(f"{name}: ratings are read from .csv, .tsv, .jsonl and .parquet files.")
    matrix = np.asarray(source, dtype=np.float64)
    if matrix.ndim != 2:
        raise FormatError(f"a matrix of ratings has two dimensions; found {matrix.ndim}.")
    if not np.isinf(matrix).any() and not np.isnan(matrix).all():
        return Ratings.of_matrix(matrix, coders=coders)
    cells = [[str(v) for v in row] for row in matrix.tolist()]
    return _made(rows_of_cells(cells, "matrix", coders), "matrix")


def _made(given: RatingRows, name: str) -> Ratings:
    return Ratings.of(given.rows, name=name, attributes=given.attributes, findings=given.findings)
