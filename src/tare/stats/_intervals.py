"""Confidence intervals: Student's, percentile, bias-corrected and accelerated, studentised."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import resampled_indices, studentised_draws
from tare._kernels.threads_and_blocks import seams
from tare.errors import MismatchError, OptionError, choose
from tare.stats._draws import Drawing, drawn
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "INTERVALS",
    "bca_levels",
    "bias_corrected",
    "correlation_interval",
    "interval",
    "mean_intervals",
    "quantiles",
    "skewness",
]

INTERVALS = ("t", "percentile", "bca", "studentised")
Floats = NDArray[np.float64]
Statistic = Callable[[NDArray[np.float64]], float]


def _check(method: str, confidence: float, draws: int) -> None:
    choose("interval", method, INTERVALS)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
    check_draws(draws)


def mean_intervals(
    rows: ArrayLike,
    *,
    method: str = "percentile",
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Floats:
    """Return the interval of the mean of each row.

    Parameters
    ----------
    rows : array_like
        Differences or scores, one row per sample. NaN cells are left out.
    method : {"t", "percentile", "bca", "studentised"}
        "t" is x̄ ± t·s/√n; "percentile" takes quantiles of the resampled means; "bca" corrects their
        levels for bias and skewness (Efron 1987); "studentised" is x̄ − t*·s/√n at the quantiles of t*
        in the resamples (Efron and Tibshirani 1993).
    confidence : float
        Confidence level.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    ndarray
        One row (low, high) per sample. Rows without spread have an interval of one point; rows with
        fewer than two values have NaN.

    Raises
    ------
    OptionError
        If the method is unknown, `confidence` does not lie between 0 and 1, or `draws` is out of range.

    Examples
    --------
    >>> mean_intervals([[1.0, 2.0, 3.0]], method="t").round(3).tolist()
    [[-0.484, 4.484]]
    """
    _check(method, confidence, draws)
    values = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    n = (~np.isnan(values)).sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.nansum(values, axis=1) / n
        centred = values - means[:, None]
        error = np.sqrt(np.nansum(centred**2, axis=1) / (n - 1) / n)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "t":
        from scipy.special import stdtrit

        with np.errstate(invalid="ignore"):
            half = stdtrit(np.maximum(n - 1, 1), tails[1]) * error
        return np.stack([means - half, means + half], axis=1)
    ends = np.full((len(values), 2), np.nan)
    step = max(1, seams().resampled_cells // draws)
    how: dict[str, Any] = {"draws": draws, "seed": seed, "threads": threads, "engine": engine}
    for start in range(0, len(values), step):
        part = slice(start, start + step)
        if method == "studentised":
            t = drawn(studentised_draws, shifted=centred[part], **how)
            t[~np.isfinite(t)] = np.nan
            found = quantiles(t, np.tile(tails[::-1], (len(t), 1)))
            ends[part] = means[part, None] - found * error[part, None]
        else:
            resampled = drawn(bootstrap_means, values=values[part], **how)
            levels = np.tile(tails, (len(resampled), 1))
            if method == "bca":
                levels = bca_levels(resampled, means[part], skewness(centred[part]), tails)
            ends[part] = quantiles(resampled, levels)
    ends[n < 2] = np.nan
    flat = (n >= 2) & (error <= 1e-13 * np.abs(means))
    ends[flat] = means[flat, None]
    return ends


def quantiles(drawn: Floats, levels: Floats) -> Floats:
    """Quantiles of each row at its own levels, by linear interpolation; NaN values are left out."""
    ordered = np.sort(drawn, axis=1)  # NaN comes last
    last = np.maximum((~np.isnan(ordered)).sum(axis=1) - 1, 0)[:, None]
    place = levels * last
    left = np.floor(place).astype(np.int64)
    below = np.take_along_axis(ordered, left, axis=1)
    above = np.take_along_axis(ordered, np.minimum(left + 1, last), axis=1)
    made: Floats = below + (above - below) * (place - left)
    return made


def skewness(centred: Floats) -> Floats:
    """The acceleration of a mean: Σ(x − x̄)³ / (6 (Σ(x − x̄)²)^{3/2}), as the jackknife gives it."""
    squares = np.nansum(centred**2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        made = np.nansum(centred**3, axis=1) / (6 * squares**1.5)
    return np.where(squares > 0, made, 0.0)


def bca_levels(drawn: Floats, observed: Floats, acceleration: Floats, tails: Floats) -> Floats:
    """Return the levels of the bias-corrected and accelerated interval for each tail."""
    from scipy.special import ndtr, ndtri

    # Resampled values that equal the observed one count for half: they are on neither side.
    near = 1e-12 * np.maximum(np.abs(observed), 1e-300)[:, None]
    below = (drawn < observed[:, None] - near).mean(axis=1)
    at = (np.abs(drawn - observed[:, None]) <= near).mean(axis=1)
    share = np.clip(below + at / 2, 0.5 / drawn.shape[1], 1 - 0.5 / drawn.shape[1])
    bias = ndtri(share)[:, None]
    z = bias + ndtri(tails)[None, :]
    made: Floats = ndtr(bias + z / (1 - acceleration[:, None] * z))
    return made


def bias_corrected(observed: float, drawn: Floats, confidence: float) -> tuple[float, float]:
    """The interval (low, high) of a statistic from its resampled values, corrected for median bias.

    Quantiles at Φ(2z₀ ± z), where z₀ = Φ⁻¹(share of draws below the observed value, ties by half) (Efron
    1981). z₀ is limited to ±z, so the interval always contains the observed value. NaN draws are left out.
    """
    from scipy.special import ndtr, ndtri

    known = drawn[~np.isnan(drawn)]
    z = float(ndtri((1 + confidence) / 2))
    at = np.abs(known - observed) <= 1e-12 * max(abs(observed), 1e-300)
    share = float(((known < observed) & ~at).mean() + at.mean() / 2)
    bias = float(np.clip(ndtri(share), -z, z))
    low, high = np.quantile(known, ndtr(np.array([2 * bias - z, 2 * bias + z])))
    # Between two draws the quantile is interpolated and may pass the observed value.
    return min(float(low), observed), max(float(high), observed)


def correlation_interval(
    observed: float, drawn: Floats, confidence: float = 0.95, *, least: float = -1.0
) -> tuple[float, float] | tuple[None, None]:
    """Return the interval of a correlation from its resampled values: r ± z·sd, cut to [least, 1].

    It is about the expected coefficient for samples of this size. Resampled rankings are noisier than
    the observed one, so that the draws lie too low and their quantiles miss it. There is no interval if
    the coefficient is undefined or does not vary. NaN draws are left out.
    """
    from scipy.special import ndtri

    known = drawn[~np.isnan(drawn)]
    if math.isnan(observed) or len(known) < 2:
        return None, None
    half = float(ndtri((1 + confidence) / 2)) * float(known.std(ddof=1))
    if half < 1e-12:
        return None, None
    return max(observed - half, least), min(observed + half, 1.0)


def interval(
    values: ArrayLike,
    statistic: Statistic,
    *,
    method: str = "bca",
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the bootstrap interval of any statistic of a sample.

    Parameters
    ----------
    values : array_like
        The sample; rows of a matrix are resampled together.
    statistic : callable
        A function from a sample to a number.
    method : {"t", "percentile", "bca", "studentised"}
        As in `mean_intervals`. "t" uses the jackknife for the standard error, and "studentised" uses it
        in each resample, which takes n times the work.
    confidence : float
        Confidence level.
    draws : int
        Number of random draws.
    seed : int
        Seed of the random draws.

    Returns
    -------
    tuple of float
        The interval (low, high).

    Raises
    ------
    OptionError
        If the method is unknown, `confidence` does not lie between 0 and 1, or `draws` is out of range.
    MismatchError
        If there are fewer than 2 values.

    Examples
    --------
    >>> low, high = interval([1.0, 2.0, 4.0, 8.0, 16.0], lambda x: float(np.median(x)), draws=2000)
    >>> low <= 4.0 <= high
    True
    """
    _check(method, confidence, draws)
    sample = np.asarray(values, dtype=np.float64)
    n = len(sample)
    if n < 2:
        raise MismatchError(f"an interval needs at least 2 values; found {n}.")
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    observed = float(statistic(sample))
    left_out = _jackknife(sample, statistic)
    if method == "t":
        from scipy.special import stdtrit

        half = float(stdtrit(n - 1, tails[1])) * _error(left_out)
        return observed - half, observed + half
    places = resampled_indices(n, draws, seed=seed)
    drawn = np.array([statistic(sample[place]) for place in places])
    if method == "studentised":
        errors = np.array([_error(_jackknife(sample[place], statistic)) for place in places])
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (drawn - observed) / errors
        low, high = np.quantile(t[np.isfinite(t)], tails[::-1]) * _error(left_out)
        return observed - float(low), observed - float(high)
    levels = tails
    if method == "bca":
        gaps = left_out.mean() - left_out
        squares = float((gaps**2).sum())
        acceleration = float((gaps**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
        levels = bca_levels(drawn[None, :], np.array([observed]), np.array([acceleration]), tails)[
            0
        ]
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)


def _jackknife(sample: Floats, statistic: Statistic) -> Floats:
    keep = ~np.eye(len(sample), dtype=bool)
    return np.array([statistic(sample[row]) for row in keep])


def _error(left_out: Floats) -> float:
    n = len(left_out)
    return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))
