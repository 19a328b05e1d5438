"""Confidence intervals: Student's, percentile, bias-corrected and accelerated, studentised; of bounded means and of ratios (Fieller)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels import bootstrap_means
from tare._kernels.statistics import resampled_indices, studentised_draws
from tare._kernels.threads_and_blocks import seams
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._draws import Drawing, drawn
from tare.stats._paired_differences import SummedPairs
from tare.stats._randomisation import DRAWS, check_draws, resampled_gaps
from tare.stats._student import bounded, clustered_means, fieller, student_quantile, student_u

__all__ = [
    "INTERVALS",
    "MeanInterval",
    "RatioInterval",
    "bca_levels",
    "bias_corrected",
    "bounded_ends",
    "correlation_interval",
    "interval",
    "mean_interval",
    "mean_intervals",
    "quantiles",
    "ratio_ends",
    "ratio_interval",
    "skewness",
    "summed_intervals",
]


# Confidence intervals: Student's, percentile, bias-corrected and accelerated, studentised.


INTERVALS = ("t", "percentile", "bca", "studentised")
Floats = NDArray[np.float64]
Statistic = Callable[[NDArray[np.float64]], float]


def _check(method: str, confidence: float, draws: int) -> None:
    choose("interval", method, INTERVALS)
    check_share("confidence", confidence)
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
    """Quantiles of each row of resampled values at its own levels, by linear interpolation; NaN values are left out."""
    ordered = np.sort(drawn, axis=1)  # NaN comes last
    last = np.maximum((~np.isnan(ordered)).sum(axis=1) - 1, 0)[:, None]
    place = levels * last
    left = np.floor(place).astype(np.int64)
    below = np.take_along_axis(ordered, left, axis=1)
    above = np.take_along_axis(ordered, np.minimum(left + 1, last), axis=1)
    made: Floats = below + (above - below) * (place - left)
    return made


def skewness(centred: Floats) -> Floats:
    """The acceleration of a mean for BCa intervals: Σ(x − x̄)³ / (6 (Σ(x − x̄)²)^{3/2}), as the jackknife gives it."""
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


# Intervals of differences of measures made of summed statistics.


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
    """Return (low, high) of the difference of each pair of systems by a measure of summed statistics, such as BLEU.

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


# Intervals of means that are bounded: Wilson's, scaled to the observed spread.


class MeanInterval(NamedTuple):
    """A mean with its interval; NaN where there is none.

    Attributes
    ----------
    mean, low, high : float
        The mean and the ends of its interval.
    error, freedom : float
        The standard error and the degrees of freedom.

    Examples
    --------
    >>> found = mean_interval([0.9, 0.8, 1, 0.7, 0.95, 1, 0.85, 1])
    >>> round(found.low, 3), round(found.high, 3), found.freedom
    (0.771, 0.96, 7.0)
    """

    mean: float
    low: float
    high: float
    error: float
    freedom: float


def bounded_ends(mean: float, error: float, t: float, units: float) -> tuple[float, float]:
    """Return the ends of the confidence interval of a mean in [0, 1]; they never leave it."""
    low, high = bounded(*(np.array([float(given)]) for given in (mean, error, t, units)))[0]
    return float(low), float(high)


