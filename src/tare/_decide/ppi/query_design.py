"""The queries design: people labelled all of some queries, drawn at random.

    θ(λ) = λ·mean(f̃) + mean(Y − λ·f)

Y are the values under people's labels and f those under the judge's on the n queries; f̃ are the judge's on
the N others. For a ratio of means, numerator and denominator are estimated with the same λ.
"""

from __future__ import annotations

import numpy as np

from tare._decide.ppi.influences import Influences, Part
from tare._decide.ppi.samples import Floats, QuerySample
from tare._decide.ppi.weights import query_weights

__all__ = ["fit_queries", "judge_alone", "people_alone"]


def fit_queries(sample: QuerySample, method: str, weight: float | None = None) -> Influences:
    """Estimate the mean, or the ratio of means, of every system.

    Parameters
    ----------
    sample : QuerySample
        The values.
    method : {"t", "z"}
        "t": the jackknife variance over the queries that people labelled, with λ estimated again each
        time. "z": the variance of the formula, divided by n, for the normal distribution, as in the
        package ppi_py.
    weight : float, optional
        λ, if it is not to be estimated.

    Returns
    -------
    Influences
        The estimates and their errors.
    """
    n, size = sample.n, sample.size
    whole, without = _weights(sample, weight)
    value, room = _estimate(sample, whole)
    around = sample.linearised(value, room)
    if method == "z":
        rows = _centred(around.human - whole[..., None, None] * around.judge) / n
        parts = [Part(rows, np.inf)]
        spread = max(size, 1)
    else:
        left = _left_out(sample, without)
        rows = -np.sqrt((n - 1) / n) * _centred(left)
        parts = [Part(rows, float(n - 1 if weight is not None or size < 2 else n - 2))]
        spread = np.sqrt(size * (size - 1)) if size > 1 else 1
    if size > 1:
        rows = whole[..., None, None] * _centred(around.others) / spread
        parts.append(Part(rows, np.inf if method == "z" else size - 1.0))
    return Influences(value, tuple(parts), whole)


def people_alone(sample: QuerySample) -> Influences:
    """Return the estimate from people's labels alone, with Student's interval."""
    n = sample.n
    value = sample.people_ratio()
    room = value if sample.rooms is None else sample.rooms[0].mean(axis=-1)
    human = sample.linearised(value, room).human
    part = Part(_centred(human) / np.sqrt(n * (n - 1)), n - 1.0)
    return Influences(value, (part,), np.zeros(value.shape[:-1]))


def judge_alone(sample: QuerySample, estimate: Influences) -> tuple[Floats, Influences]:
    """Return the judge's value on all queries, and its bias: that value minus the estimate."""
    n, size = sample.n, sample.size
    share = n / (n + size)

    def mean(first: Floats, second: Floats) -> Floats:
        made: Floats = (first.sum(axis=-1) + second.sum(axis=-1)) / (n + size)
        return made

    value = mean(sample.judge, sample.others)
    room = value
    if sample.rooms is not None:
        room = mean(sample.rooms[1], sample.rooms[2])
        value = value / np.where(room == 0, np.nan, room)
    around = sample.linearised(value, room)
    first = estimate.parts[0]
    rows = share * _centred(around.judge) / np.sqrt(n * (n - 1)) - first.rows
    parts = [Part(rows, first.freedom)]
    if size > 1:
        second = estimate.parts[1]
        rows = (1 - share) * _centred(around.others) / np.sqrt(size * (size - 1)) - second.rows
        parts.append(Part(rows, second.freedom))
    return value, Influences(value - estimate.value, tuple(parts), estimate.weight)


def _weights(sample: QuerySample, weight: float | None) -> tuple[Floats, Floats]:
    shape = sample.human.shape
    if weight is not None and sample.size > 1:
        return np.full(shape[:-2], weight), np.full((*shape[:-2], shape[-1]), weight)
    # For a ratio, contributions at the value that people's labels alone give.
    value = sample.people_ratio()
    room = value if sample.rooms is None else sample.rooms[0].mean(axis=-1)
    pilot = sample.linearised(value, room)
    return query_weights(pilot.human, pilot.judge, pilot.others)


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


def _left_out(sample: QuerySample, weights: Floats) -> Floats:
    """Return the estimates without each query that people labelled: (…, systems, n)."""
    above = _left_out_means(sample.human, sample.judge, sample.others, weights)
    if sample.rooms is None:
        return above
    below = _left_out_means(*sample.rooms, weights)
    return above / np.where(below > 0, below, np.nan)


def _left_out_means(human: Floats, judge: Floats, others: Floats, weights: Floats) -> Floats:
    n = human.shape[-1]
    y: Floats = (human.sum(axis=-1, keepdims=True) - human) / (n - 1)
    if others.shape[-1] == 0:
        return y
    f = (judge.sum(axis=-1, keepdims=True) - judge) / (n - 1)
    return np.asarray(y + weights[..., None, :] * (others.mean(axis=-1)[..., None] - f))


def _centred(values: Floats) -> Floats:
    made: Floats = values - values.mean(axis=-1, keepdims=True)
    return made
