"""The interface of rouge-score 0.1.2, with the same values to the last bit."""

from tare.compat.rouge_score import rouge_scorer, scoring, tokenizers

__all__ = ["rouge_scorer", "scoring", "tokenizers"]
