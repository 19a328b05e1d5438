"""Runs that are read as a whole: the rows of a query may be anywhere in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._kernels import Rows
from tare.engines._memory import format_size
from tare.engines._parts import LINES, JudgedPart, Judging, PieceReading, judge_rows
from tare.engines._pieces import TablePiece, TextPiece
from tare.engines._run_files import ROW_BYTES, TEXT_BYTES
from tare.errors import EngineError

__all__ = ["JudgedWhole", "WholeRun", "judge_whole"]


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
    """Yield the blocks of a text as long as their rows fit into memory."""
    size = 0
    for block in blocks:
        size += len(block)
        run.check(TEXT_BYTES * size)
        yield block
