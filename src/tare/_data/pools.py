"""Pools: the documents that a random ranker could have ranked, from judgements, candidates or counts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.columns import quoted
from tare._data.judged import Judged
from tare._data.qrels import Qrels, read_qrels
from tare._data.rows import text_rows
from tare._data.runs import Run, read_run
from tare._data.table_files import table_in
from tare._data.tables import InputTable, Layout, is_columns, rows_of
from tare._files.opening import name_of, read_text
from tare.errors import FormatError, MismatchError, OptionError, nearest

__all__ = ["KINDS", "Candidates", "Pool", "Pools", "RetrievedUnion", "read_candidates"]


# Candidates: the documents that could have been ranked per query, as lists or as counts.


MOST = 10**12
LAYOUT = Layout(
    "candidates",
    ("query",),
    ("candidates", "document"),
    accepted="a number, a dictionary {query: number} or {query: [documents]}, rows (query, number)",
)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The number of candidates that can be ranked per query (`counts`), or the candidates themselves (`lists`).

    `same` is the number of candidates of every query.
    """

    name: str
    counts: Mapping[str, int] | None = None
    lists: Qrels | None = None
    same: int = 0

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these candidates."""
        if self.lists is not None:
            return self.lists.digest
        text = (
            repr(sorted((self.counts or {}).items())) if self.counts is not None else f"{self.same}"
        )
        import hashlib

        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    def count(self, query: str) -> int | None:
        """Return the number of candidates of a query in the pool, or None if the query is not listed."""
        if self.counts is not None:
            return self.counts.get(query)
        return self.same or None


def read_candidates(source: Any) -> Candidates:
    """Read the candidates of a pool from a number, a dictionary, a data frame or a file.

    A dictionary maps each query to a number or to its documents. A table has a column for the query
    and one for the number (`candidates`) or the document. Text files have lines 'query number' or
    'query document'. TREC runs and qrels are read as lists of documents.

    >>> read_candidates({"q1": 100, "q2": 80}).count("q2")
    80
    """
    if isinstance(source, Candidates):
        return source
    if isinstance(source, Qrels):
        return _listed(source.name, {q: [d for d, _ in ds] for q, ds in source.by_query()})
    if isinstance(source, Run):
        return _listed(source.name, {q: [d for d, _ in ds] for q, ds in source.by_query()})
    if isinstance(source, int) and not isinstance(source, bool):
        return Candidates("number", same=_number(source, "candidates", "candidates"))
    if isinstance(source, Mapping) and not _is_table(source):
        return _of_mapping(source)
    if isinstance(source, str | os.PathLike) and table_in(source) is None:
        return _of_text(source)
    return _of_table(rows_of(source, LAYOUT))


def _is_table(source: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary has columns, not queries."""
    return any(is_columns(source, ("query", role)) for role in LAYOUT.more)


def _number(value: Any, name: str, where: str) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not (1 <= number <= MOST and number == int(number)):
        raise FormatError(
            f"{name}, {where}: {value!r} is not a number of candidates; accepted: a whole number, 1 or more."
        )
    return int(number)


def _listed(name: str, lists: Mapping[str, Collection[Any]]) -> Candidates:
    for query, documents in lists.items():
        if not documents:
            raise FormatError(f"{name}: query {query!r} has no candidates.")
        if any(document is None or document != document for document in documents):
            raise FormatError(f"{name}: a candidate of query {query!r} is missing (None or NaN).")
    if not lists:
        raise FormatError(f"{name}: no candidates found.")
    made = read_qrels({q: dict.fromkeys(map(str, documents), 0) for q, documents in lists.items()})
    made.name = name
    return Candidates(name, lists=made)


def _of_mapping(source: Mapping[Any, Any]) -> Candidates:
    name = "dictionary"
    if not source:
        raise FormatError(f"{name}: no candidates found.")
    numbers = [not isinstance(v, Collection) for v in source.values()]
    if all(numbers):
        found = {str(q): _number(n, name, f"query {str(q)!r}") for q, n in source.items()}
        return Candidates(name, counts=found)
    if any(numbers) or any(isinstance(v, str) for v in source.values()):
        raise FormatError(
            f"{name}: expected either {{query: number}} or {{query: [documents]}}, not both."
        )
    return _listed(name, {str(q): documents for q, documents in source.items()})


