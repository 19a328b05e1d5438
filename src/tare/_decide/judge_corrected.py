"""Prediction-powered inference: a model's labels corrected by people's, for labels of whole queries or of documents of every query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import resampled_indices, uniforms
from tare.errors import OptionError
from tare.stats._intervals import bounded_ends
from tare.stats._randomisation import DRAWS

__all__ = [
    "FEW_SUCCESSES",
    "METHODS",
    "TARGETS",
    "Balance",
    "Bootstrap",
    "Bounds",
    "DocumentSample",
    "Estimator",
    "Floats",
    "Influences",
    "Places",
    "QuerySample",
    "Spread",
    "balance_of",
    "balance_of_documents",
    "bootstrap",
    "by_largest",
    "control_weights",
    "document_weights",
    "fit_documents",
    "fit_queries",
    "joined_estimator",
    "judge_alone_by_document",
    "judge_alone_by_query",
    "pairs_in_blocks",
    "people_alone_by_document",
    "people_alone_by_query",
    "query_values",
    "query_weight",
]


# The values behind an estimate: under people's labels and under the judge's.


Floats = NDArray[np.float64]
Places = NDArray[np.signedinteger[Any]]  # of systems, or of clusters


@dataclass(frozen=True, eq=False)
class QuerySample:
    """The queries design: people labelled n queries, and the judge labelled these and N others.

    All arrays have the shape (…, systems, queries). Leading axes, if any, are independent samples.

    Attributes
    ----------
    human, judge : ndarray
        The values of the n queries under people's labels and under the judge's.
    others : ndarray
        The values of the N other queries under the judge's labels.
    rooms : tuple of three ndarray, optional
        For a ratio of means such as Net, the arrays above are gains (gross − tare), and these are the
        rooms (ideal − tare) in the same order.
    clusters : tuple of two ndarray, optional
        The cluster of each of the n queries, and of each of the N others, numbered from 0 in each. By
        default every query is its own cluster.
    """

    human: Floats
    judge: Floats
    others: Floats
    rooms: tuple[Floats, Floats, Floats] | None = None
    clusters: tuple[Places, Places] | None = None

    @property
    def n(self) -> int:
        """The number of queries that people labelled."""
        return int(self.human.shape[-1])

    @property
    def size(self) -> int:
        """The number of other queries."""
        return int(self.others.shape[-1])

    @property
    def total(self) -> int:
        """The number of queries that the judge labelled."""
        return self.n + self.size

    @property
    def cluster_sizes(self) -> tuple[Floats, Floats]:
        """The number of queries of each cluster that people labelled, and of each other cluster."""
        if self.clusters is None:
            return np.ones(self.n), np.ones(self.size)
        labelled, others = (np.bincount(x).astype(np.float64) for x in self.clusters)
        return labelled, others

    @property
    def units(self) -> float:
        """The number of queries that people labelled; of clusters Kish's effective number, (Σn_g)²/Σn_g²."""
        sizes = self.cluster_sizes[0]
        return float(sizes.sum() ** 2 / (sizes**2).sum())

    @property
    def judged(self) -> bool:
        """Whether there are enough units that only the judge labelled, at least two, to use the judge."""
        return len(self.cluster_sizes[1]) > 1

    def people_ratio(self) -> Floats:
        """Return the value of the queries design under people's labels alone, (…, systems)."""
        mean: Floats = self.human.mean(axis=-1)
        return mean if self.rooms is None else mean / self.rooms[0].mean(axis=-1)

    def linearised(self, value: Floats, room: Floats) -> QuerySample:
        """Return the sample of contributions (gain − value·room)/(mean room) under both labels; the same sample if there are no rooms."""
        if self.rooms is None:
            return self
        v, r = value[..., None], room[..., None]
        human, judge, others = (
            (x - v * y) / r
            for x, y in zip((self.human, self.judge, self.others), self.rooms, strict=True)
        )
        return QuerySample(human, judge, others, clusters=self.clusters)


@dataclass(frozen=True, eq=False)
class DocumentSample:
    """The documents design: people labelled some documents of every query.

    All arrays have the shape (…, systems, queries).

    Attributes
    ----------
    people : ndarray
        Σ w·gain(g)/π over the documents that people labelled.
    control : ndarray
        Σ w·gain(ĝ)/π over these documents, minus Σ w·gain(ĝ) over all ranked documents. Its expected
        value is 0, whatever the judge is worth.
    judge : ndarray
        Σ w·gain(ĝ) over all ranked documents.
    spread : tuple of two ndarray, optional
        Covariances of the means over queries that come from drawing documents: of the estimates and of
        people alone, each (systems, systems).
    freedom : float
        Degrees of freedom of the design variance.
    """

    people: Floats
    control: Floats
    judge: Floats
    spread: tuple[Floats, Floats] | None = None
    freedom: float = np.inf

    @property
    def n(self) -> int:
        """The number of queries."""
        return int(self.people.shape[-1])

    @property
    def size(self) -> int:
        """The number of queries without human labels: 0."""
        return 0

    @property
    def total(self) -> int:
        """The number of queries."""
        return self.n

    @property
    def units(self) -> float:
        """The number of queries."""
        return float(self.n)


# λ, the weight of the judge: one per measure, shared by all systems.
#
# With one weight, every difference of two systems is the difference of their estimates, so that no two
# printed numbers contradict each other in sign.


