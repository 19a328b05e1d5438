"""Runs joined with judgements, on any engine: pieces of a run are judged apart, and their results joined and reported for the whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.judged import Judged, Policies, refuse_foreign_ids
from tare._data.qrels import Qrels
from tare._data.rows import SHOWN, describe_duplicate, describe_text, raise_sorted, text_findings
from tare._data.runs import Run, system_of
from tare._files.opening import name_of
from tare._kernels import JudgedRankings, QrelsIndex, Rows, TextReading
from tare._measures.evaluate_rankings import Judgements, join, read_judgements, with_unique_names
from tare._measures.measure import Measure
from tare.engines._engine import Engine, format_size
from tare.engines._pieces import (
    ROW_BYTES,
    TEXT_BYTES,
    RunFile,
    TablePiece,
    TextPiece,
    ValueColumn,
    run_files,
    unchanged,
)
from tare.errors import EngineError, FormatError

__all__ = [
    "LINES",
    "VALUES",
    "Example",
    "JudgedPart",
    "JudgedWhole",
    "Judging",
    "PieceFindings",
    "PieceReading",
    "Pieces",
    "WholeRun",
    "combined",
    "joined",
    "judge_piece",
    "judge_rows",
    "judge_whole",
    "judged_apart",
    "judged_run",
    "layout_of",
    "overlapping",
    "rankings",
]


# Parts of a run that are judged separately: the tasks of engines, and the join of results.


LINES = 40  # bits of a line number; the number of the piece is in the bits above
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Judging:
    """Shared data of judging tasks: the judgements, and how runs are read."""

    index: QrelsIndex
    policies: Policies
    threads: int = 1


@dataclass(frozen=True)
class JudgedPart:
    """Some queries of a run, judged apart: their indices in the qrels, and their rankings."""

    queries: NDArray[np.int64]
    rankings: JudgedRankings = field(repr=False)
    unknown: tuple[str, ...] = ()
    rows: int = 0
    reading: TextReading | None = None
    duplicates: int = 0
    examples: tuple[tuple[str, str, int, int], ...] = ()  # query, document, line, earlier line
    findings: tuple[Finding, ...] = ()
    interleaved: bool = False


@dataclass(frozen=True)
class PieceReading:
    """What was found in a piece of a run file while its rows were read."""

    rows: int
    reading: TextReading | None
    findings: tuple[Finding, ...] = ()


def judge_piece(judging: Judging, piece: TextPiece | TablePiece) -> JudgedPart:
    """Judge the queries of a piece as if it were the whole run."""
    if isinstance(piece, TablePiece):
        rows, findings = piece.rows()
        return replace(_judge(judging, rows, piece.number), findings=tuple(findings))
    if judging.policies.order == "rank":
        rows, reading = kernels.read_trec(piece.blocks(), "ranks", judging.threads)
        return replace(_judge(judging, rows, piece.number), reading=reading)
    text = kernels.judge_text(
        judging.index,
        piece.blocks(),
        threads=judging.threads,
        **judging.policies.arguments(),
    )
    if text.rankings is None:
        return JudgedPart(np.zeros(0, dtype=np.int64), JudgedRankings.empty(), interleaved=True)
    queries, rankings = _present(text.rankings)
    return JudgedPart(queries, rankings, tuple(text.unknown), text.rows, text.reading)


def _judge(judging: Judging, rows: Rows, number: int) -> JudgedPart:
    return judge_rows(judging.index, rows, judging.policies, judging.threads, number)


def judge_rows(
    index: QrelsIndex,
    rows: Rows,
    policies: Policies,
    threads: int,
    number: int = 0,
) -> JudgedPart:
    """Join rows with judgements; `number` is that of their piece."""
    judged = kernels.judge(index, rows, threads=threads, **policies.arguments())
    queries, present = _present(judged)
    found = rows.queries
    unknown: tuple[str, ...] = ()
    if len(found) > len(queries):
        items = index.queries
        known = {items[q] for q in queries.tolist()}
        unknown = tuple(sorted(query for query in found if query not in known))
    count, examples = rows.duplicates(threads, SHOWN, False)
    above = number << LINES
    located = tuple((q, d, line + above, earlier + above) for q, d, line, earlier in examples)
    return JudgedPart(queries, present, unknown, len(rows), None, count, located)


def _present(judged: JudgedRankings) -> tuple[NDArray[np.int64], JudgedRankings]:
    """Return the queries that are present in a piece, and their rankings; other queries have no documents."""
    queries = np.flatnonzero(judged.present)
    counts = np.diff(judged.offsets)[queries]
    kept = replace(
        judged,
        offsets=_starts(counts),
        retrieved=judged.retrieved[queries],
        tied=judged.tied[queries],
        present=judged.present[queries],
    )
    return queries, kept


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def overlapping(parts: Sequence[JudgedPart]) -> bool:
    """Return whether a query is in two parts, so that neither has all of its rows."""
    queries = np.concatenate([part.queries for part in parts])
    unknown = [query for part in parts for query in part.unknown]
    return len(np.unique(queries)) < len(queries) or len(set(unknown)) < len(unknown)


def joined(parts: Sequence[JudgedPart], n: int) -> JudgedPart:
    """Return one judged part with the queries of several, none of which is in two of them; `n` are judged."""
    queries, rankings = _present(combined(parts, n))
    examples = sorted((x for part in parts for x in part.examples), key=lambda x: x[2])
    return JudgedPart(
        queries,
        rankings,
        tuple(sorted(query for part in parts for query in part.unknown)),
        sum(part.rows for part in parts),
        None,
        sum(part.duplicates for part in parts),
        tuple(examples[:SHOWN]),
        parts[0].findings,
    )


def combined(parts: Sequence[JudgedPart], n: int) -> JudgedRankings:
    """Return the rankings of all `n` queries, as the core returns them for a run in one piece."""
    queries = np.concatenate([part.queries for part in parts])
    held = [part.rankings for part in parts]
    counts = np.concatenate([np.diff(rankings.offsets) for rankings in held])
    order = np.argsort(queries, kind="stable")
    of_query = np.zeros(n, dtype=np.int64)
    of_query[queries] = counts
    # The index of each document of the result among those of the parts.
    sizes, total = counts[order], int(counts.sum())
    begins = np.repeat(_starts(counts)[:-1][order] - (np.cumsum(sizes) - sizes), sizes)
    places = begins + np.arange(total, dtype=np.int64)

    def by_document(columns: list[NDArray[Scalar]]) -> NDArray[Scalar]:
        column = np.concatenate(columns)
        return column[places] if len(column) else column

    def by_query(columns: list[NDArray[Scalar]]) -> NDArray[Scalar]:
        column = np.concatenate(columns)
        spread = np.zeros_like(column, shape=n)
        spread[queries] = column
        return spread

    return JudgedRankings(
        offsets=_starts(of_query),
        ranks=by_document([rankings.ranks for rankings in held]),
        codes=by_document([rankings.codes for rankings in held]),
        lows=by_document([rankings.lows for rankings in held]),
        highs=by_document([rankings.highs for rankings in held]),
        retrieved=by_query([rankings.retrieved for rankings in held]),
        tied=by_query([rankings.tied for rankings in held]),
        present=by_query([rankings.present for rankings in held]),
    )


# Runs that are read as a whole: the rows of a query may be anywhere in them.


@dataclass(frozen=True)
class WholeRun:
    """All files of a run, why they are read together, and the memory that they may take."""

    name: str
    why: str
    pieces: tuple[TextPiece | TablePiece, ...]
    memory: int

    def check(self, needed: float) -> None:
        """Raise an error if the rows need more memory than they may take."""
        if needed > self.memory:
            raise EngineError(
                f"{self.name}: {self.why}, and its rows do not fit into {format_size(self.memory)} "
                "of memory. Give a file whose rows are grouped by query, which is scored in parts: "
                "sort a text by its first column (sort -s -k1,1), a table by its queries. Or allow "
                "more memory (--memory, memory=)."
            )

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class JudgedWhole:
    """The judged rows of a run, and what was found in each of its files."""

    part: JudgedPart
    readings: tuple[PieceReading, ...]


def judge_whole(judging: Judging, run: WholeRun) -> JudgedWhole:
    """Read all rows of a run and judge them; a task of engines."""
    run.check(sum(ROW_BYTES * p.count for p in run.pieces if isinstance(p, TablePiece)))
    readings, chunks = [], []
    for piece in run.pieces:
        rows, reading = _read(judging, run, piece)
        readings.append(reading)
        if len(run.pieces) > 1:
            chunks.append(kernels.pack_rows(rows, piece.number << LINES))
    if chunks:
        rows = kernels.join_chunks(chunks)
    part = judge_rows(judging.index, rows, judging.policies, judging.threads)
    return JudgedWhole(part, tuple(readings))


def _read(
    judging: Judging, run: WholeRun, piece: TextPiece | TablePiece
) -> tuple[Rows, PieceReading]:
    if isinstance(piece, TablePiece):
        rows, findings = piece.rows()
        return rows, PieceReading(len(rows), None, tuple(findings))
    layout: Literal["run", "ranks"] = "ranks" if judging.policies.order == "rank" else "run"
    rows, reading = kernels.read_trec(_checked(piece.blocks(), run), layout, judging.threads)
    return rows, PieceReading(len(rows), reading)


def _checked(blocks: Iterable[NDArray[np.uint8]], run: WholeRun) -> Iterator[NDArray[np.uint8]]:
    """Yield the blocks of a text of rankings as long as their rows fit into memory."""
    size = 0
    for block in blocks:
        size += len(block)
        run.check(TEXT_BYTES * size)
        yield block


# Problems, findings and duplicates of the pieces of a file, reported for the whole file.


Pieces = Sequence[TextPiece | TablePiece]
Example = tuple[str, str, int, int]  # query, document, line and earlier line of a duplicate


@dataclass(frozen=True)
class PieceFindings:
    """Findings in the pieces of one file, in their order."""

    name: str
    layout: str
    pieces: Pieces
    parts: Sequence[PieceReading]

    @property
    def reading(self) -> TextReading | None:
        """The joined reading of all pieces of a text."""
        readings = [part.reading for part in self.parts if part.reading is not None]
        return TextReading.joined(readings) if readings else None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(part.rows for part in self.parts)

    def findings(self) -> list[Finding]:
        """Return the findings of all pieces of a file; those of a table in several files refer to the whole table."""
        reading = self.reading
        if reading is not None:
            return text_findings(reading, self.name, self.layout)
        first = name_of(self.pieces[0].path) if self.pieces else self.name
        found = self.parts[0].findings if self.parts else ()
        return [replace(f, message=f.message.replace(first, self.name, 1)) for f in found]

    def place(self, number: int) -> tuple[str, int]:
        """Return the file and line, or row, of a number that encodes a piece and a line in it."""
        piece, line = self.pieces[number >> LINES], number & ((1 << LINES) - 1)
        if isinstance(piece, TablePiece):
            return name_of(piece.path), line
        lines = [part.reading.lines if part.reading else 0 for part in self.parts]
        return self.name, line + [0, *accumulate(lines)][number >> LINES]

    def refuse(self, duplicates: int, examples: Sequence[Example]) -> None:
        """Raise one error for all problems in the pieces of a file: bad lines, duplicate documents, no rows."""
        reading = self.reading
        count = duplicates
        messages: list[tuple[int, str]] = []
        for query, document, number, earlier in sorted(examples, key=lambda x: x[2])[:SHOWN]:
            (name, line), (other, first) = self.place(number), self.place(earlier)
            known: int | str = first if other == name else f"{first} of {other}"
            unit = "line" if reading is not None else "row"
            text = describe_duplicate(name, unit, line, query, document, known, self.layout)
            messages.append((number if reading is None else line, text))
        if reading is not None:
            problems, described = describe_text(self.name, reading, self.layout)
            count += problems
            messages += described
        raise_sorted(count, messages)
        if self.rows == 0:
            why = "table is empty" if reading is None else "file is empty or contains only comments"
            raise FormatError(f"{self.name}: no ranked documents found; the {why}.")


# Runs joined with judgements, on any engine: pieces are judged apart and combined.


Layout = Literal["run", "ranks"]
VALUES: dict[Layout, ValueColumn] = {"run": "score", "ranks": "rank"}


def rankings(
    engine: Engine,
    source: Any,
    measures: tuple[Measure, ...],
    runs: Any,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Join every run with the judgements, in pieces on the engine."""
    judgements = read_judgements(source, measures)
    found = []
    for run in run_files(runs, policies.order):
        if progress is not None:
            progress(run.system if isinstance(run, Run) else run.name)
        found.append(_judged(engine, judgements, run, policies))
    return with_unique_names(found)


