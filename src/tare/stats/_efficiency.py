"""The asymptotic relative efficiency of Wilcoxon's test compared with t, estimated from differences."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare.stats._pairs import Pairs

__all__ = ["LEAST", "efficiency_of", "efficiency_words", "relative_efficiency"]

Floats = NDArray[np.float64]
LEAST = 108 / 125  # no distribution has less; a parabola has it (Hodges and Lehmann 1956)
FEWEST = 10
DIRECT = 1500  # values whose pairs are all looked at; more are counted in bins
BINS = 8192
WIDTH = 0.6


def relative_efficiency(pairs: Pairs) -> float:
    """Estimate the asymptotic relative efficiency of Wilcoxon's test compared with the t-test.

    It is 12 σ² (∫ f²)² of the standardised differences of all pairs: 3/π = 0.955 for normal, 1 for
    uniform and 1.5 for Laplace differences. It is never below 0.864, although an estimate can be.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    float
        The estimate; NaN for fewer than 10 values.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=5000)
    >>> round(relative_efficiency(Pairs.of_arrays(x, np.zeros(5000))), 2)
    0.96
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        z = (pairs.differences - pairs.means[:, None]) / pairs.deviations[:, None]
    return efficiency_of(z[np.isfinite(z)])


def efficiency_of(values: Floats) -> float:
    """The same of one sample.

    ∫ f² is the density at 0 of the difference of two values: the mean over pairs i ≠ j of a kernel
    of order 4, whose bias falls with the fourth power of its width. Squaring and dividing by the
    deviation bring a bias of order 1/n, which the jackknife removes.

    Hodges and Lehmann (1956); Quenouille (1956).
    """
    n = len(values)
    if n < FEWEST:
        return math.nan
    spread = float(values.std(ddof=1))
    if spread == 0:
        return math.nan
    middle = float(np.subtract(*np.quantile(values, [0.75, 0.25]))) / 1.34
    width = WIDTH * min(spread, middle if middle > 0 else spread) * n ** (-1 / 9)
    z = (values - values.mean()) / width
    rows = _direct(z) if n <= DIRECT else _binned(z)
    total = float(rows.sum())
    squares = float((z * z).sum())
    whole = 12 * squares / (n - 1) * (total / (n * (n - 1))) ** 2
    parts = (total - 2 * rows) / ((n - 1) * (n - 2))
    variances = (squares - z * z * n / (n - 1)) / (n - 2)
    without = 12 * variances * parts**2
    return float(n * whole - (n - 1) * without.mean())


def _kernel(u: Floats) -> Floats:
    """A kernel of order 4: ½(3 − u²)φ(u)."""
    made: Floats = 0.5 * (3 - u * u) * np.exp(-u * u / 2) / math.sqrt(2 * math.pi)
    return made


def _direct(z: Floats) -> Floats:
    """Σ_{j ≠ i} of the kernel, for each i."""
    made: Floats = _kernel(z[:, None] - z[None, :]).sum(axis=1) - _kernel(np.zeros(1))[0]
    return made


def _binned(z: Floats) -> Floats:
    """The same from counts in narrow bins, by a convolution."""
    low, high = float(z.min()), float(z.max())
    step = (high - low) / (BINS - 1)
    place = np.rint((z - low) / step).astype(np.int64)
    counts = np.bincount(place, minlength=BINS).astype(np.float64)
    kernel = _kernel(np.arange(-BINS + 1, BINS, dtype=np.float64) * step)
    size = 4 * BINS
    smooth = np.fft.irfft(np.fft.rfft(counts, size) * np.fft.rfft(kernel, size), size)
    made: Floats = smooth[BINS - 1 : 2 * BINS - 1][place] - _kernel(np.zeros(1))[0]
    return made


def efficiency_words(value: float) -> str:
    """An estimate as it is shown: none below what is possible."""
    if math.isnan(value):
        return "not known from so few differences"
    if value < LEAST:
        return f"{LEAST:.3f} (the smallest possible value; the estimate, {value:.3f}, is below it)"
    return f"{value:.3f}"
