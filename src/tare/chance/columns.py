"""Gross, tare, ideal, net: the columns that a table shows for a measure where the pool is known."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tare.chance.net import has_net
from tare.measures.measure import Measure, make
from tare.measures.names import parse, parse_all
from tare.measures.scores import Scores

__all__ = ["with_chance", "without_trivial_ideals"]


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
