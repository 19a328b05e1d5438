"""Does a candidate lose against a baseline? One-sided flips, and certification that a mean loss is smaller than a margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import exponential_sum_tail, one_sided_flips, uniforms
from tare.errors import MismatchError, OptionError, check_share
from tare.stats._flips import NOTHING, SLACK, _checked, _totals
from tare.stats._randomisation import DRAWS, check_draws

__all__ = [
    "Certificate",
    "LossTest",
    "Losses",
    "certify",
    "exchange_loss",
    "least_changed",
    "loss_test",
    "loss_tests",
    "queries_to_certify",
]


# One-sided flips: does a candidate lose against a baseline?


Floats = NDArray[np.float64]

LEAST = 5  # changed units from which a detectable loss is given
POWER = NormalDist().inv_cdf(0.8)
BLOCK = 500  # exchanges at a time


class LossTest(NamedTuple):
    """The one-sided test of a loss.

    Attributes
    ----------
    difference, pvalue : float
        The mean difference, and the share of sign patterns that are as bad as this one.
    n, lost, gained : int
        The number of units, of those that lost, and of those that gained.
    detectable : float
        The mean loss that is shown in about 80 % of query sets like this one; NaN if unknown.
    exact : bool
        Whether all sign patterns were tried.

    Examples
    --------
    >>> found = loss_test([-0.3, -0.2, -0.1, -0.4, -0.5] + [0] * 15)
    >>> found.n, found.lost, found.gained, round(found.detectable, 3)
    (20, 5, 0, 0.141)
    """

    difference: float
    pvalue: float
    n: int
    lost: int
    gained: int
    detectable: float
    exact: bool

    @property
    def differing(self) -> int:
        """The number of units that changed."""
        return self.lost + self.gained


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses to test of one measure: candidate − baseline per unit, higher is better.

    `largest` is the largest score, below 1e-12 of which a difference is 0; by default the largest
    difference. `tolerance` matters to the detectable loss only.
    """

    differences: ArrayLike
    clusters: ArrayLike | None = None
    largest: float | None = None
    tolerance: float = 0.0


def least_changed(level: float) -> int:
    """Return how many units must change before a one-sided p of a loss can reach the level: ⌈log₂(1/level)⌉.

    >>> least_changed(0.05), least_changed(0.05 / 3)
    (5, 6)
    """
    return math.ceil(-math.log2(level) - SLACK)


def loss_test(
    differences: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    tolerance: float = 0.0,
    level: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
) -> LossTest:
    """Test whether a candidate loses against a baseline: the share of sign patterns as bad as this one.

    Parameters
    ----------
    differences : array_like
        Candidate − baseline per unit, oriented so that higher is better.
    clusters : array_like, optional
        The cluster of each unit; whole clusters are flipped.
    tolerance : float
        A loss up to this size is tolerated; only the detectable loss depends on it.
    level : float
        The level at which a loss blocks, for the detectable loss: alpha divided by the number of
        measures.
    draws, seed : int
        With at most 13 units that changed all patterns are tried; otherwise so many are drawn.

    Returns
    -------
    LossTest
        p is the share of patterns whose sum is at most the observed one; 1 if nothing changed. The
        detectable loss, found in 80 % of such sets of queries, is an approximation; NaN with fewer than
        5 changed units or with clusters.

    Raises
    ------
    MismatchError
        If a difference is not finite, or clusters do not fit.
    OptionError
        If draws, seed or level is out of range.

    Examples
    --------
    >>> loss_test([-0.3, -0.2, -0.1, -0.4, -0.5] + [0] * 15).pvalue
    0.03125
    """
    given = Losses(differences, clusters, tolerance=tolerance)
    (found,) = loss_tests([given], level=level, draws=draws, seed=seed)
    return found


def loss_tests(
    measures: Sequence[Losses], *, level: float, draws: int = DRAWS, seed: int = 0
) -> list[LossTest]:
    """Return the `loss_test` of several measures; those with drawn patterns share one pass."""
    check_draws(draws, seed)
    check_share("level", level)
    units = [_units(one) for one in measures]
    # In order of size, p does not depend on the order of the units.
    kept = [np.sort(d[d != 0]) for d, _ in units]
    p = np.ones(len(kept))
    few = [len(d) < 64 and 2 ** len(d) <= draws for d in kept]
    for k in (k for k, whole in enumerate(few) if whole):
        p[k] = _reached(kept[k][None], "all", 2 ** len(kept[k]), 0)[0] / 2 ** len(kept[k])
    drawn = [k for k in range(len(kept)) if not few[k]]
    if drawn:
        # Zeros at the end change no sum: every measure has the signs that it has alone.
        rows = np.zeros((len(drawn), max(len(kept[k]) for k in drawn)))
        for row, k in zip(rows, drawn, strict=True):
            row[: len(kept[k])] = kept[k]
        p[drawn] = (_reached(rows, "swap", draws, seed) + 1) / (draws + 1)
    found = []
    for k, (one, (d, sizes)) in enumerate(zip(measures, units, strict=True)):
        known = len(kept[k]) >= LEAST and bool((sizes == 1).all())
        found.append(
            LossTest(
                math.fsum(d) / float(sizes.sum()) if len(d) else math.nan,
                float(p[k]),
                len(d),
                int((d < 0).sum()),
                int((d > 0).sum()),
                detectable_loss(d, level=level, tolerance=one.tolerance) if known else math.nan,
                few[k],
            )
        )
    return found


