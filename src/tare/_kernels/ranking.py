"""Kernels of rankings: readers of TREC text, joins with qrels, measures of rankings and of diversity."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare import _core
from tare._choices import Ties
from tare.errors import MAX_PROBLEMS

__all__ = [
    "HEAD",
    "DiversityKernel",
    "JsonReading",
    "JudgedRankings",
    "MeasureKernel",
    "QrelsIndex",
    "Rankings",
    "Rows",
    "RowsBuilder",
    "RunText",
    "SubtopicArrays",
    "SubtopicIndex",
    "TextReading",
    "Watched",
    "evaluate",
    "evaluate_diversity",
    "join_chunks",
    "judge",
    "judge_dicts",
    "judge_text",
    "pack_rows",
    "read_json_pairs",
    "read_trec",
    "rows_from_arrow",
    "rows_from_dicts",
    "stream_ids",
]


# Rankings as arrays: the positions and grades of the judged documents of each query.


@dataclass(frozen=True, eq=False)
class Rankings:
    """The judged documents of every ranking, one ranking after the other.

    Unjudged documents are not listed; they fill the ranks between the judged ones.

    offsets: the documents of query q are those from offsets[q] to offsets[q + 1].
    ranks: the rank of each document, from 1.
    codes: the grade of each document, as an index into the levels of the qrels; for judgements by
    subtopic or preference the number of the document within its query.
    lows, highs: the first and last rank of each document's tie group; empty if ties are broken.
    retrieved: the length of each ranking, judged or not.
    """

    offsets: NDArray[np.int64]
    ranks: NDArray[np.int32]
    codes: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    retrieved: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class JudgedRankings(Rankings):
    """The rankings of a run, joined with qrels.

    tied: the number of documents of each query that share their score with another.
    present: 1 for each query of the qrels that the run contains, else 0.
    """

    tied: NDArray[np.int64]
    present: NDArray[np.uint8]

    @classmethod
    def empty(cls) -> JudgedRankings:
        """Return the rankings of no query."""
        none, codes = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
        present = np.zeros(0, dtype=np.uint8)
        return cls(np.zeros(1, dtype=np.int64), codes, codes, none, none, none, none, present)


# Readers of TREC text, the join of runs with qrels, and ranking measures.


Rows = _core.Rows
RowsBuilder = _core.RowsBuilder
QrelsIndex = _core.Qrels
MeasureKernel = _core.MeasureKernel


def _columns_of(index: QrelsIndex) -> tuple[Any, ...]:
    """Pickle judgements as flat arrays, which the processes of a machine can share."""
    return _of_columns, (index.queries, *index.columns())


def _of_columns(queries: list[str], *columns: NDArray[Any]) -> QrelsIndex:
    return _core.Qrels.of_columns(queries, *columns)


copyreg.pickle(QrelsIndex, _columns_of)

ALL_THREADS = 0
HEAD = 1 << 14  # bytes of a text that are kept


class Watched:
    """Blocks of a text of rankings, of which the beginning is kept."""

    def __init__(self, blocks: Iterable[NDArray[np.uint8]]) -> None:
        self._blocks = blocks
        self.head = b""

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        for block in self._blocks:
            if len(self.head) < HEAD:
                self.head += block[: HEAD - len(self.head)].tobytes()
            yield block


@dataclass(frozen=True)
class TextReading:
    """What reading a TREC text found: problems by line, and counts for findings.

    `head` is the beginning of the text if lines are malformed or have more fields than the layout.
    """

    problems: list[tuple[int, str, str]]
    problem_count: int
    tag: str
    lines: int
    extra_fields: int
    rank_conflicts: int
    head: bytes = b""

    @classmethod
    def of(cls, reader: _core.TrecReader | _core.JudgingReader, head: bytes) -> TextReading:
        """Copy the counts of a reader."""
        problems = [(n, kind, text.decode("utf-8", "replace")) for n, kind, text in reader.problems]
        return cls(
            sorted(problems),
            reader.problem_count,
            reader.tag,
            reader.lines,
            reader.extra_fields,
            reader.rank_conflicts,
            head if reader.problem_count or reader.extra_fields else b"",
        )

    @classmethod
    def joined(cls, readings: Sequence[TextReading]) -> TextReading:
        """Join the readings of consecutive parts of a text, with continued line numbers."""
        problems: list[tuple[int, str, str]] = []
        lines = 0
        for reading in readings:
            for line, kind, detail in reading.problems:
                if kind == "duplicate":  # also contains the earlier line
                    query, document, earlier = detail.split(" ")
                    detail = f"{query} {document} {int(earlier) + lines}"
                problems.append((line + lines, kind, detail))
            lines += reading.lines
        return cls(
            sorted(problems),
            sum(reading.problem_count for reading in readings),
            next((r.tag for r in reversed(readings) if r.tag), ""),
            lines,
            sum(reading.extra_fields for reading in readings),
            sum(reading.rank_conflicts for reading in readings),
            next((reading.head for reading in readings if reading.head), b""),
        )


def read_trec(
    blocks: Iterable[NDArray[np.uint8]],
    layout: Literal["run", "ranks", "qrels", "subtopics"],
    threads: int = ALL_THREADS,
) -> tuple[Rows, TextReading]:
    """Parse blocks of TREC text."""
    reader = _core.TrecReader(layout, threads)
    watched = Watched(blocks)
    for block in watched:
        reader.feed(block)
        if reader.problem_count > MAX_PROBLEMS:  # it may have no end
            break
    rows = reader.finish()
    return rows, TextReading.of(reader, watched.head)


@dataclass(frozen=True)
class JsonReading:
    """The pairs of a JSON text by part, or why there are none.

    fault: the name of a fault in the text, or empty; `other`: valid JSON of another shape.
    """

    parts: list[tuple[list[str], Rows]]
    other: bool
    lists: bool
    repeats: int
    repeated: list[tuple[str, str]]
    about: bytes
    fault: str
    line: int
    column: int
    detail: str
    path: list[str]


def read_json_pairs(
    blocks: Iterable[NDArray[np.uint8]], *, ranked: bool, about: str = ""
) -> JsonReading:
    """Parse blocks of JSON {query: {document: number}} or {query: [documents]}.

    Documents of a list get their negated rank (`ranked`) or 1. The value of `about` is kept as text.
    """
    reader = _core.JsonPairs(ranked, about)
    for block in blocks:
        reader.feed(block)
        if reader.ended:
            break
    else:
        reader.finish()
    fault, line, column, detail = reader.fault
    return JsonReading(
        reader.parts(),
        reader.other,
        reader.lists,
        reader.repeats,
        reader.repeated,
        reader.about,
        fault,
        line,
        column,
        detail.decode("utf-8", "replace"),
        reader.path,
    )


def rows_from_dicts(queries: Iterable[tuple[str, dict[Any, Any]]]) -> Rows:
    """Return the rows of (query, {document: value}) pairs; TypeError if a value is not a number."""
    builder = _core.RowsBuilder()
    for query, documents in queries:
        builder.add_query(query, documents)
    return builder.finish()


def rows_from_arrow(stream: Any, first_line: int = 1) -> Rows:
    """Return the rows of an Arrow stream with the columns query, document (text) and value (double).

    Rows are numbered from `first_line`, or by a fourth column of unsigned 64-bit integers.
    """
    return _core.rows_from_arrow(stream, first_line)


def judge(
    qrels: QrelsIndex,
    run: Rows,
    *,
    ties: Ties = "trec",
    condensed: bool = False,
    single_precision: bool = False,
    depth: int = 0,
    groups: bool = False,
    threads: int = ALL_THREADS,
) -> JudgedRankings:
    """Find the judged documents of each query in a run."""
    arrays = _core.judge(qrels, run, ties, condensed, single_precision, depth, groups, threads)
    return JudgedRankings(**arrays)


def judge_dicts(
    codes: Sequence[dict[str, int]], rankings: Sequence[dict[str, Any] | None]
) -> JudgedRankings:
    """Join {document: score} rankings with {document: code} judgements, in the order of trec_eval 9.

    Scores are compared as 32-bit numbers. None is a query without a ranking. Tied documents are not
    counted. TypeError unless the ids of rankings are of type `str` itself and scores are floats or integers;
    ValueError for NaN. The ids of judgements must be of type `str` too.
    """
    given = [{} if ranking is None else ranking for ranking in rankings]
    offsets, ranks, hits, retrieved = _core.judge_dicts(list(codes), given)
    present = np.fromiter((r is not None for r in rankings), np.uint8, len(given))
    none, tied = np.zeros(0, dtype=np.int64), np.zeros(len(given), dtype=np.int64)
    return JudgedRankings(offsets, ranks, hits, none, none, retrieved, tied, present)


@dataclass(frozen=True)
class RunText:
    """A run judged while it was read; `rankings` is None if its queries are interleaved."""

    rankings: JudgedRankings | None
    reading: TextReading
    rows: int
    unknown: list[str]


def judge_text(
    qrels: QrelsIndex,
    blocks: Iterable[NDArray[np.uint8]],
    *,
    ties: Ties = "trec",
    condensed: bool = False,
    single_precision: bool = False,
    depth: int = 0,
    groups: bool = False,
    threads: int = ALL_THREADS,
) -> RunText:
    """Parse a TREC run and join it with qrels in one pass, keeping only the rows of one query."""
    reader = _core.JudgingReader(qrels, ties, condensed, single_precision, depth, groups, threads)
    watched = Watched(blocks)
    for block in watched:
        reader.feed(block)
        if reader.interleaved or reader.problem_count > MAX_PROBLEMS:
            break
    if not reader.interleaved:
        reader.finish()
    rankings = None if reader.interleaved else JudgedRankings(**reader.judged())
    return RunText(
        rankings, TextReading.of(reader, watched.head), reader.rows, sorted(reader.unknown)
    )


def evaluate(
    judged: Rankings,
    pool_offsets: NDArray[np.int64],
    pool: NDArray[np.int32],
    streams: NDArray[np.uint64] | None,
    measures: Sequence[MeasureKernel],
    *,
    what: Literal["values", "variances", "thirds", "tails"] = "values",
    observed: NDArray[np.float64] | None = None,
    most_orders: int = 50_000,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = ALL_THREADS,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of one ranking measure on every query, and its standard error (0 if it is exact).

    what: "values", for tie groups the mean over their orders; "variances" and "thirds" (third
    central moments) over these orders; or "tails", the probability that an order scores at least
    `observed`. Without tie groups no order is sampled, and no streams are needed.
    """
    return _core.evaluate(
        what,
        judged.offsets,
        judged.ranks,
        judged.codes,
        judged.lows,
        judged.highs,
        judged.retrieved,
        pool_offsets,
        pool,
        np.zeros(0, dtype=np.uint64) if streams is None else streams,
        list(measures),
        np.zeros(0) if observed is None else np.ascontiguousarray(observed).reshape(-1),
        most_orders,
        samples,
        seed,
        threads,
    )


