"""The runs of a batch job, read again to compare them with lists of candidates."""

from __future__ import annotations

from collections.abc import Iterable

from tare._data.judged import Judged
from tare._data.qrels import Qrels
from tare._files.opening import name_of, state_of
from tare.engines._local import Local
from tare.engines._part_files import JudgedPiece, PartFile
from tare.engines._run_files import RunFile, run_files
from tare.errors import MismatchError, UnreadableError

__all__ = ["listed_runs"]


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
