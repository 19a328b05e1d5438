"""Pairs of systems and their differences per item: the input and the result of every paired test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import pair_differences
from tare._plain_text import plain
from tare._result import Result, Row, Rows
from tare._tables import Column, PColumn, Table, p_stated
from tare.errors import MismatchError, OptionError, nearest
from tare.stats._ranks_with_ties import DIGITS, rounded, rounded_rows

__all__ = [
    "DIGITS",
    "PairTest",
    "Pairs",
    "SummedPairs",
    "SummedStatistics",
    "chosen_pairs",
    "finite_matrix",
    "rounded",
    "rounded_rows",
]


# Pairs of systems and their differences per item: the input of every paired test.


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems over the items that both have, with their differences.

    Differences are rounded to `digits` digits of the pair's largest absolute score, so that
    floating-point noise does not break ties. For a ratio of means, `scores` are contributions, which
    suit tests of no difference, and `linearised` are the values for intervals.

    Attributes
    ----------
    differences : ndarray
        Pairs × items; NaN where an item lacks one of the systems.
    n, means, deviations : ndarray
        Number, mean and standard deviation (n − 1) of each pair's differences; NaN if there are too few.
    systems, items : tuple of str
        The systems and the items.
    scores : ndarray
        Systems × items; NaN where a score is missing.
    first, second : ndarray
        The rows of `scores` that the pairs consist of.
    quantum : ndarray
        The step to which the differences of each pair are rounded.
    digits : int
        Number of digits to which differences are rounded.
    linearised : ndarray or None
        Systems × items, for intervals of a ratio of means.
    rooms : ndarray or None
        The room of each item divided by the mean room, if all systems share the rooms of a ratio.
    clusters : ndarray or None
        The cluster of each item, as numbers from 0, if the table has clusters.

    Examples
    --------
    >>> pairs = Pairs.of_matrix([[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]])
    >>> pairs.name(0), pairs.differences.tolist()
    (('0', '1'), [[0.1, 0.2, 0.3]])
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    scores: Floats
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    differences: Floats
    quantum: Floats
    n: NDArray[np.int64]
    means: Floats
    deviations: Floats
    digits: int = DIGITS
    linearised: Floats | None = None
    rooms: Floats | None = None
    clusters: NDArray[np.int64] | None = None

    def with_linearised(self) -> Pairs:
        """Return the same pairs with the values that intervals need."""
        if self.linearised is None:
            return self
        return self._made(
            self.systems, self.items, self.linearised, (self.first, self.second), self.digits
        )

    @classmethod
    def of_matrix(
        cls,
        values: ArrayLike,
        *,
        systems: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        baseline: str | Sequence[str] | None = None,
        digits: int = DIGITS,
    ) -> Pairs:
        """Return all pairs of the rows of a matrix systems × items, or each other row against each baseline.

        Parameters
        ----------
        values : array_like
            The matrix; NaN where a score is missing.
        systems, items : sequence of str, optional
            The names of the rows and columns; by default their numbers.
        baseline : str or sequence of str, optional
            The baselines; by default all pairs.
        digits : int
            Number of digits to which differences are rounded.

        Raises
        ------
        MismatchError
            If there are no items.
        OptionError
            If a baseline is not a row, or `digits` does not lie between 1 and 15.
        """
        if not 1 <= digits <= 15:
            raise OptionError(f"digits={digits} is out of range; it must lie between 1 and 15.")
        given = np.ascontiguousarray(values, dtype=np.float64)
        rows, columns = (
            tuple(map(str, range(n)) if names is None else names)
            for n, names in zip(given.shape, (systems, items), strict=True)
        )
        return cls._made(rows, columns, given, chosen_pairs(rows, baseline), digits)

    @classmethod
    def of_arrays(cls, first: ArrayLike, second: ArrayLike, *, digits: int = DIGITS) -> Pairs:
        """Return one pair from two aligned arrays of scores.

        Parameters
        ----------
        first, second : array_like
            Scores of the two systems on the same items.
        digits : int
            Number of digits to which differences are rounded.
        """
        return cls.of_rows(first, second, digits=digits)

    @classmethod
    def of_rows(cls, first: ArrayLike, second: ArrayLike, *, digits: int = DIGITS) -> Pairs:
        """Return one pair per row of two aligned matrices, for simulations.

        Parameters
        ----------
        first, second : array_like
            Scores, pairs × items.
        digits : int
            Number of digits to which differences are rounded.
        """
        x, y = np.atleast_2d(first), np.atleast_2d(second)
        if x.shape != y.shape:
            raise MismatchError(f"scores of shapes {x.shape} and {y.shape} are not aligned.")
        values = np.vstack([x, y]).astype(np.float64, copy=False)
        names = tuple(f"{side}{k}" for side in ("first", "second") for k in range(len(x)))
        items = tuple(str(k) for k in range(values.shape[1]))
        place = np.arange(len(x), dtype=np.int32)
        return cls._made(names, items, values, (place, place + np.int32(len(x))), digits)

    @classmethod
    def _made(
        cls,
        systems: tuple[str, ...],
        items: tuple[str, ...],
        values: Floats,
        pairs: tuple[NDArray[np.int32], NDArray[np.int32]],
        digits: int,
        linearised: Floats | None = None,
    ) -> Pairs:
        first, second = pairs
        if not items:
            raise MismatchError("there is no item on which the systems could be compared.")
        found = pair_differences(values, first, second, digits)
        return cls(systems, items, values, first, second, *found, digits, linearised)

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def t(self) -> Floats:
        """Student's t of each pair: 0 if all differences are 0, infinite if they are equal and not 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            made = self.means / (self.deviations / np.sqrt(self.n))
        nothing = (self.deviations == 0) & (self.means == 0)
        return np.where(nothing, 0.0, made)

    def take(self, keep: NDArray[np.bool_]) -> Pairs:
        """Return some of the pairs.

        Parameters
        ----------
        keep : ndarray of bool
            Whether to keep each pair.
        """
        return Pairs(
            self.systems,
            self.items,
            self.scores,
            self.first[keep],
            self.second[keep],
            self.differences[keep],
            self.quantum[keep],
            self.n[keep],
            self.means[keep],
            self.deviations[keep],
            self.digits,
            self.linearised,
            self.rooms,
            self.clusters,
        )

    def on_complete_items(self) -> Pairs:
        """Return the same pairs on the items that have a score of every system."""
        if self.complete.all():
            return self
        items = tuple(x for x, whole in zip(self.items, self.complete, strict=True) if whole)
        values = np.ascontiguousarray(self.scores[:, self.complete])
        linearised = (
            None
            if self.linearised is None
            else np.ascontiguousarray(self.linearised[:, self.complete])
        )
        pairs = (self.first, self.second)
        return self._made(self.systems, items, values, pairs, self.digits, linearised)

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which items have a score of every system."""
        return np.asarray(~np.isnan(self.scores).any(axis=0))

    def signed_rows(self) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32], Floats]:
        """Return rows whose flipped sums give those of all pairs, the two rows of each, and its sum.

        Where both systems of a pair miss the same items, the pair's sum is the difference of theirs;
        otherwise its differences become a separate row, and its second row is −1.
        """
        missing = np.isnan(self.scores)
        apart = (missing[self.first] != missing[self.second]).any(axis=1)
        own = np.nan_to_num(self.differences[apart])
        rows = np.vstack([np.nan_to_num(self.scores), own])
        first, second = self.first.copy(), self.second.copy()
        first[apart] = len(self.scores) + np.arange(len(own))
        second[apart] = -1
        sums = rows.sum(axis=1)
        return rows, first, second, sums[first] - np.where(second < 0, 0.0, sums[second])

    def name(self, pair: int) -> tuple[str, str]:
        """Return the two systems of a pair.

        Parameters
        ----------
        pair : int
            The index of the pair.
        """
        return self.systems[int(self.first[pair])], self.systems[int(self.second[pair])]


def finite_matrix(values: ArrayLike) -> Floats:
    """Return the scores to be tested as a matrix systems × items; infinite ones are refused."""
    made = np.atleast_2d(np.ascontiguousarray(values, dtype=np.float64))
    if np.isinf(made).any():
        row, column = (int(k) for k in np.argwhere(np.isinf(made))[0])
        raise MismatchError(
            f"the score in row {row}, column {column} is infinite. Statistics need finite scores; remove the "
            "cell or the item."
        )
    return made


def chosen_pairs(
    systems: tuple[str, ...], baseline: str | Sequence[str] | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the places of the systems to pair: all pairs, or each other system and each baseline."""
    if baseline is None:
        above, below = np.triu_indices(len(systems), 1)
        return above.astype(np.int32), below.astype(np.int32)
    names = [baseline] if isinstance(baseline, str) else list(baseline)
    for name in names:
        if name not in systems:
            shown = ", ".join(map(plain, systems[:10])) + (", …" if len(systems) > 10 else "")
            raise OptionError(
                f"the baseline {name!r} is not in the table; there are: {shown}.{nearest(name, systems)}"
            )
    if not names:
        raise OptionError("no baseline is named; leave it out to compare all pairs.")
    pairs: dict[tuple[int, int], None] = {}
    for name in dict.fromkeys(names):
        b = systems.index(name)
        for a in range(len(systems)):
            if a != b and (b, a) not in pairs:
                pairs[a, b] = None
    made = np.array(list(pairs), dtype=np.int32).reshape(-1, 2)
    return made[:, 0].copy(), made[:, 1].copy()


