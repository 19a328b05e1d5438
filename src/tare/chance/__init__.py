"""Scores under chance: pools, expected values, upper bounds, and scores normalised by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._data.pools import Pool
    from tare.chance._expected_values import Chances, chances
    from tare.chance._kinds_of_documents import DocumentKinds, document_kinds
    from tare.chance._kinds_of_queries import Kinds, broad_and_focused, halves, kinds
    from tare.chance._runs_against_chance import (
        Floor,
        Luck,
        Significance,
        better_than_chance,
        floor,
        luck,
    )
    from tare.chance._texts_and_answers import TextChances, text_chances

__all__ = [
    "Chances",
    "DocumentKinds",
    "Floor",
    "Kinds",
    "Luck",
    "Pool",
    "Significance",
    "TextChances",
    "better_than_chance",
    "broad_and_focused",
    "chances",
    "document_kinds",
    "floor",
    "halves",
    "kinds",
    "luck",
    "text_chances",
]

# Loaded on first use: scoring a ranking net of chance loads no module of texts.
_MODULES = {
    "Chances": "tare.chance._expected_values",
    "DocumentKinds": "tare.chance._kinds_of_documents",
    "Floor": "tare.chance._runs_against_chance",
    "Kinds": "tare.chance._kinds_of_queries",
    "Luck": "tare.chance._runs_against_chance",
    "Pool": "tare._data.pools",
    "Significance": "tare.chance._runs_against_chance",
    "TextChances": "tare.chance._texts_and_answers",
    "better_than_chance": "tare.chance._runs_against_chance",
    "broad_and_focused": "tare.chance._kinds_of_queries",
    "chances": "tare.chance._expected_values",
    "document_kinds": "tare.chance._kinds_of_documents",
    "floor": "tare.chance._runs_against_chance",
    "halves": "tare.chance._kinds_of_queries",
    "kinds": "tare.chance._kinds_of_queries",
    "luck": "tare.chance._runs_against_chance",
    "text_chances": "tare.chance._texts_and_answers",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
