"""The queries design: values under both sets of labels, from score tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tare._data.findings import Finding, listed
from tare._decide.estimate.clustering import query_clusters
from tare._decide.ppi.samples import Floats, QuerySample
from tare._measures.aggregation import averaging
from tare._measures.clusters import Clusters
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError

__all__ = ["aligned_tables", "query_samples"]


def query_samples(
    human: Scores,
    judge: Scores,
    labelled: Sequence[str],
    others: Sequence[str],
    cluster: Clusters | None = None,
) -> list[QuerySample]:
    """Return the values of every measure under people's labels and under the judge's.

    Parameters
    ----------
    human, judge : Scores
        The same systems and measures under both sets of labels.
    labelled, others : sequence of str
        The queries that people labelled, and the others.
    cluster : optional
        The clusters of the queries.

    Returns
    -------
    list of QuerySample
        One per measure.
    """
    made = []
    clusters = query_clusters(judge, labelled, others, cluster)
    for name, measure in zip(human.measure_names, human.measures, strict=True):
        if averaging(measure) != "mean":
            raise MeasureError(
                f"{name} is not a mean over queries, so it cannot be estimated from a sample of queries."
            )
        ratio = measure in human.ratios
        gains = _three(human, judge, name, labelled, others, "gain" if ratio else "")
        rooms = _three(human, judge, name, labelled, others, "room") if ratio else None
        if rooms is not None and (rooms[0].mean(axis=1) <= 0).any():
            raise MismatchError(
                f"{name} is undefined: under people's labels chance scores as high as the ideal."
            )
        made.append(QuerySample(*gains, rooms, clusters))
    return made


def _three(
    human: Scores,
    judge: Scores,
    name: str,
    labelled: Sequence[str],
    others: Sequence[str],
    part: str,
) -> tuple[Floats, Floats, Floats]:
    tables = ((human, labelled, "people's"), (judge, labelled, "the judge's"))
    parts = []
    for scores, items, whose in (*tables, (judge, others, "the judge's")):
        place = {item: k for k, item in enumerate(scores.items)}
        column = [place[item] for item in items]
        m = scores.measure_names.index(name)
        values = (
            getattr(scores.ratios[scores.measures[m]], part) if part else scores.values[:, :, m]
        )
        chosen = np.ascontiguousarray(values[:, column])
        if np.isnan(chosen).any():
            s, i = (int(k) for k in np.argwhere(np.isnan(chosen))[0])
            raise MismatchError(
                f"{name} of {scores.systems[s]} on {items[i]!r} is undefined under {whose} labels. An "
                "estimate needs a value of every system and query."
            )
        parts.append(chosen)
    return parts[0], parts[1], parts[2]


def aligned_tables(
    human: Scores, judge: Scores
) -> tuple[Scores, Scores, list[str], list[str], list[Finding]]:
    """Return two score tables with the same systems and measures, and their items.

    Returns
    -------
    tuple
        Both tables, the items with human scores, the other items of the judge, and findings.
    """
    findings = []
    names = {
        "systems": (human.systems, judge.systems),
        "measures": (human.measure_names, judge.measure_names),
    }
    kept: dict[str, list[str]] = {}
    for what, (mine, theirs) in names.items():
        kept[what] = [name for name in mine if name in theirs]
        if not kept[what]:
            raise MismatchError(
                f"the two score tables have no {what} in common: people's have "
                f"{', '.join(mine[:3])}, the judge's {', '.join(theirs[:3])}."
            )
        lost = [name for name in (*mine, *theirs) if name not in kept[what]]
        if lost:
            message = f"{len(lost):,} {what} are not in both score tables; left out"
            findings.append(Finding("left out", message, len(lost), examples=listed(lost)))
    both = [
        table.select(systems=kept["systems"], measures=kept["measures"]) for table in (human, judge)
    ]
    complete = []
    for scores in both:
        there = np.asarray(~np.isnan(_known(scores)).any(axis=(0, 2)))
        complete.append({item for item, whole in zip(scores.items, there, strict=True) if whole})
    every = sorted(complete[1])
    labelled = [item for item in every if item in complete[0]]
    if not labelled:
        raise MismatchError(
            "no item has scores of people and of the judge for every system. Items are matched by id: "
            f"people's begin with {human.items[0]!r}, the judge's with {judge.items[0]!r}."
        )
    used = set(every)
    lost = sorted((set(human.items) - set(labelled)) | (set(judge.items) - used))
    if lost:
        message = (
            f"{len(lost):,} items lack a score of people or of the judge for some system; left out"
        )
        findings.append(Finding("left out", message, len(lost), examples=listed(lost)))
    known = set(labelled)
    return both[0], both[1], labelled, [item for item in every if item not in known], findings


def _known(scores: Scores) -> Floats:
    """Return the values; for a ratio of means the gains, which a query without room has as well."""
    values = scores.values.copy()
    for m, measure in enumerate(scores.measures):
        if measure in scores.ratios:
            values[:, :, m] = scores.ratios[measure].gain
    return values
