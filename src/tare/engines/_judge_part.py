"""One part of runs, judged by a process of a batch job."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from tare._choices import Order, SystemNames, Ties, Unjudged
from tare._data.judged import Policies
from tare._data.qrels import read_qrels
from tare._files.addresses import as_path
from tare._files.opening import name_of, state_of
from tare._kernels import cores, read_trec
from tare._kernels.threads_and_blocks import seams
from tare._measures.inputs import QrelsInput, RunsInput
from tare.engines._local import Local
from tare.engines._part_files import JudgedPiece, PartFile, write_part
from tare.engines._part_jobs import PartJob, PiecePlace, divisible_runs
from tare.engines._parts import JudgedPart, Judging, joined, judge_piece, judge_rows
from tare.engines._pieces import TablePiece, TextPiece, smaller_pieces
from tare.engines._rankings import VALUES, judged_apart, layout_of
from tare.engines._run_files import RunFile, unchanged
from tare.errors import OptionError

__all__ = ["MAX_PARTS", "PlacedPiece", "judge_part", "judged_pieces", "placed_pieces"]

MAX_PARTS = 100_000


def judge_part(
    qrels: QrelsInput,
    runs: RunsInput,
    *,
    index: int,
    of: int,
    output: str | os.PathLike[str],
    ties: Ties = "trec",
    unjudged: Unjudged = "nonrelevant",
    depth: int | None = None,
    order: Order = "score",
    system_names: SystemNames = "file",
) -> Path:
    """Judge one of several parts of runs and write it to a file, for `Parts` to join.

    Each process of a batch job calls this with its own index. Plain TREC texts and Parquet files are
    divided between queries; a compressed text is one piece. Measures are chosen when parts are joined.

    Parameters
    ----------
    qrels : path, data frame, dict or Qrels
        Graded judgements, the same for all parts.
    runs : path or sequence of paths
        Run files, in the same order for all parts.
    index : int
        The number of this part, from 0 to `of` - 1.
    of : int
        The number of parts.
    output : path
        The folder of the part files, which is made if necessary, or an address such as
        s3://bucket/parts.
    ties, unjudged, depth, order, system_names
        As in `tare.evaluate`.

    Returns
    -------
    Path
        The file that was written. An existing file of the same part is replaced.

    Raises
    ------
    OptionError
        If `index` or `of` is out of range, or a run cannot be divided.
    DataError
        If qrels or runs cannot be read.

    Examples
    --------
    >>> import tempfile, tare
    >>> folder = Path(tempfile.mkdtemp())
    >>> run = folder / "bm25.run"
    >>> _ = run.write_text("q1 Q0 a 1 3 x\\nq2 Q0 b 1 2 x\\n")
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> files = [judge_part(qrels, run, index=i, of=2, output=folder) for i in range(2)]
    >>> tare.evaluate(qrels, files, "RR", engine=tare.engines.Parts()).mean
    0.5
    """
    if not 1 <= of <= MAX_PARTS:
        raise OptionError(f"of={of} is not possible: the number of parts is 1 to {MAX_PARTS:,}.")
    if not 0 <= index < of:
        raise OptionError(f"index={index} is not possible: with {of} parts it is 0 to {of - 1}.")
    policies = Policies(ties, unjudged, depth, order=order, system_names=system_names)
    judgements = read_qrels(qrels)  # type: ignore[arg-type]
    job = PartJob.planned(judgements, policies, of)
    judging = Judging(judgements.index, job.policies, cores())
    pieces: list[JudgedPiece] = []
    for place, run in enumerate(divisible_runs(runs, policies)):
        with unchanged(run):
            placed = placed_pieces(run, place, job)
            pieces += judged_pieces(judging, [piece for part, piece in placed if part == index])
    target = job.path(as_path(output), index)
    write_part(PartFile(job, index, tuple(pieces)), target)
    return target


@dataclass(frozen=True)
class PlacedPiece(PiecePlace):
    """A piece of a run that is to be judged."""

    piece: TextPiece | TablePiece

    def __str__(self) -> str:
        return str(self.piece)


def placed_pieces(run: RunFile, place: int, job: PartJob) -> Iterator[tuple[int, PlacedPiece]]:
    """Yield the pieces of a run, each with the index of its part."""
    cut: Sequence[TextPiece | TablePiece] = run.cut(job.of, VALUES[layout_of(job.policies)])
    state = tuple(map(state_of, run.files or (run.path,)))
    names = tuple(map(name_of, run.files))
    for number, piece in enumerate(cut):
        if isinstance(piece, TablePiece):
            where = (name_of(piece.path), piece.start, piece.count)
        else:
            where = (name_of(piece.path), piece.start, -1 if piece.stop is None else piece.stop)
        yield (
            (number + place) % job.of,
            PlacedPiece(
                place,
                name_of(run.path),
                run.system,
                names,
                state,
                number,
                len(cut),
                where,
                replace(piece, number=number),
            ),
        )


def judged_pieces(judging: Judging, placed: Sequence[PlacedPiece]) -> list[JudgedPiece]:
    """Judge pieces of one or more runs, which are in the order of the runs."""
    found: list[JudgedPiece] = []
    for _, group in groupby(placed, attrgetter("run")):
        of_run = list(group)
        for one, judged in zip(of_run, _judge(judging, [p.piece for p in of_run]), strict=True):
            about = {f.name: getattr(one, f.name) for f in fields(one) if f.name != "piece"}
            found.append(JudgedPiece(**about, part=judged))
    return found


def _judge(judging: Judging, pieces: Sequence[TextPiece | TablePiece]) -> list[JudgedPart]:
    """Judge pieces of one run."""
    tables = [piece for piece in pieces if isinstance(piece, TablePiece)]
    if tables:
        return _judge_tables(judging, tables)
    return [_judge_text(judging, piece) for piece in pieces if isinstance(piece, TextPiece)]


def _judge_text(judging: Judging, piece: TextPiece) -> JudgedPart:
    judged = judge_piece(judging, piece)
    if not judged.interleaved:
        return judged
    rows, reading = read_trec(piece.blocks(), "run", judging.threads)
    found = judge_rows(judging.index, rows, judging.policies, judging.threads, piece.number)
    return replace(found, reading=reading)


def _judge_tables(judging: Judging, pieces: Sequence[TablePiece]) -> list[JudgedPart]:
    """Judge smaller pieces of tables in threads, or each piece at once if rows are not grouped by query.

    The smaller pieces of all tables are one list, so that threads wait for each other once and not at the
    end of each table.
    """
    divided = [smaller_pieces(piece, seams().table_rows) for piece in pieces]
    smaller = [one for several in divided for one in several]
    if len(smaller) > 1:
        engine = Local(threads=judging.threads)
        each = replace(judging, threads=engine.threads_for(len(smaller)))
        found = judged_apart(engine, each, smaller, name_of(pieces[0].path))
        if found is not None:
            rest = iter(found)
            count = len(judging.index.queries)
            return [joined([next(rest) for _ in several], count) for several in divided]
    return [judge_piece(judging, piece) for piece in pieces]
