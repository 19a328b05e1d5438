"""Findings about evaluated rankings: their pools, fractional grades, and rankings without a relevant document."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

import numpy as np

from tare._choices import Missing
from tare._data.findings import Finding, listed
from tare._data.judged import Judged
from tare._data.pools import Pool, Pools
from tare._data.qrels import Qrels
from tare._measures.measure import Measure
from tare._measures.one_system import RankingEvaluation
from tare.errors import MismatchError, OptionError

__all__ = [
    "check_pools",
    "fractional_grades",
    "pool_findings",
    "refuse_outside_candidates",
    "refuse_unretrieved",
    "uses",
]


# Findings about the pool: its size, and runs or candidates that do not fit it.


TOLERATED = 0.2  # share of unjudged documents above the cutoff


def pool_findings(
    rankings: list[Judged], measures: tuple[Measure, ...], pools: Pools, missing: Missing
) -> list[Finding]:
    """Return the findings about the pools of measures net of chance."""
    used: dict[Pool, list[Measure]] = {}
    for measure in measures:
        wrapper = measure
        while wrapper.inner is not None and not any(
            p.kind == "pool" for p in wrapper.definition.parameters
        ):
            wrapper = wrapper.inner
        if wrapper.inner is None:
            continue
        pool = pools.find(wrapper["pool"])
        if pool is not None:
            used.setdefault(pool, []).append(measure)
    findings: list[Finding] = []
    for pool, wrapped in used.items():
        findings.append(_size(rankings[0], pool))
        if pool.kind == "judged":
            findings += _unjudged(rankings, wrapped)
        if pool.kind == "retrieved":
            _refuse_other_documents(rankings)
        if pool.kind == "candidates":
            findings += _missed(rankings[0], pool)
    return findings


def _size(judged: Judged, pool: Pool) -> Finding:
    """Describe the pool of evaluated rankings and its mean size, for the first line under a table."""
    what = {
        "judged": "the judged documents of each query",
        "candidates": "the candidates of each query",
        "corpus": "the whole corpus, in which documents that are not judged are not relevant",
        "union": "the documents of each query that are judged or retrieved by any of these runs",
        "retrieved": "the documents that the run retrieved",
    }[pool.kind]
    if pool.unlimited:
        size = "in the limit of a growing corpus"
    else:
        sizes = pool.sizes(judged)
        mean = float(sizes.mean()) if len(sizes) else 0.0
        size = f"{mean:,.1f} documents per query on average".replace(".0 ", " ")
    message = f"pool {pool}: chance orders {what} ({size})."
    return Finding("pool", message, severity="note")


def _unjudged(rankings: list[Judged], measures: list[Measure]) -> list[Finding]:
    """Find runs that rank many unjudged documents."""
    cutoffs = [m.innermost.cutoff for m in measures]
    whole = any(cutoff is None for cutoff in cutoffs)
    cutoff = None if whole else max(int(c) for c in cutoffs if c is not None)
    beyond = {}
    for judged in rankings:
        depth = judged.retrieved if cutoff is None else np.minimum(judged.retrieved, cutoff)
        seen = int(depth.sum())
        limits = np.repeat(depth, np.diff(judged.rankings.offsets))
        share = 1.0 - int((judged.rankings.ranks <= limits).sum()) / seen if seen else 0.0
        if share > TOLERATED:
            beyond[judged.system] = share
    if not beyond:
        return []
    where = "they rank" if cutoff is None else f"in the first {cutoff}"
    shares = listed([f"{system} {100 * share:.0f} %" for system, share in beyond.items()])
    message = (
        f"{len(beyond):,} of {len(rankings):,} runs rank unjudged documents (share of the documents "
        f"{where}: {', '.join(shares)}). With pool=judged, chance orders judged documents only, so "
        "these runs have a harder task than chance; corpus=N compares them with a random choice from the corpus."
    )
    return [Finding("runs search beyond the pool", message, len(beyond))]


def _refuse_other_documents(rankings: list[Judged]) -> None:
    """Raise an error if runs retrieve different documents, because their pools under chance then differ."""
    first = rankings[0]
    for judged in rankings[1:]:
        same = np.array_equal(first.retrieved, judged.retrieved) and _codes(first) == _codes(judged)
        if not same:
            raise OptionError(
                f"pool=retrieved: {first.system} and {judged.system} do not retrieve the same documents, "
                "so each would have its own chance level. Score them one at a time, or use "
                "pool=judged, corpus=N or candidates."
            )


def _codes(judged: Judged) -> list[list[int]]:
    offsets, codes = judged.rankings.offsets, judged.rankings.codes
    return [sorted(codes[a:b].tolist()) for a, b in pairwise(offsets.tolist())]


def _missed(judged: Judged, pool: Pool) -> list[Finding]:
    """Find relevant documents outside the candidates, which no run could have ranked."""
    offsets, codes = pool.codes(judged)
    levels = judged.qrels.levels
    if judged.judgements is not None:  # codes are indices of documents, not grades
        return []
    here = np.add.reduceat(np.append(levels[codes] > 0, 0), offsets[:-1]) * (np.diff(offsets) > 0)
    whole_offsets, whole = judged.qrels.pool_offsets, judged.qrels.pool
    there = np.add.reduceat(np.append(levels[whole] > 0, 0), whole_offsets[:-1]) * (
        np.diff(whole_offsets) > 0
    )
    gone = there - here
    if not gone.any():
        return []
    names = [judged.items[i] for i in np.flatnonzero(gone)]
    message = (
        f"the candidates lack {int(gone.sum()):,} relevant documents of {len(names):,} queries; the "
        "ideal is the best order of the candidates."
    )
    return [
        Finding(
            "candidates miss relevant documents", message, int(gone.sum()), examples=listed(names)
        )
    ]


# Checks of pools: measures that need one, and runs that rank documents outside of it.


def check_pools(measures: tuple[Measure, ...], pools: Pools) -> None:
    """Raise an error for a ranking measure that needs a pool and has none, before any file is read."""
    for measure in measures:
        named = _pool_of(measure)
        if named is not False:
            pools.require(measure, named)


def uses(measures: tuple[Measure, ...], pools: Pools, kind: str) -> bool:
    """Return whether a ranking measure uses a pool of documents of this kind."""
    for measure in measures:
        named = _pool_of(measure)
        found = None if named is False else pools.find(named)
        if found is not None and found.kind == kind:
            return True
    return False


def _pool_of(measure: Measure) -> str | Literal[False] | None:
    """Return the pool named by a ranking measure, None if it names none, False if it needs none."""
    inside: Measure | None = measure
    while inside is not None:
        if any(p.kind == "pool" for p in inside.definition.parameters):
            named: str | None = inside["pool"]
            return named
        inside = inside.inner
    return False


def refuse_outside_candidates(rankings: list[Judged], listed: list[Judged], name: str) -> None:
    """Raise an error for runs that rank documents outside the candidates of a query.

    `listed` are the same runs, joined with the candidates as if these were judgements.
    """
    for judged, inside in zip(rankings, listed, strict=True):
        outside = inside.retrieved - np.diff(inside.rankings.offsets)
        for q in np.flatnonzero(outside > 0)[:1].tolist():
            raise MismatchError(
                f"{judged.system}: query {inside.items[q]!r} ranks {int(outside[q]):,} documents that "
                f"are not among its candidates in {name}. Candidates are all documents that could have "
                "been ranked."
            )


# Grades between 0 and 1, which binary measures count as not relevant by default.


def fractional_grades(qrels: Qrels, measures: Iterable[Measure]) -> list[Finding]:
    """Return a finding if grades between 0 and 1 are below the `rel` of a measure."""
    between = qrels.levels[(qrels.levels > 0) & (qrels.levels < 1)]
    if not len(between):
        return []
    affected = []
    for measure in measures:
        inner = measure.innermost
        has_rel = any(parameter.name == "rel" for parameter in inner.definition.parameters)
        if has_rel and inner["rel"] is not None and float(inner["rel"]) > between[0]:
            affected.append(measure)
    if not affected:
        return []
    lowest = min(float(measure.innermost["rel"]) for measure in affected)
    grades = qrels.levels[qrels.pool]
    count = int(np.sum((grades > 0) & (grades < min(lowest, 1.0))))
    name = affected[0].innermost.name
    return [
        Finding(
            "fractional grades",
            f"{qrels.name}: {count:,} judgements have a grade between 0 and 1 and are not relevant for "
            f"{', '.join(map(str, affected[:5]))}. rel= sets the lowest relevant grade, as in "
            f"{name}(rel={between[0]:g}).",
            count,
        )
    ]


# Measures that are the rank of a relevant document, and rankings without one.


def refuse_unretrieved(
    evaluation: RankingEvaluation, measures: Iterable[Measure], missing: Missing = "zero"
) -> None:
    """Raise an error if a ranking has no relevant document and a measure is the rank of one.

    Such a ranking has an infinite value. Queries that the run lacks are exempt if they are left out
    (`missing="skip"`).
    """
    judged = evaluation.judged
    for measure in {m.innermost: None for m in measures}:
        if measure.definition.arguments is None:
            continue
        values = evaluation.values(measure)
        if not np.isinf(values).any():
            continue
        if missing != "zero":
            values = np.where(judged.present, values, np.nan)
            evaluation.set_values(measure, values)
        lost = [judged.items[q] for q in np.flatnonzero(np.isinf(values))]
        if lost:
            raise MismatchError(
                f"{judged.system}: {measure} is the rank of a relevant document, but the run retrieves "
                f"none for {len(lost):,} of {len(judged.items):,} queries ({', '.join(listed(lost))}). "
                "Use runs that rank all candidates, or a measure such as RR, which counts these queries "
                "as 0."
            )