def _between(values: Floats) -> Floats:
    """Return the values that labels give minus their mean over systems: the sum over all pairs is a multiple of theirs.

    Σ_{a<b} (x_a − x_b)(y_a − y_b) = S·Σ_s (x_s − x̄)(y_s − ȳ). One system has no pairs; its own values
    are used.
    """
    if values.shape[-2] == 1:
        return values
    made: Floats = values - values.mean(axis=-2, keepdims=True)
    return made


def query_weight(human: Floats, judge: Floats, others: Floats) -> Floats:
    """Return λ of the queries design.

    λ = Σ Cov(Y_ab, f_ab)/((1 + n/N)·Σ Var(f_ab)), kept in [0, 1]; the sums are over pairs of systems,
    the covariance over the n queries, the variance over all n + N.

    Parameters
    ----------
    human, judge, others : ndarray
        As in `QuerySample`: (…, systems, queries).

    Returns
    -------
    ndarray
        (…)
    """
    n, size = human.shape[-1], others.shape[-1]
    if size < 2 or n < 3:
        return np.zeros(human.shape[:-2])
    y, f, g = (_between(x) for x in (human, judge, others))
    every = np.concatenate([f, g], axis=-1)
    covariance = _products(y, f).sum(axis=-1) / (n - 1)
    variance = _products(every, every).sum(axis=-1) / (n + size - 1)
    return _ratio(covariance, (1 + n / size) * variance)


def control_weights(people: Floats, control: Floats) -> tuple[Floats, Floats]:
    """Return λ, the weight of the judge in the documents design, and λ estimated without each query.

    λ = Σ Cov(H_ab, D_ab)/Σ Var(D_ab), kept in [0, 1]: D is a control variate with mean 0. The value
    of a query uses the λ of the other queries, which does not depend on the documents drawn in it; so
    the estimate stays unbiased. With fewer than four queries λ = 1.

    Parameters
    ----------
    people, control : ndarray
        As in `DocumentSample`: (…, systems, queries).

    Returns
    -------
    tuple of two ndarray
        (…) and (…, queries).
    """
    n = people.shape[-1]
    if n < 4:
        return np.ones(people.shape[:-2]), np.ones((*people.shape[:-2], n))
    h, d = _between(people), _between(control)
    products, squares = _products(h, d), _products(d, d)
    covariance, variance = products.sum(axis=-1), squares.sum(axis=-1)
    without = covariance[..., None] - n / (n - 1) * products
    spread = variance[..., None] - n / (n - 1) * squares
    return _ratio(covariance, variance, 1.0), _ratio(without, spread, 1.0)


def _products(x: Floats, y: Floats) -> Floats:
    """Return Σ_s (x − x̄)(y − ȳ) of each query, with means over queries, as λ of the judge needs them."""
    made: Floats = (
        (x - x.mean(axis=-1, keepdims=True)) * (y - y.mean(axis=-1, keepdims=True))
    ).sum(axis=-2)
    return made


def _ratio(above: Floats, below: Floats, nothing: float = 0.0) -> Floats:
    """Return λ of the judge as above/below, kept in [0, 1]; `nothing` where below is 0."""
    positive = below > 1e-14 * np.max(np.abs(below), initial=0.0)
    made = np.clip(above / np.where(positive, below, 1.0), 0.0, 1.0)
    return np.where(positive, made, nothing)


# An estimate with its influences, from which the variance of every contrast follows.


BLOCK = 1 << 22  # numbers of one block of differences
CLOSE = 1e-4  # relative variance of a difference below which it is computed from differences


@dataclass(frozen=True, eq=False)
class Spread:
    """Judge-corrected estimates of contrasts of systems, their standard errors and degrees of freedom."""

    value: Floats
    error: Floats
    freedom: Floats

    def half_width(self, confidence: float) -> Floats:
        """Return half the width of an estimate's interval by Student's t; the normal one with infinite freedom."""
        return quantile(self.freedom, 0.5 + confidence / 2) * self.error

    def ends(self, confidence: float) -> tuple[Floats, Floats]:
        """Return both ends of the interval."""
        half = self.half_width(confidence)
        return self.value - half, self.value + half


def quantile(freedom: Floats, probability: float) -> Floats:
    """Return the quantiles for intervals of estimates: Student's t, or normal where freedom is infinite."""
    from scipy.special import ndtri, stdtrit

    made: Floats = np.where(
        np.isinf(freedom),
        ndtri(probability),
        stdtrit(np.where(np.isinf(freedom), 1.0, freedom), probability),
    )
    return made


