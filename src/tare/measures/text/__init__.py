"""Measures of generated text: the registry's entries, and the functions behind them."""

from tare.measures.definition import register, register_group
from tare.measures.text import (
    descriptor_measures,
    feature_measures,
    pyramid_measures,
    rouge_measures,
)
from tare.measures.text.parts import Parts, alpha_of
from tare.measures.text.profiles import PROFILES, Profile, profile
from tare.measures.text.rouge import Rouge, RougeResult, rouge

__all__ = ["PROFILES", "Parts", "Profile", "Rouge", "RougeResult", "alpha_of", "profile", "rouge"]

register(
    *rouge_measures.DEFINITIONS,
    *feature_measures.DEFINITIONS,
    *descriptor_measures.DEFINITIONS,
    *pyramid_measures.DEFINITIONS,
)
register_group("features", feature_measures.GROUP)
register_group("descriptors", descriptor_measures.GROUP)
