"""Parts of a run, judged apart: the tasks that engines run, and how their results become one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.judged import Policies
from tare._data.problems import SHOWN
from tare._kernels import QrelsIndex, Rows, TextReading
from tare.engines._engine import Bucket, Deal
from tare.engines._pieces import TablePiece, TextPiece
from tare.engines._text_cuts import grouped

__all__ = [
    "LINES",
    "JudgedPart",
    "Judging",
    "SplitPart",
    "Splitting",
    "combined",
    "judge_bucket",
    "judge_piece",
    "judge_rows",
    "overlapping",
    "split_piece",
]

LINES = 40  # bits of a line's number; the number of its piece stands above them
BY_QUERY = ("retrieved", "tied", "present")
BY_DOCUMENT = ("ranks", "codes", "lows", "highs")


@dataclass(frozen=True)
class Judging:
    """What all tasks need: the judgements, and how runs are read against them."""

    index: QrelsIndex
    policies: Policies
    threads: int = 1


@dataclass(frozen=True)
class Splitting:
    """How rows are read and dealt to buckets."""

    layout: Literal["run", "ranks", "qrels"]
    buckets: int
    threads: int
    part_bytes: int


@dataclass(frozen=True)
class JudgedPart:
    """Some queries of a run: their places in the qrels, and their arrays as the core made them."""

    queries: NDArray[np.int64]
    arrays: dict[str, NDArray[Any]] = field(repr=False)
    unknown: tuple[str, ...] = ()
    rows: int = 0
    reading: TextReading | None = None
    duplicates: int = 0
    examples: tuple[tuple[str, str, int, int], ...] = ()  # query, document, line, earlier line
    findings: tuple[Finding, ...] = ()
    interleaved: bool = False


@dataclass(frozen=True)
class SplitPart:
    """What was met in a piece while its rows were dealt."""

    rows: int
    reading: TextReading | None
    findings: tuple[Finding, ...] = ()


def judge_piece(judging: Judging, piece: TextPiece | TablePiece) -> JudgedPart:
    """Judges the queries of a piece, as if it were the whole run."""
    if isinstance(piece, TablePiece):
        rows, findings = piece.rows()
        return replace(_judge(judging, rows, piece.number), findings=tuple(findings))
    if judging.policies.order == "rank":
        rows, reading = kernels.read_trec(piece.blocks(), "ranks", judging.threads)
        return replace(_judge(judging, rows, piece.number), reading=reading)
    text = kernels.judge_text(
        judging.index,
        piece.blocks(),
        threads=judging.threads,
        **judging.policies.arguments(),
    )
    if text.arrays is None:
        return JudgedPart(np.zeros(0, dtype=np.int64), {}, interleaved=True)
    queries, arrays = _present(text.arrays)
    return JudgedPart(queries, arrays, tuple(text.unknown), text.rows, text.reading)


def split_piece(how: Splitting, piece: TextPiece | TablePiece, deal: Deal) -> SplitPart:
    """Deals the rows of a piece to buckets; what is wrong with its lines is told, not raised."""
    above = piece.number << LINES
    if isinstance(piece, TablePiece):
        rows, findings = piece.rows()
        deal(kernels.split_rows(rows, how.buckets, above, how.threads))
        return SplitPart(len(rows), None, tuple(findings))
    readings: list[TextReading] = []
    count = lines = 0
    for text in grouped(piece.blocks(), how.part_bytes):
        block = np.frombuffer(text, dtype=np.uint8)
        rows, reading = kernels.read_trec([block], how.layout, how.threads)
        deal(kernels.split_rows(rows, how.buckets, above + lines, how.threads))
        readings.append(reading)
        lines += reading.lines
        count += len(rows)
    return SplitPart(count, TextReading.joined(readings))


def judge_bucket(judging: Judging, bucket: Bucket) -> JudgedPart:
    """Judges the queries of a bucket, of which it holds all rows."""
    return _judge(judging, kernels.join_chunks(bucket.chunks()), 0)


def _judge(judging: Judging, rows: Rows, number: int) -> JudgedPart:
    return judge_rows(judging.index, rows, judging.policies, judging.threads, number)


def judge_rows(
    index: QrelsIndex,
    rows: Rows,
    policies: Policies,
    threads: int,
    number: int = 0,
) -> JudgedPart:
    """Judges rows by judgements; `number` is that of the piece they came from."""
    arrays = kernels.judge(index, rows, threads=threads, **policies.arguments())
    queries, present = _present(arrays)
    found = rows.queries
    unknown: tuple[str, ...] = ()
    if len(found) > len(queries):
        items = index.queries
        known = {items[q] for q in queries.tolist()}
        unknown = tuple(sorted(query for query in found if query not in known))
    count, examples = rows.duplicates(threads, SHOWN, False)
    above = number << LINES
    told = tuple((q, d, line + above, earlier + above) for q, d, line, earlier in examples)
    return JudgedPart(queries, present, unknown, len(rows), None, count, told)


def _present(arrays: dict[str, NDArray[Any]]) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """The arrays of the queries that are there; those of documents hold no others anyway."""
    queries = np.flatnonzero(arrays["present"])
    counts = np.diff(arrays["offsets"])[queries]
    kept = {name: arrays[name][queries] for name in BY_QUERY}
    kept |= {name: arrays[name] for name in BY_DOCUMENT}
    return queries, {**kept, "counts": counts}


def overlapping(parts: Sequence[JudgedPart]) -> bool:
    """Whether some query stands in two parts, so that neither holds all of its rows."""
    queries = np.concatenate([part.queries for part in parts])
    unknown = [query for part in parts for query in part.unknown]
    return len(np.unique(queries)) < len(queries) or len(set(unknown)) < len(unknown)


def combined(parts: Sequence[JudgedPart], n: int) -> dict[str, NDArray[Any]]:
    """The arrays of all `n` queries, as the core makes them of a run in one piece."""
    queries = np.concatenate([part.queries for part in parts])
    order = np.argsort(queries, kind="stable")
    counts = np.concatenate([part.arrays["counts"] for part in parts])
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]) if len(counts) else counts
    of_query = np.zeros(n, dtype=np.int64)
    of_query[queries] = counts
    arrays: dict[str, NDArray[Any]] = {
        "offsets": np.concatenate([[0], np.cumsum(of_query)]).astype(np.int64)
    }
    # Where each document of the result stands among those of the parts.
    sizes, total = counts[order], int(counts.sum())
    begins = np.repeat(starts[order] - (np.cumsum(sizes) - sizes), sizes)
    places = begins + np.arange(total, dtype=np.int64)
    for name in BY_DOCUMENT:
        column = np.concatenate([part.arrays[name] for part in parts])
        arrays[name] = column[places] if len(column) else column
    for name in BY_QUERY:
        column = np.concatenate([part.arrays[name] for part in parts])
        arrays[name] = np.zeros(n, dtype=column.dtype)
        arrays[name][queries] = column
    return arrays
