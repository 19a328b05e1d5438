"""Texts scored part by part on an engine, or at once; finished systems are kept, so that a stopped job continues."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.summaries import STORED_COLUMNS, Summaries, summaries_at
from tare._files.addresses import as_path, is_address
from tare._files.cloud import addresses_like
from tare._files.finished_parts import DAMAGES, Arrays, read_arrays, ready_folder, write_arrays
from tare._kernels.threads_and_blocks import seams
from tare._measures.evaluation import Column
from tare._measures.measure import Measure
from tare._measures.one_system import TextEngine
from tare._measures.text.cells import CellPart, Cells, TextEvaluation, grid_of
from tare._measures.text.findings_by_cell import CellFinding, joined_findings
from tare._measures.text.learned import features_of, formula_of
from tare._signature import tare_version
from tare.errors import OptionError

__all__ = [
    "GivenTexts",
    "TextPart",
    "TextWork",
    "finished_systems_in",
    "joined_columns",
    "kept_system",
    "packed_columns",
    "runs_in_parts",
    "score_part",
    "unpacked_columns",
]


# Columns of text measures of all cells, joined from those of parts.


Values = NDArray[np.float64]
Places = NDArray[np.int64]


def joined_columns(
    parts: Sequence[Sequence[Column]], places: Sequence[Places], cells: int
) -> list[Column]:
    """Return the columns of all cells of texts from those of parts; `places` has the cells of each part."""
    return [_joined(column, places, cells) for column in zip(*parts, strict=True)]


def _joined(parts: Sequence[Column], places: Sequence[Places], cells: int) -> Column:
    def spread(columns: Sequence[Values]) -> Values:
        made = np.empty((cells, *columns[0].shape[1:]))
        for column, where in zip(columns, places, strict=True):
            made[where] = column
        return made

    noted = [
        [one.at(where) if isinstance(one, CellFinding) else one for one in part.noted]
        for part, where in zip(parts, places, strict=True)
    ]
    zero = [np.zeros(len(where)) for where in places]
    errors = [p.errors if p.errors is not None else z for p, z in zip(parts, zero, strict=True)]
    return Column(
        spread([part.values for part in parts]),
        spread(errors),
        {name: spread([part.parts[name] for part in parts]) for name in parts[0].parts},
        _joined_facts([part.facts for part in parts]),
        tuple(joined_findings(noted)),
    )


def _joined_facts(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the facts of all parts of the texts: values are sampled if those of a part are; nrefs may vary."""
    sampled = (facts for facts in parts if facts.get("expected") == "sampled")
    chosen = dict(next(sampled, parts[0]))
    if "nrefs" in chosen:
        counts = {facts["nrefs"] for facts in parts}
        counts = counts - {"0"} or counts
        chosen["nrefs"] = counts.pop() if len(counts) == 1 else "var"
    return chosen


# Texts to score, and some of them at a time.


@dataclass(frozen=True)
class TextPart:
    """A part of the texts to score: some cells and the rows that they are made from."""

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
        """Return whether any of the texts to score has what a measure needs."""
        columns = {"references": "references", "source": "sources", "base": "base", "scus": "scus"}
        return need == "texts" or any(getattr(self.texts, columns[need]))

    def part(self, places: Places, number: int = 0) -> TextPart:
        """Return some cells of the grid."""
        cells, rows = self.grid.part(places)
        return TextPart(number, cells, summaries_at(self.texts, rows.tolist()))

    def parts(self, places: Places, most: int) -> list[TextPart]:
        """Return some cells of the grid of texts in parts of at most so many."""
        starts = range(0, len(places), most)
        return [self.part(places[start : start + most], k) for k, start in enumerate(starts)]


# Finished systems of a text evaluation, kept in a folder, so that a job that was stopped
# continues.
#
# The name of a file is a digest of all that its values depend on: texts, measures, options and the version of tare.
# So a file of another job is never used, and a folder can hold the systems of several jobs.


Folder = str | os.PathLike[str]


def finished_systems_in(folder: Folder) -> int:
    """Return the number of files of finished systems of a text evaluation in a folder."""
    if is_address(folder):
        return len(addresses_like(f"{os.fspath(folder).rstrip('/')}/texts-*.npz"))
    return sum(1 for _ in Path(folder).glob("texts-*.npz"))


def kept_system(
    folder: Folder, depends_on: Iterable[object], score: Callable[[], tuple[Any, Arrays]]
) -> tuple[Any, Arrays]:
    """Return facts and arrays of a finished system's texts from its file, or score it and write the file."""
    path = as_path(folder) / _name(depends_on)
    found = _read(path)
    if found is not None:
        return found
    facts, arrays = score()
    write_arrays(path, facts, arrays)
    return facts, arrays


def _name(depends_on: Iterable[object]) -> str:
    whole = hashlib.sha256(tare_version().encode())
    for fact in depends_on:
        if isinstance(fact, np.ndarray):
            whole.update(f"\n{fact.dtype} {fact.shape} ".encode())
            whole.update(np.ascontiguousarray(fact).tobytes())
        else:
            whole.update(f"\n{fact!r}".encode("utf-8", "backslashreplace"))
    return f"texts-{whole.hexdigest()[:40]}.npz"


