"""An estimate with its influences, from which the variance of every contrast follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tare._decide.ppi.samples import Floats, Places

__all__ = ["Influences", "Spread", "pairs_in_blocks"]

BLOCK = 1 << 22  # numbers of one block of differences
CLOSE = 1e-4  # relative variance of a difference below which it is computed from differences


@dataclass(frozen=True, eq=False)
class Spread:
    """Estimates of contrasts, their standard errors and degrees of freedom."""

    value: Floats
    error: Floats
    freedom: Floats

    def half_width(self, confidence: float) -> Floats:
        """Return half the width of Student's interval; the normal one with infinite freedom."""
        return quantile(self.freedom, 0.5 + confidence / 2) * self.error

    def ends(self, confidence: float) -> tuple[Floats, Floats]:
        """Return both ends of the interval."""
        half = self.half_width(confidence)
        return self.value - half, self.value + half


def quantile(freedom: Floats, probability: float) -> Floats:
    """Return quantiles of Student's t; of the normal distribution where freedom is infinite."""
    from scipy.special import ndtri, stdtrit

    made: Floats = np.where(
        np.isinf(freedom),
        ndtri(probability),
        stdtrit(np.where(np.isinf(freedom), 1.0, freedom), probability),
    )
    return made


@dataclass(frozen=True, eq=False)
class Influences:
    """The estimates of all systems, and what every unit adds to their errors.

    Attributes
    ----------
    value : ndarray
        (…, systems)
    rows : ndarray
        (…, systems, units): the variance of a contrast c is Σ_i (c·rows_i)².
    freedom : float
        Degrees of freedom; infinite for the normal distribution.
    weight : ndarray
        λ, the weight of the judge; (…).
    """

    value: Floats
    rows: Floats
    freedom: float
    weight: Floats

    def differences(self, first: Places, second: Places) -> Spread:
        """Return the differences of pairs of systems, given as two arrays of their places."""
        value = self.value[..., first] - self.value[..., second] + 0.0
        return self._spread(value, _pair_variances(self.rows, first, second))

    def systems(self) -> Spread:
        """Return the estimate of each system."""
        return self._spread(self.value, np.einsum("...i,...i->...", self.rows, self.rows))

    def _spread(self, value: Floats, variance: Floats) -> Spread:
        return Spread(value, np.sqrt(variance), np.full_like(variance, self.freedom))


def _pair_variances(rows: Floats, first: Places, second: Places) -> Floats:
    """Return Σ_i (rows_a,i − rows_b,i)² of each pair, from the products of all systems.

    Pairs of nearly equal systems are computed again without subtraction of large numbers.
    """
    products = rows @ np.swapaxes(rows, -1, -2)
    own = np.diagonal(products, axis1=-2, axis2=-1)
    scale = own[..., first] + own[..., second]
    made: Floats = scale - 2 * products[..., first, second]
    close = np.flatnonzero((made <= CLOSE * scale).reshape(-1, len(first)).any(axis=0))
    for block in pairs_in_blocks(len(close), rows[..., 0, :].size):
        chosen = close[block]
        gap = rows[..., first[chosen], :] - rows[..., second[chosen], :]
        made[..., chosen] = np.einsum("...i,...i->...", gap, gap)
    return made


def pairs_in_blocks(pairs: int, length: int) -> list[slice]:
    """Return slices of pairs whose differences fit in a block of memory."""
    step = max(1, BLOCK // max(1, length))
    return [slice(k, min(k + step, pairs)) for k in range(0, pairs, step)] or [slice(0, 0)]
