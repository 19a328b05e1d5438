"""Findings about scores of ranks: the pool, missing queries, tied places."""

from __future__ import annotations

import numpy as np

from tare._choices import RankTies
from tare._data.findings import Finding, listed
from tare._data.ranks import RankTable

__all__ = ["missing_queries", "pool_finding", "tied_places"]


def pool_finding(table: RankTable) -> Finding:
    """Report the pool and its mean size."""
    sizes = np.concatenate([one.candidates for one in table.systems])
    size = f"{float(sizes.mean()):,.1f}".removesuffix(".0")
    message = (
        f"pool candidates: chance ranks the candidates of each query ({size} per query on average)."
    )
    return Finding("pool", message, severity="note")


def missing_queries(table: RankTable) -> list[Finding]:
    """Report systems without some of the queries."""
    every = len(table.queries)
    lacking = [
        f"{one.system} {every - len(one.queries):,}"
        for one in table.systems
        if len(one.queries) < every
    ]
    if not lacking:
        return []
    message = f"{len(lacking):,} of {len(table.systems):,} systems lack some of the {every:,} queries; each is scored on its own."
    return [Finding("missing queries", message, len(lacking), examples=listed(lacking))]


def tied_places(table: RankTable, ties: RankTies) -> list[Finding]:
    """Report the number of items with tied places, and how they are scored."""
    count = sum(int(one.tied.sum()) for one in table.systems)
    total = sum(len(one.queries) for one in table.systems)
    if count == 0:
        return []
    how = {
        "expected": "measures are averaged over these places",
        "realistic": "measures are those of the mean place",
        "optimistic": "measures are those of the best place",
        "pessimistic": "measures are those of the worst place",
    }[ties]
    message = f"{count:,} of {total:,} items have tied places; {how}."
    return [Finding("tied places", message, count, severity="note")]
