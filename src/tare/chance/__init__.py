"""Scores under chance: pools, expected values, upper bounds, and scores normalised by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare._lazy import lazy_names

if TYPE_CHECKING:
    from tare._data.pools import Pool
    from tare.chance._chances import Chances, chances
    from tare.chance._documents import DocumentKinds, document_kinds
    from tare.chance._floor import Floor, floor
    from tare.chance._kinds import Kinds, kinds
    from tare.chance._luck import Luck, luck
    from tare.chance._query_sets import broad_and_focused, halves
    from tare.chance._significance import Significance, better_than_chance
    from tare.chance._texts import TextChances, text_chances

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
    "Chances": "tare.chance._chances",
    "DocumentKinds": "tare.chance._documents",
    "Floor": "tare.chance._floor",
    "Kinds": "tare.chance._kinds",
    "Luck": "tare.chance._luck",
    "Pool": "tare._data.pools",
    "Significance": "tare.chance._significance",
    "TextChances": "tare.chance._texts",
    "better_than_chance": "tare.chance._significance",
    "broad_and_focused": "tare.chance._query_sets",
    "chances": "tare.chance._chances",
    "document_kinds": "tare.chance._documents",
    "floor": "tare.chance._floor",
    "halves": "tare.chance._query_sets",
    "kinds": "tare.chance._kinds",
    "luck": "tare.chance._luck",
    "text_chances": "tare.chance._texts",
}

__getattr__, __dir__ = lazy_names(__name__, _MODULES)
