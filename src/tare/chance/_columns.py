"""The columns of chance in a score table: score, expected value, ideal and net score."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tare._measures.measure import Measure, make
from tare._measures.names import parse_all
from tare._measures.scores import Scores
from tare.chance._net import has_net

__all__ = ["completed", "with_chance", "without_trivial_ideals"]


def with_chance(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return each measure followed by its expected value (E), its ideal and its net score, if defined.

    >>> with_chance(["RR"])
    (RR, E(RR), Ideal(RR), Net(RR))
    """
    made: dict[Measure, None] = {}
    for measure in parse_all(measures):
        made.setdefault(measure)
        if measure.inner is None and has_net(measure):
            made |= dict.fromkeys(make(name, inner=measure) for name in ("E", "Ideal", "Net"))
    return tuple(made)


def completed(scores: Scores) -> Scores:
    """Return the table with the columns of chance of each measure, if the pool is known."""
    if scores.rescoring is None or not scores.rescoring.pool_known:
        return scores
    plain = [m for m in scores.measures if m.registered]
    return without_trivial_ideals(scores.also(with_chance(plain)))


def without_trivial_ideals(scores: Scores) -> Scores:
    """Return the table without the ideals that are 1 for every item."""
    kept = [
        measure
        for m, measure in enumerate(scores.measures)
        if measure.name != "Ideal" or not _all_one(scores, m)
    ]
    return scores if len(kept) == len(scores.measures) else scores.select(measures=kept)


def _all_one(scores: Scores, m: int) -> bool:
    values = scores.values[:, :, m]
    return bool((np.abs(values[~np.isnan(values)] - 1) <= 1e-12).all())
