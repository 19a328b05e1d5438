"""Runs of any size joined with judgements, on any engine: pieces are judged apart and combined."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import ceil
from typing import Any

from tare.data.findings import Finding
from tare.data.judged import Judged, Policies
from tare.data.problems import SHOWN, duplicate_told, raise_told, tell
from tare.data.qrels import Qrels
from tare.data.rows import text_findings
from tare.data.run import Run, stem_of
from tare.engines.engine import Engine
from tare.engines.parts import (
    LINES,
    JudgedPart,
    Judging,
    SplitPart,
    combined,
    judge_bucket,
    judge_piece,
    overlapping,
    split_piece,
)
from tare.engines.pieces import TablePiece, TextPiece
from tare.engines.run_files import RunFile, run_files
from tare.errors import FormatError
from tare.kernels import TextReading
from tare.measures.evaluate import told_apart
from tare.measures.judgements import Judgements, join, read_judgements
from tare.measures.measure import Measure

__all__ = ["rankings"]

Pieces = Sequence[TextPiece] | Sequence[TablePiece]


def rankings(
    engine: Engine,
    source: Any,
    measures: tuple[Measure, ...],
    runs: Any,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Every run joined with the judgements, its pieces wherever the engine puts them."""
    judgements = read_judgements(source, measures)
    found = []
    for run in run_files(runs, policies.order):
        if progress is not None:
            progress(run.system if isinstance(run, Run) else os.fspath(run.path))
        if isinstance(run, RunFile):
            found.append(_judged(engine, judgements, run, policies))
        else:
            found.append(join(judgements, run, policies))
    return told_apart(found)


def _judged(engine: Engine, judgements: Judgements, run: RunFile, policies: Policies) -> Judged:
    qrels: Qrels = judgements if isinstance(judgements, Qrels) else judgements.documents  # type: ignore[attr-defined]
    pieces = run.pieces(engine, policies.order)
    share = max(1, engine.memory // (8 * engine.workers))
    buckets = engine.bucket_count or ceil(run.bytes_in_memory() / share)
    judging = Judging(
        qrels,
        policies,
        engine.threads_for(len(pieces)),
        min(max(1, buckets), engine.most_buckets),
        min(share, 32 << 20),
    )
    parts: list[JudgedPart] = []
    if run.streamed:
        parts = engine.map_partitions(judge_piece, judging, pieces, what=run.name)
    if not parts or any(part.interleaved for part in parts) or overlapping(parts):
        parts, met = _dealt(engine, judging, run, pieces)
    else:
        met = [SplitPart(part.rows, part.reading, part.findings) for part in parts]
    reading = _reading(met)
    _refuse(run, pieces, met, parts, reading, policies)
    findings = list(met[0].findings)
    if reading is not None:
        findings = text_findings(reading, run.name, "ranks" if policies.order == "rank" else "run")
    judged = Judged(
        run.system or (reading.tag if reading else "") or stem_of(run.path),
        qrels,
        policies,
        combined(parts, len(qrels.items)),
        tuple(sorted(query for part in parts for query in part.unknown)),
        tuple(_about(findings, run)),
        sum(part.rows for part in parts),
        stem_of(run.path),
    )
    return judged if judgements is qrels else judged.replace(judgements=judgements)


def _dealt(
    engine: Engine, judging: Judging, run: RunFile, pieces: Pieces
) -> tuple[list[JudgedPart], list[SplitPart]]:
    """The rows dealt to buckets by their queries, and the buckets judged."""
    buckets = engine.buckets(judging.buckets)
    try:
        met = engine.map_partitions(
            split_piece, judging, pieces, into=buckets, what=f"{run.name} to buckets"
        )
        return engine.map_partitions(judge_bucket, judging, buckets.all(), what=run.name), met
    finally:
        buckets.close()


def _reading(met: Sequence[SplitPart]) -> TextReading | None:
    readings = [part.reading for part in met if part.reading is not None]
    return TextReading.joined(readings) if readings else None


def _refuse(
    run: RunFile,
    pieces: Pieces,
    met: Sequence[SplitPart],
    parts: Sequence[JudgedPart],
    reading: TextReading | None,
    policies: Policies,
) -> None:
    """Raises what is wrong with the run, all of it together."""
    layout = "ranks" if policies.order == "rank" else "run"
    told: list[tuple[int, str]] = []
    count = sum(part.duplicates for part in parts)
    lines = [part.reading.lines if part.reading else 0 for part in met]
    before = list(accumulate([0, *lines]))

    def place(number: int) -> tuple[str, int]:
        piece = pieces[number >> LINES]
        line = number & ((1 << LINES) - 1)
        if isinstance(piece, TablePiece):
            return piece.path, line
        return run.name, line + before[number >> LINES]

    examples = sorted((x for part in parts for x in part.examples), key=lambda x: x[2])[:SHOWN]
    for query, document, number, earlier in examples:
        (name, line), (other, first) = place(number), place(earlier)
        known: int | str = first if other == name else f"{first} of {other}"
        unit = "line" if reading is not None else "row"
        told.append((number, duplicate_told(name, unit, line, query, document, known, layout)))
    if reading is not None:
        count += reading.problem_count
        told = [(place(number)[1], text) for number, text in told]
        told += [(p[0], tell(run.name, *p, layout)) for p in reading.problems]
    raise_told(count, told)
    if sum(part.rows for part in parts) == 0:
        raise FormatError(
            f"{run.name}: no ranked documents found; the file is empty or holds only comments."
        )


def _about(findings: Sequence[Finding], run: RunFile) -> list[Finding]:
    """Findings of a table in several files, told of the whole."""
    if len(run.files) < 2:
        return list(findings)
    first = run.files[0]
    return [
        Finding(f.kind, f.message.replace(first, run.name, 1), f.count, f.severity, f.examples)
        for f in findings
    ]
