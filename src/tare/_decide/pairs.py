"""Pairs of systems of one measure of a score table, as the tests of `tare.stats` take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._measures.clusters import clusters_of
from tare._measures.measure import Measure, make
from tare._measures.scores import Scores
from tare.errors import MismatchError
from tare.stats._paired_differences import DIGITS, Pairs, SummedPairs

__all__ = ["matrix_of", "pairs_of"]


Floats = NDArray[np.float64]


def matrix_of(
    scores: Scores, measure: str | Measure | None = None
) -> tuple[tuple[str, ...], Floats]:
    """The item ids of a score table in ascending order, and the matrix systems × items of one measure in that order.

    For a ratio of means, the values are contributions, whose mean is the printed one.
    """
    return _ordered(scores, scores.contributions(measure))


def _ordered(scores: Scores, values: Floats) -> tuple[tuple[str, ...], Floats]:
    if np.isinf(values).any():
        s, i = (int(k) for k in np.argwhere(np.isinf(values))[0])
        raise MismatchError(
            f"the score of {scores.systems[s]} on {scores.items[i]} is infinite. Statistics need "
            "finite scores; remove the cell or the item."
        )
    order = sorted(range(len(scores.items)), key=lambda k: scores.items[k])
    return tuple(scores.items[k] for k in order), np.ascontiguousarray(values[:, order])


def _clusters(scores: Scores) -> NDArray[np.int64] | None:
    """Return the cluster of each item of a score table in ascending order of the ids; None without clusters."""
    if not scores.cluster:
        return None
    order = sorted(range(len(scores.items)), key=lambda k: scores.items[k])
    found: NDArray[np.int64] = clusters_of(scores, scores.cluster)[order]
    return found


def pairs_of(
    scores: Scores,
    *,
    measure: str | Measure | None = None,
    baseline: str | Sequence[str] | None = None,
    digits: int = DIGITS,
) -> Pairs:
    """Return all pairs of systems of a score table, or each other system against each baseline.

    Differences of a ratio of means are those of contributions, and of a measure made of summed statistics
    those of the jackknife; clusters of the items come along.
    """
    if len(scores.systems) < 2:
        raise MismatchError(
            f"the table holds {len(scores.systems)} system; comparing needs at least two. "
            "Join score tables with scores.join(other)."
        )
    one = scores if measure is None else scores[measure]
    single = one.measures[0] if len(one.measures) == 1 else None
    if single is not None and single in one.statistics:
        return _summed(one, baseline, digits)
    if single is not None and single in one.ratios:
        return _of_ratio(one, single, baseline, digits)
    items, values = matrix_of(one)
    made = Pairs.of_matrix(
        values, systems=scores.systems, items=items, baseline=baseline, digits=digits
    )
    return replace(made, clusters=_clusters(one))


def _of_ratio(
    one: Scores, measure: Measure, baseline: str | Sequence[str] | None, digits: int
) -> Pairs:
    """Return the pairs of systems by a ratio of means: means, differences and rooms over the items that every system has."""
    ratio = one.ratios[measure]
    whole = np.asarray(~np.isnan(ratio.gain).any(axis=0))
    if whole.any() and not whole.all():
        one = one.select(items=[x for x, keep in zip(one.items, whole, strict=True) if keep])
        ratio = one.ratios[one.measures[0]]
    items, linearised = _ordered(one, ratio.linearised())
    shared = ratio.shared and bool(whole.any())
    made = Pairs.of_matrix(
        _ordered(one, ratio.gross)[1] if shared else linearised,
        systems=one.systems,
        items=items,
        baseline=baseline,
        digits=digits,
    )
    made = replace(made, linearised=linearised, clusters=_clusters(one))
    if not shared:
        return made
    # Shared rooms: the differences of the measure itself, scaled, so that p is the same.
    room = float(ratio.mean_rooms()[0])
    return replace(
        made,
        scores=_ordered(one, ratio.contributions())[1],
        differences=made.differences / room,
        quantum=made.quantum / abs(room),
        means=made.means / room,
        deviations=made.deviations / abs(room),
        rooms=_ordered(one, ratio.room)[1][0] / room,
    )


def _summed(scores: Scores, baseline: str | Sequence[str] | None, digits: int) -> SummedPairs:
    """Return the pairs of systems of a score table with one measure that is made of summed statistics."""
    measure = scores.measures[0]
    order = sorted(range(len(scores.items)), key=lambda k: scores.items[k])
    items = tuple(scores.items[k] for k in order)
    summed = scores.statistics[measure]
    ordered = summed.take(np.arange(len(scores.systems)), np.array(order, dtype=np.intp))
    sentences, base = (
        Pairs.of_matrix(
            values, systems=scores.systems, items=items, baseline=baseline, digits=digits
        )
        for values in (scores.values[:, order, 0], ordered.linearised())
    )
    both = summed.there[base.first] & summed.there[base.second]
    # In the order of the table, so that the values are those that it prints.
    gaps = [
        summed.value(int(a), there) - summed.value(int(b), there)
        for a, b, there in zip(base.first, base.second, both, strict=True)
    ]
    more = {
        "means": np.array(gaps, dtype=np.float64),
        "statistics": ordered,
        "sentences": sentences,
        "values": summed.means(),
        "by_item": str(make(measure.full_name, {**dict(measure.parameters), "mean": "items"})),
    }
    return SummedPairs(**{**vars(base), **more})
