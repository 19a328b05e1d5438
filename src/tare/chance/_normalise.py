"""The normalisers: a score read against its upper bound and against chance.

    U  = A/IUB
    V1 = (A/IUB)·A/(A + REB)                                  from 0 to 1
    V2 = (A − REB)/(IUB − REB) if A ≥ REB, else (A − REB)/REB   from −1 to 1

V1 and V2 are as published. V2 is 1 for the perfect ranking and −1 where nothing relevant was found, but
its mean over random rankings is ½·D·(1/(IUB − REB) − 1/REB), D the mean absolute deviation of A under
chance, and that is 0 only where IUB = 2·REB or D = 0. `Net` has one branch and is 0 at chance.

Feng, Karmaker. Joint Upper & Expected Value Normalization for Evaluation of Retrieval Systems.
Information Processing & Management, 2023.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["min_max", "standard_ab", "standardised", "u", "v1", "v2", "z"]

Array = NDArray[np.float64]
ROUNDING = 1e-12


def u(score: Array, upper: Array) -> Array:
    """A/IUB; 0 where nothing can be gained, as the score itself is."""
    return np.where(upper > 0, score / _nonzero(upper), np.where(np.isnan(upper), np.nan, 0.0))


def v1(score: Array, expected: Array, upper: Array) -> Array:
    """(A/IUB)·A/(A + REB); 0 where A + REB = 0."""
    total = score + expected
    share = np.where(total > 0, score / _nonzero(total), 0.0)
    return _defined(score / _nonzero(upper) * share, upper)


def v2(score: Array, expected: Array, upper: Array) -> Array:
    """(A − REB)/(IUB − REB) above chance, (A − REB)/REB below (equation 6 of the paper).

    Where there is no room above chance, 0 if A ≥ REB.
    """
    room = upper - expected
    no_room = room <= ROUNDING * np.maximum(1.0, np.abs(upper))
    reached = score >= expected - np.where(no_room, ROUNDING * np.maximum(1.0, np.abs(upper)), 0.0)
    above = np.where(no_room, 0.0, (score - expected) / _nonzero(room))
    below = np.where(expected > 0, (score - expected) / _nonzero(expected), 0.0)
    return _defined(np.where(reached, above, below), upper)


def z(score: Array, expected: Array, variance: Array, upper: Array) -> Array:
    """(A − REB)/σ, σ the deviation under chance; 0 where every order scores the same."""
    deviation = np.sqrt(variance)
    flat = deviation <= ROUNDING * np.maximum(1.0, np.abs(expected))
    return _defined(np.where(flat, 0.0, (score - expected) / _nonzero(deviation)), upper)


def min_max(score: Array, worst: Array, upper: Array) -> Array:
    """(A − worst)/(IUB − worst) (Gienapp et al. 2020); 0 where every order scores the same."""
    room = upper - worst
    flat = np.abs(room) <= ROUNDING * np.maximum(1.0, np.abs(upper))
    return _defined(np.where(flat, 0.0, (score - worst) / _nonzero(room)), upper)


def standardised(scores: Array) -> Array:
    """(x − mean)/deviation over systems, item by item (Webber, Moffat, Zobel 2008).

    `scores` is systems × items; 0 where all systems score the same.
    """
    with np.errstate(invalid="ignore"):
        mean = np.nanmean(scores, axis=0)
        deviation = np.nanstd(scores, axis=0, ddof=1) if len(scores) > 1 else np.zeros_like(mean)
    flat = deviation <= ROUNDING * np.maximum(1.0, np.abs(mean))
    return np.where(
        np.isnan(scores), np.nan, np.where(flat, 0.0, (scores - mean) / _nonzero(deviation))
    )


def standard_ab(scores: Array, a: float = 0.15, b: float = 0.5) -> Array:
    """std-AB: A·z + B, cut to [0, 1] (Sakai 2016)."""
    return np.clip(a * standardised(scores) + b, 0.0, 1.0)


def _nonzero(x: Array) -> Array:
    return np.where(x == 0, 1.0, x)


def _defined(value: Array, upper: Array) -> Array:
    """NaN where the pool holds nothing to gain: such a query says nothing of a system."""
    return np.where(upper > 0, value, np.nan)
