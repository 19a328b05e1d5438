"""Reader and writer of LETOR text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare import _core
from tare._kernels.ranking import Watched
from tare.errors import MAX_PROBLEMS

__all__ = [
    "LETOR_HIGHEST_FEATURE",
    "LETOR_MOST_CELLS",
    "LetorArrays",
    "LetorReading",
    "letor_text",
    "read_letor",
]

LETOR_HIGHEST_FEATURE = _core.LETOR_HIGHEST_FEATURE
LETOR_MOST_CELLS = _core.LETOR_MOST_CELLS

ALL_THREADS = 0


@dataclass(frozen=True)
class LetorArrays:
    """The rows of a LETOR text; `queries` is empty if the lines have no query ids."""

    features: NDArray[np.float32]
    grades: NDArray[np.float64]
    offsets: NDArray[np.int64]
    queries: list[str]
    documents: list[str]
    first_feature: int
    scattered: int


@dataclass(frozen=True)
class LetorReading:
    """The result of reading LETOR text; `arrays` is None if it is invalid or has no rows."""

    arrays: LetorArrays | None
    problems: list[tuple[int, str, str]]
    problem_count: int
    lines: int
    rows: int
    width: int
    too_large: bool
    head: bytes = b""  # the beginning of the text


def read_letor(
    blocks: Iterable[NDArray[np.uint8]], *, documents: bool = False, threads: int = ALL_THREADS
) -> LetorReading:
    """Parse blocks of LETOR text; `documents` keeps the document ids of the comments."""
    reader = _core.LetorReader(documents, threads)
    watched = Watched(blocks)
    for block in watched:
        reader.feed(block)
        if reader.problem_count > MAX_PROBLEMS:  # it may have no end
            break
    arrays = reader.finish()
    return LetorReading(
        None if arrays is None else LetorArrays(**arrays),
        [(n, kind, text.decode("utf-8", "replace")) for n, kind, text in reader.problems],
        reader.problem_count,
        reader.lines,
        reader.rows,
        reader.width,
        reader.too_large,
        watched.head,
    )


def letor_text(
    query: str,
    grades: NDArray[np.float64],
    features: NDArray[np.float32],
    documents: Sequence[str] = (),
) -> bytes:
    """Return the rows of one query as LETOR text, with all features; `documents` is optional."""
    return _core.letor_text(query, grades, features, list(documents))
