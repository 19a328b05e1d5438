"""Gross, tare, ideal, net: the columns that a table shows for a measure where the pool is known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tare._measures.measure import Measure, make
from tare._measures.names import parse, parse_all
from tare._measures.scores import Scores
from tare.chance._net import has_net
from tare.errors import MeasureError

__all__ = ["completed", "with_chance", "without_trivial_ideals"]


def with_chance(measures: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Each measure that has a chance, followed by its tare (E), its ideal and its net score.

    >>> with_chance(["RR"])
    (RR, E(RR), Ideal(RR), Net(RR))
    """
    made: dict[str, Measure] = {}
    asked = parse_all(measures)
    for measure in asked:
        made.setdefault(str(measure), measure)
        if measure.inner is not None or not has_net(measure):
            continue
        for wrapper in ("E", "Ideal", "Net"):
            whole = make(wrapper, inner=measure)
            made.setdefault(str(whole), whole)
    return tuple(made.values())


def completed(scores: Scores) -> Scores:
    """The table with tare, ideal and net of each measure, where the pool is known; else as it is."""
    if scores.rescoring is None or not scores.rescoring.pool_known:
        return scores
    plain = [m for m in scores.measures if known(m)]
    return without_trivial_ideals(scores.also(with_chance(plain)))


def known(name: str) -> bool:
    """Whether a column is a measure of the registry, not one that somebody else named."""
    try:
        parse(name)
    except MeasureError:
        return False
    return True


def without_trivial_ideals(scores: Scores) -> Scores:
    """The table without the ideals that are 1 for every item."""
    kept = [
        name
        for m, name in enumerate(scores.measures)
        if not name.startswith("Ideal(") or not _all_one(scores, m) or parse(name).inner is None
    ]
    return scores if len(kept) == len(scores.measures) else scores.select(measures=kept)


def _all_one(scores: Scores, m: int) -> bool:
    values = scores.values[:, :, m]
    return bool((np.abs(values[~np.isnan(values)] - 1) <= 1e-12).all())
