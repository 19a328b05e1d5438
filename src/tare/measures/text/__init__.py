"""Measures of generated text."""

from tare.measures.text.parts import Parts, alpha_of
from tare.measures.text.profiles import PROFILES, Profile, profile
from tare.measures.text.rouge import Rouge, RougeResult, rouge

__all__ = ["PROFILES", "Parts", "Profile", "Rouge", "RougeResult", "alpha_of", "profile", "rouge"]
