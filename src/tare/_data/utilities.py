"""Utilities: what preferences say of each document, alone and after another was read.

    U(d)     = times preferred / times shown, over simple judgements
    U(d | g) = times preferred / times shown with g as the given document

A tie counts one half to each side. Where a document was never shown in a simple judgement, U(d) is
estimated by the share of all its conditional judgements that it won, whatever was given; where it
was never shown at all, U(d) is 0. Where it was never shown after g, U(d) stands for U(d | g).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._data.qrels import Qrels
from tare._kernels import rows_from_dicts

__all__ = ["QueryUtilities", "Utilities", "count"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class QueryUtilities:
    """One query: wins and times shown, by document, and by document and given document."""

    documents: tuple[str, ...]
    wins: Array
    shown: Array
    wins_given: Array
    shown_given: Array

    @cached_property
    def simple(self) -> Array:
        """U(d); NaN where d was never shown in a simple judgement."""
        return _share(self.wins, self.shown)

    @cached_property
    def estimated(self) -> Array:
        """U(d), from conditional judgements where there is no simple one; NaN where d was never shown.

        A judgement after several given documents counts for each of them.
        """
        conditional = _share(self.wins_given.sum(axis=1), self.shown_given.sum(axis=1))
        return np.where(np.isnan(self.simple), conditional, self.simple)

    @cached_property
    def conditional(self) -> Array:
        """U(d | g) by d and g; NaN where d was never shown after g."""
        return _share(self.wins_given, self.shown_given)

    @cached_property
    def filled(self) -> tuple[Array, Array]:
        """U(d) and U(d | g) with what stands for unknown ones.

        One document is added at the end: any that has no judgement. It has no use, and nothing is
        known of what comes after it.
        """
        n = len(self.documents)
        alone = np.zeros(n + 1)
        alone[:n] = np.nan_to_num(self.estimated)
        after = np.zeros((n + 1, n + 1))
        after[:n, :n] = np.where(np.isnan(self.conditional), alone[:n, None], self.conditional)
        after[:n, n] = alone[:n]
        return alone, after


def _share(wins: Array, shown: Array) -> Array:
    share: Array = np.divide(wins, shown, out=np.full(wins.shape, np.nan), where=shown > 0)
    return share


@dataclass(frozen=True)
class Utilities:
    """The utilities of all queries, ready to be joined with runs."""

    items: tuple[str, ...]
    by_query: tuple[QueryUtilities, ...] = field(repr=False)
    name: str = "utilities"
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(
        cls, queries: Iterable[tuple[str, QueryUtilities]], name: str = "utilities"
    ) -> Utilities:
        """Utilities of (query, utilities) pairs in any order."""
        ordered = sorted(queries, key=lambda pair: pair[0].encode())
        return cls(tuple(q for q, _ in ordered), tuple(u for _, u in ordered), name)

    @cached_property
    def documents(self) -> Qrels:
        """The documents and their places within each query."""
        numbered = (
            (query, {d: float(i) for i, d in enumerate(u.documents)})
            for query, u in zip(self.items, self.by_query, strict=True)
        )
        return Qrels(rows_from_dicts(numbered), self.name, [])

    @property
    def utilities(self) -> Utilities:
        """Itself, as preferences have it too."""
        return self

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that tell these utilities from others."""
        import hashlib

        digest = hashlib.blake2b(digest_size=4)
        for query, u in zip(self.items, self.by_query, strict=True):
            digest.update("\0".join((query, *u.documents)).encode())
            for part in (u.wins, u.shown, u.wins_given, u.shown_given):
                digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @cached_property
    def kept(self) -> dict[object, Array]:
        """What measures keep for the next system, such as ideals by query."""
        return {}

    def __len__(self) -> int:
        return int(sum(u.shown.sum() + u.shown_given.sum() for u in self.by_query)) // 2

    def __getitem__(self, query: str) -> QueryUtilities:
        return self.by_query[self.items.index(query)]


def count(
    documents: Sequence[str],
    judgements: Iterable[tuple[tuple[int, ...], int, int, float]],
) -> QueryUtilities:
    """Utilities of one query from (given, left, right, share of left), documents by number.

    A judgement with several given documents counts for each of them.
    """
    n = len(documents)
    wins, shown = np.zeros(n), np.zeros(n)
    wins_given, shown_given = np.zeros((n, n)), np.zeros((n, n))
    for given, left, right, share in judgements:
        if not given:
            wins[left] += share
            wins[right] += 1 - share
            shown[left] += 1
            shown[right] += 1
        for g in given:
            wins_given[left, g] += share
            wins_given[right, g] += 1 - share
            shown_given[left, g] += 1
            shown_given[right, g] += 1
    return QueryUtilities(tuple(documents), wins, shown, wins_given, shown_given)