# The result of a test on pairs of systems.


@dataclass(frozen=True, eq=False, repr=False)
class PairTest(Result):
    """Statistic and two-sided p-value of each pair; simulated p-values have a standard error.

    Attributes
    ----------
    test : str
        The name of the test, as in `TESTS`.
    pairs : Pairs
        The pairs that were tested.
    statistic, p, n : ndarray
        The statistic, the p-value and the number of items of each pair.
    methods : tuple of str
        How the p-value of each pair was computed.
    freedom : ndarray or None
        Degrees of freedom, if the test has them.
    error : ndarray or None
        Standard errors of simulated p-values.
    family_wise : bool
        Whether the p-values are already corrected for the number of pairs.
    adjusted : ndarray or None
        P-values of the largest |t| of the family, if they were asked for.
    half_width : ndarray or None
        Half the widths of simultaneous intervals, for tests that have them.
    note : str
        Remarks on the data.
    centre : ndarray or None
        Differences that the test adjusted for missing scores, if it did.
    ends : ndarray or None
        Pairs × 2: intervals that belong to the test; NaN for a pair without one.
    units, unit_t, differing : ndarray or None
        Of tests by flips: the number of units (items, or clusters of items) of each pair, Student's t over
        them, and how many of them differ.

    Examples
    --------
    >>> from tare.stats import paired_t
    >>> found = paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]))
    >>> found.statistic.round(3).tolist(), found.p.round(3).tolist()
    ([3.464], [0.074])
    >>> found.freedom.tolist(), found.methods
    ([2.0], ('t distribution',))
    """

    rows_key: ClassVar[str] = "pairs"

    test: str
    pairs: Pairs
    statistic: Floats
    p: Floats
    n: NDArray[np.int64]
    methods: tuple[str, ...]
    freedom: Floats | None = None
    error: Floats | None = None
    family_wise: bool = False
    adjusted: Floats | None = None
    half_width: Floats | None = None
    note: str = ""
    centre: Floats | None = None  # differences that the test adjusted, if it did
    ends: Floats | None = None
    units: NDArray[np.int64] | None = None
    unit_t: Floats | None = None
    differing: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.p)

    def answer(self) -> str:
        """Return the pair with the smallest p-value."""
        if np.isnan(self.p).all():
            return f"No pair could be tested ({self.test})."
        k = int(np.nanargmin(self.p))
        one, other = self.pairs.name(k)
        return (
            f"Of {len(self):,} {'pair' if len(self) == 1 else 'pairs'}, {one} and {other} differ most clearly "
            f"({self.test}: {p_stated(float(self.p[k]))})."
        )

    def rows(self) -> Rows:
        """Return one dictionary per pair."""
        made = []
        for k in range(len(self)):
            a, b = self.pairs.name(k)
            made.append(
                {
                    "system": a,
                    "against": b,
                    "n": int(self.n[k]),
                    "difference": float(self.pairs.means[k]),
                    "statistic": float(self.statistic[k]),
                    "p": float(self.p[k]),
                    "error": None if self.error is None else float(self.error[k]),
                    "method": self.methods[k],
                }
            )
        return made

    def table(self) -> Table:
        """Return one row per pair."""
        columns = [
            Column("system", align="left"),
            Column("against", align="left"),
            Column("n"),
            Column("difference"),
            Column("statistic"),
            PColumn("p"),
            PColumn("error"),
            Column("method", align="left"),
        ]
        notes = [self.note] if self.note else []
        return Table.of(
            columns, [tuple(row.values()) for row in self.rows()], title=self.test, notes=notes
        )

    def facts(self) -> Row:
        """Return the test and its note."""
        return {"test": self.test, "note": self.note}