@dataclass(frozen=True, eq=False)
class Influences:
    """The judge-corrected estimates of all systems, and what every unit adds to their errors.

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
        """Return the judge-corrected differences of pairs of systems, given as two arrays of their places."""
        value = self.value[..., first] - self.value[..., second] + 0.0
        return self._spread(value, _pair_variances(self.rows, first, second))

    def systems(self) -> Spread:
        """Return the estimate of each system."""
        return self._spread(self.value, np.einsum("...i,...i->...", self.rows, self.rows))

    def _spread(self, value: Floats, variance: Floats) -> Spread:
        return Spread(value, np.sqrt(variance), np.full_like(variance, self.freedom))


def _pair_variances(rows: Floats, first: Places, second: Places) -> Floats:
    """Return Σ_i (rows_a,i − rows_b,i)² of each pair of estimated systems, from the products of all systems.

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
    """Return slices of pairs of estimated systems whose differences fit in a block of memory."""
    step = max(1, BLOCK // max(1, length))
    return [slice(k, min(k + step, pairs)) for k in range(0, pairs, step)] or [slice(0, 0)]


# The queries design: people labelled all of some queries, drawn at random.
#
#     θ(λ) = λ·mean(f̃) + mean(Y − λ·f)        Var = Var(mean(Y − λ·f)) + λ²·Var(mean(f̃))
#
# Y are the values under people's labels and f those under the judge's on the n queries; f̃ are the judge's on
# the N others. For a ratio of means, numerator and denominator are estimated with the same λ. Both variances
# are those of the jackknife over clusters; without clusters these are the usual ones, s²/n.


def fit_queries(sample: QuerySample, method: str, weight: float | None = None) -> Influences:
    """Estimate the mean, or the ratio of means, of every system by the queries design.

    Parameters
    ----------
    sample : QuerySample
        The values.
    method : {"t", "z"}
        "t": the jackknife variance, with n − 1 degrees of freedom (clusters: Kish's effective number − 1).
        "z": variances divided by n, for the normal distribution, as in the package ppi_py.
    weight : float, optional
        λ, if it is not to be estimated.

    Returns
    -------
    Influences
        The estimates and their errors.
    """
    chosen = _weight(sample, weight)
    value, room = _estimate(sample, chosen)
    around = sample.linearised(value, room)
    of_pair = chosen[..., None, None]
    mine, theirs = sample.clusters or (None, None)
    rows = _scale(sample.n, method) * _mean_rows(around.human - of_pair * around.judge, mine)
    if sample.judged:
        rest = _scale(sample.size, method) * _mean_rows(around.others, theirs)
        rows = np.concatenate([rows, of_pair * rest], axis=-1)
    return Influences(value, rows, np.inf if method == "z" else sample.units - 1, chosen)


def people_alone_by_query(sample: QuerySample) -> Influences:
    """Return the estimate of the queries design from people's labels alone: λ = 0."""
    return fit_queries(sample, "t", 0.0)


def judge_alone_by_query(sample: QuerySample, estimate: Influences) -> tuple[Floats, Influences]:
    """Return the judge's value on all queries, and its bias: that value minus the estimate of the queries design."""
    share = sample.n / sample.total

    def mean(first: Floats, second: Floats) -> Floats:
        made: Floats = (first.sum(axis=-1) + second.sum(axis=-1)) / sample.total
        return made

    value = mean(sample.judge, sample.others)
    room = value
    if sample.rooms is not None:
        room = mean(sample.rooms[1], sample.rooms[2])
        value = value / np.where(room == 0, np.nan, room)
    around = sample.linearised(value, room)
    mine, theirs = sample.clusters or (None, None)
    rows = share * _mean_rows(around.judge, mine)
    if sample.judged:
        rows = np.concatenate([rows, (1 - share) * _mean_rows(around.others, theirs)], axis=-1)
    rows = rows - estimate.rows
    return value, Influences(value - estimate.value, rows, estimate.freedom, estimate.weight)


def _mean_rows(values: Floats, clusters: Places | None) -> Floats:
    """Return what each cluster of queries adds to the error of the mean in the queries design.

    √((G − 1)/G)·(S_g − m·n_g)/(N − n_g): their sum of squares is the jackknife variance. With one query
    per cluster it is s²/n.
    """
    n = values.shape[-1]
    mean = values.mean(axis=-1, keepdims=True)
    if clusters is None:
        return np.asarray((values - mean) / np.sqrt(n * (n - 1)))
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(clusters.max() + 1))
    sums = np.add.reduceat((values - mean)[..., order], starts, axis=-1)
    groups = len(starts)
    return np.asarray(np.sqrt((groups - 1) / groups) * sums / (n - np.bincount(clusters)))


def _scale(n: int, method: str) -> float:
    """Return the factor that makes s²/n of a variance of estimates, with s² divided by n instead of n − 1."""
    return float(np.sqrt((n - 1) / n)) if method == "z" else 1.0


def _weight(sample: QuerySample, weight: float | None) -> Floats:
    shape = sample.human.shape[:-2]
    if not sample.judged:
        return np.zeros(shape)
    if weight is not None:
        return np.full(shape, weight)
    # For a ratio, contributions at the value that people's labels alone give.
    value = sample.people_ratio()
    room = value if sample.rooms is None else sample.rooms[0].mean(axis=-1)
    pilot = sample.linearised(value, room)
    return query_weight(pilot.human, pilot.judge, pilot.others)


def _estimate(sample: QuerySample, weight: Floats) -> tuple[Floats, Floats]:
    """Return the judge-corrected estimates, and the estimated mean room (1 if there are no rooms)."""
    value = _mean(sample.human, sample.judge, sample.others, weight)
    if sample.rooms is None:
        return value, np.ones_like(value)
    room = _mean(*sample.rooms, weight)
    return value / np.where(room > 0, room, np.nan), room


def _mean(human: Floats, judge: Floats, others: Floats, weight: Floats) -> Floats:
    made: Floats = human.mean(axis=-1)
    if others.shape[-1] == 0:
        return made
    return np.asarray(made + weight[..., None] * (others.mean(axis=-1) - judge.mean(axis=-1)))


