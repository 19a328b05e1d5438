"""One-sided p-values of tests with a symmetric null distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import signed_ranks
from tare.stats._pair_tests import PairTest

__all__ = ["one_sided"]

Floats = NDArray[np.float64]


def one_sided(result: PairTest, side: str) -> Floats:
    """The p-value of the second system of each pair scoring "above" or "below" the first.

    Half the two-sided p-value if the statistic points that way, otherwise 1 minus half of it (for a
    discrete test, up to the probability of the observed value). Every paired test has a symmetric null
    distribution.

    >>> from tare.stats._pairs import Pairs
    >>> from tare.stats._student import paired_t
    >>> made = paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6]))
    >>> [one_sided(made, side).round(4).tolist() for side in ("below", "above")]
    [[0.0371], [0.9629]]
    """
    towards = -_direction(result) if side == "above" else _direction(result)
    half = result.p / 2
    return np.where(towards > 0, half, np.where(towards < 0, 1 - half, 0.5))


def _direction(result: PairTest) -> Floats:
    """Positive where the first system is better by the statistic of the test."""
    pairs = result.pairs
    if result.test == "sign":
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nansum(np.sign(pairs.differences), axis=1), dtype=np.float64)
    if result.test.startswith("wilcoxon") or result.test.endswith("-w"):
        ranks = signed_ranks(pairs.differences, zeros="dropped", most_exact=0, seed=0)
        made: Floats = ranks.plus - ranks.minus
        return made
    return pairs.means
