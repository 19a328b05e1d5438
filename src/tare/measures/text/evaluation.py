"""Evaluation of texts: every measure that was asked for, over all systems' texts at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare.data.findings import Finding, listed
from tare.data.pyramid import PeerAnnotation
from tare.data.scus import Scus
from tare.data.summaries import Summaries
from tare.errors import MeasureError
from tare.kernels import Text
from tare.measures.measure import Measure
from tare.measures.placement import Actors
from tare.measures.text.parameters import profile_key
from tare.measures.text.profiles import Profile, profile
from tare.measures.text.sentences import split_all, unsplit

__all__ = ["Cells", "TextEvaluation"]

Values = NDArray[np.float64]
Made = TypeVar("Made")


@dataclass(frozen=True)
class Cells:
    """Every system's text on every item, system by system; one that is missing is empty."""

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
        """The cells of summaries; what belongs to the item is known to a system that lacks it.

        A person who wrote a reference too is not held against it, only against those of others.
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
        """How a cell is called in findings."""
        system, item = divmod(place, len(self.items))
        return f"{self.systems[system]} {self.items[item]}" if system or len(self.systems) > 1 else self.items[item]  # fmt: skip

    @property
    def labels(self) -> list[str]:
        """The names of all cells."""
        return [self.label(place) for place in range(len(self.candidates))]

    def has(self, need: str) -> NDArray[np.bool_]:
        """Which cells have what a measure needs."""
        columns: dict[str, list[Any]] = {
            "references": self.references,
            "source": self.sources,
            "base": self.base,
            "scus": self.scus,
        }
        if need == "texts":
            return np.ones(len(self.candidates), dtype=bool)
        return np.array([bool(cell) for cell in columns[need]], dtype=bool)


class TextEvaluation:
    """Values by measure; what several measures share is made once."""

    def __init__(
        self,
        cells: Cells,
        measures: Iterable[Measure],
        threads: int = 0,
        *,
        seed: int = 0,
        samples: int | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        engine: Actors | None = None,
    ) -> None:
        self.cells = cells
        self.measures = tuple(measures)
        self.threads = threads
        self.seed = seed
        self.samples = samples
        self.progress = progress
        self.engine = engine
        self.resources: dict[Hashable, Any] = {}  # what does not depend on the cells
        self._errors: dict[Measure, Values] = {}
        self.findings: dict[Finding, None] = {}
        self._values: dict[Measure, Values] = {}
        self._facts: dict[Measure, dict[str, object]] = {}
        self._shared: dict[Hashable, Any] = {}

    def values(self, measure: Measure) -> Values:
        """One value a cell."""
        if measure not in self._values:
            definition = measure.definition
            if definition.across is not None:
                raise MeasureError(
                    f"{measure} compares systems and can only stand outermost, not inside another."
                )
            if definition.derive is None or not (definition.family == "text" or definition.wraps):
                raise MeasureError(f"{measure} is not a measure of texts.")
            self._values[measure] = definition.derive(self, measure)
        return self._values[measure]

    def errors(self, measure: Measure) -> Values:
        """Standard errors of sampled values; 0 where a value is exact."""
        return self._errors.get(measure, np.zeros(len(self.cells.candidates)))

    def set_errors(self, measure: Measure, errors: Values) -> None:
        """What a measure net of chance knows of its own error."""
        self._errors[measure] = errors

    def rescored(
        self,
        measure: Measure,
        texts: Sequence[Text],
        references: Sequence[Sequence[Text]],
        person: NDArray[np.bool_] | None = None,
    ) -> Values:
        """The values of one measure for other texts; nothing is told to the reader.

        `person` marks texts whose own reference was taken out.
        """
        other = TextEvaluation(_of_texts(texts, references, person), [measure], self.threads)
        other.resources = self.resources
        return other.values(measure)

    def facts(self, measure: Measure) -> dict[str, object]:
        """What the signature of a measure says, once it has values."""
        return self._facts.get(measure, {})

    def tell(
        self, measure: Measure, facts: dict[str, Any], findings: Iterable[Finding] = ()
    ) -> None:
        """What a measure knows of itself, for its signature and for the reader."""
        self._facts[measure] = facts
        self.findings |= dict.fromkeys(findings)

    def shared(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What measures with the same key share, made by the first that asks."""
        if key not in self._shared:
            self._shared[key] = make()
        made: Made = self._shared[key]
        return made

    def resource(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The same for what does not depend on the texts and outlives their evaluation."""
        if key not in self.resources:
            self.resources[key] = make()
        made: Made = self.resources[key]
        return made

    def profile(self, measure: Measure) -> Profile:
        """The profile of a measure."""
        key = profile_key(measure)
        return self.resource(("profile", key), lambda: _profile(dict(key)))

    def candidates(self, splitter: str = "given") -> list[Text]:
        """The texts, their sentences split as asked."""
        return self.shared(
            ("candidates", splitter), lambda: list(split_all(self.cells.candidates, splitter))
        )

    def references(self, splitter: str = "given") -> list[list[Text]]:
        """The references of each text, their sentences split as asked."""
        return self.shared(
            ("references", splitter),
            lambda: [list(split_all(group, splitter)) for group in self.cells.references],
        )

    def unsplit(self, splitter: str, *, references: bool = True) -> list[Finding]:
        """A finding on texts whose sentences a measure would tell apart, and nobody did."""
        if splitter != "given":
            return []

        def look() -> list[Finding]:
            cells, names = self.cells, self.cells.labels
            texts, labels = list(cells.candidates), list(names)
            for group, name in zip(cells.references if references else (), names, strict=False):
                texts += group
                labels += [name] * len(group)
            return unsplit(texts, labels)

        return self.shared(("unsplit", references), look)

    def without(self, need: str, what: str) -> list[Finding]:
        """A finding on the cells that lack what a measure needs."""
        lacking = np.flatnonzero(~self.cells.has(need))
        if not len(lacking):
            return []
        message = f"{len(lacking):,} texts have no {what}; what needs it has no value there."
        names = listed([self.cells.label(int(place)) for place in lacking[:6]])
        return [Finding(f"no {what}", message, len(lacking), examples=names)]


def _of_texts(
    texts: Sequence[Text],
    references: Sequence[Sequence[Text]],
    person: NDArray[np.bool_] | None = None,
) -> Cells:
    count = len(texts)
    return Cells(
        ("",), tuple(map(str, range(count))), np.zeros(count, dtype=bool), list(texts),
        [tuple(group) for group in references], [None] * count, [()] * count, [None] * count,
        np.zeros(count, dtype=bool) if person is None else person,
    )  # fmt: skip


def _writers(texts: Summaries) -> dict[str, set[str]]:
    """{item: those who wrote a reference of it}."""
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


def _profile(options: dict[str, Any]) -> Profile:
    return profile(options.pop("profile", "google"), **options)


def _order(items: tuple[str, ...]) -> Callable[[str], Any]:
    """Numbers by size, other ids as texts: one order, whatever order the rows have."""
    if all(item.isdecimal() for item in items):
        return lambda item: (int(item), item)
    return lambda item: item


def _nothing(scus: Scus | None) -> Scus | None:
    """An item's units with none of them found, for a text that is missing."""
    if not isinstance(scus, PeerAnnotation):
        return scus
    return PeerAnnotation(scus.item, "", scus.pyramid, {}, 0)
