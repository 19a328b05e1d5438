"""Measures of generated text as the registry lists them, with their expected values under chance."""

from dataclasses import replace

from tare._measures.definition import Definition
from tare._measures.text import descriptors, features, learned, pyramid, rouge
from tare._measures.text import short_answers as answer_measures
from tare._measures.text.random_texts import ResampledChance, RougeChance
from tare._measures.text.short_answers import AnswerChance

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
    """Add to a text measure the provider of expected values under chance, and the sentences that describe them."""
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


DEFINITIONS: tuple[Definition, ...] = (
    *map(_with_chance, rouge.DEFINITIONS),
    *map(_with_chance, features.DEFINITIONS),
    *descriptors.DEFINITIONS,
    *pyramid.DEFINITIONS,
    *learned.DEFINITIONS,
    *(
        replace(d, text_chance=AnswerChance(), expected=ANSWERS[d.name], upper=UPPER)
        for d in answer_measures.DEFINITIONS
    ),
)