def _judged(engine: Engine, judgements: Judgements, run: Any, policies: Policies) -> Judged:
    if not isinstance(run, RunFile):
        judged = join(judgements, run, policies)
        if isinstance(judgements, Qrels):
            refuse_foreign_ids(judged, run)
        return judged
    if isinstance(judgements, Qrels):
        judged = _by_grades(engine, judgements, run, policies)
        if run.streamed and not len(judged.rankings.ranks):
            head = run.first_rows(VALUES[layout_of(policies)]) if run.files else run.path
            refuse_foreign_ids(judged, head)
        return judged
    documents: Qrels = judgements.documents  # type: ignore[attr-defined]
    return _by_grades(engine, documents, run, policies).replace(judgements=judgements)


def _by_grades(engine: Engine, qrels: Qrels, run: RunFile, policies: Policies) -> Judged:
    with unchanged(run):
        return _in_pieces(engine, qrels, run, policies)


def _in_pieces(engine: Engine, qrels: Qrels, run: RunFile, policies: Policies) -> Judged:
    pieces = run.pieces(engine, policies.order)
    judging = Judging(qrels.index, policies, engine.threads_for(len(pieces)))
    layout = layout_of(policies)
    why = _read_as_a_whole(run, pieces, policies)
    found = None if why else judged_apart(engine, judging, pieces, run.name)
    if found is not None:
        each = [PieceReading(part.rows, part.reading, part.findings) for part in found]
        met = PieceFindings(run.name, layout, pieces, each)
        return judged_run(run, qrels, policies, met, found)
    whole = WholeRun(
        run.name,
        why or "the rows of a query are not together",
        tuple(run.cut(1, VALUES[layout])),
        engine.memory // engine.machines,
    )
    judging = replace(judging, threads=engine.threads_for(1))
    if run.streamed:
        (judged,) = engine.map_partitions(judge_whole, judging, [whole], what=run.name)
    else:  # no worker can read a pipe of this process
        judged = judge_whole(judging, whole)
    met = PieceFindings(run.name, layout, whole.pieces, judged.readings)
    return judged_run(run, qrels, policies, met, [judged.part])