# The documents design: people labelled some documents of every query, with known probability.
#
#     Â_q = H_q − λ·D_q,   H_q = Σ w·gain(g)/π,   D_q = Σ w·gain(ĝ)/π − Σ w·gain(ĝ)
#
# The first two sums are over the documents that people labelled, the last over all ranked documents. With
# λ = 1 this is the difference estimator. It is unbiased for every λ that does not depend on the documents drawn
# in the query, so the λ of a query is estimated from the other queries.


def query_values(sample: DocumentSample, weight: float | None = None) -> tuple[Floats, Floats]:
    """Return λ of the documents design, and the estimate of every system and query."""
    whole, of_query = document_weights(sample.people, sample.control, weight)
    return whole, sample.people - of_query[..., None, :] * sample.control


def document_weights(
    people: Floats, control: Floats, weight: float | None
) -> tuple[Floats, Floats]:
    """Return λ of the documents design, and λ of every query, which is estimated from the other queries."""
    shape = people.shape
    if weight is not None:
        return np.full(shape[:-2], weight), np.full((*shape[:-2], shape[-1]), weight)
    return control_weights(people, control)


def fit_documents(
    sample: DocumentSample, method: str, weight: float | None = None, *, sampled: bool = True
) -> Influences:
    """Estimate the mean of every system.

    Parameters
    ----------
    sample : DocumentSample
        The sums of every query.
    method : {"t", "z"}
        Student's or the normal distribution.
    weight : float, optional
        λ, if it is not to be estimated.
    sampled : bool
        Whether the queries are a sample, whose spread is the error. Otherwise the estimate is for these
        queries, and the error is that of drawing the documents.

    Returns
    -------
    Influences
        The estimates and their errors.
    """
    whole, values = query_values(sample, weight)
    rows = _spread(values, method) if sampled else _design_rows(sample, 0)
    return Influences(values.mean(axis=-1), rows, _freedom(sample, method, sampled), whole)


def people_alone_by_document(sample: DocumentSample, *, sampled: bool = True) -> Influences:
    """Return the estimate of the documents design from people's labels alone (Horvitz and Thompson's)."""
    value: Floats = sample.people.mean(axis=-1)
    rows = _spread(sample.people, "t") if sampled else _design_rows(sample, 1)
    return Influences(value, rows, _freedom(sample, "t", sampled), np.zeros(value.shape[:-1]))


def judge_alone_by_document(
    sample: DocumentSample, estimate: Influences, weight: float | None, *, sampled: bool = True
) -> tuple[Floats, Influences]:
    """Return the judge's value, and its bias: that value minus the estimate of the documents design."""
    value: Floats = sample.judge.mean(axis=-1)
    rows = estimate.rows
    if sampled:
        rows = _spread(sample.judge - query_values(sample, weight)[1], "t")
    return value, Influences(value - estimate.value, rows, estimate.freedom, estimate.weight)


def _spread(values: Floats, method: str) -> Floats:
    """Return what each query adds to the error of a mean over sampled queries, in the documents design."""
    n = values.shape[-1]
    below = n if method == "z" else np.sqrt(n * (n - 1))
    made: Floats = (values - values.mean(axis=-1, keepdims=True)) / below
    return made


def _design_rows(sample: DocumentSample, which: int) -> Floats:
    """Return the error of drawing the documents that people label, as a factor of its covariance matrix."""
    assert sample.spread is not None
    covariance = sample.spread[which]
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    made: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return made


def _freedom(sample: DocumentSample, method: str, sampled: bool) -> float:
    if method == "z":
        return np.inf
    return sample.n - 1.0 if sampled else sample.freedom


# The bootstrap over queries: those that people labelled and the others, each drawn with
# replacement.
#
# λ is estimated again in every draw. Differences are studentised: t* = (θ* − θ)/error*, with the error of the
# formula for each draw.


MOST_CELLS = 64_000_000  # draws × queries


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The bootstrap of judge-corrected estimates: |t*| of every draw and contrast, and the contrasts themselves.

    Attributes
    ----------
    spread : Spread
        The estimates and the errors of the formula.
    drawn : ndarray
        |t*|, draws × contrasts.
    """

    spread: Spread
    drawn: Floats

    def half_width(self, confidence: float) -> Floats:
        """Return half the width of the symmetric studentised interval of bootstrapped estimates."""
        made: Floats = np.quantile(self.drawn, confidence, axis=0, method="higher")
        return np.where(self.spread.error > 0, made * self.spread.error, 0.0)

    def ends(self, confidence: float) -> tuple[Floats, Floats]:
        """Return both ends of the interval."""
        half = self.half_width(confidence)
        return self.spread.value - half, self.spread.value + half

    def statistic(self) -> Floats:
        """Return t of each estimated contrast: 0 if the estimate is 0, infinite if it has no error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.spread.value / self.spread.error
        return np.where(self.spread.value == 0, 0.0, t)

    def counts(self) -> Floats:
        """Return how many bootstrap draws of each estimated contrast reach |t|."""
        reached: Floats = (self.drawn >= np.abs(self.statistic()) * (1 - 1e-12)).sum(axis=0)
        return reached


def by_largest(made: Bootstrap) -> Floats:
    """Return p-values of estimated contrasts adjusted by the largest |t| of all of them (Westfall and Young 1993)."""
    largest = made.drawn.max(axis=1)
    t = np.abs(made.statistic())
    counts = (largest[:, None] >= t * (1 - 1e-12)).sum(axis=0)
    return np.asarray((counts + 1) / (len(made.drawn) + 1))


