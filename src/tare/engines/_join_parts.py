"""The parts of a batch job, joined into score tables."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

import numpy as np

from tare._data.judged import Judged, Policies
from tare._data.qrels import Qrels, read_qrels
from tare._data.runs import expand
from tare._files.addresses import is_address, is_folder
from tare._files.opening import name_of
from tare._measures.evaluate_rankings import with_unique_names
from tare._measures.inputs import QrelsInput, RunsInput
from tare._measures.measure import Measure
from tare._measures.ranking.positions import reads_groups
from tare.engines._part_files import JudgedPiece, PartFile, read_part
from tare.engines._part_jobs import parts_in
from tare.engines._parts import JudgedPart, PieceReading, overlapping
from tare.engines._piece_findings import PieceFindings
from tare.engines._pieces import TablePiece, TextPiece
from tare.engines._rankings import judged_run, layout_of
from tare.engines._run_files import RunFile
from tare.errors import MismatchError, OptionError

__all__ = ["Parts"]


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
        from tare.engines._listed_runs import listed_runs

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
    """Refuse parts that are not all parts of one job."""
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