def _units(one: Losses) -> tuple[Floats, Floats]:
    """Return the differences of candidate and baseline by unit, and the units' sizes; what only rounding made is 0."""
    given = _checked(one.differences, 1, "differences")
    totals, sizes = _totals(given, one.clusters)
    largest = np.abs(totals).max(initial=0.0)
    if one.largest is not None:
        largest = max(float(largest), one.largest)
    return np.where(np.abs(totals) < NOTHING * largest, 0.0, totals), sizes


def _reached(rows: Floats, kind: str, patterns: int, seed: int) -> NDArray[np.int64]:
    """Return how many sign patterns of each row show a loss as bad as the observed one: a sum of at most the observed one."""
    if rows.shape[1] == 0:
        return np.full(len(rows), patterns)
    limits = -(rows.sum(axis=1) + SLACK * np.abs(rows).sum(axis=1))
    return one_sided_flips(-rows, limits, kind=kind, draws=patterns, seed=seed)


def detectable_loss(differences: Floats, *, level: float, tolerance: float = 0.0) -> float:
    """Return the detectable loss: the mean loss that is shown in about 80 % of query sets like this one.

    With z = z(1 − level) + z(.8), the mean size ā of the changes and v = Σ(d − d̄)²/n, a loss L
    removes a share L/ā of the changes' balance: L = (b + √(b² + 4z²v/n))/2 with b = z²ā/n.
    """
    n = len(differences)
    changed = differences[differences != 0]
    size = float(np.abs(changed).mean())
    variance = float(((differences - differences.mean()) ** 2).sum() / n)
    z = POWER - NormalDist().inv_cdf(max(level, 1e-300))  # 1 − level may be 1
    b = z * z * size / n
    found = (b + math.sqrt(b * b + 4 * z * z * variance / n)) / 2
    if tolerance <= 0:
        return found
    # L − tolerance = z(.8)·√((v + āL)/n)
    b = 2 * tolerance + POWER * POWER * size / n
    c = tolerance * tolerance - POWER * POWER * variance / n
    return max(found, (b + math.sqrt(b * b - 4 * c)) / 2)


