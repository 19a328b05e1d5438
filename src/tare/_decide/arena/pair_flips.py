"""The test of all pairs of a component: sign flips of whole units.

A unit's pseudo-value of the difference of two ratings is gap + U·ψ, with ψ the influence of the unit on the
difference: their mean is the gap, and their standard error that of the sandwich. The signs of whole units
are flipped, as in `tare.stats.max_t`, and all pairs of a component are tested by the largest |t|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena.design import BattleDesign
from tare._decide.arena.fit import Fit
from tare._decide.arena.spread import Spread, unit_blocks, unit_scores
from tare.stats._flips import SLACK

__all__ = ["PairFlips", "pair_flips"]

Floats = NDArray[np.float64]

STREAM = 41
CELLS = 4_000_000  # numbers of one block


@dataclass(frozen=True, eq=False)
class PairFlips:
    """The p-values of all pairs of systems, adjusted for their component, and what intervals need.

    Attributes
    ----------
    p : ndarray
        Systems × systems; 1 where two systems are not in one component.
    critical : ndarray
        Of each component: the number of standard errors that a difference must exceed; NaN if none can
        be significant.
    patterns : int
        The number of sign patterns that were tried.
    exact : bool
        Whether these are all patterns.
    """

    p: Floats
    critical: Floats
    patterns: int
    exact: bool


def pair_flips(fit: Fit, spread: Spread, *, draws: int, seed: int, alpha: float) -> PairFlips:
    """Test all pairs of systems of each component by flips of whole units."""
    design, units = fit.design, fit.design.units
    exact = bool((design.times == 1).all()) and units < 64 and 2 ** (units - 1) <= draws
    patterns = 2 ** (units - 1) if exact else draws
    balance, moved = _flipped(fit, patterns, seed, exact)
    errors = spread.difference_errors(design.size)
    p = np.ones((design.size, design.size))
    critical = np.full(len(design.components), math.nan)
    for number, members in enumerate(design.components):
        if len(members) < 2:
            continue
        first, second = (members[k] for k in np.triu_indices(len(members), 1))
        gaps = fit.ratings[first] - fit.ratings[second]
        squares = errors[first, second] ** 2 * (units - 1) / units  # Σψ² of each pair
        length = np.sqrt(units * (units * gaps**2 + units**2 * squares))
        with np.errstate(divide="ignore"):
            scale = np.where(length > 0, 1 / length, 0.0)
        largest = np.zeros(patterns)
        block = max(1, CELLS // len(first))
        for begin in range(0, patterns, block):
            here = slice(begin, begin + block)
            sums = balance[here, None] * gaps
            sums += units * (moved[here, first] - moved[here, second])
            largest[here] = (np.abs(sums) * scale).max(axis=1)
        largest.sort()
        seen = np.abs(gaps) * units * scale
        added = 0 if exact else 1
        reached = patterns - np.searchsorted(largest, seen - SLACK, side="left")
        found = np.where(seen > 0, (reached + added) / (patterns + added), 1.0)
        p[first, second] = p[second, first] = found
        critical[number] = _critical(largest, exact, units, alpha)
    return PairFlips(p, critical, patterns, exact)


def _critical(largest: Floats, exact: bool, units: int, alpha: float) -> float:
    """Return the critical value on the scale of t; NaN if no difference can be significant."""
    count = len(largest)
    rank = (
        math.floor(alpha * count + SLACK) if exact else math.floor(alpha * (count + 1) + SLACK) - 1
    )
    if rank < (1 if exact else 0):
        return math.nan
    u = float(largest[count - 1 - rank])
    return u * math.sqrt((units - 1) / (1 - u * u)) if u < 1 - 1e-12 else math.nan


def _flipped(fit: Fit, patterns: int, seed: int, exact: bool) -> tuple[Floats, Floats]:
    """Return Σε and Σεψ of the systems for each pattern ε of signs."""
    design, parts = fit.design, fit.parts()
    size, total = design.size, len(fit.parameters)
    random = np.random.Generator(np.random.Philox(key=[seed, STREAM]))
    balance, moved = np.zeros(patterns), np.zeros((patterns, total))
    for rows, first, last in unit_blocks(design, max(size, patterns)):
        mine, rest = unit_scores(fit, rows, first, last, parts)
        signs = _signs(design, first, last, patterns, exact, random)
        balance += signs.sum(axis=1)
        moved[:, :size] += signs @ mine
        moved[:, size:] += signs @ rest
    if fit.precision:  # the scores do not sum to 0 under a prior
        moved[:, :size] -= balance[:, None] * (fit.precision * fit.ratings / design.units)
    return balance, moved @ np.linalg.inv(fit.hessian)[:, :size]


def _signs(
    design: BattleDesign,
    first: int,
    last: int,
    patterns: int,
    exact: bool,
    random: np.random.Generator,
) -> Floats:
    """Return the sum of the signs of each unit in a block, patterns × units.

    The first unit of all keeps its sign where all patterns are tried: mirror images have the same ratio.
    """
    if exact:
        bits = np.arange(patterns)[:, None] >> np.maximum(np.arange(first, last) - 1, 0) & 1
        signs = np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
        if first == 0:
            signs[:, 0] = 1.0
        return signs
    times = design.times[first:last]
    if (times == 1).all():
        drawn: NDArray[np.integer] = random.integers(0, 2, (patterns, last - first), dtype=np.int8)
    else:
        drawn = random.binomial(times.astype(np.int64), 0.5, (patterns, last - first))
    return np.asarray(times - 2.0 * drawn, dtype=np.float64)
