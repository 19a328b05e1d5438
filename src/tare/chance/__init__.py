"""What chance would score: pools, expected values, upper bounds, and scores normalised by both."""

from tare.chance import measures  # registers E, U, V1, V2, Z and their kin
from tare.chance.chances import Chances, chances
from tare.chance.documents import DocumentKinds, document_kinds
from tare.chance.floor import Floor, floor
from tare.chance.kinds import Kinds, broad_and_focused, halves, kinds
from tare.chance.luck import Luck, luck
from tare.chance.significance import Significance, better_than_chance
from tare.chance.texts import TextChances, text_chances
from tare.data.pool import Pool

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