def bootstrap(
    sample: QuerySample,
    estimate: Influences,
    pairs: tuple[Places, Places] | None,
    *,
    weight: float | None,
    draws: int,
    seed: int,
    threads: int = 0,
) -> Bootstrap:
    """Draw queries and return the studentised judge-corrected estimates of systems, or of pairs of systems.

    Parameters
    ----------
    sample : QuerySample
        The values.
    estimate : Influences
        The estimates with the errors of the formula.
    pairs : tuple of two ndarray, optional
        The places of the systems of each pair; by default the systems themselves.
    weight : float, optional
        λ, if it is not estimated.
    draws, seed : int
        Number of draws, and their seed.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    Bootstrap
        The studentised estimates of every draw.
    """
    n, size = sample.n, sample.size
    if draws * (n + size) > MOST_CELLS:
        raise OptionError(
            f"draws={draws:,} is too many for {n + size:,} queries; "
            f"{MOST_CELLS // (n + size):,} at most."
        )
    human = _counts(n, draws, seed, 41, threads)
    others = _counts(size, draws, seed, 42, threads) if size > 1 else np.zeros((draws, size))
    weights = _weights(sample, human, others, weight)
    values = _estimates(sample, human, others, weights)
    room = _mean_room(sample, estimate)
    around = sample.linearised(estimate.value, room)
    spread = estimate.systems() if pairs is None else estimate.differences(*pairs)
    drawn = np.empty((draws, len(spread.value)))
    for block in pairs_in_blocks(len(spread.value), 4 * (n + size)):
        rows = [_contrast(x, pairs, block) for x in (around.human, around.judge, around.others)]
        error = np.sqrt(_variances(rows, human, others, weights))
        moved = np.abs(_contrast(values.T, pairs, block).T - spread.value[block])
        moved = np.where(moved <= 1e-13 * np.maximum(1.0, np.abs(spread.value[block])), 0.0, moved)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn[:, block] = np.where(moved == 0, 0.0, moved / error)
    return Bootstrap(spread, drawn)


def _counts(n: int, draws: int, seed: int, stream: int, threads: int) -> Floats:
    """Return how often the bootstrap of estimates draws each query, draws × n."""
    drawn = resampled_indices(n, draws, seed=seed, substream=stream, threads=threads)
    cells = np.asarray(drawn, dtype=np.int64) + n * np.arange(draws)[:, None]
    return np.bincount(cells.ravel(), minlength=n * draws).reshape(draws, n).astype(np.float64)


def _contrast(rows: Floats, pairs: tuple[Places, Places] | None, block: slice) -> Floats:
    if pairs is None:
        return rows[block]
    made: Floats = rows[pairs[0][block]] - rows[pairs[1][block]]
    return made


def _weights(sample: QuerySample, human: Floats, others: Floats, weight: float | None) -> Floats:
    """Return λ of the judge in every bootstrap draw, from sums of products that a matrix product gives for all draws."""
    n, size = sample.n, sample.size
    if size < 2 or n < 3:
        return np.zeros(len(human))
    if weight is not None:
        return np.full(len(human), weight)
    value = sample.people_ratio()
    room = value if sample.rooms is None else sample.rooms[0].mean(axis=-1)
    pilot = sample.linearised(value, room)
    y, f, g = (
        x if len(x) == 1 else x - x.mean(axis=0, keepdims=True)
        for x in (pilot.human, pilot.judge, pilot.others)
    )
    sum_y, sum_f, sum_g = human @ y.T, human @ f.T, others @ g.T
    covariance = human @ (y * f).sum(axis=0) - (sum_y * sum_f).sum(axis=1) / n
    total = n + size
    variance = (
        human @ (f**2).sum(axis=0)
        + others @ (g**2).sum(axis=0)
        - ((sum_f + sum_g) ** 2).sum(axis=1) / total
    )
    below = (1 + n / size) * np.maximum(variance, 0.0) / (total - 1)
    safe = np.where(below > 0, below, 1.0)
    return np.where(below > 0, np.clip(covariance / (n - 1) / safe, 0.0, 1.0), 0.0)


def _means(parts: tuple[Floats, Floats, Floats], draws: tuple[Floats, Floats, Floats]) -> Floats:
    y, f, g = parts
    human, others, weights = draws
    made: Floats = human @ y.T / y.shape[1]
    if g.shape[1] > 1:
        made = made + weights[:, None] * (others @ g.T / g.shape[1] - human @ f.T / f.shape[1])
    return made


def _estimates(sample: QuerySample, human: Floats, others: Floats, weights: Floats) -> Floats:
    drawn = (human, others, weights)
    made = _means((sample.human, sample.judge, sample.others), drawn)
    return made if sample.rooms is None else np.asarray(made / _means(sample.rooms, drawn))


def _mean_room(sample: QuerySample, estimate: Influences) -> Floats:
    if sample.rooms is None:
        return np.ones_like(estimate.value)
    ones = (np.ones((1, sample.n)), np.ones((1, sample.size)), np.atleast_1d(estimate.weight))
    return np.asarray(_means(sample.rooms, ones)[0])


def _variances(rows: list[Floats], human: Floats, others: Floats, weights: Floats) -> Floats:
    """Return the variance that the formula gives judge-corrected estimates, for every bootstrap draw and contrast."""
    y, f, g = rows
    n, size = y.shape[1], g.shape[1]
    w = weights[:, None]
    squares = human @ (y * y).T - 2 * w * (human @ (y * f).T) + w**2 * (human @ (f * f).T)
    mean = (human @ y.T - w * (human @ f.T)) / n
    made: Floats = np.maximum(squares / n - mean**2, 0.0) / n
    if size > 1:
        spread = others @ (g * g).T / size - (others @ g.T / size) ** 2
        made = made + w**2 * np.maximum(spread, 0.0) / size
    return made


