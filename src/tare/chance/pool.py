"""Pools: the documents over which a random ranking and a perfect ranking are taken.

    judged      the documents of the qrels
    retrieved   the documents of the run
    union       both (the default)
    corpus=N    N documents, of which all that are not judged have grade 0

A random ranking of a pool is a ranking in which all documents are tied. So a pool becomes rankings
with one tie group, and the mean over orders of tied documents, which open ties need anyway, is the
expected value under chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.data.judged import Judged
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["KINDS", "Pool"]

KINDS = ("judged", "retrieved", "union", "corpus")
DEEPEST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Pool:
    """Which documents there are to rank.

    >>> str(Pool.parse("corpus=1000000"))
    'corpus=1000000'
    """

    kind: str = "union"
    size: int = 0

    @classmethod
    def parse(cls, text: object) -> Pool:
        """Reads `judged`, `retrieved`, `union` or `corpus=N`."""
        if isinstance(text, Pool):
            return text
        kind, _, number = str(text).partition("=")
        if kind not in KINDS or (kind != "corpus" and number):
            raise OptionError(
                f"pool={text!r} is not known. Accepted: judged, retrieved, union, corpus=N."
                f"{nearest(kind, KINDS)}"
            )
        if kind != "corpus":
            return cls(kind)
        try:
            size = int(float(number))
        except ValueError:
            size = 0
        if not 1 <= size <= 10**12:
            raise OptionError(
                f"pool={text!r}: write the number of documents, as in corpus=1000000."
            )
        return cls(kind, size)

    def __str__(self) -> str:
        return f"corpus={self.size}" if self.kind == "corpus" else self.kind

    def sizes(self, judged: Judged) -> NDArray[np.int64]:
        """How many documents each query's pool holds."""
        in_qrels = np.diff(judged.qrels.pool_offsets)
        if self.kind == "judged":
            return in_qrels
        if self.kind == "retrieved":
            return judged.retrieved
        both = in_qrels + judged.retrieved - _hits(judged)
        if self.kind == "union":
            return both
        if len(both) and both.max() > self.size:
            query = judged.items[int(both.argmax())]
            raise MismatchError(
                f"a corpus of {self.size:,} documents is too small: query {query!r} alone has "
                f"{int(both.max()):,} judged or retrieved ones."
            )
        return np.full(len(both), self.size, dtype=np.int64)

    def codes(self, judged: Judged) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The grades of the pool's judged documents: where each query's begin, and all of them."""
        if self.kind != "retrieved":
            return judged.qrels.pool_offsets, judged.qrels.pool
        offsets = np.zeros(len(judged.items) + 1, dtype=np.int64)
        offsets[1:] = np.cumsum(_hits(judged))
        inside = judged.arrays["ranks"] <= np.repeat(judged.retrieved, _all_hits(judged))
        return offsets, np.ascontiguousarray(judged.arrays["codes"][inside])

    def all_tied(self, judged: Judged) -> dict[str, NDArray[Any]]:
        """The random ranking: one tie group that holds the whole pool."""
        offsets, codes = self.codes(judged)
        sizes, counts = self.sizes(judged), np.diff(offsets)
        return {
            "offsets": offsets,
            "ranks": _numbered(offsets),
            "codes": codes,
            "lows": np.ones(len(codes), dtype=np.int64),
            "highs": np.repeat(sizes, counts),
            "retrieved": sizes,
        }

    def ordered(
        self, judged: Judged, gain: NDArray[np.float64], *, best_first: bool
    ) -> dict[str, NDArray[Any]]:
        """The ranking of the pool by gain: the best documents first, or last.

        `gain` is by level; unjudged documents gain nothing and stand behind the judged ones (or
        before them), for they are what is left.
        """
        offsets, codes = self.codes(judged)
        sizes, counts = self.sizes(judged), np.diff(offsets)
        ranks = _numbered(offsets).astype(np.int64)
        if self.kind != "retrieved" and bool((np.diff(gain) >= 0).all()):
            best = codes  # the qrels keep their grades in this order already
        else:
            query = np.repeat(np.arange(len(counts)), counts)
            best = codes[np.lexsort((-codes, -gain[codes], query))]
        if not best_first:  # the same documents, counted from the end of the pool
            ranks = np.repeat(sizes + 1, counts) - ranks
            backwards = np.repeat(offsets[1:] + offsets[:-1] - 1, counts) - np.arange(len(codes))
            ranks, best = ranks[backwards], best[backwards]
        return {
            "offsets": offsets,
            "ranks": np.minimum(ranks, DEEPEST).astype(np.int32),
            "codes": np.ascontiguousarray(best),
            "lows": np.zeros(0, dtype=np.int64),
            "highs": np.zeros(0, dtype=np.int64),
            "retrieved": sizes,
        }


def _all_hits(judged: Judged) -> NDArray[np.int64]:
    return np.diff(judged.arrays["offsets"])


def _hits(judged: Judged) -> NDArray[np.int64]:
    """Judged documents retrieved; a depth limit may leave listed ones outside."""
    offsets = judged.arrays["offsets"]
    inside = judged.arrays["ranks"] <= np.repeat(judged.retrieved, np.diff(offsets))
    total = np.concatenate([[0], np.cumsum(inside)])
    return np.asarray(total[offsets[1:]] - total[offsets[:-1]], dtype=np.int64)


def _numbered(offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """1, 2, 3 … within each query."""
    counts = np.diff(offsets)
    numbers = np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], counts)
    return numbers.astype(np.int32)
