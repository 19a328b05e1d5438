"""λ, the weight of the judge: one per measure, shared by all systems.

With one weight, every difference of two systems is the difference of their estimates, so that no two
printed numbers contradict each other in sign.
"""

from __future__ import annotations

import numpy as np

from tare._decide.ppi.samples import Floats

__all__ = ["control_weights", "query_weight"]


def _between(values: Floats) -> Floats:
    """Return values minus their mean over systems: the sum over all pairs is a multiple of theirs.

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
    """Return λ of the documents design, and λ estimated without each query.

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
    """Return Σ_s (x − x̄)(y − ȳ) of each query, with means over queries."""
    made: Floats = (
        (x - x.mean(axis=-1, keepdims=True)) * (y - y.mean(axis=-1, keepdims=True))
    ).sum(axis=-2)
    return made


def _ratio(above: Floats, below: Floats, nothing: float = 0.0) -> Floats:
    """Return above/below, kept in [0, 1]; `nothing` where below is 0."""
    positive = below > 1e-14 * np.max(np.abs(below), initial=0.0)
    made = np.clip(above / np.where(positive, below, 1.0), 0.0, 1.0)
    return np.where(positive, made, nothing)
