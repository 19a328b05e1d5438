"""Measures of generated text, and the functions behind them."""

from tare._measures.text.profiles import PROFILES, Profile, profile
from tare._measures.text.rouge import Rouge, RougeResult, TextParts, alpha_of

__all__ = [
    "PROFILES",
    "Profile",
    "Rouge",
    "RougeResult",
    "TextParts",
    "alpha_of",
    "profile",
]
