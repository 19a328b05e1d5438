"""The documents design: people labelled some documents of every query, with known probability.

    Â_q = H_q − λ·D_q,   H_q = Σ w·gain(g)/π,   D_q = Σ w·gain(ĝ)/π − Σ w·gain(ĝ)

The first two sums are over the documents that people labelled, the last over all ranked documents. With
λ = 1 this is the difference estimator. It is unbiased for every λ that does not depend on the documents drawn
in the query, so the λ of a query is estimated from the other queries.
"""

from __future__ import annotations

import numpy as np

from tare._decide.ppi.influences import Influences
from tare._decide.ppi.samples import DocumentSample, Floats
from tare._decide.ppi.weights import control_weights

__all__ = ["document_weights", "fit_documents", "judge_alone", "people_alone", "query_values"]


def query_values(sample: DocumentSample, weight: float | None = None) -> tuple[Floats, Floats]:
    """Return λ, and the estimate of every system and query."""
    whole, of_query = document_weights(sample.people, sample.control, weight)
    return whole, sample.people - of_query[..., None, :] * sample.control


def document_weights(
    people: Floats, control: Floats, weight: float | None
) -> tuple[Floats, Floats]:
    """Return λ, and λ of every query, which is estimated from the other queries."""
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


def people_alone(sample: DocumentSample, *, sampled: bool = True) -> Influences:
    """Return the estimate from people's labels alone (Horvitz and Thompson's)."""
    value: Floats = sample.people.mean(axis=-1)
    rows = _spread(sample.people, "t") if sampled else _design_rows(sample, 1)
    return Influences(value, rows, _freedom(sample, "t", sampled), np.zeros(value.shape[:-1]))


def judge_alone(
    sample: DocumentSample, estimate: Influences, weight: float | None, *, sampled: bool = True
) -> tuple[Floats, Influences]:
    """Return the judge's value, and its bias: that value minus the estimate."""
    value: Floats = sample.judge.mean(axis=-1)
    rows = estimate.rows
    if sampled:
        rows = _spread(sample.judge - query_values(sample, weight)[1], "t")
    return value, Influences(value - estimate.value, rows, estimate.freedom, estimate.weight)


def _spread(values: Floats, method: str) -> Floats:
    """Return what each query adds to the error of a mean over queries that are a sample."""
    n = values.shape[-1]
    below = n if method == "z" else np.sqrt(n * (n - 1))
    made: Floats = (values - values.mean(axis=-1, keepdims=True)) / below
    return made


def _design_rows(sample: DocumentSample, which: int) -> Floats:
    """Return the error of drawing documents, as a factor of its covariance matrix."""
    assert sample.spread is not None
    covariance = sample.spread[which]
    values, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    made: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return made


def _freedom(sample: DocumentSample, method: str, sampled: bool) -> float:
    if method == "z":
        return np.inf
    return sample.n - 1.0 if sampled else sample.freedom
