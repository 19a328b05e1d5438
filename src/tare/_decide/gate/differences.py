"""The differences of a gate: candidate − baseline on each query, higher is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.aggregation import ROUNDING, Ratio
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError

__all__ = ["Differences", "Exchange", "differences_of", "why_not"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Exchange:
    """The statistics of each item, and the value of sums of them, for measures such as BLEU."""

    candidate: Floats
    baseline: Floats
    value: Callable[[Floats], Floats]

    @property
    def changed(self) -> int:
        """The number of items whose statistics changed."""
        return int((self.candidate != self.baseline).any(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Differences:
    """One measure of candidate and baseline on the items that both have.

    `values` are candidate − baseline of each item, turned if lower is better; `scores` the scores that
    they come from; `means` those of candidate and baseline as the tables print them.
    """

    measure: Measure
    items: tuple[str, ...]
    values: Floats
    scores: tuple[Floats, Floats]
    means: tuple[float, float]
    clusters: NDArray[np.int64] | None = None
    exchange: Exchange | None = None

    @property
    def largest(self) -> float:
        """The largest score, against which what only rounding made is 0."""
        return max(float(np.abs(one).max(initial=0.0)) for one in self.scores)

    @property
    def units(self) -> int:
        """The number of items, or of clusters."""
        return len(self.items) if self.clusters is None else len(np.unique(self.clusters))


def why_not(measure: Measure, scores: Scores) -> str:
    """Return why a measure has no test of its loss; empty if it has one."""
    if measure.better == "neither":
        return f"higher values of {measure} are neither better nor worse"
    ratio = scores.ratios.get(measure)
    averaged = measure.aggregate in ("mean", "ratio", "statistics")
    if not averaged or (ratio is not None and type(ratio) is not Ratio):
        return f"{measure} is not a mean over queries, so its loss has no paired test"
    if measure.aggregate == "statistics" and measure not in scores.statistics:
        return f"the table has no statistics of {measure}, from which its value is computed"
    return ""


def differences_of(
    candidate: Scores,
    baseline: Scores,
    measure: Measure,
    clusters: NDArray[np.int64] | None = None,
) -> Differences:
    """Return the differences of two tables of one system each, with the same items in the same order."""
    for table in (candidate, baseline):
        if reason := why_not(measure, table):
            raise MeasureError(f"{reason}. Choose another, such as AP.")
    new, old = candidate[measure], baseline[measure]
    sign = -1.0 if measure.better == "lower" else 1.0
    there = ~np.isnan(new.values[0, :, 0]) & ~np.isnan(old.values[0, :, 0])
    exchange = None
    if measure in new.ratios:
        scores, there = _of_ratio(measure, new.ratios[measure], old.ratios[measure])
    elif measure in new.statistics:
        first, second = new.statistics[measure], old.statistics[measure]
        there = first.there[0] & second.there[0]
        exchange = Exchange(
            first.cells[0][there],
            second.cells[0][there],
            lambda sums: sign * first.combined(sums),
        )
        scores = new.values[0, :, 0], old.values[0, :, 0]
    else:
        scores = new.values[0, :, 0], old.values[0, :, 0]
    if not there.any():
        raise MismatchError(
            f"{measure}: no query has a value of both the candidate and the baseline, so there is nothing "
            "to compare."
        )
    kept = scores[0][there], scores[1][there]
    means = tuple(one.means()[one.systems[0]][measure.text] for one in (new, old))
    return Differences(
        measure,
        tuple(item for item, known in zip(candidate.items, there, strict=True) if known),
        sign * (np.nan_to_num(kept[0]) - np.nan_to_num(kept[1])),
        kept,
        (means[0], means[1]),
        None if clusters is None else clusters[there],
        exchange,
    )


def _of_ratio(
    measure: Measure, new: Ratio, old: Ratio
) -> tuple[tuple[Floats, Floats], NDArray[np.bool_]]:
    """Return gain ÷ mean room of each item, so that differences are in units of the measure."""
    there = ~np.isnan(new.gain[0]) & ~np.isnan(old.gain[0])
    apart = np.abs(new.room[0] - old.room[0])[there] > ROUNDING
    if apart.any():
        raise MismatchError(
            f"{measure}: on {int(apart.sum()):,} of {int(there.sum()):,} queries, candidate and baseline have "
            "different rooms between chance and the ideal, so the difference has no test: the judgements or "
            "the pool changed, or chance depends on the system. Score both with the same judgements and "
            "the same pool, or gate the measure inside the brackets."
        )
    room = float(new.room[0][there].mean()) if there.any() else 0.0
    if room == 0:
        raise MismatchError(
            f"{measure} is undefined: on every query chance is as good as the ideal."
        )
    return (new.gain[0] / room, old.gain[0] / room), there
