"""Exact tests of one pair of systems: flips of the signs of whole prompts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, nearest
from tare.studies._arena.design import BattleDesign

__all__ = ["PairOfSystems", "pair_test", "sign_flip_p"]

Integers = NDArray[np.int64]
DIRECT = 4096  # longer distributions are convolved by Fourier transforms


@dataclass(frozen=True, eq=False, repr=False)
class PairOfSystems(SingleRowResult):
    """Two systems in their own battles, with an exact test.

    Attributes
    ----------
    a, b : str
        The systems.
    wins, ties, losses : int
        Battles that a won, that were tied, and that a lost.
    prompts : int
        Prompts (or other clusters) with battles of the pair.
    share : float
        Wins of a among decisive battles; NaN without decisive battles.
    p_value : float
        Two-sided.
    test : str
        "binomial" if no prompt has two decisive battles, otherwise "sign flips of prompts".
    """

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    prompts: int
    share: float
    p_value: float
    test: str

    def row(self) -> Row:
        """Return the counts, the share of wins and the p-value."""
        return {
            name: getattr(self, name)
            for name in ("a", "b", "wins", "ties", "losses", "prompts", "share", "p_value", "test")
        }

    def table(self) -> Table:
        """Return the counts and the test."""
        columns = [
            Column("system", align="left"),
            Column("against", align="left"),
            Column("wins", 0),
            Column("ties", 0),
            Column("losses", 0),
            Column("share of decisive", 3),
            Column("p"),
        ]
        cells = [(self.a, self.b, self.wins, self.ties, self.losses, self.share, self.p_value)]
        note = {
            "binomial": "Exact binomial test of the decisive battles.",
            "sign flips of prompts": f"Exact test: the signs of the {self.prompts:,} prompts are flipped, because their battles are not independent.",
        }[self.test]
        return Table.of(columns, cells, title="One pair of systems", notes=[note])


def sign_flip_p(differences: ArrayLike) -> float:
    """Return the exact two-sided p-value of a sum of whole numbers with random signs.

    With differences of ±1 this is the binomial test.

    >>> sign_flip_p([1, 1, 1, 1, 1])  # 2/2⁵
    0.0625
    >>> sign_flip_p([3, 1])
    0.5
    """
    values = np.asarray(differences, dtype=np.int64)
    observed = abs(int(values.sum()))
    sizes, counts = np.unique(np.abs(values[values != 0]), return_counts=True)
    total = int((sizes * counts).sum())
    if total == 0 or observed == 0:
        return 1.0
    spread = np.ones(1)  # of the sum, from −total to total in steps of 1
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        one = np.zeros(2 * size * count + 1)
        one[:: 2 * size] = _binomial(count)
        spread = _convolved(spread, one)
    tail = float(spread[total + observed :].sum())
    return min(1.0, max(2 * tail, 0.0))


def _binomial(count: int) -> NDArray[np.float64]:
    """Return the probabilities of 0 … count heads, from the middle outwards: no factor overflows."""
    middle = count - count // 2
    above = np.arange(middle, count)
    upper = np.cumprod(np.concatenate([[1.0], (count - above) / (above + 1)]))
    lower = upper[::-1] if count % 2 else upper[:0:-1]
    weights = np.concatenate([lower, upper])
    return np.asarray(weights / weights.sum())


def _convolved(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    if min(len(x), len(y)) <= DIRECT:
        return np.convolve(x, y)
    from scipy.signal import fftconvolve

    return np.asarray(np.maximum(fftconvolve(x, y), 0.0))


def pair_test(design: BattleDesign, a: str, b: str) -> PairOfSystems:
    """Compare two systems by their own battles alone."""
    for name in (a, b):
        if name not in design.systems:
            raise OptionError(
                f"there is no system {name!r}; there are {', '.join(design.systems[:12])}."
                f"{nearest(name, list(design.systems))}"
            )
    if a == b:
        raise OptionError(f"pair: {a!r} is named twice.")
    i, j = design.systems.index(a), design.systems.index(b)
    sign = 1 if i < j else -1
    rows = (design.a == min(i, j)) & (design.b == max(i, j))
    if not rows.any():
        raise MismatchError(f"{design.source}: there is no battle between {a!r} and {b!r}.")
    outcome, counts = design.outcome[rows] * sign, design.counts[rows]
    wins, ties, losses = (int(counts[outcome == k].sum()) for k in (1, 0, -1))
    if design.cluster == "battle":
        differences: Integers = np.repeat([1, -1], [wins, losses])
        prompts, most = wins + ties + losses, 1
    else:
        units, place = np.unique(design.unit[rows], return_inverse=True)
        signed = np.bincount(place, outcome * counts, len(units))
        decisive = np.bincount(place, np.abs(outcome) * counts, len(units))
        differences, prompts, most = (
            np.rint(signed).astype(np.int64),
            len(units),
            int(decisive.max()),
        )
    share = wins / (wins + losses) if wins + losses else float("nan")
    test = "binomial" if most <= 1 else "sign flips of prompts"
    return PairOfSystems(a, b, wins, ties, losses, prompts, share, sign_flip_p(differences), test)
