"""The default number of threads, and the sizes of blocks, shares and chunks. No result depends on them; tests make them tiny."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from tare import _core
from tare.errors import OptionError

__all__ = [
    "SEAMS_VARIABLE",
    "THREADS_VARIABLE",
    "Seams",
    "cores",
    "cut",
    "default_threads",
    "drawn_seams",
    "seams",
    "set_seams",
    "set_threads",
]


# The default number of threads.


THREADS_VARIABLE = "TARE_THREADS"
MOST = 4096


def _asked() -> int:
    """Return the number of threads in TARE_THREADS; 0 if it is not set."""
    text = os.environ.get(THREADS_VARIABLE, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= MOST:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise OptionError(
            f"{THREADS_VARIABLE}={shown!r} is not a number of threads. Accepted: a whole number from 1 to "
            f"{MOST:,}. Unset the variable to use all processors."
        )
    return int(text)


_ASKED = _asked()
_default = _ASKED
_core.set_threads(_default)


def set_threads(threads: int) -> None:
    """Set the default number of threads, unless TARE_THREADS is set; 0 means all processors."""
    global _default
    _default = _ASKED or threads
    _core.set_threads(_default)


def default_threads() -> int:
    """Return the number of threads set by TARE_THREADS; 0 if it is not set."""
    return _default


def cores() -> int:
    """Return the default number of threads: TARE_THREADS, or the processors of this process."""
    if _default:
        return _default
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


# Sizes of blocks, shares and chunks. No result depends on them; tests make them tiny.
#
# `TARE_SEAMS=SEED` draws tiny sizes from a seed when tare is imported, also in child processes. It makes
# tare slow and is only useful in tests.


SEAMS_VARIABLE = "TARE_SEAMS"


def _size(usual: int, most: int, least: int = 1) -> Any:
    """Return a field of `Seams` with a default size and the range from which tests draw it."""
    return field(default=usual, metadata={"tiny": (least, most)})


@dataclass(frozen=True)
class Seams:
    """Sizes by which text, rows, draws and tasks are split; 0 lets the code choose."""

    # The core; see cpp/core/seams.hpp.
    judging_share: int = _size(2 << 20, 300)
    trec_share: int = _size(1 << 16, 200)
    letor_batch: int = _size(4 << 20, 400)
    letor_share: int = _size(1 << 16, 200)
    segment_rows: int = _size(1 << 22, 12)
    sorted_ids: int = _size(1 << 16, 5)
    json_rows: int = _size(1 << 16, 12)
    subsequence_words: int = _size(1 << 22, 40)
    weighted_cells: int = _size(1 << 26, 400)
    skip_pairs: int = _size(1 << 22, 40)
    vocabulary_bytes: int = _size(1 << 27, 60)
    alpha_rows: int = _size(1 << 14, 40)
    subsets: int = _size(16, 4)
    grain: int = _size(0, 4)
    deal: int = _size(0, 1, least=0)
    threads: int = _size(0, 8)
    # Sources.
    block: int = _size(8 << 20, 20_000)  # bytes read at once
    packed_block: int = _size(4096, 64)  # bytes of a zstd file decompressed at once
    gzip_block: int = _size(1 << 16, 40)  # bytes of a gzip file read at once
    unpacked_block: int = _size(1 << 20, 300)  # bytes of a decompressed block
    table_bytes: int = _size(64 << 20, 4000)  # bytes of a Parquet file that are decoded at once
    # Engines.
    text_piece: int = _size(128 << 20, 300)  # maximum bytes of a piece of text
    least_piece: int = _size(4 << 20, 100)  # minimum bytes of text per worker
    table_rows: int = _size(1_000_000, 12)  # maximum rows of a piece of a table
    line_window: int = _size(1 << 16, 40)  # bytes of a line that are searched for its query
    part_texts: int = _size(10_000, 6)  # maximum texts of a part
    row_window: int = _size(65_536, 6, least=2)  # rows that are searched for the next query
    kept_parts: int = _size(64, 9)  # parts of a job that can be resumed, of files of any size
    draw_blocks: int = _size(1, 5)  # blocks of draws on this machine
    # Measures and statistics.
    resampled_cells: int = _size(4_000_000, 5_000)  # resampled values in memory at once
    saved_rows: int = _size(1 << 20, 20)  # rows of a saved score table that are written at once
    drawn_pairs: int = _size(1 << 20, 50)  # random texts and references scored at once
    drawn_texts: int = _size(20_000, 50)  # random texts generated and scored at once


_OF_CORE = tuple(each.name for each in fields(Seams) if each.name in _core.seams())
_now = Seams()


def seams() -> Seams:
    """Return the current sizes."""
    return _now


def set_seams(sizes: Seams) -> None:
    """Set the sizes of blocks and shares; no other work may be running."""
    global _now
    for name in _OF_CORE:
        _core.set_seam(name, getattr(sizes, name))
    set_threads(sizes.threads)
    _now = sizes


@contextmanager
def cut(sizes: Seams) -> Iterator[Seams]:
    """Use other sizes within a block."""
    before = _now
    set_seams(sizes)
    try:
        yield sizes
    finally:
        set_seams(before)


def drawn_seams(seed: object, scale: int = 1) -> Seams:
    """Draw tiny sizes of blocks and shares from a seed, small ones more often; `scale` multiplies them for larger data.

    A quarter of the sizes keep their default: a tiny share within a tiny block would never be split.
    """
    from random import Random  # slow to import, and needed only in tests

    random = Random(f"seams {seed}")
    drawn: dict[str, int] = {}
    for each in fields(Seams):
        least, most = each.metadata["tiny"]
        if random.random() < 0.25:
            drawn[each.name] = each.default  # type: ignore[assignment]
        elif each.name == "deal":
            drawn[each.name] = random.randint(least, most)
        else:
            size = least * (most / least) ** random.random()
            drawn[each.name] = int(size if each.name in ("grain", "threads") else scale * size)
    return Seams(**drawn)


if os.environ.get(SEAMS_VARIABLE):
    set_seams(drawn_seams(os.environ[SEAMS_VARIABLE]))