def _of_table(table: InputTable) -> Candidates:
    name, ids = table.name, table.ids("query").to_list()
    if "candidates" in table.columns:
        counts: dict[str, int] = {}
        for row, (query, number) in enumerate(zip(ids, table.values("candidates"), strict=True)):
            count = _number(number, name, table.place(row))
            if counts.setdefault(query, count) != count:
                raise FormatError(
                    f"{table.where(row)}: query {query!r} has two different numbers of candidates."
                )
        if not counts:
            raise FormatError(f"{name}: no candidates found.")
        return Candidates(name, counts=counts)
    if "document" not in table.columns:
        raise FormatError(
            f"{name}: found {quoted(table.frame.columns)}. A table of candidates "
            "has a column 'query' and one of 'candidates' (a number) or 'document'."
        )
    lists: dict[str, dict[str, None]] = {}
    for query, document in zip(ids, table.ids("document").to_list(), strict=True):
        lists.setdefault(query, {})[document] = None
    return _listed(name, lists)


def _of_text(source: Any) -> Candidates:
    name = name_of(source)
    rows = list(text_rows(read_text(source), name))
    if not rows:
        raise FormatError(
            f"{name}: no candidates found; the file is empty or contains only comments."
        )
    width = len(rows[0][1])
    if width >= 4:
        made = read_run(source) if width >= 6 else read_qrels(source)
        return read_candidates(made)
    for number, fields in rows:
        if len(fields) != 2:
            raise FormatError(
                f"{name}, line {number}: expected 2 fields, found {len(fields)}. A line of candidates "
                "is 'query number' or 'query document'; TREC runs and qrels are also accepted."
            )
    queries = Counter(fields[0] for _, fields in rows)
    if max(queries.values()) == 1 and all(fields[1].isdigit() for _, fields in rows):
        counts = {f[0]: _number(f[1], name, f"line {number}") for number, f in rows}
        return Candidates(name, counts=counts)
    lists: dict[str, dict[str, None]] = {}
    for _, (query, document) in rows:
        lists.setdefault(query, {})[document] = None
    return _listed(name, lists)


# Pools: the documents that a random ranker could have ranked.
#
#     candidates  a list or a number of documents per query
#     judged      the documents of the qrels
#     corpus=N    N documents; those that are not judged are not relevant
#     corpus=inf  the limit of a growing corpus
#     union       judged, or retrieved by any run of the call
#     retrieved   the documents of the run itself (for re-ranking studies)
#
# The pool is a property of the query, not of the run; the task determines which pool applies. In a random
# ranking all documents of the pool are tied, so the mean over all orders of tied documents is the expected value.


