"""Pairs of systems and their differences, item by item: what every paired test starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError, OptionError, nearest
from tare.kernels.statistics import pair_differences
from tare.measures.scores import Scores

__all__ = ["DIGITS", "Pairs", "matrix_of", "rounded"]

DIGITS = 10
Floats = NDArray[np.float64]


def rounded(values: ArrayLike, digits: int = DIGITS) -> Floats:
    """Values rounded to so many digits of the largest, so that float noise makes no ranks.

    >>> rounded([0.1 + 0.2, 0.3]).tolist()
    [0.3, 0.3]
    """
    given = np.asarray(values, dtype=np.float64)
    largest = float(np.nanmax(np.abs(given), initial=0.0)) if given.size else 0.0
    exponent = np.ceil(np.log10(largest) - 1e-9) if largest > 0 else 0.0
    return np.round(given, int(digits - exponent))


def matrix_of(scores: Scores, measure: Any = None) -> tuple[tuple[str, ...], Floats]:
    """The item ids in ascending order and the systems × items matrix of one measure in that order."""
    values = scores.matrix(measure)
    if np.isinf(values).any():
        s, i = (int(k) for k in np.argwhere(np.isinf(values))[0])
        raise MismatchError(
            f"the score of {scores.systems[s]} on {scores.items[i]} is infinite. Statistics need "
            "finite scores; remove the cell or the item."
        )
    order = sorted(range(len(scores.items)), key=lambda k: scores.items[k])
    return tuple(scores.items[k] for k in order), np.ascontiguousarray(values[:, order])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of systems over the items that both have, with differences cleared of float noise.

    Differences are rounded to `digits` digits of the pair's largest absolute score: two that
    agree so far are equal, and one that vanishes so far is 0.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    scores: Floats
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    differences: Floats
    quantum: Floats
    digits: int = DIGITS

    @classmethod
    def of(
        cls,
        scores: Scores,
        *,
        measure: Any = None,
        baseline: str | Sequence[str] | None = None,
        digits: int = DIGITS,
    ) -> Pairs:
        """All pairs of the systems, or each other system against each baseline."""
        if len(scores.systems) < 2:
            raise MismatchError(
                f"the table holds {len(scores.systems)} system; comparing needs at least two. "
                "Join score tables with scores.join(other)."
            )
        if not 1 <= digits <= 15:
            raise OptionError(f"digits={digits} is not possible; it lies between 1 and 15.")
        items, values = matrix_of(scores, measure)
        pairs = _chosen(scores.systems, baseline)
        return cls._made(scores.systems, items, values, pairs, digits)

    @classmethod
    def of_arrays(cls, first: ArrayLike, second: ArrayLike, *, digits: int = DIGITS) -> Pairs:
        """One pair from two arrays of scores that are aligned already."""
        return cls.of_rows(first, second, digits=digits)

    @classmethod
    def of_rows(cls, first: ArrayLike, second: ArrayLike, *, digits: int = DIGITS) -> Pairs:
        """One pair a row of two aligned matrices (for simulations)."""
        x, y = np.atleast_2d(first), np.atleast_2d(second)
        if x.shape != y.shape:
            raise MismatchError(f"scores of shapes {x.shape} and {y.shape} are not aligned.")
        values = np.vstack([x, y]).astype(np.float64)
        names = tuple(f"{side}{k}" for side in ("first", "second") for k in range(len(x)))
        items = tuple(str(k) for k in range(values.shape[1]))
        pairs = [(k, len(x) + k) for k in range(len(x))]
        return cls._made(names, items, values, pairs, digits)

    @classmethod
    def _made(
        cls,
        systems: tuple[str, ...],
        items: tuple[str, ...],
        values: Floats,
        pairs: Sequence[tuple[int, int]],
        digits: int,
    ) -> Pairs:
        first = np.array([a for a, _ in pairs], dtype=np.int32)
        second = np.array([b for _, b in pairs], dtype=np.int32)
        differences, quantum = pair_differences(values, first, second, digits)
        return cls(systems, items, values, first, second, differences, quantum, digits)

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def n(self) -> NDArray[np.int64]:
        """On how many items both systems have a score."""
        counted: NDArray[np.int64] = (~np.isnan(self.differences)).sum(axis=1)
        return counted

    @cached_property
    def means(self) -> Floats:
        """The mean difference of each pair; NaN without common items."""
        made: Floats = np.nansum(self.differences, axis=1) / np.where(self.n == 0, np.nan, self.n)
        return made

    @cached_property
    def deviations(self) -> Floats:
        """The standard deviation (n − 1) of each pair's differences; NaN below two items."""
        centred = self.differences - self.means[:, None]
        squares = np.nansum(centred * centred, axis=1)
        made: Floats = np.sqrt(squares / np.where(self.n < 2, np.nan, self.n - 1))
        # Equal differences have the spread of their rounding only.
        return np.where(made <= 1e-3 * self.quantum, 0.0, made)

    @cached_property
    def t(self) -> Floats:
        """Student's t of each pair: 0 where all differences are 0, infinite where they are equal."""
        with np.errstate(divide="ignore", invalid="ignore"):
            made = self.means / (self.deviations / np.sqrt(self.n))
        nothing = (self.deviations == 0) & (self.means == 0)
        return np.where(nothing, 0.0, made)

    def take(self, keep: NDArray[np.bool_]) -> Pairs:
        """Only some of the pairs."""
        return Pairs(
            self.systems,
            self.items,
            self.scores,
            self.first[keep],
            self.second[keep],
            self.differences[keep],
            self.quantum[keep],
            self.digits,
        )

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Which items have a score of every system."""
        return np.asarray(~np.isnan(self.scores).any(axis=0))

    def name(self, pair: int) -> tuple[str, str]:
        """The two systems of a pair."""
        return self.systems[int(self.first[pair])], self.systems[int(self.second[pair])]


def _chosen(
    systems: tuple[str, ...], baseline: str | Sequence[str] | None
) -> list[tuple[int, int]]:
    if baseline is None:
        return [(a, b) for a in range(len(systems)) for b in range(a + 1, len(systems))]
    names = [baseline] if isinstance(baseline, str) else list(baseline)
    for name in names:
        if name not in systems:
            shown = ", ".join(systems[:10]) + (", …" if len(systems) > 10 else "")
            raise OptionError(
                f"the baseline {name!r} is not in the table; there are: {shown}."
                f"{nearest(name, systems)}"
            )
    if not names:
        raise OptionError("no baseline is named; leave it out to compare all pairs.")
    pairs: dict[tuple[int, int], None] = {}
    for name in dict.fromkeys(names):
        b = systems.index(name)
        for a in range(len(systems)):
            if a != b and (b, a) not in pairs:
                pairs[a, b] = None
    return list(pairs)
