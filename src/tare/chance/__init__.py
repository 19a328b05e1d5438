"""What chance would score: pools, expected values, upper bounds, and scores normalised by both."""

from tare._data.pool import Pool
from tare.chance import _measures as measures  # registers E, U, V1, V2 and Z
from tare.chance._chances import Chances, chances
from tare.chance._documents import DocumentKinds, document_kinds
from tare.chance._floor import Floor, floor
from tare.chance._kinds import Kinds, broad_and_focused, halves, kinds
from tare.chance._luck import Luck, luck
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
    "measures",
    "text_chances",
]
