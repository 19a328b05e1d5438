"""Normalised scores: a score relative to its upper bound and to chance.

    U  = A/IUB
    V1 = (A/IUB)·A/(A + REB)                                  from 0 to 1
    V2 = (A − REB)/(IUB − REB) if A ≥ REB, else (A − REB)/REB   from −1 to 1

V1 and V2 are as published. V2 is 1 for the perfect ranking and −1 if nothing relevant was found. Its mean
over random rankings is ½·D·(1/(IUB − REB) − 1/REB), where D is the mean absolute deviation of A under
chance. That is 0 only if IUB = 2·REB or D = 0. `Net` is 0 at chance.

Feng, Karmaker. Joint Upper & Expected Value Normalization for Evaluation of Retrieval Systems.
Information Processing & Management, 2023.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

__all__ = ["min_max", "standard_ab", "standardised", "u", "v1", "v2", "z"]

Array = NDArray[np.float64]
ROUNDING = 1e-12


def u(score: Array, upper: Array) -> Array:
    """Return the normalised score U = A/IUB; 0 if IUB is 0, like the score itself."""
    return np.where(upper > 0, score / _nonzero(upper), np.where(np.isnan(upper), np.nan, 0.0))


def v1(score: Array, expected: Array, upper: Array) -> Array:
    """Return the normalised score V1 = (A/IUB)·A/(A + REB); 0 if A + REB = 0."""
    total = score + expected
    share = np.where(total > 0, score / _nonzero(total), 0.0)
    return _defined(score / _nonzero(upper) * share, upper)


def v2(score: Array, expected: Array, upper: Array) -> Array:
    """Return the normalised score V2: (A − REB)/(IUB − REB) above chance and (A − REB)/REB below (equation 6 of the paper).

    If IUB = REB, the value is 0 for A ≥ REB.
    """
    room = upper - expected
    no_room = room <= ROUNDING * np.maximum(1.0, np.abs(upper))
    reached = score >= expected - np.where(no_room, ROUNDING * np.maximum(1.0, np.abs(upper)), 0.0)
    above = np.where(no_room, 0.0, (score - expected) / _nonzero(room))
    below = np.where(expected > 0, (score - expected) / _nonzero(expected), 0.0)
    return _defined(np.where(reached, above, below), upper)


def z(score: Array, expected: Array, variance: Array, upper: Array) -> Array:
    """Return the normalised score Z = (A − REB)/σ, with σ the deviation under chance; 0 if every order scores the same."""
    deviation = np.sqrt(variance)
    flat = deviation <= ROUNDING * np.maximum(1.0, np.abs(expected))
    return _defined(np.where(flat, 0.0, (score - expected) / _nonzero(deviation)), upper)


def min_max(score: Array, worst: Array, upper: Array) -> Array:
    """Return the score normalised as (A − worst)/(IUB − worst) (Gienapp et al. 2020); 0 if every order scores the same."""
    room = upper - worst
    flat = np.abs(room) <= ROUNDING * np.maximum(1.0, np.abs(upper))
    return _defined(np.where(flat, 0.0, (score - worst) / _nonzero(room)), upper)


def standardised(scores: Array) -> Array:
    """Return scores standardised over systems, (x − mean)/deviation, per item (Webber, Moffat, Zobel 2008).

    `scores` is systems × items; the value is 0 if all systems score the same.
    """
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # items that no system, or only one, has
        mean = np.nanmean(scores, axis=0)
        deviation = np.nanstd(scores, axis=0, ddof=1) if len(scores) > 1 else np.zeros_like(mean)
    flat = deviation <= ROUNDING * np.maximum(1.0, np.abs(mean))
    return np.where(
        np.isnan(scores), np.nan, np.where(flat, 0.0, (scores - mean) / _nonzero(deviation))
    )


def standard_ab(scores: Array, a: float = 0.15, b: float = 0.5) -> Array:
    """Return the standardised score std-AB: A·z + B, clipped to [0, 1] (Sakai 2016)."""
    return np.clip(a * standardised(scores) + b, 0.0, 1.0)


def _nonzero(x: Array) -> Array:
    return np.where(x == 0, 1.0, x)


def _defined(value: Array, upper: Array) -> Array:
    """Return normalised scores with NaN for queries without a relevant document, on which all systems score the same."""
    return np.where(upper > 0, value, np.nan)