def exchange_loss(
    candidate: Floats,
    baseline: Floats,
    value: Callable[[Floats], Floats],
    changes: Floats,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> LossTest:
    """Test the loss of a value that is computed from sums, such as BLEU, by exchanging units.

    `candidate` and `baseline` have one row of statistics per unit; `value` returns the values of rows
    of sums, higher is better. p is the share of exchanges whose difference is at most the observed one.
    `changes` are the differences of single units, which count who lost and gained.
    """
    check_draws(draws, seed)
    sums = np.stack([candidate.sum(axis=0), baseline.sum(axis=0)])
    new, old = (float(one) for one in value(sums))
    gaps = (baseline - candidate)[(candidate != baseline).any(axis=1)]
    count = len(gaps)
    exact = count < 64 and 2**count <= draws
    limit = new - old + SLACK * max(1.0, abs(new), abs(old))

    def reached(swaps: NDArray[np.bool_]) -> int:
        moved = swaps.astype(np.float64) @ gaps
        return int((value(sums[0] + moved) - value(sums[1] - moved) <= limit).sum())

    p = 1.0
    if count:
        patterns = _all_patterns(count) if exact else _drawn_patterns(count, draws, seed)
        hits = sum(map(reached, patterns))
        p = hits / 2**count if exact else (hits + 1) / (draws + 1)
    lost = int((changes < 0).sum())
    return LossTest(new - old, p, len(candidate), lost, int((changes > 0).sum()), math.nan, exact)


def _all_patterns(count: int) -> Iterator[NDArray[np.bool_]]:
    for first in range(0, 2**count, BLOCK):
        codes = np.arange(first, min(first + BLOCK, 2**count))
        yield (codes[:, None] >> np.arange(count)) & 1 == 1


def _drawn_patterns(count: int, draws: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    for block in range(-(-draws // BLOCK)):
        rows = min(BLOCK, draws - block * BLOCK)
        yield uniforms(rows, count, seed=seed, substream=block) < 0.5


# Certification: a mean loss smaller than a margin, by Gaffke's bound.


class Certificate(NamedTuple):
    """Whether a loss of the margin or more is ruled out.

    Attributes
    ----------
    certified : bool
        Whether p ≤ alpha.
    pvalue : float
        p of a loss of the margin.
    bound : float
        The lower bound of the mean difference.
    n, needed : int
        The number of units, and the number that a candidate without gains needs at least.

    Examples
    --------
    >>> found = certify([0.0] * 100, 0.05)
    >>> found.certified, found.needed, round(found.bound, 3)
    (True, 59, -0.03)
    """

    certified: bool
    pvalue: float
    bound: float
    n: int
    needed: int


def queries_to_certify(margin: float, range: float = 1.0, alpha: float = 0.05) -> int:
    """Return the number of queries that a candidate without gains needs at least for a certificate.

    With no difference on any query p is (1 − margin/range)ⁿ; losses raise it, gains lower it.

    Parameters
    ----------
    margin : float
        The loss to rule out.
    range : float
        The largest loss that one query can have.
    alpha : float
        The level of the certificate.

    Returns
    -------
    int
        ⌈ln α / ln(1 − margin/range)⌉.

    Examples
    --------
    >>> [queries_to_certify(margin) for margin in (0.01, 0.02, 0.05, 0.1)]
    [299, 149, 59, 29]
    """
    _check(margin, range, alpha)
    if margin >= range:
        return 1
    return math.ceil(math.log(alpha) / math.log1p(-margin / range) - 1e-9)


def certify(
    differences: ArrayLike,
    margin: float,
    *,
    range: float = 1.0,
    clusters: ArrayLike | None = None,
    alpha: float = 0.05,
    threads: int = 0,
) -> Certificate:
    """Certify that the mean loss is smaller than a margin, by Gaffke's bound.

    p = P(Σ c_i E_i ≤ 0) with independent standard exponentials E_i, c_i = d_i + margin for the n units
    and one more unit at the worst possible loss, c_0 = margin − range.

    Parameters
    ----------
    differences : array_like
        Candidate − baseline per unit, oriented so that higher is better.
    margin : float
        The loss to rule out.
    range : float
        The largest loss that one unit can have: 1 for scores from 0 to 1.
    clusters : array_like, optional
        The cluster of each unit. The means of clusters are certified.
    alpha : float
        Certify if p ≤ alpha.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    Certificate
        Whether the loss is ruled out, p, the lower bound of the mean difference at the level 1 − alpha,
        the number of units, and the number that a candidate without gains needs at least.

    Raises
    ------
    MismatchError
        If there is no difference, one is not finite, or clusters do not fit.
    OptionError
        If a difference is larger than the range, or margin or alpha is out of range.

    Notes
    -----
    For differences of −range and 0 only this is the exact binomial test. In general its validity is a
    conjecture (Gaffke 2005) without a known counterexample.

    References
    ----------
    Gaffke (2005). Three test statistics for a nonparametric one-sided hypothesis on the mean of a
    nonnegative variable. Learned-Miller and Thomas (2020). A new confidence interval for the mean of a
    bounded random variable.

    Examples
    --------
    >>> found = certify([0.0] * 59, 0.05)
    >>> found.certified, round(found.pvalue, 4)
    (True, 0.0485)
    """
    _check(margin, range, alpha)
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or len(d) == 0 or not np.isfinite(d).all():
        raise MismatchError("differences: expected one finite number per unit, at least one.")
    if clusters is not None:
        ids = np.asarray(clusters)
        if ids.shape != d.shape:
            raise MismatchError(
                f"clusters: expected one id per unit ({len(d):,}), found {ids.shape}."
            )
        _, place = np.unique(ids, return_inverse=True)
        d = np.bincount(place.ravel(), weights=d) / np.bincount(place.ravel())
    if np.abs(d).max() > range * (1 + 1e-12):
        raise OptionError(
            f"a difference of {d[np.abs(d).argmax()]:g} is larger than the range {range:g} of the "
            "scores. State the range that the scores can have."
        )
    values, weights = np.unique(d, return_counts=True)

    def p_of(tried: float) -> float:
        c = np.append(values + tried, tried - range)
        return exponential_sum_tail(c, np.append(weights, 1), threads)

    p = p_of(margin)
    return Certificate(
        p <= alpha,
        p,
        _bound(p_of, values, range, alpha),
        len(d),
        queries_to_certify(margin, range, alpha),
    )


def _bound(p_of: Callable[[float], float], values: Floats, range: float, alpha: float) -> float:
    """Return the bound of the loss by Gaffke, −m where p(m) = alpha: p falls from 1 at −max d to 0 at the range."""
    from scipy.optimize import toms748

    low, high = -float(values.max()), range
    if low >= high:
        return -high
    step = (high - low) * 1e-12
    return -float(toms748(lambda m: p_of(m) - alpha, low + step, high - step, xtol=1e-11))


def _check(margin: float, range: float, alpha: float) -> None:
    check_share("alpha", alpha)
    if not range > 0 or not math.isfinite(range):
        raise OptionError(f"range={range}: the range of the scores must be a positive number.")
    if not 0 < margin <= range:
        raise OptionError(f"margin={margin} is out of range; it must lie between 0 and {range:g}.")
