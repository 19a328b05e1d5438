"""A job that can be stopped: finished parts are kept as part files, and a later call judges the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from tare._data.judged import Judged, Policies
from tare._data.qrels import Qrels
from tare._files.addresses import as_path
from tare._files.finished_parts import ready_folder
from tare._files.opening import name_of
from tare._kernels.threads_and_blocks import seams
from tare._measures.evaluate_rankings import read_judgements
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.measure import Measure
from tare.engines._batch_jobs import (
    ADVICE,
    MAX_PARTS,
    PartFile,
    PartJob,
    Parts,
    PlacedPiece,
    divisible_runs,
    judged_pieces,
    parts_by_index,
    placed_pieces,
    read_part,
    write_part,
)
from tare.engines._engine import Engine
from tare.engines._judged_runs import Judging
from tare.engines._pieces import RunFile, unchanged
from tare.errors import EngineError, FormatError, MismatchError, OptionError

__all__ = ["resumed_rankings"]


@dataclass(frozen=True)
class KeptPart:
    """One part of a job that can be stopped: its pieces of the runs, and the file in which it is kept."""

    job: PartJob
    index: int
    pieces: tuple[PlacedPiece, ...]
    path: Path

    def __str__(self) -> str:
        return f"part {self.index} of {self.job.of}"


def resumed_rankings(
    engine: Engine,
    source: QrelsInput,
    measures: tuple[Measure, ...],
    runs: RunsInput,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Judge the parts that are not in the folder of a stopped job yet, and join all of them."""
    qrels = read_judgements(source, measures)
    if not isinstance(qrels, Qrels):
        raise OptionError("resume= needs graded judgements; leave it out for these measures.")
    files = divisible_runs(runs, policies, ", or leave resume= out")
    assert engine.resume is not None
    place = as_path(engine.resume)
    ready_folder(place)
    kept, of = parts_by_index(str(place), MAX_PARTS)
    job = PartJob.planned(qrels, policies, of or _number_of_parts(engine, files))
    parts = _planned(files, job, place)
    left = [part for part in parts if not _is_finished(part, kept)]
    with ExitStack() as guarded:
        for run in files:
            guarded.enter_context(unchanged(run))
        judging = Judging(qrels.index, job.policies, engine.threads_for(len(left)))
        engine.map_partitions(judge_kept, judging, left, what=f"parts for {name_of(place)}")
    written, _ = parts_by_index(str(place), MAX_PARTS)
    if lacking := [part for part in left if part.index not in written]:
        raise EngineError(
            f"{name_of(place)}: {lacking[0]} was judged, but its file is not in this folder. All workers must see the folder "
            "under the same path: use a shared file system or an object store."
        )
    try:
        return Parts().rankings(qrels, measures, str(place), policies, progress)
    except FormatError as error:  # a part was damaged after it had been judged or checked
        found = str(error)
        if not found.endswith(ADVICE):
            raise
        raise FormatError(
            f"{found.removesuffix(ADVICE)}Repeat the command; it judges this part again."
        ) from error


def judge_kept(judging: Judging, part: KeptPart) -> None:
    """Judge a part and write its file, which appears when it is complete; a task of engines."""
    pieces = tuple(judged_pieces(judging, part.pieces))
    write_part(PartFile(part.job, part.index, pieces), part.path)


def _number_of_parts(engine: Engine, runs: Sequence[RunFile]) -> int:
    """Return a number of parts for a job that can be stopped; it suits the memory and the files."""
    most = 1
    for run in runs:
        pieces = ceil(run.bytes_in_memory() / max(1, engine.memory // (8 * engine.workers)))
        small = ceil(run.bytes_in_memory() / seams().least_piece)
        most = max(most, pieces, min(seams().kept_parts, small))
    return min(most, MAX_PARTS)


def _planned(runs: Sequence[RunFile], job: PartJob, folder: Path) -> list[KeptPart]:
    by_index: dict[int, list[PlacedPiece]] = {index: [] for index in range(job.of)}
    for place, run in enumerate(runs):
        for index, piece in placed_pieces(run, place, job):
            by_index[index].append(piece)
    return [
        KeptPart(job, index, tuple(pieces), job.path(folder, index))
        for index, pieces in by_index.items()
    ]


def _is_finished(part: KeptPart, kept: dict[int, str]) -> bool:
    """Return whether a part is in the folder; a damaged file is judged again, another job is an error."""
    path = kept.get(part.index)
    if path is None:
        return False
    try:
        found = read_part(path)
    except FormatError:
        return False
    if changed := _change(found, part):
        raise MismatchError(
            f"{name_of(path)}: this part belongs to another job: {changed}. Repeat the command with what was used before, or "
            "name another folder (resume=, --resume)."
        )
    return True


def _change(found: PartFile, part: KeptPart) -> str:
    """Return what differs between a kept part and the present job; empty if nothing does."""
    if (found.index, found.job.of) != (part.index, part.job.of):
        return f"it is part {found.index} of {found.job.of} under another name"
    if changed := found.job.change_to(part.job):
        return changed
    if len(found.pieces) != len(part.pieces):
        return f"it has pieces of {len(found.pieces)} runs, and there are {len(part.pieces)} now"
    changes = (was.change_to(now) for was, now in zip(found.pieces, part.pieces, strict=True))
    return next(filter(None, changes), "")
