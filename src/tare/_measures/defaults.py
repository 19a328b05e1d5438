"""The measures that verbs and studies use if none are named."""

from __future__ import annotations

__all__ = ["DEFAULT_MEASURES", "MAIN_MEASURES", "RANKER_MEASURES", "TEXT_MEASURES"]

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "Recall@100")
"""Measures of rankings that are printed as plain means."""

MAIN_MEASURES = DEFAULT_MEASURES[:2]
"""The same where each measure takes more room: net of chance, in comparisons, studies and reports."""

RANKER_MEASURES = ("nDCG(gain=exp2)@10", "E(nDCG(gain=exp2)@10)", "Net(nDCG(gain=exp2)@10)")
"""Measures of trained rankers: rankers optimise nDCG with exponential gains."""

TEXT_MEASURES = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum")
"""Measures of generated texts."""
