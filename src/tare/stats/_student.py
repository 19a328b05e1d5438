"""Student's t-tests on pairs of systems: paired, and the unpaired ones for comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare.stats._pair_tests import PairTest
from tare.stats._pairs import Pairs

__all__ = ["paired_t", "pooled_t", "two_sided_t", "welch_t"]

Floats = NDArray[np.float64]


def two_sided_t(t: Floats, freedom: Floats) -> Floats:
    """P(|T| ≥ |t|)."""
    from scipy.special import stdtr

    with np.errstate(invalid="ignore"):
        made: Floats = 2 * stdtr(freedom, -np.abs(t))
    return made


def _without_spread(p: Floats, pairs: Pairs, t: Floats) -> Floats:
    """Equal differences leave no error term for t; their signs alone give p = 2^(1 − n)."""
    return np.where(np.isinf(t), 2.0 ** (1.0 - pairs.n), p)


def _methods(t: Floats) -> tuple[str, ...]:
    names = np.where(np.isinf(t), "constant difference", "t distribution")
    return tuple(names.tolist())


def paired_t(pairs: Pairs) -> PairTest:
    """Run the paired t-test: t = d̄ / (s_d/√n) with n − 1 degrees of freedom.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair. If all differences are 0, p = 1. If they are all equal and not 0, there is
        no error term: t is infinite and p = 2^(1 − n), from the signs alone.

    References
    ----------
    Student (1908). The probable error of a mean. Biometrika 6.

    Examples
    --------
    >>> paired_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.0742]
    """
    freedom = pairs.n.astype(np.float64) - 1
    t = pairs.t
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("t", pairs, t, p, pairs.n, _methods(t), freedom=freedom)


def _unpaired(pairs: Pairs) -> tuple[Floats, Floats, Floats, Floats]:
    """Means' difference and the two variances over the common items."""
    x, y = pairs.scores[pairs.first], pairs.scores[pairs.second]
    missing = np.isnan(x) | np.isnan(y)
    x, y = np.where(missing, np.nan, x), np.where(missing, np.nan, y)
    n = pairs.n.astype(np.float64)

    def variance(values: Floats) -> Floats:
        centred = values - (np.nansum(values, axis=1) / n)[:, None]
        made: Floats = np.nansum(centred * centred, axis=1) / (n - 1)
        return np.where(made <= (1e-3 * pairs.quantum) ** 2, 0.0, made)

    return pairs.means, variance(x), variance(y), n


def _t(difference: Floats, error: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((error == 0) & (difference == 0), 0.0, difference / error)


def welch_t(pairs: Pairs) -> PairTest:
    """Run Welch's unpaired t-test: t = (x̄ − ȳ)/√(s_x²/n + s_y²/n), with Satterthwaite's degrees of freedom.

    It ignores that both systems were scored on the same items; paired tests have more power.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair.

    References
    ----------
    Welch (1947).

    Examples
    --------
    >>> welch_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.2209]
    """
    difference, vx, vy, n = _unpaired(pairs)
    t = _t(difference, np.sqrt(vx / n + vy / n))
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = (vx + vy) ** 2 * (n - 1) / (vx**2 + vy**2)
    freedom = np.where((vx == 0) & (vy == 0), 2 * n - 2, freedom)
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("welch", pairs, t, p, pairs.n, _methods(t), freedom=freedom)


def pooled_t(pairs: Pairs) -> PairTest:
    """Run the unpaired t-test with one pooled variance and 2n − 2 degrees of freedom.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        t and p of each pair.

    Examples
    --------
    >>> pooled_t(Pairs.of_arrays([0.5, 0.7, 0.9], [0.4, 0.5, 0.6])).p.round(4).tolist()
    [0.1963]
    """
    difference, vx, vy, n = _unpaired(pairs)
    t = _t(difference, np.sqrt((vx + vy) / n))
    freedom = 2 * n - 2
    p = _without_spread(two_sided_t(t, freedom), pairs, t)
    return PairTest("pooled", pairs, t, p, pairs.n, _methods(t), freedom=freedom)
