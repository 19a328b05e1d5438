"""The work of scoring texts: which measures are computed part by part on an engine, and which at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.summaries import STORED_COLUMNS
from tare._files.finished_parts import Arrays, ready_folder
from tare._kernels.threads_and_blocks import seams
from tare._measures.engine import TextEngine
from tare._measures.measure import Measure
from tare._measures.text.cells import Cells
from tare._measures.text.columns import TextColumn, joined_columns, text_columns
from tare._measures.text.evaluation import TextEvaluation
from tare._measures.text.given_texts import GivenTexts, TextPart
from tare._measures.text.kept_systems import kept_system, packed_columns, unpacked_columns
from tare._measures.text.learned import features_of, formula_of
from tare.errors import OptionError

__all__ = ["TextWork", "runs_in_parts", "score_part"]

Progress = Callable[[str, int, int], None]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class TextWork:
    """Measures of texts, and how they are computed."""

    measures: tuple[Measure, ...]
    seed: int = 0
    samples: int | None = None
    threads: int = 0

    @property
    def innermost(self) -> tuple[Measure, ...]:
        """The plain measures inside, which share passes over the texts."""
        learned = [one for measure in self.measures for one in features_of(measure.innermost)]
        every = dict.fromkeys(measure.innermost for measure in (*self.measures, *learned))
        return tuple(every)

    def evaluation(
        self,
        cells: Cells,
        progress: Progress | None = None,
        engine: TextEngine | None = None,
        resources: dict[Hashable, Any] | None = None,
    ) -> TextEvaluation:
        """Return the evaluation of some cells."""
        made = TextEvaluation(
            cells,
            self.innermost,
            self.threads,
            seed=self.seed,
            samples=self.samples,
            progress=progress,
            engine=engine,
        )
        if resources is not None:
            made.resources = resources
        return made

    def columns(
        self,
        given: GivenTexts,
        engine: TextEngine | None,
        progress: Progress | None,
        resources: dict[Hashable, Any] | None = None,
    ) -> list[TextColumn]:
        """Return one column per measure, computed in parts if there is an engine."""
        if engine is not None:
            _refuse_without_use(self.innermost)
            if engine.resume is not None:
                ready_folder(engine.resume)
        apart = tuple(m for m in self.measures if engine is not None and runs_in_parts(m))
        rest = tuple(measure for measure in self.measures if measure not in apart)
        found: dict[Measure, TextColumn] = {}
        if engine is not None and apart:
            found |= zip(apart, replace(self, measures=apart).in_parts(given, engine), strict=True)
        if rest:
            cells = Cells.of_part(given.texts, given.grid.whole())
            evaluation = replace(self, measures=rest).evaluation(cells, progress, engine, resources)
            found |= zip(rest, text_columns(evaluation, rest), strict=True)
        return [found[measure] for measure in self.measures]

    def in_parts(self, given: GivenTexts, engine: TextEngine) -> list[TextColumn]:
        """Return the columns of measures that are computed part by part."""
        places = np.arange(len(given.grid.rows), dtype=np.int64)
        if engine.resume is None:
            return self._at(given, places, engine, seams().part_texts)
        by_system = np.split(places, len(given.grid.systems))
        made = [self._kept(given, of_system, engine) for of_system in by_system]
        return joined_columns(made, by_system, len(places))

    def _kept(self, given: GivenTexts, places: Places, engine: TextEngine) -> list[TextColumn]:
        """Return the columns of a system, from the folder of the engine if they are there."""
        assert engine.resume is not None
        whole = given.part(places)
        depends_on: list[object] = [self.measures, self.seed, self.samples]
        depends_on += [formula_of(measure.innermost) for measure in self.measures]
        depends_on += [getattr(whole.texts, name) for name in STORED_COLUMNS]
        depends_on += [
            sorted(value) if isinstance(value, frozenset) else value
            for value in (getattr(whole.cells, f.name) for f in fields(whole.cells))
        ]
        most = min(seams().part_texts, ceil(len(places) / engine.workers))

        def score() -> tuple[Any, Arrays]:
            return packed_columns(self._at(given, places, engine, most))

        return unpacked_columns(*kept_system(engine.resume, depends_on, score))

    def _at(
        self, given: GivenTexts, places: Places, engine: TextEngine, most: int
    ) -> list[TextColumn]:
        """Return the columns of some cells, in parts of at most so many."""
        parts = given.parts(places, most)
        work = replace(self, threads=engine.threads_for(len(parts)))
        made = engine.map_partitions(score_part, work, parts, what=given.texts.name)
        first = places[0]
        return joined_columns(made, [part.cells.places - first for part in parts], len(places))


def score_part(work: TextWork, part: TextPart) -> list[TextColumn]:
    """Return the columns of one part; a task of engines."""
    cells = Cells.of_part(part.texts, part.cells)
    return text_columns(work.evaluation(cells), work.measures)


def runs_in_parts(measure: Measure) -> bool:
    """Return whether the value of a text does not depend on texts of other items or systems.

    Measures that load a model are computed at once as well; BERTScore on the engine's actors.
    """
    inside = measure.innermost
    every = (inside, *(feature.innermost for feature in features_of(inside)))
    return all(_is_local(one) for one in every)


def _is_local(measure: Measure) -> bool:
    if measure.name == "ROUGE-BE":
        return bool(measure["triples"] == "given")
    return not measure.definition.all_texts


def _refuse_without_use(measures: tuple[Measure, ...]) -> None:
    """Refuse an engine that none of the measures would use."""
    if any(m.name == "BERTScore" or _is_local(m) for m in measures):
        return
    names = ", ".join(dict.fromkeys(m.name for m in measures))
    raise OptionError(
        f"{names}: not computed on an engine, because all texts are needed at once. Leave the engine out."
    )
