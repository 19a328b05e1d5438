"""Texts to score, and some of them at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tare._data.summaries import Summaries, summaries_at
from tare._measures.text.cells import grid_of
from tare._measures.text.grid import CellPart

__all__ = ["GivenTexts", "TextPart"]

Places = NDArray[np.int64]


@dataclass(frozen=True)
class TextPart:
    """Some cells and the rows that they are made from."""

    number: int
    cells: CellPart = field(repr=False)
    texts: Summaries = field(repr=False)

    def __str__(self) -> str:
        return f"{self.texts.name}, part {self.number + 1}"


class GivenTexts:
    """Texts and their grid."""

    def __init__(self, texts: Summaries) -> None:
        self.texts = texts
        self.grid = grid_of(texts)

    def has(self, need: str) -> bool:
        """Return whether a text has what a measure needs."""
        columns = {"references": "references", "source": "sources", "base": "base", "scus": "scus"}
        return need == "texts" or any(getattr(self.texts, columns[need]))

    def part(self, places: Places, number: int = 0) -> TextPart:
        """Return some cells of the grid."""
        cells, rows = self.grid.part(places)
        return TextPart(number, cells, summaries_at(self.texts, rows.tolist()))

    def parts(self, places: Places, most: int) -> list[TextPart]:
        """Return some cells of the grid in parts of at most so many."""
        starts = range(0, len(places), most)
        return [self.part(places[start : start + most], k) for k, start in enumerate(starts)]