# Pairs of systems by a measure that is made of summed statistics, such as BLEU.


Means = Callable[[Floats, int, int, int], Floats]
ROUNDING = 1e-9  # smaller differences of draws count as equal, as a share of the largest value


class SummedStatistics(Protocol):
    """Summed statistics of each item, systems × items × statistics, for paired tests, and how their sums make a value."""

    @property
    def measure(self) -> object:
        """The measure, for messages."""
        ...

    @property
    def cells(self) -> Floats:
        """The summed statistics of each item as an array; NaN if a system lacks an item."""
        ...

    def with_cells(self, cells: Floats) -> SummedStatistics:
        """Return other statistics of the same measure."""
        ...

    def combined(self, rows: Floats) -> Floats:
        """Return the values of rows of sums."""
        ...

    def resampled(self, draws: int, seed: int, threads: int, means: Means) -> Floats:
        """Return the values of a measure of summed statistics over resampled items, systems × draws."""
        ...


@dataclass(frozen=True, eq=False)
class SummedPairs(Pairs):
    """Pairs whose values come from summed statistics.

    `scores` and `differences` are values of the jackknife, for standard errors; `means` are the
    differences of the two values over the common items. `sentences` are the values of single items,
    for wins and losses. `by_item` is the measure whose value is the mean of these.
    """

    statistics: SummedStatistics | None = None
    sentences: Pairs | None = None
    values: Floats | None = None  # of each system, as the table prints them
    by_item: str = ""

    @property
    def summed(self) -> SummedStatistics:
        """The statistics, with items sorted by id."""
        assert self.statistics is not None
        return self.statistics

    def take(self, keep: NDArray[np.bool_]) -> SummedPairs:
        """Return some of the pairs."""
        sentences = None if self.sentences is None else self.sentences.take(keep)
        kept = {
            name: getattr(self, name)[keep]
            for name in ("first", "second", "differences", "quantum", "n", "means", "deviations")
        }
        return replace(self, sentences=sentences, **kept)

    def on_complete_items(self) -> Pairs:
        """Refuse to pair on complete items: no test of a whole family takes summed statistics."""
        raise OptionError(
            "a measure made of summed statistics has no test of the whole family; compare pairs."
        )

    def common(self, pair: int) -> tuple[Floats, Floats]:
        """Return the summed statistics of both systems of a pair; items that either lacks have zeros."""
        a, b = (self.summed.cells[int(k)] for k in (self.first[pair], self.second[pair]))
        gone = (np.isnan(a) | np.isnan(b)).any(axis=1)
        return np.where(gone[:, None], 0.0, a), np.where(gone[:, None], 0.0, b)

    def tolerance(self, pair: int) -> float:
        """Return the difference below which the values of a pair of systems are equal."""
        assert self.values is not None
        largest = np.nanmax(np.abs(self.values[[self.first[pair], self.second[pair]]]))
        return float(ROUNDING * max(1.0, float(largest)))
