"""The work of scoring texts: which measures are computed part by part on an engine, and which at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from typing import Any

from tare._data.array_files import ready_folder
from tare._data.summaries import Summaries
from tare._data.summary_pieces import SummaryFile
from tare._measures.engine import TextEngine
from tare._measures.measure import Measure
from tare._measures.text.cells import Cells
from tare._measures.text.columns import TextColumn, joined_columns, text_columns
from tare._measures.text.evaluation import TextEvaluation
from tare._measures.text.given_texts import FileTexts, GivenTexts, HeldTexts, TextPart, given_texts
from tare._measures.text.kept_columns import check_fit, kept_columns, name_of_part
from tare._measures.text.learned import features_of, formula_of
from tare.errors import OptionError

__all__ = ["TextWork", "runs_in_parts", "score_part"]

Progress = Callable[[str, int, int], None]


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

    def given(self, texts: Summaries | SummaryFile, engine: TextEngine | None) -> GivenTexts:
        """Return the texts; in memory if a measure needs all of them at once."""
        if engine is not None:
            _refuse_without_use(self.innermost)
            if engine.resume is not None:
                ready_folder(engine.resume)
        if isinstance(texts, SummaryFile) and not all(map(runs_in_parts, self.measures)):
            texts = texts.read()
        return given_texts(texts, engine)

    def columns(
        self,
        given: GivenTexts,
        engine: TextEngine | None,
        progress: Progress | None,
        resources: dict[Hashable, Any] | None = None,
    ) -> list[TextColumn]:
        """Return one column per measure, computed in parts if there is an engine."""
        if engine is None:
            assert isinstance(given, HeldTexts)
            cells = Cells.of_part(given.texts, given.grid.whole())
            evaluation = self.evaluation(cells, progress, resources=resources)
            return text_columns(evaluation, self.measures)
        apart = tuple(measure for measure in self.measures if runs_in_parts(measure))
        rest = tuple(measure for measure in self.measures if not runs_in_parts(measure))
        found: dict[Measure, TextColumn] = {}
        if apart:
            made = replace(self, measures=apart).in_parts(given, engine)
            found |= zip(apart, made, strict=True)
        if rest:
            assert isinstance(given, HeldTexts)
            work = replace(self, measures=rest)
            cells = Cells.of_part(given.texts, given.grid.whole())
            evaluation = work.evaluation(cells, progress, engine, resources)
            found |= zip(rest, text_columns(evaluation, rest), strict=True)
        return [found[measure] for measure in self.measures]

    def in_parts(self, given: GivenTexts, engine: TextEngine) -> list[TextColumn]:
        """Return the columns of measures that are computed part by part."""
        parts = given.parts()
        work = replace(self, threads=engine.threads_for(len(parts)))
        file = given.file if isinstance(given, FileTexts) else None
        with nullcontext() if file is None else file.unchanged():
            if engine.resume is None:
                made = engine.map_partitions(score_part, work, parts, what=given.name)
            else:
                kept = KeptWork(work, os.fspath(engine.resume))
                made = engine.map_partitions(score_kept_part, kept, parts, what=given.name)
                check_fit(made, self.measures, kept.folder)
        return joined_columns(made, [part.cells.places for part in parts], len(given.grid.rows))


def score_part(work: TextWork, part: TextPart) -> list[TextColumn]:
    """Return the columns of one part; a task of engines."""
    cells = Cells.of_part(part.summaries(), part.cells)
    return text_columns(work.evaluation(cells), work.measures)


@dataclass(frozen=True)
class KeptWork:
    """Work whose finished parts are kept in a folder."""

    work: TextWork
    folder: str


def score_kept_part(kept: KeptWork, part: TextPart) -> list[TextColumn]:
    """Return the columns of one part, from the folder if they are there; a task of engines."""
    work, texts = kept.work, part.summaries()
    facts: list[object] = [work.measures, work.seed, work.samples]
    facts += [formula_of(measure.innermost) for measure in work.measures]
    facts += [getattr(texts, f.name) for f in fields(texts) if f.name not in ("name", "findings")]
    facts += [
        sorted(value) if isinstance(value, frozenset) else value
        for value in (getattr(part.cells, f.name) for f in fields(part.cells))
    ]

    shape = (len(work.measures), len(part.cells.places))

    def score() -> list[TextColumn]:
        cells = Cells.of_part(texts, part.cells)
        return text_columns(work.evaluation(cells), work.measures)

    return kept_columns(kept.folder, name_of_part(facts), shape, score)


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
