"""Cells: the text of every system on every item, with references and source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.pyramid import PeerAnnotation
from tare._data.scus import Scus
from tare._data.summaries import Summaries
from tare._kernels import Text

__all__ = ["Cells", "cells_of_texts"]


@dataclass(frozen=True)
class Cells:
    """The text of every system on every item, system by system; a missing text is empty."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    missing: NDArray[np.bool_]
    candidates: list[Text]
    references: list[tuple[Text, ...]]
    sources: list[Text | None]
    base: list[tuple[Text, ...]]
    scus: list[Scus | None]
    person: NDArray[np.bool_]
    people: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Summaries) -> Cells:
        """Return the cells of summaries; missing texts get the references and source of their item.

        A person who also wrote a reference is compared only with the references of others.
        """
        systems = tuple(dict.fromkeys(texts.systems))
        items = tuple(sorted(set(texts.items), key=_order(texts.items)))
        rows = {key: row for row, key in enumerate(zip(texts.systems, texts.items, strict=True))}
        first = {item: row for row, item in reversed(list(enumerate(texts.items)))}
        keys = [(system, item) for system in systems for item in items]
        taken = [rows.get(key, first[key[1]]) for key in keys]
        missing = np.array([key not in rows for key in keys], dtype=bool)
        authors = [texts.authors[r] if texts.authors else () for r in taken]
        wrote = _writers(texts)
        scus = [texts.scus[r] if texts.scus else None for r in taken]
        return cls(
            systems,
            items,
            missing,
            ["" if gone else texts.texts[r] for r, gone in zip(taken, missing, strict=True)],
            [
                _of_others(texts.references[r], names, system)
                for r, names, (system, _) in zip(taken, authors, keys, strict=True)
            ],
            [texts.sources[r] for r in taken],
            [texts.base[r] if texts.base else () for r in taken],
            [_nothing(s) if gone else s for s, gone in zip(scus, missing, strict=True)],
            np.array([system in wrote.get(item, ()) for system, item in keys], dtype=bool),
            texts.people,
        )

    def label(self, place: int) -> str:
        """Return the name of a cell in findings."""
        system, item = divmod(place, len(self.items))
        return f"{self.systems[system]} {self.items[item]}" if system or len(self.systems) > 1 else self.items[item]  # fmt: skip

    @property
    def labels(self) -> list[str]:
        """The names of all cells."""
        return [self.label(place) for place in range(len(self.candidates))]

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


def cells_of_texts(
    texts: Sequence[Text],
    references: Sequence[Sequence[Text]],
    person: NDArray[np.bool_] | None = None,
) -> Cells:
    """Return cells of texts without a system; `person` marks those without their own reference."""
    count = len(texts)
    return Cells(
        ("",), tuple(map(str, range(count))), np.zeros(count, dtype=bool), list(texts),
        [tuple(group) for group in references], [None] * count, [()] * count, [None] * count,
        np.zeros(count, dtype=bool) if person is None else person,
    )  # fmt: skip


def _writers(texts: Summaries) -> dict[str, set[str]]:
    """Return {item: authors of its references}."""
    found: dict[str, set[str]] = {}
    for item, names in zip(texts.items, texts.authors, strict=False):
        found.setdefault(item, set()).update(names)
    return found


def _of_others(
    references: tuple[Text, ...], authors: tuple[str, ...], system: str
) -> tuple[Text, ...]:
    if system not in authors:
        return references
    return tuple(r for r, name in zip(references, authors, strict=True) if name != system)


def _order(items: tuple[str, ...]) -> Callable[[str], Any]:
    """Return a sort key: ids by number if all are numbers, else as text."""
    if all(item.isdecimal() for item in items):
        return lambda item: (int(item), item)
    return lambda item: item


def _nothing(scus: Scus | None) -> Scus | None:
    """Return the content units of an item with none found, for a missing text."""
    if not isinstance(scus, PeerAnnotation):
        return scus
    return PeerAnnotation(scus.item, "", scus.pyramid, {}, 0)
