"""The measures that verbs and studies use if none are named."""

from __future__ import annotations

__all__ = [
    "CUTOFF_MEASURES",
    "DEFAULT_MEASURES",
    "MAIN_MEASURE",
    "MAIN_MEASURES",
    "MAIN_TEXT_MEASURES",
    "RANKER_MEASURES",
    "RANK_MEASURES",
    "TEXT_MEASURES",
]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Recall@100")
"""Measures of rankings that are printed as plain means."""

MAIN_MEASURES = DEFAULT_MEASURES[:2]
"""The same where each measure takes more room: net of chance, in comparisons, studies and reports."""

MAIN_MEASURE = DEFAULT_MEASURES[:1]
"""The same where one measure is enough: runs against chance, and judges against people."""

CUTOFF_MEASURES = ("nDCG@5", "nDCG@10", "nDCG@20")
"""One measure at several cutoffs, for kinds of queries."""

RANK_MEASURES = ("RR", "Success@10", "MeanRank")
"""Measures of the rank of one relevant item."""

RANKER_MEASURES = ("nDCG(gain=exp2)@10", "E(nDCG(gain=exp2)@10)", "Net(nDCG(gain=exp2)@10)")
"""Measures of trained rankers: rankers optimise nDCG with exponential gains."""

TEXT_MEASURES = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum")
"""Measures of generated texts."""

MAIN_TEXT_MEASURES = TEXT_MEASURES[:3]
"""The same where each measure takes more room: next to its V1 and V2, in studies of summaries."""
