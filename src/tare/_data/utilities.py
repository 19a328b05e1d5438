"""Utilities: the share of preferences that each document wins, alone and after another document.

    U(d)     = times preferred / times shown, over simple judgements
    U(d | g) = times preferred / times shown with g as the given document

A tie counts one half for each side. If a document has no simple judgement, U(d) is the share of all its
conditional judgements that it won; if it has no judgement at all, U(d) is 0. If it was never shown
after g, U(d | g) is U(d).
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
        """U(d); NaN if d has no simple judgement."""
        return _share(self.wins, self.shown)

    @cached_property
    def estimated(self) -> Array:
        """U(d), from conditional judgements if d has no simple one; NaN if d was never shown.

        A judgement after several given documents counts for each of them.
        """
        conditional = _share(self.wins_given.sum(axis=1), self.shown_given.sum(axis=1))
        return np.where(np.isnan(self.simple), conditional, self.simple)

    @cached_property
    def conditional(self) -> Array:
        """U(d | g) by d and g; NaN if d was never shown after g."""
        return _share(self.wins_given, self.shown_given)

    @cached_property
    def filled(self) -> tuple[Array, Array]:
        """U(d) and U(d | g) with unknown values filled in.

        The last entry represents any document without a judgement. Its utility is 0.
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
    """The utilities of all queries."""

    items: tuple[str, ...]
    by_query: tuple[QueryUtilities, ...] = field(repr=False)
    name: str = "utilities"
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(
        cls, queries: Iterable[tuple[str, QueryUtilities]], name: str = "utilities"
    ) -> Utilities:
        """Make utilities from (query, utilities) pairs in any order."""
        ordered = sorted(queries, key=lambda pair: pair[0].encode())
        return cls(tuple(q for q, _ in ordered), tuple(u for _, u in ordered), name)

    @cached_property
    def documents(self) -> Qrels:
        """The documents and their index within each query."""
        numbered = (
            (query, {d: float(i) for i, d in enumerate(u.documents)})
            for query, u in zip(self.items, self.by_query, strict=True)
        )
        return Qrels(rows_from_dicts(numbered), self.name, [])

    @property
    def utilities(self) -> Utilities:
        """The object itself, for the same interface as preferences."""
        return self

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the utilities."""
        import hashlib

        digest = hashlib.blake2b(digest_size=4)
        for query, u in zip(self.items, self.by_query, strict=True):
            digest.update("\0".join((query, *u.documents)).encode())
            for part in (u.wins, u.shown, u.wins_given, u.shown_given):
                digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    @cached_property
    def kept(self) -> dict[object, Array]:
        """A cache of measures, such as ideal values by query."""
        return {}

    def __len__(self) -> int:
        return int(sum(u.shown.sum() + u.shown_given.sum() for u in self.by_query)) // 2

    def __getitem__(self, query: str) -> QueryUtilities:
        return self.by_query[self.items.index(query)]


def count(
    documents: Sequence[str],
    judgements: Iterable[tuple[tuple[int, ...], int, int, float]],
) -> QueryUtilities:
    """Count the utilities of one query from (given, left, right, win of left), by document index.

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
