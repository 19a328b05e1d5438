"""The queries design: people labelled all of some queries, drawn at random.

    θ(λ) = λ·mean(f̃) + mean(Y − λ·f)        Var = Var(mean(Y − λ·f)) + λ²·Var(mean(f̃))

Y are the values under people's labels and f those under the judge's on the n queries; f̃ are the judge's on
the N others. For a ratio of means, numerator and denominator are estimated with the same λ. Both variances
are those of the jackknife over clusters; without clusters these are the usual ones, s²/n.
"""

from __future__ import annotations

import numpy as np

from tare._decide.ppi.influences import Influences
from tare._decide.ppi.samples import Floats, Places, QuerySample
from tare._decide.ppi.weights import query_weight

__all__ = ["fit_queries", "judge_alone", "people_alone"]


def fit_queries(sample: QuerySample, method: str, weight: float | None = None) -> Influences:
    """Estimate the mean, or the ratio of means, of every system.

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


def people_alone(sample: QuerySample) -> Influences:
    """Return the estimate from people's labels alone: λ = 0."""
    return fit_queries(sample, "t", 0.0)


def judge_alone(sample: QuerySample, estimate: Influences) -> tuple[Floats, Influences]:
    """Return the judge's value on all queries, and its bias: that value minus the estimate."""
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
    """Return what each cluster adds to the error of the mean over queries.

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
    """Return the factor that makes s²/n of it, with s² divided by n instead of n − 1."""
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
    """Return the estimates, and the estimated mean room (1 if there are no rooms)."""
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
