"""The grid of texts: every system on every item, and the row from which each cell is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CellPart", "TextGrid"]

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CellPart:
    """Some cells of a grid, without texts: where they are, and the row of each in its part.

    `items` has the names of the items of these cells, and `item_of` the item of each cell.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    places: Places = field(repr=False)
    rows: Places = field(repr=False)
    system_of: Places = field(repr=False)
    item_of: Places = field(repr=False)
    missing: Flags = field(repr=False)
    person: Flags = field(repr=False)
    people: frozenset[str] = frozenset()
    authors: bool = False  # whether the authors of any reference are known


@dataclass(frozen=True, eq=False)
class TextGrid:
    """Systems in order of appearance and items in their order; cells are system by system.

    A missing cell takes references and source from the first row of its item. `person` marks the
    cells of people who wrote a reference of the item.
    """

    systems: tuple[str, ...]
    items: tuple[str, ...]
    rows: Places = field(repr=False)
    missing: Flags = field(repr=False)
    person: Flags = field(repr=False)
    people: frozenset[str] = frozenset()
    authors: bool = False

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        items: Sequence[str],
        authors: Mapping[int, Sequence[str]],
        *,
        known: bool = False,
    ) -> TextGrid:
        """Return the grid of rows; `authors` has the authors of the references of some rows."""
        system_codes = {name: k for k, name in enumerate(dict.fromkeys(systems))}
        names = tuple(sorted(set(items), key=_order(items)))
        item_codes = {name: k for k, name in enumerate(names)}
        by_system = np.fromiter((system_codes[s] for s in systems), np.int64, len(systems))
        by_item = np.fromiter((item_codes[i] for i in items), np.int64, len(items))
        numbers = np.arange(len(items), dtype=np.int64)
        first = np.zeros(len(names), dtype=np.int64)
        first[by_item[::-1]] = numbers[::-1]
        rows = np.full(len(system_codes) * len(names), -1, dtype=np.int64)
        rows[by_system * len(names) + by_item] = numbers
        missing = rows < 0
        person = np.zeros(len(rows), dtype=bool)
        wrote: set[tuple[int, int]] = set()
        writers: set[str] = set()
        for row, group in authors.items():
            writers.update(group)
            item = int(by_item[row])
            wrote.update((system_codes[a], item) for a in group if a in system_codes)
        for system, item in wrote:
            person[system * len(names) + item] = True
        return cls(
            tuple(system_codes),
            names,
            np.where(missing, np.tile(first, len(system_codes)), rows),
            missing,
            person,
            frozenset(writers) & set(system_codes),
            known,
        )

    def label(self, place: int) -> str:
        """Return the name of a cell in findings."""
        system, item = divmod(place, len(self.items))
        if len(self.systems) == 1:
            return self.items[item]
        return f"{self.systems[system]} {self.items[item]}"

    def whole(self) -> CellPart:
        """Return all cells as one part."""
        places = np.arange(len(self.rows), dtype=np.int64)
        system_of, item_of = np.divmod(places, max(1, len(self.items)))
        return CellPart(
            self.systems,
            self.items,
            places,
            self.rows,
            system_of,
            item_of,
            self.missing,
            self.person,
            self.people,
            self.authors,
        )

    def part(self, places: Places) -> tuple[CellPart, Places]:
        """Return some cells, and the rows that they are made from, of which they have the numbers."""
        system_of, item_of = np.divmod(places, max(1, len(self.items)))
        held, own = np.unique(item_of, return_inverse=True)
        rows, numbers = np.unique(self.rows[places], return_inverse=True)
        part = CellPart(
            self.systems,
            tuple(self.items[i] for i in held.tolist()),
            places,
            numbers.astype(np.int64),
            system_of,
            own.astype(np.int64),
            self.missing[places],
            self.person[places],
            self.people,
            self.authors,
        )
        return part, rows


def _order(items: Sequence[str]) -> Callable[[str], Any]:
    """Return a sort key: ids by number if all are numbers, else as text."""
    if all(item.isdecimal() for item in items):
        return lambda item: (int(item), item)
    return lambda item: item
