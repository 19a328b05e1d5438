"""Measures based on language models as the registry lists them, with their values under chance."""

from dataclasses import replace

from tare._measures.text.catalogue import SAMPLED, UPPER
from tare._measures.text.embedding import bertscore_measures, likelihood_measures
from tare._measures.text.embedding.bertscore_chance import BertChance
from tare._measures.text.resampled import ResampledChance

__all__ = ["DEFINITIONS"]

BERT = (
    "sampled: k tokens of the source at random; expected=best and expected=worst take the k distinct "
    "tokens most and least similar to the source"
)

DEFINITIONS = (
    *(
        replace(d, text_chance=BertChance(), expected=BERT, upper=UPPER)
        for d in bertscore_measures.DEFINITIONS
    ),
    *(
        replace(d, text_chance=ResampledChance(samples=10), expected=SAMPLED, upper=UPPER)
        for d in likelihood_measures.DEFINITIONS
    ),
)