def mean_interval(
    values: ArrayLike,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
) -> MeanInterval:
    """Return the mean of bounded scores with an interval that never leaves the bounds.

    Parameters
    ----------
    values : array_like
        One score per unit.
    bounds : tuple of float
        The lowest and the highest possible score; never taken from the values.
    clusters : array_like, optional
        The cluster of each unit. The mean is over units, the interval over clusters.
    confidence : float
        The level of the interval.

    Returns
    -------
    MeanInterval
        Wilson's interval, scaled to the observed spread. With one unit or one cluster there is none.

    Raises
    ------
    MismatchError
        If there is no value, a value is not finite, or clusters do not fit.
    OptionError
        If a value is outside the bounds, or the confidence is out of range.

    References
    ----------
    Wilson (1927); Kish (1965) for the effective number of clusters.

    Examples
    --------
    >>> [round(end, 4) for end in mean_interval([1] + [0] * 29)[:3]]
    [0.0333, 0.0054, 0.1789]
    """
    check_share("confidence", confidence)
    given = np.asarray(values, dtype=np.float64)
    low, high = bounds
    if given.ndim != 1 or len(given) == 0 or not np.isfinite(given).all():
        raise MismatchError("values: expected one finite score per unit, at least one.")
    if not low < high or given.min() < low or given.max() > high:
        raise OptionError(
            f"bounds={low:g} to {high:g}: the scores reach from {given.min():g} to {given.max():g}."
        )
    scaled = (given - low) / (high - low)
    sums: Floats = scaled
    sizes: Floats = np.ones(len(scaled))
    if clusters is not None:
        ids = np.asarray(clusters)
        if ids.shape != given.shape:
            raise MismatchError(
                f"clusters: expected one id per unit ({len(given):,}), found {ids.shape}."
            )
        _, place = np.unique(ids, return_inverse=True)
        sums = np.asarray(np.bincount(place.ravel(), weights=scaled), dtype=np.float64)
        sizes = np.bincount(place.ravel()).astype(np.float64)
    mean, error, units = clustered_mean(sums, sizes)
    if len(sums) < 2:
        return MeanInterval(low + mean * (high - low), math.nan, math.nan, math.nan, math.nan)
    freedom = units - 1
    t = student_quantile((1 + confidence) / 2, freedom)
    ends = bounded_ends(mean, error, t, units)
    span = high - low
    return MeanInterval(
        low + mean * span, low + ends[0] * span, low + ends[1] * span, error * span, freedom
    )


def clustered_mean(sums: Floats, sizes: Floats) -> tuple[float, float, float]:
    """Return the mean of clustered scores, ΣS/Σn, its standard error by the jackknife of clusters, and Kish's number of clusters."""
    _, error, units = clustered_means(sums[None], sizes[None])
    return math.fsum(sums) / float(sizes.sum()), float(error[0]), float(units[0])


# Fieller's interval of a ratio of means: Net, means over clusters, and their differences.


def ratio_ends(x: Floats, y: Floats, u: float) -> tuple[float, float]:
    """Return Fieller's interval: every ratio θ for which the mean of x − θy is not rejected; NaN if these are unbounded."""
    low, high = fieller(x[None], y[None], np.array([u]), np.array([len(x)]))[0]
    return float(low), float(high)


class RatioInterval(NamedTuple):
    """A ratio of means with its interval.

    Attributes
    ----------
    value, low, high : float
        The ratio and the ends of its interval; NaN where there is none.

    Examples
    --------
    >>> found = ratio_interval([0.3, 0.1, 0.5, 0.2, 0.6], [1, 1, 1, 1, 1])
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.34, 0.08, 0.6)
    """

    value: float
    low: float
    high: float


def ratio_interval(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> RatioInterval:
    """Return Σx/Σy with Fieller's interval.

    Parameters
    ----------
    x, y : array_like
        Numerator and denominator of each unit: for Net, gross − tare and ideal − tare.
    confidence : float
        The level of the interval.

    Returns
    -------
    RatioInterval
        The ratio and its interval. There is none where a few units carry most of the denominator.

    Raises
    ------
    MismatchError
        If the arrays are not aligned, hold fewer than 2 units, or values that are not finite.
    OptionError
        If the confidence is out of range.

    References
    ----------
    Fieller (1954). Some problems in interval estimation. JRSS B.

    Examples
    --------
    >>> found = ratio_interval([0.3, 0.1, 0.5, 0.0, 0.2, 0.6, -0.1, 0.4], [0.9, 0.8, 0.9, 0.2, 0.5, 0.9, 0.4, 0.6])
    >>> [round(value, 4) for value in found]
    [0.3846, 0.0923, 0.5977]
    """
    check_share("confidence", confidence)
    above, below = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if above.ndim != 1 or above.shape != below.shape:
        raise MismatchError(f"x and y of shapes {above.shape} and {below.shape} are not aligned.")
    if len(above) < 2 or not (np.isfinite(above).all() and np.isfinite(below).all()):
        raise MismatchError("x and y: a ratio of means needs at least 2 units with finite values.")
    total = float(below.sum())
    value = float(above.sum()) / total if total else math.nan
    u = student_u(np.array([len(above)]), confidence)
    return RatioInterval(value, *ratio_ends(above, below, float(u[0])))