def _read(path: Path) -> tuple[Any, Arrays] | None:
    """Return the content of the file of a finished system; None if there is none, or if it is damaged."""
    there = bool(addresses_like(str(path))) if is_address(path) else path.is_file()
    try:
        return read_arrays(path) if there else None
    except DAMAGES:
        return None


def packed_columns(columns: Sequence[Column]) -> tuple[Any, Arrays]:
    """Return columns as facts and arrays."""
    arrays: dict[str, NDArray[Any]] = {}
    described = []
    for k, column in enumerate(columns):
        arrays |= {f"{k}.values": column.values}
        if column.errors is not None:
            arrays[f"{k}.errors"] = column.errors
        arrays |= {f"{k}.parts.{name}": part for name, part in column.parts.items()}
        noted = []
        for n, one in enumerate(column.noted):
            if isinstance(one, CellFinding):
                arrays |= {f"{k}.cases.{n}.{c}": cells for c, cells in enumerate(one.cases)}
                noted.append(asdict(replace(one, cases=())) | {"cases": len(one.cases)})
            else:
                noted.append(asdict(one))
        described.append({"facts": column.facts, "parts": list(column.parts), "noted": noted})
    return described, arrays


def unpacked_columns(described: Any, arrays: Arrays) -> list[Column]:
    """Return the columns of facts and arrays."""
    return [
        Column(
            arrays[f"{k}.values"],
            arrays.get(f"{k}.errors"),
            {name: arrays[f"{k}.parts.{name}"] for name in given["parts"]},
            given["facts"],
            tuple(_noted(one, f"{k}.cases.{n}", arrays) for n, one in enumerate(given["noted"])),
        )
        for k, given in enumerate(described)
    ]


def _noted(given: dict[str, Any], key: str, arrays: Arrays) -> Finding | CellFinding:
    if "cases" in given:
        cases = tuple(arrays[f"{key}.{c}"] for c in range(given["cases"]))
        return CellFinding(**given | {"cases": cases})
    return Finding(**given | {"examples": tuple(given["examples"])})


# The work of scoring texts: which measures are computed part by part on an engine, and which at
# once.


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
        """The plain text measures inside those to score, which share passes over the texts."""
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
        return TextEvaluation(
            cells,
            self.innermost,
            self.threads,
            seed=self.seed,
            samples=self.samples,
            progress=progress,
            engine=engine,
            resources=resources,
        )

    def columns(
        self,
        given: GivenTexts,
        engine: TextEngine | None,
        progress: Progress | None,
        resources: dict[Hashable, Any] | None = None,
    ) -> list[Column]:
        """Return one column per text measure, computed in parts if there is an engine."""
        if engine is not None:
            _refuse_without_use(self.innermost)
            if engine.resume is not None:
                ready_folder(engine.resume)
        apart = tuple(m for m in self.measures if engine is not None and runs_in_parts(m))
        rest = tuple(measure for measure in self.measures if measure not in apart)
        found: dict[Measure, Column] = {}
        if engine is not None and apart:
            found |= zip(apart, replace(self, measures=apart).in_parts(given, engine), strict=True)
        if rest:
            cells = Cells.of_part(given.texts, given.grid.whole())
            evaluation = replace(self, measures=rest).evaluation(cells, progress, engine, resources)
            found |= zip(rest, map(evaluation.column, rest), strict=True)
        return [found[measure] for measure in self.measures]

    def in_parts(self, given: GivenTexts, engine: TextEngine) -> list[Column]:
        """Return the columns of text measures that an engine computes part by part."""
        places = np.arange(len(given.grid.rows), dtype=np.int64)
        if engine.resume is None:
            return self._at(given, places, engine, seams().part_texts)
        by_system = np.split(places, len(given.grid.systems))
        made = [self._kept(given, of_system, engine) for of_system in by_system]
        return joined_columns(made, by_system, len(places))

    def _kept(self, given: GivenTexts, places: Places, engine: TextEngine) -> list[Column]:
        """Return the columns of a system's texts, from the engine's folder of finished systems if they are there."""
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

    def _at(self, given: GivenTexts, places: Places, engine: TextEngine, most: int) -> list[Column]:
        """Return the columns of some cells of texts, scored by the engine in parts of at most so many."""
        parts = given.parts(places, most)
        work = replace(self, threads=engine.threads_for(len(parts)))
        made = engine.map_partitions(score_part, work, parts, what=given.texts.name)
        first = places[0]
        return joined_columns(made, [part.cells.places - first for part in parts], len(places))


def score_part(work: TextWork, part: TextPart) -> list[Column]:
    """Return the columns of one part of the texts; a task of engines."""
    cells = Cells.of_part(part.texts, part.cells)
    evaluation = work.evaluation(cells)
    return [evaluation.column(measure) for measure in work.measures]


def runs_in_parts(measure: Measure) -> bool:
    """Return whether a text measure runs in parts: the value of a text does not depend on texts of other items or systems.

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
    """Refuse an engine that none of the text measures would use."""
    if any(m.name == "BERTScore" or _is_local(m) for m in measures):
        return
    names = ", ".join(dict.fromkeys(m.name for m in measures))
    raise OptionError(
        f"{names}: not computed on an engine, because all texts are needed at once. Leave the engine out."
    )
