"""Parts of a run that are judged separately: the tasks of engines, and the join of results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.judged import Policies
from tare._data.rows import SHOWN
from tare._kernels import JudgedRankings, QrelsIndex, Rows, TextReading
from tare.engines._pieces import TablePiece, TextPiece

__all__ = [
    "LINES",
    "JudgedPart",
    "Judging",
    "PieceReading",
    "combined",
    "joined",
    "judge_piece",
    "judge_rows",
    "overlapping",
]

LINES = 40  # bits of a line number; the number of the piece is in the bits above
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Judging:
    """Shared data of judging tasks: the judgements, and how runs are read."""

    index: QrelsIndex
    policies: Policies
    threads: int = 1


@dataclass(frozen=True)
class JudgedPart:
    """Some queries of a run: their indices in the qrels, and their rankings."""

    queries: NDArray[np.int64]
    rankings: JudgedRankings = field(repr=False)
    unknown: tuple[str, ...] = ()
    rows: int = 0
    reading: TextReading | None = None
    duplicates: int = 0
    examples: tuple[tuple[str, str, int, int], ...] = ()  # query, document, line, earlier line
    findings: tuple[Finding, ...] = ()
    interleaved: bool = False


@dataclass(frozen=True)
class PieceReading:
    """What was found in a piece while its rows were read."""

    rows: int
    reading: TextReading | None
    findings: tuple[Finding, ...] = ()


def judge_piece(judging: Judging, piece: TextPiece | TablePiece) -> JudgedPart:
    """Judge the queries of a piece as if it were the whole run."""
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
    if text.rankings is None:
        return JudgedPart(np.zeros(0, dtype=np.int64), JudgedRankings.empty(), interleaved=True)
    queries, rankings = _present(text.rankings)
    return JudgedPart(queries, rankings, tuple(text.unknown), text.rows, text.reading)


def _judge(judging: Judging, rows: Rows, number: int) -> JudgedPart:
    return judge_rows(judging.index, rows, judging.policies, judging.threads, number)


def judge_rows(
    index: QrelsIndex,
    rows: Rows,
    policies: Policies,
    threads: int,
    number: int = 0,
) -> JudgedPart:
    """Join rows with judgements; `number` is that of their piece."""
    judged = kernels.judge(index, rows, threads=threads, **policies.arguments())
    queries, present = _present(judged)
    found = rows.queries
    unknown: tuple[str, ...] = ()
    if len(found) > len(queries):
        items = index.queries
        known = {items[q] for q in queries.tolist()}
        unknown = tuple(sorted(query for query in found if query not in known))
    count, examples = rows.duplicates(threads, SHOWN, False)
    above = number << LINES
    located = tuple((q, d, line + above, earlier + above) for q, d, line, earlier in examples)
    return JudgedPart(queries, present, unknown, len(rows), None, count, located)


def _present(judged: JudgedRankings) -> tuple[NDArray[np.int64], JudgedRankings]:
    """Return the queries that are present, and their rankings; other queries have no documents."""
    queries = np.flatnonzero(judged.present)
    counts = np.diff(judged.offsets)[queries]
    kept = replace(
        judged,
        offsets=_starts(counts),
        retrieved=judged.retrieved[queries],
        tied=judged.tied[queries],
        present=judged.present[queries],
    )
    return queries, kept


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def overlapping(parts: Sequence[JudgedPart]) -> bool:
    """Return whether a query is in two parts, so that neither has all of its rows."""
    queries = np.concatenate([part.queries for part in parts])
    unknown = [query for part in parts for query in part.unknown]
    return len(np.unique(queries)) < len(queries) or len(set(unknown)) < len(unknown)


def joined(parts: Sequence[JudgedPart], n: int) -> JudgedPart:
    """Return one part with the queries of several, none of which is in two of them; `n` are judged."""
    queries, rankings = _present(combined(parts, n))
    examples = sorted((x for part in parts for x in part.examples), key=lambda x: x[2])
    return JudgedPart(
        queries,
        rankings,
        tuple(sorted(query for part in parts for query in part.unknown)),
        sum(part.rows for part in parts),
        None,
        sum(part.duplicates for part in parts),
        tuple(examples[:SHOWN]),
        parts[0].findings,
    )


def combined(parts: Sequence[JudgedPart], n: int) -> JudgedRankings:
    """Return the rankings of all `n` queries, as the core returns them for a run in one piece."""
    queries = np.concatenate([part.queries for part in parts])
    held = [part.rankings for part in parts]
    counts = np.concatenate([np.diff(rankings.offsets) for rankings in held])
    order = np.argsort(queries, kind="stable")
    of_query = np.zeros(n, dtype=np.int64)
    of_query[queries] = counts
    # The index of each document of the result among those of the parts.
    sizes, total = counts[order], int(counts.sum())
    begins = np.repeat(_starts(counts)[:-1][order] - (np.cumsum(sizes) - sizes), sizes)
    places = begins + np.arange(total, dtype=np.int64)

    def by_document(columns: list[NDArray[Scalar]]) -> NDArray[Scalar]:
        column = np.concatenate(columns)
        return column[places] if len(column) else column

    def by_query(columns: list[NDArray[Scalar]]) -> NDArray[Scalar]:
        column = np.concatenate(columns)
        spread = np.zeros_like(column, shape=n)
        spread[queries] = column
        return spread

    return JudgedRankings(
        offsets=_starts(of_query),
        ranks=by_document([rankings.ranks for rankings in held]),
        codes=by_document([rankings.codes for rankings in held]),
        lows=by_document([rankings.lows for rankings in held]),
        highs=by_document([rankings.highs for rankings in held]),
        retrieved=by_query([rankings.retrieved for rankings in held]),
        tied=by_query([rankings.tied for rankings in held]),
        present=by_query([rankings.present for rankings in held]),
    )
