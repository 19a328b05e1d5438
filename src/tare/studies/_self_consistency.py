"""Self-consistency: the same assessor judges the same thing more than once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.ratings import Ratings, RatingsInput, read_ratings
from tare._result import Result, Row, Rows
from tare._tables import Column, Table
from tare.errors import MismatchError
from tare.stats._agreement import Distance, alpha_of_units
from tare.studies._agreement import level_of

__all__ = ["SelfConsistency", "self_consistency"]


MOST_VALUES = 12  # that a contingency table has


@dataclass(frozen=True, eq=False, repr=False)
class SelfConsistency(Result):
    """How consistent each assessor is with their own earlier judgements.

    Attributes
    ----------
    alpha, same, gap : dict of str to float
        For each assessor, α of repeated judgements, the share that is identical, and the mean
        absolute difference.
    pairs : dict of str to int
        Number of pairs of repeated judgements.
    values : tuple
        The rows and columns of the contingency tables.
    contingency : dict of str to ndarray
        ``contingency[assessor][i, j]`` counts pairs that were ``values[i]`` first and ``values[j]``
        later.
    binned : str
        How values were grouped if there are more than 12: numbers in 12 bins of equal width, named
        by their midpoints; of texts, the rarest together. α and the other numbers always use the
        original values.
    level : str
        Level of measurement, or "custom distance".
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import polars as pl
    >>> units, values = ["u1", "u1", "u2", "u2"], [1, 1, 3, 2]
    >>> frame = pl.DataFrame({"unit": units, "coder": ["ann"] * 4, "value": values})
    >>> found = self_consistency(frame)
    >>> found.gap, found.pairs
    ({'ann': 0.5}, {'ann': 2})
    >>> found.contingency["ann"].tolist()
    [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    """

    rows_key: ClassVar[str] = "assessors"

    alpha: dict[str, float]
    same: dict[str, float]
    pairs: dict[str, int]
    gap: dict[str, float]
    values: tuple[object, ...]
    contingency: dict[str, NDArray[np.int64]]
    level: str
    notes: tuple[str, ...] = ()
    binned: str = ""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The assessors, most consistent first; those with an undefined α come last."""
        return tuple(sorted(self.alpha, key=lambda a: (np.isnan(self.alpha[a]), -self.alpha[a], a)))

    @property
    def known(self) -> int:
        """The number of assessors with an α."""
        return sum(not np.isnan(alpha) for alpha in self.alpha.values())

    def answer(self) -> str:
        """Return the least and the most consistent assessor."""
        if self.known < 2:
            found = f"is {self.alpha[self.ranking[0]]:.2f}" if self.known else "is undefined"
            return f"Self-consistency, α, {found} ({self.ranking[0]})."
        best, worst = self.ranking[0], self.ranking[self.known - 1]
        return (
            f"Self-consistency, α, goes from {self.alpha[worst]:.2f} ({worst}) to {self.alpha[best]:.2f} "
            f"({best}) over {self.known} assessors. Whether assessors differ was not tested."
        )

    def table(self) -> Table:
        """Return one row per assessor, most consistent first."""
        columns = [
            Column("assessor", align="left"),
            Column("α"),
            Column("same"),
            Column("mean gap"),
            Column("pairs"),
        ]
        rows = [(a, self.alpha[a], self.same[a], self.gap[a], self.pairs[a]) for a in self.ranking]
        notes = [
            f"Repeated judgements of one assessor, {self.level} level; α is undefined (–) where "
            "an assessor gave one value only.",
            *self.notes,
        ]
        return Table.of(columns, rows, title="Self-consistency", notes=notes)

    def rows(self) -> Rows:
        """Return one dictionary per assessor, most consistent first."""
        return [
            {
                "assessor": a,
                "alpha": self.alpha[a],
                "same": self.same[a],
                "gap": self.gap[a],
                "pairs": self.pairs[a],
            }
            for a in self.ranking
        ]

    def facts(self) -> Row:
        """Return the values and the level of measurement."""
        return {"values": list(self.values), "level": self.level}

    def details(self) -> Row:
        """Return the contingency tables."""
        return {"contingency": self.contingency}


def self_consistency(
    ratings: RatingsInput,
    *,
    same: Mapping[str, str] | str | None = None,
    level: str | Distance = "auto",
) -> SelfConsistency:
    """Measure how well each assessor agrees with their own earlier judgements.

    Parameters
    ----------
    ratings : path, data frame, dict or Ratings
        Ratings with repetitions: several rows of one unit and coder, or identical units (`same`).
    same : dict or str, optional
        Which units are identical: ``{unit: what it is}``, or the name of an attribute, such as the
        text of the summary.
    level : {"auto", "nominal", "ordinal", "interval", "ratio"} or callable
        Level of measurement, as in `agreement`.

    Returns
    -------
    SelfConsistency
        α per assessor, with one assessor's judgements of one thing as a unit (Rankel 2016, ch. 6).

    Raises
    ------
    MismatchError
        If no coder judged anything twice.
    OptionError
        If `level` is unknown or does not suit the values, or the units have no attribute `same`.
    FormatError
        If the ratings cannot be read.

    Examples
    --------
    >>> import polars as pl
    >>> units, values = ["u1", "u1", "u2", "u2"], [1, 1, 3, 2]
    >>> frame = pl.DataFrame({"unit": units, "coder": ["ann"] * 4, "value": values})
    >>> self_consistency(frame).same
    {'ann': 0.5}
    """
    given = read_ratings(ratings)
    thing = _things(given, same)
    level = level_of(given, level)
    names, codes, binned = _counted(given)
    alpha: dict[str, float] = {}
    share: dict[str, float] = {}
    counts: dict[str, int] = {}
    gap: dict[str, float] = {}
    tables: dict[str, NDArray[np.int64]] = {}
    for c, coder in enumerate(given.coders):
        rows = np.flatnonzero(given.coder == c)
        first, later = _pairs(thing[rows])
        if len(first) == 0:
            continue
        first, later = rows[first], rows[later]
        table = np.zeros((len(names), len(names)), dtype=np.int64)
        np.add.at(table, (codes[first], codes[later]), 1)
        tables[coder] = table
        counts[coder] = len(first)
        share[coder] = float((given.values[first] == given.values[later]).mean())
        numbers = given.labels is None
        gap[coder] = (
            float(np.abs(given.values[first] - given.values[later]).mean())
            if numbers
            else float("nan")
        )
        alpha[coder] = alpha_of_units(thing[rows], given.values[rows], level, given.labels)
    if not alpha:
        raise MismatchError(
            f"{given.name}: no coder judged anything twice. Repetitions are rows with the same unit "
            "and coder; say which units are identical with same=."
        )
    silent = len(given.coders) - len(alpha)
    notes = (f"{silent:,} coders judged nothing twice.",) if silent else ()
    word = "custom distance" if callable(level) else level
    return SelfConsistency(alpha, share, counts, gap, names, tables, word, notes, binned)


def _counted(ratings: Ratings) -> tuple[tuple[Any, ...], NDArray[np.int64], str]:
    """The values of the contingency table of an assessor's repeated ratings, each rating's value, and how they were grouped."""
    distinct, codes, counts = np.unique(ratings.values, return_inverse=True, return_counts=True)
    labels = ratings.labels
    if len(distinct) <= MOST_VALUES:
        return tuple(labels[int(v)] if labels else float(v) for v in distinct), codes, ""
    if labels is None:
        low, high = float(distinct[0]), float(distinct[-1])
        width = (high - low) / MOST_VALUES
        place = np.minimum(((ratings.values - low) / width).astype(np.int64), MOST_VALUES - 1)
        middles = tuple(low + width * (k + 0.5) for k in range(MOST_VALUES))
        text = f"{len(distinct):,} values in {MOST_VALUES} bins {width:.4g} wide, named by their middles."
        return middles, place, text
    often = np.sort(np.argsort(-counts, kind="stable")[: MOST_VALUES - 1])
    kept = {int(code): k for k, code in enumerate(often)}
    names = tuple(labels[int(distinct[code])] for code in often)
    other = next(w for w in ("others", "all others", "any other") if w not in names)
    place = np.array([kept.get(int(c), len(often)) for c in codes], dtype=np.int64)
    return (
        (*names, other),
        place,
        f"The {len(often)} most frequent of {len(distinct):,} values; the others together.",
    )


def _things(ratings: Ratings, same: Mapping[str, str] | str | None) -> NDArray[np.int64]:
    if same is None:
        return ratings.unit
    if isinstance(same, str):
        ratings.filter(same, None)  # says what attributes there are, if not this one
        of_unit = [str(v) for v in ratings.attributes[same]]
    else:
        of_unit = [same.get(unit, f"unit {unit}") for unit in ratings.units]
    place = {name: k for k, name in enumerate(dict.fromkeys(of_unit))}
    return np.array([place[of_unit[u]] for u in ratings.unit], dtype=np.int64)


def _pairs(thing: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of an assessor's ratings of the same thing, the earlier first."""
    first: list[int] = []
    later: list[int] = []
    for name in np.unique(thing):
        places = np.flatnonzero(thing == name)
        for k, place in enumerate(places):
            later += places[k + 1 :].tolist()
            first += [int(place)] * (len(places) - k - 1)
    return np.array(first, dtype=np.int64), np.array(later, dtype=np.int64)
