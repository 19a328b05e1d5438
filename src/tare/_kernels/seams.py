"""Sizes of blocks, shares and chunks. No result depends on them, and tests make them tiny.

`TARE_SEAMS=SEED` draws tiny sizes from a seed when tare is imported, also in the processes that this
one starts. It makes tare slow and is of use only in tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from random import Random
from typing import Any

from tare import _core
from tare._kernels.threads import set_threads

__all__ = ["VARIABLE", "Seams", "cut", "drawn_seams", "seams", "set_seams"]

VARIABLE = "TARE_SEAMS"


def _size(usual: int, most: int, least: int = 1) -> Any:
    """A size, and the range in which tests draw it."""
    return field(default=usual, metadata={"tiny": (least, most)})


@dataclass(frozen=True)
class Seams:
    """Every size by which text, rows, draws or tasks are cut; 0 leaves a size to the code that uses it."""

    # Of the core; cpp/core/seams.hpp says more.
    judging_share: int = _size(2 << 20, 300)
    trec_share: int = _size(1 << 16, 200)
    letor_batch: int = _size(4 << 20, 400)
    letor_share: int = _size(1 << 16, 200)
    segment_rows: int = _size(1 << 22, 12)
    subsequence_words: int = _size(1 << 22, 40)
    weighted_cells: int = _size(1 << 26, 400)
    skip_pairs: int = _size(1 << 22, 40)
    vocabulary_bytes: int = _size(1 << 27, 60)
    subsets: int = _size(16, 4)
    grain: int = _size(0, 4)
    deal: int = _size(0, 1, least=0)
    threads: int = _size(0, 8)
    # Of sources.
    block: int = _size(8 << 20, 20_000)  # bytes that are read at once
    packed_block: int = _size(4096, 64)  # bytes of a zstd file that are unpacked at once
    table_batch: int = _size(65_536, 40)  # rows of a Parquet file that are decoded at once
    # Of engines.
    budget: int = _size(0, 20_000)  # bytes of memory where none are given; 0 = half of the memory
    text_piece: int = _size(128 << 20, 300)  # most bytes of a piece of text
    least_piece: int = _size(4 << 20, 100)  # bytes of text worth a worker of their own
    table_rows: int = _size(1_000_000, 12)  # most rows of a piece of a table
    dealt_text: int = _size(8 << 20, 300)  # bytes of text that become rows and are dealt at once
    line_window: int = _size(1 << 16, 40)  # bytes of a line in which its query is looked for
    row_window: int = _size(65_536, 6, least=2)  # rows in which the next query is looked for
    spool: int = _size(0, 500)  # bytes of dealt rows kept in memory; 0 = an eighth of the budget
    packs: int = _size(16, 4)  # that a Ray task makes of its buckets, at least
    draw_blocks: int = _size(1, 5)  # blocks of draws on this machine
    # Of measures and statistics.
    resampled_cells: int = _size(4_000_000, 5_000)  # resampled values that are held at once
    drawn_pairs: int = _size(1 << 20, 50)  # random texts and references scored at once
    drawn_texts: int = _size(20_000, 50)  # random texts that are written and scored at once


_OF_CORE = frozenset(_core.seams())
_now = Seams()


def seams() -> Seams:
    """The sizes in use."""
    return _now


def set_seams(sizes: Seams) -> None:
    """Puts sizes to use; nothing else may be at work."""
    global _now
    for name, size in asdict(sizes).items():
        if name in _OF_CORE:
            _core.set_seam(name, size)
    set_threads(sizes.threads)
    _now = sizes


@contextmanager
def cut(sizes: Seams) -> Iterator[Seams]:
    """Other sizes for a while."""
    before = _now
    set_seams(sizes)
    try:
        yield sizes
    finally:
        set_seams(before)


def drawn_seams(seed: object, scale: int = 1) -> Seams:
    """Tiny sizes drawn from a seed, small ones more often; `scale` times as large for larger data.

    A quarter of them keep their usual size: a tiny share within a tiny block would never be cut.
    """
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


if os.environ.get(VARIABLE):
    set_seams(drawn_seams(os.environ[VARIABLE]))
