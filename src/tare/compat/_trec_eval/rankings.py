"""Rankings as trec_eval evaluates them: truncated, without unjudged documents, completed under -c."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._data import Judged, Policies
from tare._kernels import JudgedRankings
from tare.compat._trec_eval.settings import Settings

__all__ = ["judged_code", "policies_of", "prepare", "relevance_strings"]


def policies_of(settings: Settings) -> Policies:
    """Return how the run is read: version 9 compares 32-bit scores; -M truncates after sorting."""
    return Policies(depth=settings.most or None, precision=32 if settings.compat == 9 else 64)


def judged_code(judged: Judged) -> int:
    """Return the smallest code of a grade that is not negative."""
    return int(np.searchsorted(judged.qrels.levels, 0.0))


def prepare(judged: Judged, settings: Settings) -> tuple[Judged, NDArray[np.int64]]:
    """Return the rankings to evaluate, and the positions of their queries in the qrels.

    Under -c, version 10 gives a missing query one unjudged document; version 9 leaves the query out here
    and uses a larger divisor later.
    """
    rankings = judged.rankings
    chosen = judged.present
    if settings.complete and settings.compat == 10:
        rankings = replace(rankings, retrieved=np.where(chosen, rankings.retrieved, 1))
        chosen = np.ones_like(chosen)
    if settings.query is not None:
        chosen = chosen & (np.array(judged.items, dtype=object) == settings.query)
    if settings.most == 0:
        rankings = _keep(rankings, np.zeros(len(rankings.ranks), dtype=bool))
    elif settings.judged_only:
        rankings = _keep(rankings, rankings.codes >= judged_code(judged))
    return judged.replace(rankings=rankings), np.flatnonzero(chosen)


def _keep(rankings: JudgedRankings, kept: NDArray[np.bool_]) -> JudgedRankings:
    """Return rankings of the kept documents only."""
    before = np.concatenate([[0], np.cumsum(kept)])
    offsets = before[rankings.offsets]
    counts = np.diff(offsets)
    ranks = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts) + 1
    return replace(
        rankings,
        offsets=offsets.astype(np.int64),
        ranks=ranks.astype(np.int32),
        codes=np.ascontiguousarray(rankings.codes[kept]),
        retrieved=counts.astype(np.int64),
    )


def relevance_strings(judged: Judged, length: int) -> list[str]:
    """Return the first grades of each ranking: 0-9, > above 9, - outside the qrels, . if negative."""
    signs = ["." if g < 0 else ">" if g > 9 else str(int(g)) for g in judged.qrels.levels.tolist()]
    strings = [["-"] * min(length, n) for n in judged.retrieved.tolist()]
    ranks, codes = judged.rankings.ranks, judged.rankings.codes
    near = np.flatnonzero(ranks <= length)
    queries = np.searchsorted(judged.rankings.offsets, near, side="right") - 1
    for query, rank, code in zip(
        queries.tolist(), ranks[near].tolist(), codes[near].tolist(), strict=True
    ):
        strings[query][rank - 1] = signs[code]
    return ["".join(string) for string in strings]
