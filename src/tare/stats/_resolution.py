"""The smallest p-value that a test can give, and whether a corrected one can be significant.

A simulated p-value is at least 1/(B + 1), and an exact p-value of signs at least 2^(1 − n). Multiplied
by the number of pairs, that can exceed α: then no result can be significant, whatever the data.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.clusters import singular, unit_name
from tare._measures.names import column_measure
from tare.stats._corrections import adjust
from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs
from tare.stats._signs import MOST_EXACT
from tare.stats._summed_pairs import SummedPairs
from tare.stats._tests import TESTS

__all__ = ["pairs_needed", "resolution_findings", "smallest_p"]

SIGNS = ("wilcoxon", "sign")  # exact for few items


def smallest_p(
    test: str, pairs: Pairs, draws: int, units: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """The smallest p-value that a test can give each pair, by its number of units and the draws."""
    n = pairs.n if units is None else units
    signs = 2.0 ** (1.0 - n)  # one sign pattern of 2^n, and its mirror image
    if test in ("permutation", "permutation-t"):
        most = math.log2(draws) + (0 if isinstance(pairs, SummedPairs) else 1)
        return np.where(n <= most, signs, 1 / (draws + 1))
    if TESTS[test].random:
        return np.full(len(pairs), 1 / (draws + 1))
    if test in SIGNS:
        return np.where((pairs.n <= MOST_EXACT) | (test == "sign"), signs, 0.0)
    return np.zeros(len(pairs))


def pairs_needed(
    test: str,
    correction: str,
    pairs: Pairs,
    *,
    draws: int,
    alpha: float,
    units: NDArray[np.int64] | None = None,
) -> int | None:
    """How many pairs must reach their smallest p-value before any is significant; None if none can be.

    It is 1 if a single clear difference can be found.
    """
    least = np.sort(smallest_p(test, pairs, draws, units))
    if correction in ("none", "max-t"):
        return 1 if least.min(initial=1.0) <= alpha else None
    low, high = 1, len(least) + 1  # the first count that suffices; len + 1 for none
    while low < high:
        count = (low + high) // 2
        p = np.where(np.arange(len(least)) < count, least, 1.0)
        if adjust(p, correction).min(initial=1.0) <= alpha:
            high = count
        else:
            low = count + 1
    return low if low <= len(least) else None


def resolution_findings(
    test: str, correction: str, result: PairTest, measure: str, *, draws: int, alpha: float
) -> list[Finding]:
    """Report that nothing, or no single pair, can be significant, and what to do about it."""
    pairs, units = result.pairs, result.units
    needed = pairs_needed(test, correction, pairs, draws=draws, alpha=alpha, units=units)
    if needed == 1:
        return []
    count, least = len(pairs), float(smallest_p(test, pairs, draws, units).min())
    by_draws = TESTS[test].random and least <= (1 + 1e-9) / (draws + 1)
    unit = unit_name(column_measure(measure), pairs.clusters is not None)
    most = int((pairs.n if units is None else units).max())
    few = f"{most} {unit if most != 1 else singular(unit)}"
    source = f"{draws:,} draws" if by_draws else few
    limit = f"{measure}: with {source} p cannot fall below {least:.4g}"
    limit += (
        f", and {correction} multiplies it by up to {count:,}" if _multiplies(correction) else ""
    )
    if needed is not None:
        text = (
            f"{limit}: a pair can be significant only if at least {needed:,} pairs are that clear"
        )
        return [
            Finding(
                "resolution",
                f"{text}. {_way_out(test, correction, by_draws, count, alpha, unit)}",
                severity="note",
            )
        ]
    text = f"{limit}: no difference can be significant at {alpha:g}, however large"
    return [
        Finding("resolution", f"{text}. {_way_out(test, correction, by_draws, count, alpha, unit)}")
    ]


def _multiplies(correction: str) -> bool:
    return correction not in ("none", "max-t")


def _way_out(
    test: str, correction: str, by_draws: bool, count: int, alpha: float, unit: str
) -> str:
    factor = count if _multiplies(correction) else 1
    if not by_draws:
        items = math.ceil(1 + math.log2(factor / alpha))
        if unit == "clusters":
            return f"Use at least {items} clusters."
        return f"Use at least {items} {unit}, or test='t', which assumes normal differences."
    ways = []
    if correction != "max-t" and TESTS[test].by_largest:
        ways.append("correction='max-t'")
    ways.append(f"draws={_rounded(factor / alpha):,} or more")
    return f"Use {' or '.join(ways)}."


def _rounded(value: float) -> int:
    """The next number with two digits."""
    size = int(10 ** max(0, math.floor(math.log10(value)) - 1))
    return math.ceil(value / size) * size
