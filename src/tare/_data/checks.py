"""Checks of qrels and runs, as findings."""

from __future__ import annotations

import numpy as np

from tare._data.findings import Finding, listed
from tare._data.judged import Judged
from tare._data.qrels import Qrels
from tare.errors import OptionError

__all__ = ["check_judged", "check_qrels"]


def check_qrels(qrels: Qrels, *, rel: float = 1) -> list[Finding]:
    """Return findings about qrels: those of the reader, negative grades, no relevant documents."""
    findings = list(qrels.findings)
    negative = int((qrels.levels < 0).sum())
    if negative:
        count = int((qrels.levels[qrels.pool] < 0).sum())
        findings.append(
            Finding(
                "negative grades",
                f"{qrels.name}: {count:,} judgements have a negative grade; as in trec_eval, they "
                "count as not judged.",
                count,
                severity="note",
            )
        )
    best = np.full(len(qrels.items), -np.inf)
    filled = np.diff(qrels.pool_offsets) > 0
    best[filled] = qrels.levels[qrels.pool[qrels.pool_offsets[:-1][filled]]]
    without = [qrels.items[i] for i in np.flatnonzero(best < rel)]
    if without:
        findings.append(
            Finding(
                "no relevant document",
                f"{qrels.name}: {len(without):,} of {len(qrels.items):,} queries have no document "
                f"of grade {rel:g} or more; they score 0 and are counted.",
                len(without),
                examples=listed(without),
            )
        )
    return findings


def check_judged(judged: Judged, *, cutoff: int = 10) -> list[Finding]:
    """Return findings about a run: missing and unknown queries, ties, unjudged documents."""
    if not 1 <= cutoff < 2**31:
        raise OptionError(f"cutoff={cutoff} is not possible: a cutoff is 1 or more, below 2^31.")
    system = judged.system
    findings = list(judged.findings)
    missing = [judged.items[i] for i in np.flatnonzero(~judged.present)]
    if missing:
        findings.append(
            Finding(
                "queries missing from the run",
                f"{system}: {len(missing):,} of {len(judged.items):,} judged queries are missing "
                "from the run.",
                len(missing),
                examples=listed(missing),
            )
        )
    if judged.unknown:
        findings.append(
            Finding(
                "queries missing from the qrels",
                f"{system}: {len(judged.unknown):,} queries of the run have no judgements and are "
                "left out.",
                len(judged.unknown),
                severity="note",
                examples=listed(list(judged.unknown)),
            )
        )
    tied = int(judged.rankings.tied.sum())
    if tied:
        queries = int((judged.rankings.tied > 0).sum())
        rule = {
            "trec": "broken by document id, descending",
            "order": "kept in the given order",
            "expected": "averaged over all orders",
        }[judged.policies.ties]
        findings.append(
            Finding(
                "tied scores",
                f"{system}: {tied:,} documents of {queries:,} queries share their score with "
                f"another; ties are {rule}.",
                tied,
                severity="note",
            )
        )
    share = _unjudged_share(judged, cutoff)
    if share > 0.2:
        findings.append(
            Finding(
                "unjudged documents",
                f"{system}: {100 * share:.0f} % of the documents in the top {cutoff} are not judged; "
                "they count as not relevant.",
                1,
            )
        )
    return findings


def _unjudged_share(judged: Judged, cutoff: int) -> float:
    seen = int(np.minimum(judged.retrieved, cutoff).sum())
    if seen == 0:
        return 0.0
    return 1.0 - int((judged.rankings.ranks <= cutoff).sum()) / seen
