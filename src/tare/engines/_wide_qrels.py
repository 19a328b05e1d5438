"""Qrels larger than memory: distributed to buckets and joined with runs bucket by bucket."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.foreign_ids import SAMPLE
from tare._data.judged import Judged
from tare._data.policies import Policies
from tare._data.problems import SHOWN
from tare._data.qrels import Qrels, equal_duplicates
from tare._data.rows import is_trec_text, some_documents
from tare._data.source import pinned
from tare._kernels import JudgedRankings, QrelsIndex, Rows
from tare._measures.judgements import need_of
from tare._measures.measure import Measure
from tare.engines._engine import Bucket, Buckets, Engine
from tare.engines._parts import JudgedPart, combined, judge_rows
from tare.engines._piece_findings import Example, PieceFindings
from tare.engines._rankings import deal, judged_run, layout_of, share_of
from tare.engines._run_files import RunFile, table_files

__all__ = ["PooledQrels", "WideQrels", "dealt_qrels"]

GRADES = 2  # memory relative to the rows of a run, because of the index of documents


@dataclass(frozen=True)
class PoolPart:
    """The judgements of a bucket without documents: queries, grades and findings."""

    items: tuple[str, ...]
    levels: NDArray[np.float64]
    offsets: NDArray[np.int64]
    pool: NDArray[np.int32]
    digest_sum: int
    conflicts: int
    examples: tuple[Example, ...]
    duplicates: int
    equal: tuple[Example, ...]
    documents: tuple[str, ...]  # some of them


def pool_bucket(_: None, bucket: Bucket) -> PoolPart:
    """Return what is kept of a bucket of judgements."""
    rows = kernels.join_chunks(bucket.chunks())
    index = QrelsIndex(rows, 1)
    conflicts, examples = rows.duplicates(1, SHOWN, True)
    duplicates, equal = rows.duplicates(1, 3, False)
    return PoolPart(
        tuple(index.queries),
        index.levels,
        index.offsets.copy(),  # a view would keep the documents
        index.pool.copy(),
        rows.digest_sum(1),
        conflicts,
        tuple(examples),
        duplicates,
        tuple(equal),
        tuple(some_documents(rows, SAMPLE)),
    )


@dataclass(frozen=True)
class Chunk:
    """A bucket of rows in memory."""

    content: bytes

    def chunks(self) -> list[bytes]:
        """Return the only chunk."""
        return [self.content]


@dataclass(frozen=True)
class Pair:
    """A bucket of judgements, and the bucket of a run with the same queries."""

    judgements: Bucket
    run: Bucket

    def __str__(self) -> str:
        return f"{self.run} with {self.judgements}"


def judge_pair(policies: Policies, pair: Pair) -> JudgedPart:
    """Judge the queries of a pair; indices and grades refer to the bucket."""
    index = QrelsIndex(kernels.join_chunks(pair.judgements.chunks()), 1)
    rows = kernels.join_chunks(pair.run.chunks())
    return judge_rows(index, rows, policies, 1)


class PooledQrels(Qrels):
    """Qrels without documents: the grades of each query's pool."""

    def __init__(
        self, name: str, parts: Sequence[PoolPart], count: int, findings: list[Finding]
    ) -> None:
        self.name, self.findings = name, tuple(findings)
        self._count = count
        self._documents = [name for part in parts for name in part.documents]
        total = sum(part.digest_sum for part in parts) % 2**64
        self.__dict__["digest"] = f"{Rows.digest_of(total) >> 32:08x}"
        levels = np.unique(np.concatenate([part.levels for part in parts]))
        self.__dict__["levels"] = levels
        names = [item for part in parts for item in part.items]
        order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        self.__dict__["items"] = tuple(names[k] for k in order)
        # The index of each query of a part among all queries, and of its grades among all grades.
        places = np.empty(len(names), dtype=np.int64)
        places[order] = np.arange(len(names))
        starts = np.cumsum([0, *(len(part.items) for part in parts)])
        self.places = [places[a:b] for a, b in pairwise(starts.tolist())]
        self.codes = [np.searchsorted(levels, part.levels).astype(np.int32) for part in parts]
        pools = combined(
            [
                JudgedPart(place, _pool_of(part, codes))
                for part, place, codes in zip(parts, self.places, self.codes, strict=True)
            ],
            len(names),
        )
        self.__dict__["pool"], self.__dict__["pool_offsets"] = pools.codes, pools.offsets

    def __len__(self) -> int:
        return self._count

    def some_documents(self, count: int) -> list[str]:
        """Return some documents that are judged."""
        return self._documents[:count]

    def globally(self, part: JudgedPart, bucket: int) -> JudgedPart:
        """Convert the indices of a bucket's queries and grades to those of all judgements."""
        codes = part.rankings.codes
        codes = self.codes[bucket][codes] if len(codes) else codes
        return replace(
            part,
            queries=self.places[bucket][part.queries],
            rankings=replace(part.rankings, codes=codes),
        )


