"""What the parts of one job have in common, how their files are named, and what each piece records."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from tare._data.judged import Policies
from tare._data.qrels import Qrels
from tare._files.addresses import is_address, is_file
from tare._files.opening import name_of
from tare._measures.inputs import RunsInput
from tare._plain_text import plain
from tare.engines._run_files import RunFile, run_files
from tare.errors import MismatchError, OptionError

__all__ = ["PartJob", "PiecePlace", "divisible_runs", "parts_by_index", "parts_in"]

NAME = re.compile(r"part-([0-9]+)-of-([0-9]+)\.npz")


@dataclass(frozen=True)
class PartJob:
    """The judgements, options and number of parts of a job."""

    of: int
    qrels: str  # digest
    queries: int
    policies: Policies

    @classmethod
    def planned(cls, qrels: Qrels, policies: Policies, of: int) -> Self:
        """Return the job; tie groups are always kept, since measures are chosen when parts are joined."""
        return cls(of, qrels.digest, len(qrels.items), replace(policies, groups=True))

    def path(self, folder: Path, index: int) -> Path:
        """Return the file of a part."""
        return folder / _name(index, self.of)

    def judged_with(self, qrels: Qrels) -> bool:
        """Return whether these are the judgements of the job."""
        return (self.qrels, self.queries) == (qrels.digest, len(qrels.items))

    def change_to(self, now: PartJob) -> str:
        """Return what differs in another job; empty if nothing does."""
        if (self.qrels, self.queries) != (now.qrels, now.queries):
            return f"the judgements changed (digest {plain(self.qrels)} before, {now.qrels} now)"
        for name in ("ties", "unjudged", "depth", "precision", "order", "system_names"):
            before, after = getattr(self.policies, name), getattr(now.policies, name)
            if before != after:
                return f"{name} was {before} and is {after}"
        return ""

    def __str__(self) -> str:
        kept = self.policies
        return f"{self.of} parts, ties {kept.ties}, unjudged {kept.unjudged}, depth {kept.depth or 'all'}, order {kept.order}"


@dataclass(frozen=True)
class PiecePlace:
    """Where a piece of a run comes from."""

    run: int  # the place of the run among all runs
    path: str
    system: str | None
    files: tuple[str, ...]
    state: tuple[tuple[int, int], ...]  # size and digest of each file
    number: int  # of the piece, from 0
    pieces: int  # of the run
    place: tuple[str, int, int]  # the file of the piece, its first byte or row, and where it ends

    @property
    def source(self) -> tuple[object, ...]:
        """What all pieces of a run have in common."""
        return self.path, self.files, self.state, self.pieces

    def change_to(self, now: PiecePlace) -> str:
        """Return what differs in another piece; empty if nothing does."""
        if (self.run, self.path, self.files) != (now.run, now.path, now.files):
            return f"run {now.run + 1} was {plain(self.path)} and is {now.path}"
        if self.state != now.state:
            return f"{plain(self.path)} changed after this part was judged"
        if (self.number, self.pieces, self.place) != (now.number, now.pieces, now.place):
            return f"{plain(self.path)} was divided in another way"
        return ""


def divisible_runs(runs: RunsInput, policies: Policies, advice: str = "") -> list[RunFile]:
    """Return the files of the runs; a run that cannot be divided into parts raises an error."""
    found = []
    for run in run_files(runs, policies.order):
        if not isinstance(run, RunFile) or not run.streamed:
            name = plain(str(getattr(run, "name", run)))
            raise OptionError(
                f"{name} cannot be divided into parts. Give TREC texts or Parquet files{advice}."
            )
        found.append(run)
    return found


def parts_in(path: str) -> list[str]:
    """Return the part files of a folder."""
    if is_address(path):
        from tare._files.cloud import addresses_like

        return addresses_like(f"{path.rstrip('/')}/part-*.npz")
    return sorted(map(str, Path(path).glob("part-*.npz")))


def parts_by_index(folder: str, most: int) -> tuple[dict[int, str], int]:
    """Return the part files of a folder, and of how many parts they are (0 without any).

    All must be parts of one job of at most `most` parts. The files are not read.
    """
    found: dict[int, str] = {}
    numbers: set[int] = set()
    for path in parts_in(folder):
        if why := _unfit(path, most):
            raise MismatchError(
                f"{name_of(path)}: {why}. Remove it, or name another folder (resume=, --resume)."
            )
        index, of = _numbers(path)
        found[index] = path
        numbers.add(of)
    if len(numbers) > 1:
        raise MismatchError(
            f"{name_of(folder)}: parts of several jobs are here ({', '.join(map(str, sorted(numbers)))} parts). "
            "Name an empty folder."
        )
    return found, max(numbers, default=0)


def _unfit(path: str, most: int) -> str:
    """Return why a file cannot be a part; empty if it can."""
    index, of = _numbers(path)
    if Path(path).name != _name(index, of):
        return "this is not the name of a part"
    if not 1 <= of <= most:
        return f"by its name it is one of {of:,} parts, and a job has 1 to {most:,} parts"
    if index >= of:
        return (
            f"by its name it is part {index:,}, and {of:,} parts have the numbers 0 to {of - 1:,}"
        )
    if not is_address(path) and not is_file(path):
        return "it is not a regular file"
    return ""


def _numbers(path: str) -> tuple[int, int]:
    """Return the number of a part and the number of all parts, by its name; zeros for other names."""
    named = NAME.fullmatch(Path(path).name)
    return (0, 0) if named is None else (int(named[1]), int(named[2]))


def _name(index: int, of: int) -> str:
    return f"part-{index:05d}-of-{of:05d}.npz"
