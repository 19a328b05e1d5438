"""Two estimators of one system each as one, if both saw the same queries and labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._decide.ppi.estimators import Estimator
from tare._decide.ppi.samples import DocumentSample, Floats, QuerySample

__all__ = ["joined_estimator"]

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
    """Return the estimator of both systems, or the reason why they cannot be paired.

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
    """Stack two systems; the queries of the second are put in the order of the first."""
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
    """Return the cluster of each query, numbered by their first query; None without clusters."""
    if sample.clusters is None:
        return None
    labelled, others = sample.clusters
    ids = np.concatenate([labelled, others + labelled.max() + 1])
    number: dict[int, int] = {}
    chosen = ids if order is None else ids[order]
    return [number.setdefault(cluster, len(number)) for cluster in chosen.tolist()]
