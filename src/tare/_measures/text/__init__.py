"""Measures of generated text, and the functions behind them."""

from tare._measures.text.parts import TextParts, alpha_of
from tare._measures.text.profiles import PROFILES, Profile, profile
from tare._measures.text.rouge import Rouge, RougeResult

__all__ = [
    "PROFILES",
    "Profile",
    "Rouge",
    "RougeResult",
    "TextParts",
    "alpha_of",
    "profile",
]
