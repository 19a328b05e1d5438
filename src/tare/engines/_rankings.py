"""Runs joined with judgements, on any engine: pieces are judged apart and combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

from tare._data.judged import Judged, Policies, refuse_foreign_ids
from tare._data.qrels import Qrels
from tare._data.runs import Run, system_of
from tare._files.opening import name_of
from tare._measures.evaluate_rankings import Judgements, join, read_judgements, with_unique_names
from tare._measures.measure import Measure
from tare.engines._engine import Engine
from tare.engines._parts import (
    JudgedPart,
    Judging,
    PieceReading,
    combined,
    judge_piece,
    overlapping,
)
from tare.engines._piece_findings import PieceFindings, Pieces
from tare.engines._pieces import TextPiece
from tare.engines._run_files import RunFile, ValueColumn, run_files, unchanged
from tare.engines._whole_runs import WholeRun, judge_whole

__all__ = ["VALUES", "judged_apart", "judged_run", "layout_of", "rankings"]

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
    """Combine the parts of a run; problems raise an error."""
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
