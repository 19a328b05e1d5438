"""Clusters of queries: labelled as a whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from tare._decide.ppi.samples import Places
from tare._files.opening import name_of
from tare._measures.clusters import Clusters, clusters_of
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError

__all__ = ["cluster_fact", "query_clusters", "refuse_cluster"]


def refuse_cluster(cluster: Clusters | None, design: str, method: str) -> None:
    """Raise if clusters were given where their intervals are not known to be right."""
    if cluster is None:
        return
    if design == "documents":
        raise OptionError(
            "cluster is for the queries design. Estimates from some documents of clustered queries were not "
            "examined, so nothing is known about their intervals. Let people label whole clusters of queries."
        )
    if method != "t":
        raise OptionError(
            f"cluster needs method t, whose error is that of clusters; found {method!r}."
        )


def cluster_fact(cluster: Clusters | None) -> dict[str, str]:
    """Return what a signature says of clusters."""
    if cluster is None:
        return {}
    return {"cluster": name_of(cluster) if isinstance(cluster, str | os.PathLike) else "given"}


def query_clusters(
    judge: Scores, labelled: Sequence[str], others: Sequence[str], cluster: Clusters | None
) -> tuple[Places, Places] | None:
    """Return the cluster of each labelled and of each other query, numbered from 0 in each.

    Parameters
    ----------
    judge : Scores
        The scores under the judge's labels, with all queries.
    labelled, others : sequence of str
        The queries that people labelled, and the others.
    cluster : optional
        As for `tare.estimate`.

    Raises
    ------
    MismatchError
        If a cluster holds labelled and other queries, or fewer than two clusters are labelled.
    """
    if cluster is None:
        return None
    number = dict(zip(judge.items, clusters_of(judge, cluster).tolist(), strict=True))
    mine, theirs = ([number[query] for query in queries] for queries in (labelled, others))
    mixed = set(mine) & set(theirs)
    if mixed:
        first = [query for query, k in zip(labelled, mine, strict=True) if k in mixed]
        raise MismatchError(
            f"{len(mixed):,} clusters hold queries with human labels and queries without, such as those of "
            f"{', '.join(map(repr, first[:3]))}. The error of an estimate takes labelled and "
            "other clusters as two separate samples, and clusters that are in both were not examined. Let "
            "people label whole clusters, or leave out the queries of these clusters on one side."
        )
    if len(set(mine)) < 2:
        raise MismatchError(
            "people labelled one cluster only; an interval needs at least 2, and 8 or more to be of use."
        )
    made = [
        np.unique(np.array(ids, dtype=np.int64), return_inverse=True)[1] for ids in (mine, theirs)
    ]
    return made[0].astype(np.int64), made[1].astype(np.int64)