# The choice of the estimator for a design and a method, and of people alone where labels are too
# few.


METHODS = ("t", "z", "bootstrap")
TARGETS = ("all-queries", "these-queries")
FEW_SUCCESSES = 5  # labelled successes, or failures, below which the judge is not used

ROUNDING = 1e-9  # of the width of the bounds
OUTCOMES = (("success", "successes"), ("failure", "failures"))
Bounds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Estimator:
    """The values of one measure under people's and the judge's labels, and how its estimates are made.

    Attributes
    ----------
    measure : str
        The measure.
    sample : QuerySample or DocumentSample
        The values under people's labels and under the judge's.
    method : str
        One of `METHODS`.
    weight : float or None
        λ; None if it is estimated.
    target : str
        One of `TARGETS`.
    bounds : tuple of two float, optional
        The lowest and the highest value that a query can have; None if it is not known or has no limit.
    """

    measure: str
    sample: QuerySample | DocumentSample
    method: str = "t"
    weight: float | None = None
    target: str = "all-queries"
    bounds: Bounds | None = None

    def by(self, method: str) -> Estimator:
        """Return the same estimator with another method, for tests of differences."""
        return replace(self, method=method)

    @property
    def sampled(self) -> bool:
        """Whether the queries are a sample."""
        return self.target == "all-queries"

    @cached_property
    def fit(self) -> Influences:
        """The judge-corrected estimates of all systems with what every unit adds to their errors."""
        return self.people if self.people_only else self._with_judge

    @cached_property
    def _with_judge(self) -> Influences:
        method = "z" if self.method == "z" else "t"
        if isinstance(self.sample, QuerySample):
            return fit_queries(self.sample, method, self.weight)
        return fit_documents(self.sample, method, self.weight, sampled=self.sampled)

    @property
    def binary(self) -> bool:
        """Whether every query that people labelled is a success or a failure for every system."""
        if self.bounds is None or not isinstance(self.sample, QuerySample):
            return False
        low, high = self.bounds
        return bool(((self.sample.human == low) | (self.sample.human == high)).all())

    @cached_property
    def people_only(self) -> dict[int, str]:
        """Why the judge is not used, by the place of the system that is the reason; empty if it is used.

        λ is the same for all systems, so one system with too few labels decides for all.
        """
        made: dict[int, str] = {}
        if self.bounds is None or not isinstance(self.sample, QuerySample):
            return made
        low, high = self.bounds
        slack = 0.0 if self.binary else ROUNDING * (high - low)
        for s, (row, value) in enumerate(
            zip(self.sample.human, self._with_judge.value.tolist(), strict=True)
        ):
            few = []
            if self.binary:
                counts = int((row == high).sum()), int((row == low).sum())
                few = [
                    f"{count} {what if count == 1 else plural} of {len(row)}"
                    for count, (what, plural) in zip(counts, OUTCOMES, strict=True)
                    if count < FEW_SUCCESSES
                ]
            at_end = self.binary and value in (low, high)
            if few or at_end or not low - slack <= value <= high + slack:
                made[s] = few[0] if few else f"{value:.3f}".replace("-", "−")
        return made

    @property
    def used_weight(self) -> float | None:
        """λ, the judge's weight, that was given, or 0 if the judge is not used; None if λ is estimated."""
        return 0.0 if self.people_only else self.weight

    @cached_property
    def people(self) -> Influences:
        """The estimates from people's labels alone."""
        if isinstance(self.sample, QuerySample):
            return people_alone_by_query(self.sample)
        return people_alone_by_document(self.sample, sampled=self.sampled)

    @cached_property
    def judge(self) -> tuple[Floats, Influences]:
        """The judge's values, and their bias: these values minus the estimates."""
        if isinstance(self.sample, QuerySample):
            return judge_alone_by_query(self.sample, self.fit)
        return judge_alone_by_document(
            self.sample, self.fit, self.used_weight, sampled=self.sampled
        )

    def drawn(self, pairs: tuple[Places, Places] | None, draws: int, seed: int) -> Bootstrap:
        """Return the bootstrap of judge-corrected estimates of the systems, or of pairs of systems."""
        if not self.sampled:
            raise OptionError(
                "the bootstrap draws queries, and the target these-queries asks for the error on exactly "
                "these queries. Use t or z, or the target all-queries."
            )
        sample, weight = self.sample, self.used_weight
        if isinstance(sample, DocumentSample):  # a mean over queries, without others
            values = query_values(sample, weight)[1]
            nothing = np.zeros((len(values), 0))
            sample = QuerySample(values, values, nothing)
        if sample.clusters is not None:
            raise OptionError("the bootstrap draws queries one by one, not clusters. Use t.")
        fit = fit_queries(sample, "z", weight)
        return bootstrap(sample, fit, pairs, weight=weight, draws=draws, seed=seed)

    def interval(
        self, pairs: tuple[Places, Places] | None, confidence: float, draws: int, seed: int
    ) -> tuple[Spread, Floats, Floats]:
        """Return the judge-corrected estimates of systems or pairs with their interval, which stays within the bounds."""
        if self.method == "bootstrap" and not self.people_only:
            made = self.drawn(pairs, draws, seed)
            spread, ends = made.spread, made.ends(confidence)
        else:
            spread = self.fit.systems() if pairs is None else self.fit.differences(*pairs)
            ends = spread.ends(confidence)
        if pairs is not None:
            return spread, *self.cut(ends)
        if self.people_only or self.method == "t":
            return spread, *self.bounded(spread, confidence)
        return spread, *self._within(ends)

    def bounded(self, spread: Spread, confidence: float) -> tuple[Floats, Floats]:
        """Return Student's intervals of the estimates; with bounds Wilson's, scaled to the standard errors.

        An estimate from sampled documents can leave the bounds; then Student's interval is cut at them.
        """
        ends = np.stack(self._within(spread.ends(confidence)))
        if self.bounds is not None:
            low, span = self.bounds[0], self.bounds[1] - self.bounds[0]
            t = quantile(spread.freedom, 0.5 + confidence / 2)
            for s, value in enumerate(((spread.value - low) / span).tolist()):
                if -ROUNDING <= value <= 1 + ROUNDING:
                    mean = min(max(value, 0.0), 1.0)
                    error = float(spread.error[s]) / span
                    found = bounded_ends(mean, error, float(t[s]), self.sample.units)
                    ends[:, s] = low + span * np.array(found)
        return ends[0], ends[1]

    def _within(self, ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return the ends of an estimate's interval cut at the bounds; NaN for an interval that lies outside them."""
        if self.bounds is None:
            return ends
        low, high = self.bounds
        inside = (ends[0] <= high) & (ends[1] >= low)
        cut = (np.where(inside, np.clip(end, low, high), np.nan) for end in ends)
        return next(cut), next(cut)

    def cut(self, ends: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        """Return the ends of intervals of estimated differences, which cannot exceed the width of the bounds."""
        if self.bounds is None:
            return ends
        span = self.bounds[1] - self.bounds[0]
        return np.clip(ends[0], -span, span), np.clip(ends[1], -span, span)


# Two estimators of one system each as one, if both saw the same queries and labels.


Order = NDArray[np.int64]


def joined_estimator(
    one: Estimator,
    first: int,
    queries: tuple[str, ...],
    labelled: int,
    other: Estimator,
    second: int,
    other_queries: tuple[str, ...],
    other_labelled: int,
) -> tuple[Estimator | None, str]:
    """Return one estimator of two judge-corrected systems, or the reason why they cannot be paired.

    Parameters
    ----------
    one, other : Estimator
        The estimators of the same measure.
    first, second : int
        The place of the system in each.
    queries, other_queries : tuple of str
        The queries of each, those with human labels first.
    labelled, other_labelled : int
        The number of queries with human labels.

    Returns
    -------
    Estimator or None
        With two systems, the first and the second.
    str
        Why there is none.
    """
    settings = ((e.method, e.weight, e.target, e.bounds) for e in (one, other))
    if len(set(settings)) > 1:
        return None, "the methods differ"
    if set(queries[:labelled]) != set(other_queries[:other_labelled]):
        return None, "people labelled other queries"
    if set(queries) != set(other_queries):
        return None, "the queries differ"
    place = {query: k for k, query in enumerate(other_queries)}
    order = np.array([place[query] for query in queries], dtype=np.int64)
    a, b = one.sample, other.sample
    if isinstance(a, QuerySample) and isinstance(b, QuerySample):
        if (a.rooms is None) != (b.rooms is None):
            return None, "only one has the parts of a ratio"
        if _partition(a) != _partition(b, order):
            return None, "the clusters differ"
        sample: QuerySample | DocumentSample = _queries(a, first, b, second, order)
    elif isinstance(a, DocumentSample) and isinstance(b, DocumentSample):
        if not one.sampled:  # the error comes from drawing documents, for both systems together
            return None, "the target is these-queries, and the systems are in two files"
        people, control, judge = (
            np.stack([mine[first], theirs[second][order]])
            for mine, theirs in (
                (a.people, b.people),
                (a.control, b.control),
                (a.judge, b.judge),
            )
        )
        sample = DocumentSample(people, control, judge)
    else:
        return None, "the designs differ"
    return replace(one, sample=sample), ""


def _queries(a: QuerySample, first: int, b: QuerySample, second: int, order: Order) -> QuerySample:
    """Stack the queries samples of two systems; the queries of the second are put in the order of the first."""
    n = a.n

    def stacked(
        parts: tuple[Floats, Floats, Floats], others: tuple[Floats, Floats, Floats]
    ) -> tuple[Floats, Floats, Floats]:
        whole = np.hstack([others[1][second], others[2][second]])[order]
        labelled = np.hstack([others[0][second], np.full(others[2].shape[-1], np.nan)])[order]
        return (
            np.stack([parts[0][first], labelled[:n]]),
            np.stack([parts[1][first], whole[:n]]),
            np.stack([parts[2][first], whole[n:]]),
        )

    human, judge, rest = stacked((a.human, a.judge, a.others), (b.human, b.judge, b.others))
    rooms = None if a.rooms is None or b.rooms is None else stacked(a.rooms, b.rooms)
    return QuerySample(human, judge, rest, rooms, a.clusters)


def _partition(sample: QuerySample, order: Order | None = None) -> list[int] | None:
    """Return the cluster of each query of a sample, numbered by their first query; None without clusters."""
    if sample.clusters is None:
        return None
    labelled, others = sample.clusters
    ids = np.concatenate([labelled, others + labelled.max() + 1])
    number: dict[int, int] = {}
    chosen = ids if order is None else ids[order]
    return [number.setdefault(cluster, len(number)) for cluster in chosen.tolist()]


# Was the sample drawn at random? What the judge says of the sample and of the rest, under redrawn
# samples.


STREAM = 43  # of random numbers
CELLS = 1 << 22  # draws × units of one block
MOST_REDRAWN_CELLS, LEAST_DRAWS = (
    10_000_000,
    199,
)  # documents × draws, and draws of any number of documents
REACHED = 1e-9  # of the largest mean: a gap that is smaller by this much counts as reached


@dataclass(frozen=True)
class Balance:
    """The judge's mean score of labelled and other queries (averaged over systems), or documents.

    Attributes
    ----------
    labelled, others : float
        The means.
    p : float
        The share of samples of as many queries (or clusters) whose means are at least as far apart.
    samples : int
        The number of samples tried.
    exact : bool
        Whether these are all possible samples.
    """

    labelled: float
    others: float
    p: float
    samples: int
    exact: bool


def balance_of(sample: QuerySample, seed: int, draws: int = DRAWS) -> Balance | None:
    """Test the judge's balance by redrawing which queries, or clusters, are labelled; None without two others.

    All samples are tried if there are at most `draws`; otherwise p = (b + 1)/(draws + 1).
    """
    if not sample.judged:
        return None
    above = _totals(sample, sample.judge, sample.others)
    below = np.concatenate(sample.cluster_sizes)
    if sample.rooms is not None:
        below = _totals(sample, *sample.rooms[1:])
    units, drawn = len(below), len(sample.cluster_sizes[0])
    if units < 3:
        return None
    sums = np.stack([above, below], axis=1)
    whole = sums.sum(axis=0)

    def means(of_drawn: Floats) -> tuple[Floats, Floats]:
        rest = whole - of_drawn
        with np.errstate(divide="ignore", invalid="ignore"):
            return of_drawn[..., 0] / of_drawn[..., 1], rest[..., 0] / rest[..., 1]

    first, second = means(sums[:drawn].sum(axis=0))
    reach = abs(first - second) - REACHED * max(abs(first), abs(second))
    exact = comb(units, drawn) <= draws
    reached = count = 0
    for chosen in _samples(units, drawn, draws, seed, exact):
        one, other = means(chosen @ sums)
        reached += int((~(np.abs(one - other) < reach)).sum())
        count += len(chosen)
    p = reached / count if exact else (reached + 1) / (count + 1)
    return Balance(float(first), float(second), p, count, exact)


def _totals(sample: QuerySample, labelled: Floats, others: Floats) -> Floats:
    """Return the sums of the judge's scores over each cluster's queries, labelled ones first, averaged over systems."""
    made = [labelled.mean(axis=0), others.mean(axis=0)]
    if sample.clusters is not None:
        made = [
            np.bincount(ids, weights=values)
            for ids, values in zip(sample.clusters, made, strict=True)
        ]
    return np.concatenate(made)


def _samples(
    units: int, drawn: int, draws: int, seed: int, exact: bool, stream: int = STREAM
) -> Iterator[Floats]:
    """Yield blocks of samples for the test of the judge's balance, as rows with 1 for every unit that is drawn."""
    step = max(1, CELLS // units)
    every = combinations(range(units), drawn)
    for start in range(0, comb(units, drawn) if exact else draws, step):
        if exact:
            places = np.array(list(islice(every, step)))
        else:
            keys = uniforms(min(step, draws - start), units, seed=seed, substream=stream + start)
            places = np.argpartition(keys, drawn - 1, axis=1)[:, :drawn]
        made = np.zeros((len(places), units))
        np.put_along_axis(made, places, 1.0, axis=1)
        yield made


def balance_of_documents(
    query: Places, grades: Floats, labelled: NDArray[np.bool_], seed: int, draws: int = DRAWS
) -> Balance | None:
    """Test the judge's balance by redrawing within each query which documents are labelled; None if no query has both.

    The means are the judge's grades of labelled and of other documents, averaged over the queries that
    have both. Every document of a query must have been equally likely to be drawn.
    """
    groups = []
    for q in np.unique(query):
        own = query == q
        count = int(labelled[own].sum())
        if 0 < count < int(own.sum()):
            groups.append((grades[own], labelled[own], count))
    if not groups:
        return None
    sizes = [len(values) for values, _, _ in groups]
    draws = max(LEAST_DRAWS, min(draws, MOST_REDRAWN_CELLS // sum(sizes)))
    first = float(np.mean([values[mask].mean() for values, mask, _ in groups]))
    second = float(np.mean([values[~mask].mean() for values, mask, _ in groups]))
    moved = np.zeros(draws)
    for k, (values, _, count) in enumerate(groups):
        stream = STREAM + DRAWS + k * draws
        chosen = np.concatenate(
            [block @ values for block in _samples(len(values), count, draws, seed, False, stream)]
        )
        moved += chosen / count - (values.sum() - chosen) / (len(values) - count)
    reach = abs(first - second) - REACHED * max(abs(first), abs(second))
    reached = int((np.abs(moved) / len(groups) >= reach).sum())
    return Balance(first, second, (reached + 1) / (draws + 1), draws, False)
