"""A job that can be stopped: finished parts are kept as part files, and a later call judges the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._data.qrels import Qrels
from tare._data.source import name_of
from tare._kernels import seams
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.judgements import read_judgements
from tare._measures.measure import Measure
from tare._stores.addresses import as_path
from tare.engines._engine import Engine
from tare.engines._join_parts import Parts, parts_in
from tare.engines._judge_part import MAX_PARTS, PlacedPiece, judged_piece, placed_pieces
from tare.engines._part_files import PartFile, read_part, write_part
from tare.engines._parts import Judging
from tare.engines._rankings import VALUES, layout_of
from tare.engines._run_files import RunFile, run_files, unchanged
from tare.errors import EngineError, FormatError, MismatchError, OptionError

__all__ = ["resumed_rankings"]

NAME = re.compile(r"part-(\d+)-of-(\d+)\.npz")


@dataclass(frozen=True)
class KeptPart:
    """One part of the job: its pieces of the runs, and the file in which they are kept."""

    index: int
    of: int
    pieces: tuple[PlacedPiece, ...]
    path: Path

    def __str__(self) -> str:
        return f"part {self.index} of {self.of}"


@dataclass(frozen=True)
class KeptJudging:
    """Shared data of the tasks: the judgements, their digest and their number of queries."""

    judging: Judging
    qrels: str
    queries: int


def resumed_rankings(
    engine: Engine,
    source: QrelsInput,
    measures: tuple[Measure, ...],
    runs: RunsInput,
    policies: Policies,
    progress: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Judge the parts that are not in the folder yet, and join all of them."""
    qrels = read_judgements(source, measures)
    if not isinstance(qrels, Qrels):
        raise OptionError("resume= needs graded judgements; leave it out for these measures.")
    held = replace(
        policies, groups=True
    )  # as `judge_part`: measures are chosen when parts are joined
    files = [_divisible(run) for run in run_files(runs, policies.order)]
    assert engine.resume is not None
    place = as_path(engine.resume)
    kept = _kept_parts(str(place))
    of = _number_of_parts(engine, files, kept)
    parts = _planned(files, held, of, place)
    facts = PartFile(0, of, qrels.digest, len(qrels.items), held, ())
    left = [part for part in parts if not _is_finished(part, kept, facts)]
    with ExitStack() as guarded:
        for run in files:
            guarded.enter_context(unchanged(run))
        judging = Judging(qrels.index, held, engine.threads_for(len(left)))
        shared = KeptJudging(judging, qrels.digest, len(qrels.items))
        engine.map_partitions(judge_kept, shared, left, what=f"parts for {name_of(place)}")
    written = _kept_parts(str(place))
    if lacking := [part for part in left if part.index not in written]:
        raise EngineError(
            f"{place}: {lacking[0]} was judged, but its file is not in this folder. All workers must see the folder "
            "under the same path: use a shared file system or an object store."
        )
    return Parts().rankings(qrels, measures, str(place), policies, progress)


def judge_kept(shared: KeptJudging, part: KeptPart) -> None:
    """Judge a part and write its file, which appears when it is complete; a task of engines."""
    judging = shared.judging
    pieces = tuple(judged_piece(judging, piece) for piece in part.pieces)
    made = PartFile(part.index, part.of, shared.qrels, shared.queries, judging.policies, pieces)
    write_part(made, part.path)


def _divisible(run: object) -> RunFile:
    if isinstance(run, RunFile) and run.streamed:
        return run
    raise OptionError(
        f"{getattr(run, 'name', run)} cannot be divided into parts, so a job cannot be resumed. Give TREC texts "
        "or Parquet files, or leave resume= out."
    )


def _kept_parts(folder: str) -> dict[int, str]:
    """Return the part files of the folder by index; all must be parts of one job."""
    found: dict[int, str] = {}
    numbers: set[str] = set()
    for path in parts_in(folder):
        named = NAME.fullmatch(Path(path).name)
        if named is None:
            raise MismatchError(f"{path}: this is not the name of a part. Name an empty folder.")
        found[int(named[1])] = path
        numbers.add(named[2])
    if len(numbers) > 1:
        raise MismatchError(
            f"{folder}: parts of several jobs are here ({', '.join(sorted(numbers))} parts). Name an empty folder."
        )
    return found


def _number_of_parts(engine: Engine, runs: Sequence[RunFile], kept: dict[int, str]) -> int:
    """Return the number of parts: that of the kept ones, or one that suits the memory and the files."""
    for path in kept.values():
        return int(path.removesuffix(".npz").rpartition("-")[2])
    most = 1
    for run in runs:
        pieces = ceil(run.bytes_in_memory() / max(1, engine.memory // (8 * engine.workers)))
        small = ceil(run.bytes_in_memory() / seams().least_piece)
        most = max(most, pieces, min(seams().kept_parts, small))
    return min(most, MAX_PARTS)


def _planned(runs: Sequence[RunFile], policies: Policies, of: int, folder: Path) -> list[KeptPart]:
    by_index: dict[int, list[PlacedPiece]] = {index: [] for index in range(of)}
    for place, run in enumerate(runs):
        for index, piece in placed_pieces(run, place, of, VALUES[layout_of(policies)]):
            by_index[index].append(piece)
    return [
        KeptPart(index, of, tuple(pieces), folder / f"part-{index:05d}-of-{of:05d}.npz")
        for index, pieces in by_index.items()
    ]


def _is_finished(part: KeptPart, kept: dict[int, str], job: PartFile) -> bool:
    """Return whether a part is in the folder; a damaged file is judged again, another job is an error."""
    path = kept.get(part.index)
    if path is None:
        return False
    try:
        found = read_part(path)
    except FormatError:
        return False
    changed = _change(part, found, job)
    if changed:
        raise MismatchError(
            f"{path}: this part belongs to another job: {changed}. Repeat the command with what was used before, or "
            "name another folder (resume=, --resume)."
        )
    return True


def _change(part: KeptPart, found: PartFile, job: PartFile) -> str:
    """Return what differs between a kept part and the present job; empty if nothing does."""
    if (found.index, found.of) != (part.index, part.of):
        return f"it is part {found.index} of {found.of} under another name"
    if (found.qrels, found.queries) != (job.qrels, job.queries):
        return f"the judgements changed (digest {found.qrels} before, {job.qrels} now)"
    for name in ("ties", "unjudged", "depth", "precision", "order", "system_names"):
        before, now = getattr(found.policies, name), getattr(job.policies, name)
        if before != now:
            return f"{name} was {before} and is {now}"
    if len(found.pieces) != len(part.pieces):
        return f"it has pieces of {len(found.pieces)} runs, and there are {len(part.pieces)} now"
    for was, piece in zip(found.pieces, part.pieces, strict=True):
        if (was.run, was.path, was.files) != (piece.run, piece.path, piece.files):
            return f"run {piece.run + 1} was {was.path} and is {piece.path}"
        if was.state != piece.state:
            return f"{was.path} changed after this part was judged"
        if (was.number, was.pieces, was.place) != (piece.number, piece.pieces, piece.place):
            return f"{was.path} was divided in another way"
    return ""
