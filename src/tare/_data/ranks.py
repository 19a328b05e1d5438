"""Ranks: the rank of the relevant item of each query among its candidates, by system.

Results of link prediction and recommendation are often stored like this: the rank of the correct
answer and the number of candidates, without documents. Tied candidates give a range of ranks.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare.errors import FormatError, MismatchError

__all__ = ["RankTable", "SystemRanks"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SystemRanks:
    """The ranks of one system: the best and worst rank per query, and the number of candidates."""

    system: str
    queries: tuple[str, ...]
    low: Array
    high: Array
    candidates: NDArray[np.int64]

    @property
    def tied(self) -> NDArray[np.bool_]:
        """Whether each item is tied with other candidates."""
        return self.low < self.high

    @property
    def middle(self) -> Array:
        """The mean of the tied ranks."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, eq=False)
class RankTable:
    """The ranks of several systems; each system has its own queries."""

    name: str
    systems: tuple[SystemRanks, ...]

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries of all systems, in order of first appearance."""
        return tuple(dict.fromkeys(q for ranks in self.systems for q in ranks.queries))

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these ranks; the order of rows does not matter."""
        made = hashlib.blake2b(digest_size=4)
        for ranks in sorted(self.systems, key=lambda one: one.system):
            cells = (
                ranks.queries,
                ranks.low.tolist(),
                ranks.high.tolist(),
                ranks.candidates.tolist(),
            )
            made.update(repr((ranks.system, sorted(zip(*cells, strict=True)))).encode())
        return made.hexdigest()

    def refuse_halves(self, ties: str) -> None:
        """Raise an error for ranks such as 2.5, means of tied ranks, which need ties=realistic."""
        for ranks in self.systems:
            halves = np.flatnonzero(ranks.low != np.floor(ranks.low))
            if len(halves):
                q = int(halves[0])
                raise FormatError(
                    f"{self.name}: query {ranks.queries[q]!r} has rank {ranks.low[q]:g}, a mean of tied "
                    f"ranks ({len(halves):,} such queries of {ranks.system}). ties={ties} needs the range "
                    "of tied ranks: give rank_min and rank_max, or use ties=realistic."
                )

    def above(self, *, keep: bool) -> list[Finding]:
        """Return a finding about ranks above their number of candidates; raise an error unless `keep`."""
        found = {
            ranks.system: np.flatnonzero(ranks.high > ranks.candidates) for ranks in self.systems
        }
        count = sum(map(len, found.values()))
        if count == 0:
            return []
        ranks = next(one for one in self.systems if len(found[one.system]))
        q = int(found[ranks.system][0])
        by_system = listed(
            [f"{system} {len(where):,}" for system, where in found.items() if len(where)]
        )
        if not keep:
            raise MismatchError(
                f"{self.name}: {count:,} ranks are greater than their number of candidates "
                f"({', '.join(by_system)}); {ranks.system} has rank {ranks.high[q]:g} of "
                f"{int(ranks.candidates[q]):,} on query {ranks.queries[q]!r}. Are the ranks and the candidates "
                "from the same setting (filtered or raw, head or tail)? To score them anyway: "
                "--ranks-above keep; in Python ranks_above='keep'."
            )
        total = sum(len(one.queries) for one in self.systems)
        message = f"{count:,} of {total:,} ranks are greater than their number of candidates and were kept."
        return [Finding("ranks above the candidates", message, count, examples=by_system)]
