"""Measures of generated text as the registry lists them, with their expected values under chance."""

from dataclasses import replace

from tare._measures.definition import Definition
from tare._measures.text import (
    descriptor_measures,
    feature_measures,
    learned,
    pyramid_measures,
    rouge_measures,
)
from tare._measures.text.answers import measures as answer_measures
from tare._measures.text.answers.chance import AnswerChance
from tare._measures.text.resampled import ResampledChance
from tare._measures.text.rouge_chance import RougeChance

__all__ = ["DEFINITIONS", "SAMPLED", "UPPER"]

EXACT = (
    "exact: Σ over n-grams of E[min(count, the reference's)] in L words of the source; of several "
    "references sampled where the best counts"
)
ANSWERS = {
    "ExactMatch": "exact: the probability that L words of the source are those of a reference",
    "TokenF1": "exact: Σ over words of E[min(count, the reference's)] in L words of the source; sampled where "
    "the best of several references counts",
}
SAMPLED = "sampled: random texts of L words of the source"
UPPER = "1; or that of the best extract (upper=oracle), or of people (upper=human)"


def _with_chance(definition: Definition) -> Definition:
    """Add the provider of expected values, and the sentences that describe them."""
    if definition.needs != "references":
        return definition
    counted = definition.name.removeprefix("ROUGE-")
    plain = definition.name.startswith("ROUGE-") and counted != "BE"
    return replace(
        definition,
        text_chance=RougeChance() if plain else ResampledChance(),
        expected=EXACT if counted.isdecimal() else SAMPLED,
        upper=UPPER if definition.bounds[1] == 1 else UPPER.removeprefix("1; or "),
    )


DEFINITIONS = (
    *map(_with_chance, rouge_measures.DEFINITIONS),
    *map(_with_chance, feature_measures.DEFINITIONS),
    *descriptor_measures.DEFINITIONS,
    *pyramid_measures.DEFINITIONS,
    *learned.DEFINITIONS,
    *(
        replace(d, text_chance=AnswerChance(), expected=ANSWERS[d.name], upper=UPPER)
        for d in answer_measures.DEFINITIONS
    ),
)