KINDS = ("candidates", "judged", "corpus", "union", "retrieved")
ACCEPTED = "judged, corpus=N, corpus=inf, candidates, union, retrieved"
LARGEST = 10**12  # documents of a corpus
DEEPEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class RetrievedUnion:
    """A pool of what runs retrieved: the number of documents per query that any run retrieved and nobody judged."""

    unjudged: Mapping[str, int]
    runs: int

    @classmethod
    def of(cls, judged: Any, runs: Iterable[Run]) -> RetrievedUnion:
        """Count the documents that runs retrieved and that are not in the qrels `judged`, for the pool of all runs."""
        known = {query: {d for d, _ in documents} for query, documents in judged.by_query()}
        found: dict[str, set[str]] = {}
        count = 0
        for run in runs:
            count += 1
            for query, documents in run.by_query():
                if query in known:
                    found.setdefault(query, set()).update(d for d, _ in documents)
        return cls({q: len(docs - known[q]) for q, docs in found.items()}, count)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these counts."""
        import hashlib

        text = repr(sorted(self.unjudged.items()))
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


@dataclass(frozen=True)
class Pool:
    """The documents that can be ranked for each query.

    Parameters
    ----------
    kind : {"candidates", "judged", "corpus", "union", "retrieved"}
        The kind of pool.
    size, candidates, union
        The size of a corpus (0 for corpus=inf), and the documents of pools of these kinds.

    Examples
    --------
    >>> Pool.parse("corpus=1000000")
    Pool(kind='corpus', size=1000000)
    """

    kind: str
    size: int = 0  # of a corpus; 0 is the limit corpus=inf
    candidates: Candidates | None = field(default=None, repr=False)
    union: RetrievedUnion | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: object) -> Pool:
        """Parse the name of a pool.

        Parameters
        ----------
        text : str or Pool
            A kind of pool, ``"corpus=1000000"`` or ``"corpus=inf"``; others raise an `OptionError`.
        """
        if isinstance(text, Pool):
            return text
        kind, _, number = str(text).partition("=")
        if kind not in KINDS or (kind != "corpus" and number):
            raise OptionError(
                f"pool={text!r} is not known. Accepted: {ACCEPTED}.{nearest(kind, KINDS)}"
            )
        if kind != "corpus":
            return cls(kind)
        if number.lower() in ("inf", "infinity", "∞"):
            return cls("corpus")
        try:
            size = int(float(number))
        except (ValueError, OverflowError):
            size = 0
        if not 1 <= size <= LARGEST:
            raise OptionError(
                f"pool={text!r}: give the number of documents, as in corpus=1000000, or corpus=inf."
            )
        return cls(kind, size)

    @property
    def unlimited(self) -> bool:
        """Whether the pool is an infinite corpus."""
        return self.kind == "corpus" and self.size == 0

    @property
    def shared(self) -> bool:
        """Whether the pool is the same for every run."""
        return self.kind != "retrieved"

    def __str__(self) -> str:
        return f"corpus={self.size or 'inf'}" if self.kind == "corpus" else self.kind

    def facts(self) -> dict[str, object]:
        """Return the facts about the pool for a signature."""
        facts: dict[str, object] = {"pool": str(self)}
        if self.union is not None and self.kind == "union":
            facts |= {"runs": self.union.runs, "retrieved": self.union.digest}
        if self.candidates is not None and self.kind == "candidates":
            facts["candidates"] = self.candidates.digest
        return facts

    def check(self, judged: Judged) -> None:
        """Raise a `MismatchError` if a run or qrels contain more documents than the pool.

        Parameters
        ----------
        judged : Judged
            A run, joined with qrels.
        """
        if self.kind == "corpus" and self.size:
            both = np.diff(judged.qrels.pool_offsets) + judged.retrieved - _hits(judged)
            if len(both) and both.max() > self.size:
                query = judged.items[int(both.argmax())]
                raise MismatchError(
                    f"a corpus of {self.size:,} documents is too small: query {query!r} alone has "
                    f"{int(both.max()):,} judged or retrieved documents."
                )
        given = self.candidates if self.kind == "candidates" else None
        if given is not None and given.lists is None:
            over = np.flatnonzero(judged.retrieved > self.sizes(judged))
            if len(over):
                q = int(over[0])
                raise MismatchError(
                    f"{judged.system}: {len(over):,} queries rank more documents than they have "
                    f"candidates; query {judged.items[q]!r} ranks {int(judged.retrieved[q]):,} of "
                    f"{int(self.sizes(judged)[q]):,}."
                )

    def sizes(self, judged: Judged) -> NDArray[np.int64]:
        """Return the number of documents in the pool of each query.

        Parameters
        ----------
        judged : Judged
            A run, joined with qrels.
        """
        in_qrels = np.diff(judged.qrels.pool_offsets)
        if self.kind in ("judged", "retrieved"):
            return in_qrels if self.kind == "judged" else judged.retrieved
        if self.kind == "candidates":
            return self._candidate_sizes(judged, in_qrels)
        if self.kind == "union":
            if self.union is None:
                raise OptionError(
                    "pool=union is the union over the runs of one call; only evaluate() and the commands support it."
                )
            more = [self.union.unjudged.get(item, 0) for item in judged.items]
            return in_qrels + np.array(more, dtype=np.int64).reshape(-1)
        return np.full(len(in_qrels), self.size or LARGEST, dtype=np.int64)

    def _candidate_sizes(self, judged: Judged, in_qrels: NDArray[np.int64]) -> NDArray[np.int64]:
        given = self._given()
        if given.lists is not None:
            sizes: NDArray[np.int64] = self._listed(judged).retrieved
            self._refuse_absent([q for q, n in zip(judged.items, sizes, strict=True) if not n])
            return sizes
        counts = [given.count(item) for item in judged.items]
        self._refuse_absent([q for q, n in zip(judged.items, counts, strict=True) if n is None])
        found = np.array(counts, dtype=np.int64).reshape(-1)
        if len(few := np.flatnonzero(found < in_qrels)):
            q = int(few[0])
            raise MismatchError(
                f"{given.name}: {len(few):,} queries have fewer candidates than judged documents; "
                f"query {judged.items[q]!r} has {int(found[q]):,} and {int(in_qrels[q]):,}. Give the "
                "candidates as a list of documents."
            )
        return found

    def _given(self) -> Candidates:
        if self.candidates is None:
            raise OptionError(
                "pool=candidates needs the candidates: evaluate(…, candidates=…) or --candidates FILE."
            )
        return self.candidates

    def _refuse_absent(self, queries: list[str]) -> None:
        if queries:
            raise MismatchError(
                f"{self._given().name}: {len(queries):,} judged queries have no candidates "
                f"({', '.join(queries[:5])}{', …' if len(queries) > 5 else ''})."
            )

    def _listed(self, judged: Judged) -> kernels.JudgedRankings:
        """Return the judged documents among the candidates of a pool, joined by the core."""
        lists = self._given().lists
        assert lists is not None
        return kernels.judge(judged.qrels.index, lists.rows)

    def codes(self, judged: Judged) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the offsets of the queries and the grade codes of the judged documents in the pool.

        Parameters
        ----------
        judged : Judged
            A run, joined with qrels.
        """
        if self.kind == "candidates" and self._given().lists is not None:
            arrays = self._listed(judged)
            return arrays.offsets, arrays.codes
        if self.kind != "retrieved":
            return judged.qrels.pool_offsets, judged.qrels.pool
        offsets = np.zeros(len(judged.items) + 1, dtype=np.int64)
        offsets[1:] = np.cumsum(_hits(judged))
        inside = judged.rankings.ranks <= np.repeat(
            judged.retrieved, np.diff(judged.rankings.offsets)
        )
        return offsets, np.ascontiguousarray(judged.rankings.codes[inside])

    def all_tied(self, judged: Judged) -> kernels.Rankings:
        """Return the random ranking: one tie group with the whole pool.

        Parameters
        ----------
        judged : Judged
            A run, joined with qrels.
        """
        offsets, codes = self.codes(judged)
        sizes, counts = self.sizes(judged), np.diff(offsets)
        lows, highs = np.ones(len(codes), dtype=np.int64), np.repeat(sizes, counts)
        return kernels.Rankings(
            offsets=offsets,
            ranks=_numbered(offsets),
            codes=codes,
            lows=lows,
            highs=highs,
            retrieved=sizes,
        )

    def ordered(
        self, judged: Judged, gain: NDArray[np.float64], *, best_first: bool
    ) -> kernels.Rankings:
        """Return the ranking of the pool by gain; unjudged documents have the lowest.

        Parameters
        ----------
        judged, gain, best_first
            A run joined with qrels, one gain per level, and whether the best documents come first.
        """
        offsets, codes = self.codes(judged)
        sizes, counts = self.sizes(judged), np.diff(offsets)
        ranks = _numbered(offsets).astype(np.int64)
        sorted_already = self.kind != "retrieved" and codes is judged.qrels.pool
        if sorted_already and bool((np.diff(gain) >= 0).all()):
            best = codes  # the qrels are sorted like this
        else:
            query = np.repeat(np.arange(len(counts)), counts)
            best = codes[np.lexsort((-codes, -gain[codes], query))]
        if not best_first:  # the same documents, from the end of the pool
            ranks = np.repeat(sizes + 1, counts) - ranks
            backwards = np.repeat(offsets[1:] + offsets[:-1] - 1, counts) - np.arange(len(codes))
            ranks, best = ranks[backwards], best[backwards]
        return kernels.Rankings(
            offsets=offsets,
            ranks=np.minimum(ranks, DEEPEST).astype(np.int32),
            codes=np.ascontiguousarray(best),
            lows=np.zeros(0, dtype=np.int64),
            highs=np.zeros(0, dtype=np.int64),
            retrieved=sizes,
        )


