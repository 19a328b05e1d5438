"""Pools: the documents that a random ranker could have ranked.

    candidates  a list or a number of documents per query
    judged      the documents of the qrels
    corpus=N    N documents; those that are not judged are not relevant
    corpus=inf  the limit of a growing corpus
    union       judged, or retrieved by any run of the call
    retrieved   the documents of the run itself (for re-ranking studies)

The pool is a property of the query, not of the run; the task determines which pool applies. In a random
ranking all documents of the pool are tied, so the mean over all orders of tied documents is the expected value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.candidates import Candidates
from tare._data.judged import Judged
from tare._data.run import Run
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["KINDS", "Pool", "RetrievedUnion"]

KINDS = ("candidates", "judged", "corpus", "union", "retrieved")
ACCEPTED = "judged, corpus=N, corpus=inf, candidates, union, retrieved"
LARGEST = 10**12  # documents of a corpus
DEEPEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class RetrievedUnion:
    """The number of documents per query that any run retrieved and nobody judged."""

    unjudged: Mapping[str, int]
    runs: int

    @classmethod
    def of(cls, judged: Any, runs: Iterable[Run]) -> RetrievedUnion:
        """Count the documents of all runs that are not in the qrels `judged`."""
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
        """Return the judged documents among the candidates, joined by the core."""
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
    """Return the number of judged documents retrieved within the depth limit."""
    offsets = judged.rankings.offsets
    inside = judged.rankings.ranks <= np.repeat(judged.retrieved, np.diff(offsets))
    total = np.concatenate([[0], np.cumsum(inside)])
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]], dtype=np.int64)


def _numbered(offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return 1, 2, 3, … within each query."""
    numbers = np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    return numbers.astype(np.int32)
