"""Measures of generated text: the registry's entries, and the functions behind them."""

from dataclasses import replace

from tare._measures.definition import Definition, register, register_group
from tare._measures.text import (
    descriptor_measures,
    feature_measures,
    learned,
    pyramid_measures,
    rouge_measures,
)
from tare._measures.text.embedding import bertscore_measures, likelihood_measures
from tare._measures.text.embedding.bertscore_chance import BertChance
from tare._measures.text.parts import Parts, alpha_of
from tare._measures.text.profiles import PROFILES, Profile, profile
from tare._measures.text.resampled import ResampledChance
from tare._measures.text.rouge import Rouge, RougeResult, rouge
from tare._measures.text.rouge_chance import RougeChance

__all__ = ["PROFILES", "Parts", "Profile", "Rouge", "RougeResult", "alpha_of", "profile", "rouge"]

EXACT = (
    "exact: Σ over n-grams of E[min(count, the reference's)] in L words of the source; of several "
    "references sampled where the best counts"
)
SAMPLED = "sampled: random texts of L words of the source"
UPPER = "1; or that of the best extract (upper=oracle), or of people (upper=human)"


def _with_chance(definition: Definition) -> Definition:
    """Who knows what chance makes of the measure, and how that is told."""
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


BERT = (
    "sampled: k tokens of the source at random; expected=best and expected=worst take the k distinct "
    "tokens most and least similar to the source"
)

register(
    *map(_with_chance, rouge_measures.DEFINITIONS),
    *map(_with_chance, feature_measures.DEFINITIONS),
    *descriptor_measures.DEFINITIONS,
    *pyramid_measures.DEFINITIONS,
    *learned.DEFINITIONS,
    *(
        replace(d, text_chance=BertChance(), expected=BERT, upper=UPPER)
        for d in bertscore_measures.DEFINITIONS
    ),
    *(
        replace(d, text_chance=ResampledChance(samples=10), expected=SAMPLED, upper=UPPER)
        for d in likelihood_measures.DEFINITIONS
    ),
)
register_group("features", feature_measures.GROUP)
register_group("descriptors", descriptor_measures.GROUP)