def _pool_of(part: PoolPart, codes: NDArray[np.int32]) -> JudgedRankings:
    """Return the pool in the form of rankings, which are combined in the same way."""
    none, by_query = np.zeros(0, dtype=np.int64), np.zeros(len(part.items), dtype=np.int64)
    return JudgedRankings(
        offsets=part.offsets,
        ranks=none.astype(np.int32),
        codes=codes[part.pool] if len(part.pool) else part.pool,
        lows=none,
        highs=none,
        retrieved=by_query,
        tied=by_query,
        present=by_query.astype(np.uint8),
    )


@dataclass(frozen=True)
class WideQrels:
    """Qrels in buckets, ready to be joined with runs."""

    qrels: PooledQrels
    buckets: Buckets

    def judged(self, engine: Engine, run: Any, policies: Policies) -> Judged:
        """Join a run of any kind with the qrels."""
        if isinstance(run, RunFile):
            partitioned, met = deal(engine, run, layout_of(policies), self.buckets.count)
            try:
                parts = self._parts(engine, partitioned.all(), policies, run.name)
            finally:
                partitioned.close()
            return judged_run(run, self.qrels, policies, met, parts)
        chunks = kernels.split_rows(run.rows, self.buckets.count)
        parts = self._parts(engine, [Chunk(chunk) for chunk in chunks], policies, run.name)
        source = run.name if run.name not in ("dictionary", "data frame") else ""
        return Judged(
            run.system,
            self.qrels,
            policies,
            combined(parts, len(self.qrels.items)),
            tuple(sorted(query for part in parts for query in part.unknown)),
            run.findings,
            len(run),
            source,
        )

    def _parts(
        self, engine: Engine, runs: Sequence[Bucket], policies: Policies, what: str
    ) -> list[JudgedPart]:
        pairs = [Pair(*both) for both in zip(self.buckets.all(), runs, strict=True)]
        parts = engine.map_partitions(judge_pair, policies, pairs, what=what)
        return [self.qrels.globally(part, bucket) for bucket, part in enumerate(parts)]


@contextmanager
def dealt_qrels(
    engine: Engine, source: Any, measures: tuple[Measure, ...]
) -> Iterator[WideQrels | None]:
    """Distribute a file of qrels that exceeds the memory limit; yields None if it fits."""
    file = _file(source)
    if file is None or any(need_of(measure) != "grades" for measure in measures):
        yield None
        return
    wanted = GRADES * file.bytes_in_memory()
    if wanted * engine.copies <= engine.memory / 2:
        yield None
        return
    count = engine.bucket_count or ceil(wanted / share_of(engine))
    buckets, met = deal(engine, file, "qrels", min(max(1, count), engine.max_buckets))
    try:
        yield WideQrels(_pooled(engine, buckets, met), buckets)
    finally:
        buckets.close()


def _pooled(engine: Engine, buckets: Buckets, met: PieceFindings) -> PooledQrels:
    parts = engine.map_partitions(pool_bucket, None, buckets.all(), what=met.name)
    met.refuse(sum(part.conflicts for part in parts), [x for p in parts for x in p.examples])
    equal = sorted((x for part in parts for x in part.equal), key=lambda x: x[2])[:3]
    duplicates = sum(part.duplicates for part in parts)
    findings = met.findings()
    unit = "row" if met.reading is None else "line"
    findings += equal_duplicates(met.name, duplicates, [(x[0], x[1]) for x in equal], unit)
    return PooledQrels(met.name, parts, met.rows, findings)


def _file(source: Any) -> RunFile | None:
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source)
    if files := table_files(path):
        return RunFile(path, files)
    return RunFile(pinned(path)) if is_trec_text(path) else None
