"""Rankings of systems, and the document pools made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tare._data.runs import Run
from tare.studies._systems import first_documents as first_of

__all__ = ["depth_pools", "first_documents"]

Rankings = Mapping[str, Mapping[str, tuple[str, ...]]]
DEPTH = 100


def first_documents(runs: Iterable[Run]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return {query: {system: its first documents in order}}."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for run in runs:
        for query, documents in first_of(run, DEPTH).items():
            found.setdefault(query, {})[run.system] = tuple(documents)
    return found


def depth_pools(rankings: Rankings, depth: int) -> dict[str, list[str]]:
    """Return the first `depth` documents of all systems, by best rank and then by id.

    >>> depth_pools({"q": {"s": ("a", "b", "c"), "t": ("b", "d")}}, 2)
    {'q': ['a', 'b', 'd']}
    """
    pools = {}
    for query, systems in rankings.items():
        best: dict[str, int] = {}
        for documents in systems.values():
            for rank, document in enumerate(documents[:depth]):
                best[document] = min(rank, best.get(document, rank))
        pools[query] = sorted(best, key=lambda d: (best[d], d))
    return pools
