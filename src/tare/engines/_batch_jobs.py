"""Batch jobs: parts of runs judged by separate processes, their files, and their join into score tables."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NoReturn, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from tare._choices import Order, SystemNames, Ties, Unjudged
from tare._data.findings import Finding, Severity
from tare._data.judged import Judged, Policies
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import expand
from tare._files.addresses import as_path, is_address, is_file, is_folder
from tare._files.cloud import addresses_like
from tare._files.finished_parts import DAMAGES, read_arrays, write_arrays
from tare._files.opening import name_of, state_of
from tare._kernels import JudgedRankings, TextReading, cores, read_trec
from tare._kernels.threads_and_blocks import seams
from tare._measures.evaluate_rankings import with_unique_names
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.measure import Measure
from tare._measures.ranking.positions import reads_groups
from tare._plain_text import plain
from tare.engines._judged_runs import (
    VALUES,
    JudgedPart,
    Judging,
    PieceFindings,
    PieceReading,
    joined,
    judge_piece,
    judge_rows,
    judged_apart,
    judged_run,
    layout_of,
    overlapping,
)
from tare.engines._local import Local
from tare.engines._pieces import (
    RunFile,
    TablePiece,
    TextPiece,
    run_files,
    smaller_pieces,
    unchanged,
)
from tare.errors import FormatError, MismatchError, OptionError, TareError, UnreadableError

__all__ = [
    "ADVICE",
    "MAX_PARTS",
    "JudgedPiece",
    "PartFile",
    "PartJob",
    "Parts",
    "PiecePlace",
    "PlacedPiece",
    "divisible_runs",
    "judge_part",
    "judged_pieces",
    "listed_runs",
    "parts_by_index",
    "parts_in",
    "placed_pieces",
    "read_part",
    "write_part",
]


# What the parts of one job have in common, how their files are named, and what each piece
# records.


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
        """Return whether a part of a batch job was judged with these judgements."""
        return (self.qrels, self.queries) == (qrels.digest, len(qrels.items))

    def change_to(self, now: PartJob) -> str:
        """Return what differs in another batch job; empty if nothing does."""
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
        """Return what all pieces of one run in a batch job have in common."""
        return self.path, self.files, self.state, self.pieces

    def change_to(self, now: PiecePlace) -> str:
        """Return what differs in another piece of a batch job; empty if nothing does."""
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
    """Return why a file cannot be a part of a batch job; empty if it can."""
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


# Files of judged parts: what `judge_part` writes and `Parts` reads.


FORMAT = "tare part 1"
ADVICE = "Run `tare part` again for this part."
ARRAYS: dict[str, type[np.generic]] = {
    "offsets": np.int64,
    "ranks": np.int32,
    "codes": np.int32,
    "lows": np.int64,
    "highs": np.int64,
    "retrieved": np.int64,
    "tied": np.int64,
    "present": np.uint8,
}
PLACES = tuple(field.name for field in fields(PiecePlace))
COUNTS = ("unknown", "rows", "duplicates", "examples")


@dataclass(frozen=True)
class JudgedPiece(PiecePlace):
    """A judged piece of a run."""

    part: JudgedPart


@dataclass(frozen=True)
class PartFile:
    """One part of a job: the judged rankings of some queries of every run."""

    job: PartJob
    index: int
    pieces: tuple[JudgedPiece, ...]


def write_part(part: PartFile, path: str | os.PathLike[str]) -> None:
    """Write a part; the file appears only when it is complete."""
    arrays: dict[str, NDArray[Any]] = {}
    pieces = []
    for k, piece in enumerate(part.pieces):
        judged = piece.part
        pieces.append(
            {name: getattr(piece, name) for name in PLACES}
            | {name: getattr(judged, name) for name in COUNTS}
            | {
                "reading": None
                if judged.reading is None
                else asdict(judged.reading) | {"head": judged.reading.head.decode("latin-1")},
                "findings": [asdict(finding) for finding in judged.findings],
            }
        )
        arrays[f"{k}.queries"] = judged.queries
        arrays |= {f"{k}.{name}": getattr(judged.rankings, name) for name in ARRAYS}
    job = part.job
    facts = {"index": part.index, "of": job.of, "qrels": job.qrels, "queries": job.queries}
    facts |= {"format": FORMAT, "policies": asdict(job.policies), "pieces": pieces}
    write_arrays(path, facts, arrays)


def read_part(path: str | os.PathLike[str]) -> PartFile:
    """Read a part; a damaged file raises an error that names it."""
    name = name_of(path)
    try:
        found = read_arrays(path)
        if found is None:
            _refuse(name, "it is damaged, incomplete or no part")
        return _part_of(*found, name)
    except (FormatError, UnreadableError):
        raise
    except TareError as error:
        _refuse(name, f"its content is not that of a part ({error})")
    except DAMAGES as error:
        _refuse(name, f"its content is not that of a part ({type(error).__name__})")


def _refuse(name: str, why: str) -> NoReturn:
    raise FormatError(f"{name}: {why}. {ADVICE}")


def _part_of(facts: dict[str, Any], arrays: dict[str, NDArray[Any]], name: str) -> PartFile:
    if facts["format"] != FORMAT:
        _refuse(name, f"it has the format {facts['format']!r}, and {FORMAT!r} is read here")
    pieces = [_piece_of(facts, arrays, k, name) for k in range(len(facts["pieces"]))]
    policies = Policies(**facts["policies"])
    index, of, queries = int(facts["index"]), int(facts["of"]), int(facts["queries"])
    if not 0 <= index < of:
        _refuse(name, f"it says that it is part {index} of {of}")
    job = PartJob(of, str(facts["qrels"]), queries, policies)
    return PartFile(job, index, tuple(pieces))


def _piece_of(
    facts: dict[str, Any], arrays: dict[str, NDArray[Any]], k: int, name: str
) -> JudgedPiece:
    given = facts["pieces"][k]
    rankings = JudgedRankings(
        **{key: _column(arrays, f"{k}.{key}", kind) for key, kind in ARRAYS.items()}
    )
    queries = _column(arrays, f"{k}.queries", np.int64)
    _check(queries, rankings, int(facts["queries"]), name)
    rows, duplicates = _count(given["rows"]), _count(given["duplicates"])
    if rows < rankings.retrieved.sum():
        _refuse(name, f"it has {rows:,} rows and ranks more documents")
    examples = tuple((str(q), str(d), int(a), int(b)) for q, d, a, b in given["examples"])
    if duplicates < len(examples) or bool(duplicates) != bool(examples):
        _refuse(name, f"it has {duplicates:,} duplicates and shows {len(examples)}")
    part = JudgedPart(
        queries,
        rankings,
        tuple(map(str, given["unknown"])),
        rows,
        None if given["reading"] is None else _reading(given["reading"]),
        duplicates,
        examples,
        tuple(map(_finding, given["findings"])),
    )
    file, first, last = given["place"]
    return JudgedPiece(
        int(given["run"]),
        str(given["path"]),
        None if given["system"] is None else str(given["system"]),
        tuple(map(str, given["files"])),
        tuple((int(size), int(digest)) for size, digest in given["state"]),
        int(given["number"]),
        int(given["pieces"]),
        (str(file), int(first), int(last)),
        part,
    )


def _reading(given: dict[str, Any]) -> TextReading:
    others = ("problems", "tag", "head")
    names = [field.name for field in fields(TextReading) if field.name not in others]
    problems = [(int(n), str(kind), str(text)) for n, kind, text in given["problems"]]
    counts = {name: _count(given[name]) for name in names}
    if counts["problem_count"] < len(problems) or bool(problems) != bool(counts["problem_count"]):
        raise ValueError(f"{len(problems)} of {counts['problem_count']} problems")
    head = str(given["head"]).encode("latin-1")
    return TextReading(problems=problems, tag=str(given["tag"]), head=head, **counts)


def _finding(given: dict[str, Any]) -> Finding:
    kind, message, severity = (str(given[name]) for name in ("kind", "message", "severity"))
    if severity not in get_args(Severity):
        raise ValueError(f"severity {severity!r}")
    examples = tuple(map(str, given["examples"]))
    return Finding(kind, message, _count(given["count"]), cast(Severity, severity), examples)


def _count(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise ValueError(f"{given!r} is not a count")
    return given


def _column(arrays: dict[str, NDArray[Any]], key: str, kind: type[np.generic]) -> NDArray[Any]:
    column = arrays[key]
    if column.dtype != kind or column.ndim != 1:
        raise ValueError(f"{key} has the type {column.dtype}")
    return column


def _check(queries: NDArray[np.int64], rankings: JudgedRankings, most: int, name: str) -> None:
    """Refuse the arrays of a part file that do not fit together, which the core would trust."""
    count, documents = len(queries), len(rankings.ranks)
    of_query = (rankings.retrieved, rankings.tied, rankings.present)
    ranges = (rankings.lows, rankings.highs)
    steps = np.diff(rankings.offsets)
    fits = (
        len(rankings.offsets) == count + 1
        and rankings.offsets[0] == 0
        and rankings.offsets[-1] == documents == len(rankings.codes)
        and bool((steps >= 0).all())
        and all(len(column) == count for column in of_query)
        and all(len(column) in (0, documents) for column in ranges)
        and len(np.unique(queries)) == count
        and (count == 0 or (queries.min() >= 0 and queries.max() < most))
        and (documents == 0 or (rankings.ranks.min() >= 1 and rankings.codes.min() >= 0))
        and bool((np.repeat(rankings.retrieved, steps) >= rankings.ranks).all())
        and _ascending(rankings)
        and bool((rankings.lows <= rankings.highs).all())
    )
    if not fits:
        _refuse(name, "its arrays do not fit together")


def _ascending(rankings: JudgedRankings) -> bool:
    """Return whether the ranks of each query ascend."""
    falls = np.flatnonzero(np.diff(rankings.ranks) <= 0) + 1
    return bool(np.isin(falls, rankings.offsets).all())


# One part of runs, judged by a process of a batch job.


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


# The runs of a batch job, read again to compare them with lists of candidates.


def listed_runs(lists: Qrels, parts: Iterable[PartFile]) -> list[Judged]:
    """Join the runs of the parts with the candidates, in this process."""
    pieces = {piece.run: piece for part in parts for piece in part.pieces}
    recorded = [pieces[run] for run in sorted(pieces)]
    for piece in recorded:
        _check_unchanged(piece)
    paths = list(dict.fromkeys(piece.path for piece in recorded))
    found = [run for run in run_files(paths, "score") if isinstance(run, RunFile)]
    if [(name_of(run.path), run.system) for run in found] != [(p.path, p.system) for p in recorded]:
        raise MismatchError(
            f"{', '.join(paths)}: the runs are not those of the parts. Run `tare part` again for all parts."
        )
    return Local().listed(lists, paths)


def _check_unchanged(piece: JudgedPiece) -> None:
    files = piece.files or (piece.path,)
    try:
        state = tuple(map(state_of, files))
    except OSError as error:
        raise UnreadableError(
            f"{piece.path}: cannot be read ({error.strerror or error}). Parts hold judged documents only, so the "
            "run is read again to compare it with the candidates. Join the parts where the runs are, or give the "
            "number of candidates."
        ) from error
    if state != piece.state:
        raise MismatchError(
            f"{piece.path} changed after its parts were judged. Run `tare part` again for all parts."
        )


# The parts of a batch job, joined into score tables.


class Parts:
    """An engine that joins the files of `judge_part`, which take the place of the runs.

    The numbers are those of the whole runs. How runs are read was decided when the parts were judged.

    Examples
    --------
    >>> import pathlib, tempfile, tare
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> run = folder / "bm25.run"
    >>> _ = run.write_text("q1 Q0 a 1 3 x\\nq2 Q0 b 1 2 x\\n")
    >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    >>> for index in range(2):
    ...     _ = tare.engines.judge_part(qrels, run, index=index, of=2, output=folder / "parts")
    >>> tare.evaluate(qrels, folder / "parts", "RR", engine=Parts()).mean
    0.5
    """

    def __repr__(self) -> str:
        return "Parts()"

    def rankings(
        self,
        source: QrelsInput,
        measures: tuple[Measure, ...],
        runs: RunsInput,
        policies: Policies,
        progress: Callable[[str], None] | None = None,
    ) -> list[Judged]:
        """Join the parts of every run; `tare.evaluate` calls it.

        Parameters
        ----------
        source
            The judgements with which the parts were made.
        measures
            The measures.
        runs
            The files of the parts.
        policies
            Not used: those of the parts apply.
        progress
            A function that is called with the name of each file.

        Returns
        -------
        list of Judged
            One entry per run.

        Raises
        ------
        MismatchError
            If parts are missing, or do not belong together or to the judgements.
        """
        qrels = read_qrels(source)  # type: ignore[arg-type]
        parts = []
        for path in _paths(runs):
            if progress is not None:
                progress(path)
            parts.append((path, read_part(path)))
        _check_set(parts, qrels)
        held = replace(parts[0][1].job.policies, groups=reads_groups(measures))
        by_run: dict[int, dict[int, JudgedPiece]] = defaultdict(dict)
        held_in: dict[int, str] = {}
        for path, part in parts:
            for piece in part.pieces:
                by_run[piece.run][piece.number] = piece
                held_in[piece.run] = path
        joined = [_joined(by_run[run], held_in[run], qrels, held) for run in sorted(by_run)]
        return with_unique_names(joined)

    def listed(self, lists: Qrels, runs: RunsInput) -> list[Judged]:
        """Join the runs of the parts with lists of candidates; `tare.evaluate` calls it.

        Parts hold only judged documents, so the runs are read again.

        Parameters
        ----------
        lists
            The candidates, as judgements.
        runs
            The files of the parts.

        Returns
        -------
        list of Judged
            One entry per run.

        Raises
        ------
        MismatchError
            If a run changed after its parts were judged.
        UnreadableError
            If a run cannot be read on this machine.
        """

        return listed_runs(lists, [read_part(path) for path in _paths(runs)])


def _paths(runs: RunsInput) -> list[str]:
    given: list[object] = (
        [runs] if isinstance(runs, str | os.PathLike) else list(cast(Iterable[object], runs))
    )
    found: list[str] = []
    for one in given:
        if not isinstance(one, str | os.PathLike):
            raise OptionError(f"parts are files that `tare part` wrote; {one!r} is not a path.")
        path = os.fspath(one)
        folder = not path.endswith(".npz") if is_address(path) else is_folder(path)
        found += parts_in(path) if folder else expand(path)
        if folder and not found:
            raise MismatchError(
                f"{name_of(path)}: no part files (part-00000-of-….npz) are in this folder."
            )
    if not found:
        raise OptionError("no parts were given.")
    return found


def _check_set(parts: Sequence[tuple[str, PartFile]], qrels: Qrels) -> None:
    """Refuse part files that are not all parts of one batch job."""
    first, known = name_of(parts[0][0]), parts[0][1].job
    for path, part in parts:
        if not part.job.judged_with(qrels):
            raise MismatchError(
                f"{name_of(path)}: this part was judged with other judgements than {qrels.name}. Join parts with the "
                "judgements that `tare part` was given."
            )
        if part.job != known:
            raise MismatchError(
                f"{name_of(path)}: part of another job than {first}: {part.job} here, {known} there."
            )
        levels = len(qrels.levels)
        if any((piece.part.rankings.codes >= levels).any() for piece in part.pieces):
            raise MismatchError(
                f"{name_of(path)}: this part has grades that {qrels.name} does not have."
            )
    seen: dict[int, str] = {}
    for path, part in parts:
        if part.index in seen:
            raise MismatchError(
                f"{name_of(path)}: part {part.index} is also in {name_of(seen[part.index])}; give each part once."
            )
        seen[part.index] = path
    lacking = known.of - len(seen)
    if lacking:
        missing = list(islice((k for k in range(known.of) if k not in seen), 10))
        shown = ", ".join(map(str, missing)) + (", …" if lacking > 10 else "")
        raise MismatchError(
            f"{first}: {lacking} of {known.of} parts are missing ({shown}). Run `tare part --index {missing[0]} "
            f"--of {known.of}` and so on, then join all parts."
        )


def _joined(
    pieces: dict[int, JudgedPiece], held_in: str, qrels: Qrels, policies: Policies
) -> Judged:
    first = next(iter(pieces.values()))
    for piece in pieces.values():
        if (
            piece.source != first.source
            or len(pieces) != first.pieces
            or sorted(pieces) != list(range(len(pieces)))
        ):
            raise MismatchError(
                f"{name_of(held_in)}: the parts were judged from different files, or {name_of(first.path)} changed between them. "
                "Run `tare part` again for all parts."
            )
    ordered = [pieces[k] for k in range(first.pieces)]
    judged = [_without_groups(piece.part, policies) for piece in ordered]
    if overlapping(judged):
        raise MismatchError(
            f"{name_of(first.path)}: the rows of a query are in several parts. Parts need runs that are grouped by query: "
            "sort the file by its first column (sort -s -k1,1), or score it at once with `tare score`."
        )
    run = RunFile(first.path, first.files, first.system)
    places = [_place(piece) for piece in ordered]
    each = [PieceReading(part.rows, part.reading, part.findings) for part in judged]
    met = PieceFindings(run.name, layout_of(policies), places, each)
    return judged_run(run, qrels, policies, met, judged)


def _place(piece: JudgedPiece) -> TextPiece | TablePiece:
    path, start, end = piece.place
    if piece.files:
        return TablePiece(path, start, end, number=piece.number)
    return TextPiece(path, start, None if end < 0 else end, piece.number)


def _without_groups(part: JudgedPart, policies: Policies) -> JudgedPart:
    """Return a part without tie groups, which are kept only for measures that need them."""
    if policies.groups or policies.ties != "trec":
        return part
    none = np.zeros(0, dtype=np.int64)
    return replace(part, rankings=replace(part.rankings, lows=none, highs=none))
