"""Measures based on language models as the registry lists them, with their values under chance."""

from dataclasses import replace

from tare._measures.definition import Definition
from tare._measures.text.catalogue import SAMPLED, UPPER
from tare._measures.text.embedding import bertscore, likelihood
from tare._measures.text.embedding.bertscore import BertChance
from tare._measures.text.random_texts import ResampledChance

__all__ = ["DEFINITIONS"]

BERT = (
    "sampled: k tokens of the source at random; expected=best and expected=worst take the k distinct "
    "tokens most and least similar to the source"
)

DEFINITIONS: tuple[Definition, ...] = (
    *(
        replace(d, text_chance=BertChance(), expected=BERT, upper=UPPER)
        for d in bertscore.DEFINITIONS
    ),
    *(
        replace(d, text_chance=ResampledChance(samples=10), expected=SAMPLED, upper=UPPER)
        for d in likelihood.DEFINITIONS
    ),
)