def stream_ids(ids: Sequence[str]) -> NDArray[np.uint64]:
    """Return the number of the random stream of each id."""
    return _core.stream_ids(ids)


# Measures of diversity, and judgements by subtopic.


SubtopicIndex = _core.SubtopicQrels
DiversityKernel = _core.DiversityKernel


@dataclass(frozen=True, eq=False)
class SubtopicArrays:
    """Judgements by subtopic: the documents of each query, and the judged cells of each document.

    A cell is a pair of a document and a subtopic. `document_offsets` and `subtopic_offsets` are by
    query, `cell_offsets` by document; `cell_subtopics` counts from the first subtopic of the query.
    """

    document_offsets: NDArray[np.int64]
    cell_offsets: NDArray[np.int64]
    subtopic_offsets: NDArray[np.int64]
    cell_subtopics: NDArray[np.int32]
    cell_grades: NDArray[np.float64]
    probabilities: NDArray[np.float64]


What = Literal["values", "expected", "variances", "tails", "greedy", "exact", "worst"]


def evaluate_diversity(
    what: What,
    judged: Rankings,
    streams: NDArray[np.uint64],
    collection: SubtopicArrays,
    kernel: DiversityKernel,
    *,
    observed: NDArray[np.float64] | None = None,
    divisors: NDArray[np.float64] | None = None,
    most_orders: int = 50_000,
    samples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the value of one diversity measure on every query, its standard error (0 if it is exact), and what sums are divided by.

    The codes of `judged` are the numbers of documents within their query. Except for "values", its
    documents are taken as a pool. The divisors depend only on the judgements; they can be passed in
    again to save time.
    """
    return _core.evaluate_diversity(
        what,
        judged.offsets,
        judged.ranks,
        judged.codes,
        judged.lows,
        judged.highs,
        judged.retrieved,
        streams,
        collection.document_offsets,
        collection.cell_offsets,
        collection.subtopic_offsets,
        collection.cell_subtopics,
        collection.cell_grades,
        collection.probabilities,
        kernel,
        np.zeros(0) if observed is None else np.ascontiguousarray(observed),
        np.zeros(0) if divisors is None else divisors,
        most_orders,
        samples,
        seed,
        threads,
    )


# Rows as bytes and back.


def pack_rows(rows: Rows, lines_before: int = 0) -> bytes:
    """Return rows as bytes; `lines_before` is added to their line numbers, which appear in messages."""
    return _core.pack_rows(rows, lines_before)


def join_chunks(chunks: Sequence[bytes]) -> Rows:
    """Return the rows of chunks made by `pack_rows`."""
    return _core.join_chunks([np.frombuffer(chunk, np.uint8) for chunk in chunks if len(chunk)])
