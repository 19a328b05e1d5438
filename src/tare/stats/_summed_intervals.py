"""Intervals of differences of measures made of summed statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError, choose
from tare.stats._draws import Drawing
from tare.stats._intervals import INTERVALS, bca_levels, quantiles, skewness
from tare.stats._summed_pairs import SummedPairs
from tare.stats._summed_tests import resampled_gaps

__all__ = ["summed_intervals"]

Floats = NDArray[np.float64]


def summed_intervals(
    pairs: SummedPairs,
    *,
    method: str,
    confidence: float,
    draws: int,
    seed: int,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Floats:
    """Return (low, high) of the difference of each pair.

    "t" uses the standard error of the jackknife; "percentile" and "bca" resample the statistics.
    """
    from scipy.special import stdtrit

    choose("interval", method, INTERVALS)
    if method == "studentised":
        raise OptionError(
            f"interval='studentised' needs a value per item, and {pairs.summed.measure} is computed from summed "
            "statistics. Use interval='t', 'percentile' or 'bca'."
        )
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    n = pairs.n.astype(np.float64)
    if method == "t":
        half = stdtrit(np.maximum(n - 1, 1), tails[1]) * pairs.deviations / np.sqrt(n)
        return np.stack([pairs.means - half, pairs.means + half], axis=1)
    ends = np.empty((len(pairs), 2))
    for k in range(len(pairs)):
        how = {"draws": draws, "seed": seed, "threads": threads}
        gaps = resampled_gaps(pairs, k, **how, engine=engine)[None, :]
        levels = tails[None, :]
        if method == "bca":
            centred = pairs.differences[k : k + 1] - np.nanmean(pairs.differences[k])
            levels = bca_levels(gaps, pairs.means[k : k + 1], skewness(centred), tails)
        ends[k] = quantiles(gaps, levels)[0]
    return ends
