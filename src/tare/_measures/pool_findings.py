"""Findings about the pool: its size, and runs or candidates that do not fit it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from tare._choices import Missing
from tare._data.findings import Finding, listed
from tare._data.judged import Judged
from tare._data.pools import Pool, Pools
from tare._measures.measure import Measure
from tare.errors import OptionError

__all__ = ["pool_findings"]

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
    """Describe the pool and its mean size, for the first line under a table."""
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
    """Raise an error if runs retrieve different documents, because their pools then differ."""
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
