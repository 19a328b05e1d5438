"""Cells: the text of every system on every item, with references and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.pyramids import PeerAnnotation, Scus
from tare._data.summaries import Summaries
from tare._kernels import Text
from tare._measures.text.grid import CellPart, TextGrid

__all__ = ["Cells", "cells_of_texts", "grid_of"]


@dataclass(frozen=True)
class Cells:
    """The text of every system on every item, system by system; a missing text is empty.

    Or a part of these cells: `part` then names the item of each cell.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    missing: NDArray[np.bool_]
    candidates: list[Text]
    references: list[tuple[Text, ...]]
    sources: list[Text | None]
    base: list[tuple[Text, ...]]
    scus: list[Scus | None]
    person: NDArray[np.bool_]
    part: CellPart | None = None

    @classmethod
    def of(cls, texts: Summaries) -> Cells:
        """Return the cells of summaries; missing texts get the references and source of their item."""
        return cls.of_part(texts, grid_of(texts).whole())

    @classmethod
    def of_part(cls, texts: Summaries, part: CellPart) -> Cells:
        """Return some cells from the rows of their part.

        A person who also wrote a reference is compared only with the references of others.
        """
        taken, gone = part.rows.tolist(), part.missing.tolist()
        systems = [part.systems[s] for s in part.system_of.tolist()]
        scus = [texts.scus[r] if texts.scus else None for r in taken]
        references: list[tuple[Text, ...]] = [texts.references[r] for r in taken]
        if part.authors:
            nobody = [("",) * len(group) for group in references]
            authors = [texts.authors[r] for r in taken] if texts.authors else nobody
            references = list(map(_of_others, references, authors, systems))
        return cls(
            part.systems,
            part.items,
            part.missing,
            ["" if lost else texts.texts[r] for r, lost in zip(taken, gone, strict=True)],
            references,
            [texts.sources[r] for r in taken],
            [texts.base[r] if texts.base else () for r in taken],
            [_nothing(s) if lost else s for s, lost in zip(scus, gone, strict=True)],
            part.person,
            part,
        )

    @property
    def item_of(self) -> NDArray[np.int64]:
        """The item of each cell, as a number in `items`."""
        if self.part is not None:
            return self.part.item_of
        return np.arange(len(self.candidates), dtype=np.int64) % max(1, len(self.items))

    def label(self, place: int) -> str:
        """Return the name of a cell in findings."""
        system, item = divmod(place, len(self.items))
        return (
            f"{self.systems[system]} {self.items[item]}"
            if system or len(self.systems) > 1
            else self.items[item]
        )

    def has(self, need: str) -> NDArray[np.bool_]:
        """Return which cells have what a measure needs."""
        columns: dict[str, list[Any]] = {
            "references": self.references,
            "source": self.sources,
            "base": self.base,
            "scus": self.scus,
        }
        if need == "texts":
            return np.ones(len(self.candidates), dtype=bool)
        return np.array([bool(cell) for cell in columns[need]], dtype=bool)


def grid_of(texts: Summaries) -> TextGrid:
    """Return the grid of summaries."""
    authors = dict(enumerate(texts.authors))
    return TextGrid.of(texts.systems, texts.items, authors, known=bool(texts.authors))


def cells_of_texts(
    texts: Sequence[Text],
    references: Sequence[Sequence[Text]],
    person: NDArray[np.bool_] | None = None,
) -> Cells:
    """Return cells of texts without a system; `person` marks those without their own reference."""
    count = len(texts)
    return Cells(
        ("",),
        tuple(map(str, range(count))),
        np.zeros(count, dtype=bool),
        list(texts),
        [tuple(group) for group in references],
        [None] * count,
        [()] * count,
        [None] * count,
        np.zeros(count, dtype=bool) if person is None else person,
    )


def _of_others(
    references: tuple[Text, ...], authors: tuple[str, ...], system: str
) -> tuple[Text, ...]:
    if system not in authors:
        return references
    return tuple(r for r, name in zip(references, authors, strict=True) if name != system)


def _nothing(scus: Scus | None) -> Scus | None:
    """Return the content units of an item with none found, for a missing text."""
    if not isinstance(scus, PeerAnnotation):
        return scus
    return PeerAnnotation(scus.item, "", scus.pyramid, {}, 0)