def _read_as_a_whole(run: RunFile, pieces: Pieces, policies: Policies) -> str:
    """Return why a run is not scored in pieces; empty if it is."""
    if not run.streamed:
        return "a pipe is read as a whole"
    first = pieces[0]
    if policies.order == "rank" and isinstance(first, TextPiece) and first.stop is None:
        return "a compressed text that is ordered by rank is read as a whole"
    return ""


def judged_apart(
    engine: Engine, judging: Judging, pieces: Pieces, name: str
) -> list[JudgedPart] | None:
    """Judge each piece separately; return None if a query is in two pieces."""

    def judged(numbers: Sequence[int]) -> list[JudgedPart] | None:
        found = engine.map_partitions(judge_piece, judging, [pieces[k] for k in numbers], what=name)
        mixed = any(part.interleaved for part in found) or overlapping(found)
        return None if mixed else found

    # One piece per worker, at least two, reveals nearly every run that is not grouped by query before all of
    # it is read.
    count = max(2, engine.workers)
    if len(pieces) < 2 * count:
        return judged(range(len(pieces)))
    first = [len(pieces) * k // count for k in range(count)]
    probe = judged(first)
    others = sorted(set(range(len(pieces))) - set(first))
    rest = None if probe is None else judged(others)
    if probe is None or rest is None or overlapping([*probe, *rest]):
        return None
    parts = dict(zip((*first, *others), (*probe, *rest), strict=True))
    return [parts[k] for k in range(len(pieces))]


def layout_of(policies: Policies) -> Layout:
    """Return the layout of the lines of a run."""
    return "ranks" if policies.order == "rank" else "run"


def judged_run(
    run: RunFile, qrels: Qrels, policies: Policies, met: PieceFindings, parts: list[JudgedPart]
) -> Judged:
    """Combine the judged parts of a run into its rankings; problems raise an error."""
    met.refuse(sum(part.duplicates for part in parts), [x for part in parts for x in part.examples])
    reading = met.reading
    return Judged(
        run.system
        if run.system is not None
        else system_of(run.path, reading, policies.system_names),
        qrels,
        policies,
        combined(parts, len(qrels.items)),
        tuple(sorted(query for part in parts for query in part.unknown)),
        tuple(met.findings()),
        sum(part.rows for part in parts),
        name_of(run.path),
    )
