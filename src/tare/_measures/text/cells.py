"""Cells: the text of every system on every item, with references and source; and every measure on all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.pyramids import PeerAnnotation, Scus
from tare._data.summaries import Summaries
from tare._kernels import Text
from tare._measures.evaluation import Evaluation
from tare._measures.measure import Measure
from tare._measures.one_system import ActorEngine
from tare._measures.text.findings_by_cell import CellFinding
from tare._measures.text.profiles import Profile, profile, profile_key
from tare._measures.text.sentences import split_all, unsplit
from tare.errors import MeasureError

__all__ = ["CellPart", "Cells", "TextEvaluation", "TextGrid", "cells_of_texts", "grid_of"]


# The grid of texts: every system on every item, and the row from which each cell is made.


Places = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class CellPart:
    """Some cells of a grid of texts, without the texts: where they are, and the row of each in its part.

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
    """The grid of texts: systems in order of appearance and items in their order; cells are system by system.

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
        """Return the grid of the rows of texts; `authors` has the authors of the references of some rows."""
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
        """Return some cells of the grid of texts, and the rows that they are made from, of which they have the numbers."""
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
    """Return a sort key for the items of a grid of texts: ids by number if all are numbers, else as text."""
    if all(item.isdecimal() for item in items):
        return lambda item: (int(item), item)
    return lambda item: item


# Cells: the text of every system on every item, with references and source.


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
        """Return some cells of texts from the rows of their part.

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
        """The item of the text in each cell, as a number in `items`."""
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


# Evaluation of texts: every measure on the texts of all systems at once.


Values = NDArray[np.float64]


class TextEvaluation(Evaluation):
    """The values of text measures, one per text, system by system; findings are about cells."""

    def __init__(
        self,
        cells: Cells,
        measures: Iterable[Measure],
        threads: int = 0,
        *,
        seed: int = 0,
        samples: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        engine: ActorEngine | None = None,
        resources: dict[Hashable, Any] | None = None,
    ) -> None:
        super().__init__(len(cells.candidates), resources)
        self.cells = cells
        self.measures = tuple(measures)
        self.threads = threads
        self.seed = seed
        self.samples = samples
        self.progress = progress
        self.engine = engine

    def compute(self, measure: Measure) -> Values:
        """Compute a measure of the texts in all cells, as its definition derives it."""
        definition = measure.definition
        if definition.derive is None or not (definition.family == "text" or definition.wraps):
            raise MeasureError(f"{measure} is not a measure of texts.")
        return definition.derive(self, measure)

    def rescored(
        self,
        measure: Measure,
        texts: Sequence[Text],
        references: Sequence[Sequence[Text]],
        person: NDArray[np.bool_] | None = None,
    ) -> Values:
        """Return the values of one text measure for other texts than those of the cells, without findings.

        `person` marks texts whose author's own reference was left out.
        """
        cells = cells_of_texts(texts, references, person)
        other = TextEvaluation(cells, [measure], self.threads, resources=self.resources)
        return other.values(measure)

    def profile(self, measure: Measure) -> Profile:
        """Return the tokenisation profile of a measure."""
        key = profile_key(measure)
        return self.resource(("profile", key), lambda: _profile(dict(key)))

    def candidates(self, splitter: str = "given") -> list[Text]:
        """Return the text of each cell, split into sentences by this splitter."""
        return self.shared(
            ("candidates", splitter), lambda: list(split_all(self.cells.candidates, splitter))
        )

    def references(self, splitter: str = "given") -> list[list[Text]]:
        """Return the references of the text in each cell, split into sentences by this splitter."""
        return self.shared(
            ("references", splitter),
            lambda: [list(split_all(group, splitter)) for group in self.cells.references],
        )

    def unsplit(self, splitter: str, *, references: bool = True) -> list[CellFinding]:
        """Report cells whose text has several sentences on one line, for measures that depend on sentences."""
        if splitter != "given":
            return []

        def look() -> list[CellFinding]:
            groups = self.cells.references if references else ()
            return [unsplit(self.cells.candidates, groups)]

        return self.shared(("unsplit", references), look)

    def without(self, need: str, what: str) -> list[CellFinding]:
        """Report texts that lack what a measure needs."""
        lacking = np.flatnonzero(~self.cells.has(need))
        message = f"{{count}} texts have no {what}; measures that need it have no value there."
        return [CellFinding(f"no {what}", message, (lacking,))]


def _profile(options: dict[str, Any]) -> Profile:
    return profile(options.pop("profile", "google"), **options)