def _hits(judged: Judged) -> NDArray[np.int64]:
    """Return, for a pool of retrieved documents, how many judged ones each ranking has within the depth limit."""
    offsets = judged.rankings.offsets
    inside = judged.rankings.ranks <= np.repeat(judged.retrieved, np.diff(offsets))
    total = np.concatenate([[0], np.cumsum(inside)])
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]], dtype=np.int64)


def _numbered(offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return 1, 2, 3, … within each query."""
    numbers = np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    return numbers.astype(np.int32)


# The pools of one call: the default pool, and the data that other pools need.


@dataclass(frozen=True)
class Pools:
    """The options of a call that give its pool: `pool=`, `corpus=` and `candidates=`."""

    default: Pool | None = None
    candidates: Candidates | None = None
    union: RetrievedUnion | None = None

    @classmethod
    def of(cls, pool: Any = None, corpus: Any = None, candidates: Any = None) -> Pools:
        """Read the three options of a call that name its pool; they may name one at most.

        >>> str(Pools.of(corpus=1000).default)
        'corpus=1000'
        """
        given = None if candidates is None else read_candidates(candidates)
        named = None if pool is None else str(pool)
        if corpus is not None:
            if named not in (None, "corpus") or given is not None:
                other = f"pool={named}" if given is None else "candidates"
                raise OptionError(f"corpus={corpus} and {other} name two pools; give only one.")
            return cls(Pool.parse(f"corpus={corpus}"))
        if named == "corpus":
            raise OptionError("pool=corpus needs its size: corpus=N, such as corpus=1000000.")
        if given is not None:
            if named not in (None, "candidates"):
                raise OptionError(f"pool={named} and candidates name two pools; give only one.")
            return cls(Pool("candidates", candidates=given), given)
        if named == "candidates":
            raise OptionError(
                "pool=candidates needs the candidates: evaluate(…, candidates=…) or --candidates FILE."
            )
        return cls(None if named is None else Pool.parse(pool))

    def known_from(self, data: Any) -> Pools:
        """Return a copy of the options with the pool that the data determine, if the call gives none."""
        known = getattr(data, "known_pool", None)
        if self.default is not None or known is None:
            return self
        return replace(self, default=Pool.parse(known))

    def require(self, what: object, named: object = None) -> Pool:
        """Return the pool of a call; raise an error that lists the options if `what` needs one and none is given."""
        pool = self.find(named)
        if pool is None:
            raise OptionError(
                f"{what} needs to know what could have been ranked: --pool judged if your systems "
                "rank the judged documents, --corpus N if they search N documents, --candidates "
                "FILE for a list per query. In Python: pool='judged', corpus=N or candidates=…."
            )
        return pool

    def with_union(self, union: RetrievedUnion) -> Pools:
        """Return a copy of the options whose pool has the documents that the runs of the call retrieved."""
        return replace(self, union=union)

    def find(self, named: object = None) -> Pool | None:
        """Return the pool that a measure names, or the pool of the call, or None."""
        pool = self.default if named is None else Pool.parse(named)
        if pool is None:
            return None
        if pool.kind == "candidates":
            return replace(pool, candidates=pool.candidates or self.candidates)
        if pool.kind == "union":
            return replace(pool, union=pool.union or self.union)
        return pool
