"""Measures of generated text, and the functions behind them."""

from tare._measures.text.parts import Parts, alpha_of
from tare._measures.text.profiles import PROFILES, Profile, profile
from tare._measures.text.rouge import Rouge, RougeResult, rouge

__all__ = ["PROFILES", "Parts", "Profile", "Rouge", "RougeResult", "alpha_of", "profile", "rouge"]
