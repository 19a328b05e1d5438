"""Checks of pools: measures that need one, and runs that rank documents outside of it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tare._data.judged import Judged
from tare._data.pools import Pools
from tare._measures.measure import Measure
from tare.errors import MismatchError

__all__ = ["check_pools", "refuse_outside_candidates", "uses"]


def check_pools(measures: tuple[Measure, ...], pools: Pools) -> None:
    """Raise an error for a measure that needs a pool and has none, before any file is read."""
    for measure in measures:
        named = _pool_of(measure)
        if named is not False:
            pools.require(measure, named)


def uses(measures: tuple[Measure, ...], pools: Pools, kind: str) -> bool:
    """Return whether a measure uses a pool of this kind."""
    for measure in measures:
        named = _pool_of(measure)
        found = None if named is False else pools.find(named)
        if found is not None and found.kind == kind:
            return True
    return False


def _pool_of(measure: Measure) -> str | Literal[False] | None:
    """Return the pool named by a measure, None if it names none, False if it needs none."""
    inside: Measure | None = measure
    while inside is not None:
        if any(p.kind == "pool" for p in inside.definition.parameters):
            named: str | None = inside["pool"]
            return named
        inside = inside.inner
    return False


def refuse_outside_candidates(rankings: list[Judged], listed: list[Judged], name: str) -> None:
    """Raise an error for runs that rank documents outside the candidates of a query.

    `listed` are the same runs, joined with the candidates as if these were judgements.
    """
    for judged, inside in zip(rankings, listed, strict=True):
        outside = inside.retrieved - np.diff(inside.rankings.offsets)
        for q in np.flatnonzero(outside > 0)[:1].tolist():
            raise MismatchError(
                f"{judged.system}: query {inside.items[q]!r} ranks {int(outside[q]):,} documents that "
                f"are not among its candidates in {name}. Candidates are all documents that could have "
                "been ranked."
            )
