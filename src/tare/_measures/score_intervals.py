"""Confidence intervals of the means of a score table, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import listed
from tare._measures.aggregation import FLOOR, aggregate, averaging, quantile
from tare._measures.clusters import clusters_of, singular, unit_name
from tare._measures.geometric_ranks import GeometricRanks
from tare._measures.interval_ends import (
    NOTHING,
    bounded,
    clustered_means,
    fieller,
    quantiles_of,
    student_u,
)
from tare._plain_text import plain
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.measure import Measure
    from tare._measures.ratio import Ratio
    from tare._measures.score_data import ScoreData
    from tare._measures.summed_statistics import SummedStatistics

__all__ = ["Intervals", "possible_range", "score_intervals"]

Floats = NDArray[np.float64]
Range = tuple[float | None, float | None]
LARGE = 1e100  # squares of larger numbers, and their products, overflow
SHRUNK = 2.0**-700  # a power of two loses no digit
FEWEST = 6  # units with a gross score above 0, for the interval of a net score


@dataclass
class Intervals:
    """Intervals of means, systems × measures × (low, high), with the reasons where there is none."""

    ends: Floats
    reasons: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    kinds: dict[str, list[str]] = field(default_factory=dict)
    clusters: int = 0

    def notes(self, measures: Sequence[str] | None = None) -> list[str]:
        """Return one sentence per measure (of these, or of all) and reason, with the systems."""
        return [
            f"{measure}: no interval for {', '.join(listed([plain(s) for s in systems]))}: {reason}."
            for (measure, reason), systems in self.reasons.items()
            if measures is None or measure in measures
        ]

    def methods(self, measures: Sequence[str] | None = None) -> list[str]:
        """Return one line on how the intervals (of these measures) were computed, with what to cite."""
        kinds = {
            kind: [name for name in names if measures is None or name in measures]
            for kind, names in self.kinds.items()
        }
        kinds = {kind: names for kind, names in kinds.items() if names}
        if not kinds:
            return []
        text = "; ".join(
            f"{kind} for {', '.join(names)}" if len(kinds) > 1 else kind
            for kind, names in kinds.items()
        )
        over = f", over {self.clusters:,} clusters (Kish 1965)" if self.clusters else ""
        return [f"intervals: {text}{over}."]


def possible_range(measure: Measure, given: tuple[float, float] | None = None) -> Range:
    """Return the lowest and the highest possible value; an expected value lies in the range of its measure.

    `given` is the range of measures whose definition leaves an end open.
    """
    definition = measure.definition
    bounds = definition.bounds
    if definition.name in ("E", "Ideal") and measure.inner is not None:
        bounds = measure.innermost.definition.bounds
    return given if given is not None and None in bounds else bounds


def score_intervals(scores: ScoreData, confidence: float, draws: int, seed: int) -> Intervals:
    """Return the intervals of all means.

    A mean in a finite range has a bounded interval, a net score Fieller's, a value of summed statistics
    the percentiles of resampled items, and any other mean Student's; a sum has none.
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it must be between 0 and 1.")
    if draws < 1:
        raise OptionError(f"draws={draws} is not possible; at least 1 is needed.")
    made = Intervals(np.full((len(scores.systems), len(scores.measures), 2), np.nan))
    clusters = clusters_of(scores, scores.cluster) if scores.cluster else None
    made.clusters = 0 if clusters is None else int(clusters.max(initial=-1)) + 1
    for k, measure in enumerate(scores.measures):
        one = _OneMeasure(scores, k, measure, clusters, confidence)
        if measure in scores.statistics:
            one.summed(scores.statistics[measure], draws, seed)
        elif measure in scores.ratios:
            one.ratio(scores.ratios[measure])
        elif averaging(measure) != "sum":
            one.mean(scores.values[:, :, k])
        made.ends[:, k] = one.ends
        if one.kind:
            made.kinds.setdefault(one.kind, []).append(measure.text)
        for s, reason in enumerate(one.reasons):
            if reason:
                made.reasons.setdefault((measure.text, reason), []).append(scores.systems[s])
    return made


class _OneMeasure:
    """The intervals of one measure: one row per system."""

    def __init__(
        self,
        scores: ScoreData,
        place: int,
        measure: Measure,
        clusters: NDArray[np.int64] | None,
        confidence: float,
    ) -> None:
        self.measure, self.clusters, self.confidence = measure, clusters, confidence
        self.units = unit_name(measure, clusters is not None)
        self.low, self.high = possible_range(measure, scores.range)
        self.ends = np.full((len(scores.systems), 2), np.nan)
        self.reasons = [""] * len(scores.systems)
        self.kind = ""

    def mean(self, values: Floats) -> None:
        """Set the intervals of plain and of geometric means."""
        there = ~np.isnan(values)
        low, high = self.low, self.high
        geometric = averaging(self.measure) == "geometric"
        if geometric:
            values = np.log(np.maximum(values, FLOOR))
            low, high = (None if x is None else float(np.log(max(x, FLOOR))) for x in (low, high))
        if low is not None and high is not None:
            self.kind = "Wilson's, scaled to the observed spread (Wilson 1927)"
            outside = there & ((values < low - NOTHING) | (values > high + NOTHING))
            self._bounded((values - low) / (high - low), there)
            self.ends = low + self.ends * (high - low)
            self._refuse(
                outside.any(axis=1),
                f"values outside {self.low:g} to {self.high:g}, the range of the measure",
            )
        else:
            self._student(values, there)
            self.ends = np.clip(
                self.ends, -np.inf if low is None else low, np.inf if high is None else high
            )
        if geometric:
            self.ends = np.exp(self.ends)

    def ratio(self, ratio: Ratio) -> None:
        """Set the intervals of a ratio of means."""
        if isinstance(ratio, GeometricRanks):
            values = ratio.linearised()
            self._student(values, ~np.isnan(values))
        else:
            self.kind = "Fieller's (1954)"
            there = ~np.isnan(ratio.gain)
            x, y = (self._totals(part, there) for part in (ratio.gain, ratio.room))
            scoring = (self._totals((ratio.gross > 0).astype(np.float64), there) > 0).sum(axis=1)
            self._fieller(x, y, self._counts(there), "a few {units} carry most of the denominator")
            self._refuse(scoring < FEWEST, f"fewer than {FEWEST} {self.units} with a score above 0")
        if self.low is not None or self.high is not None:
            self.ends = np.clip(
                self.ends,
                -np.inf if self.low is None else self.low,
                np.inf if self.high is None else self.high,
            )
        self._refuse(~(self.ends[:, 0] < self.ends[:, 1]), "all values are alike")

    def summed(self, summed: SummedStatistics, draws: int, seed: int) -> None:
        """Set the intervals of values of summed statistics."""
        if self.clusters is not None:
            text = "its value comes from summed statistics; intervals over clusters are not offered"
            self._refuse(np.ones(len(self.ends), dtype=bool), text)
            return
        self.kind = f"percentiles of {draws:,} resamples (seed {seed})"
        drawn = summed.resampled(draws, seed)
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        self.ends = np.stack([quantile(drawn, tail) for tail in tails], axis=-1)
        self._refuse(summed.counts() < 2, f"fewer than 2 {self.units}")
        self._refuse(~(self.ends[:, 0] < self.ends[:, 1]), "all values are alike")

    def _bounded(self, values: Floats, there: NDArray[np.bool_]) -> None:
        """Set the intervals of means in [0, 1]."""
        x, y = self._totals(values, there), self._totals(np.ones_like(values), there)
        _, error, units = clustered_means(x, y)
        means = np.array(
            [aggregate(np.where(t, v, np.nan), "mean") for v, t in zip(values, there, strict=True)]
        )
        self.ends = bounded(means, error, quantiles_of(units - 1, self.confidence), units)
        self._refuse_few(self._counts(there))

    def _student(self, values: Floats, there: NDArray[np.bool_]) -> None:
        """Set Student's intervals; for clusters of unequal sizes they are Fieller's."""
        self.kind = "Student's t" if self.clusters is None else "Fieller's (1954)"
        largest = np.where(there, np.abs(values), 0.0).max(axis=1, initial=0.0)
        scale = np.where(largest > LARGE, SHRUNK, 1.0)[:, None]
        x = self._totals(np.where(there, values, 0.0) * scale, there)
        y = self._totals(np.ones_like(values), there)
        self._fieller(x, y, self._counts(there), "a few {units} have most of the items")
        flat = self.ends[:, 1] - self.ends[:, 0] <= NOTHING * np.abs(self.ends).max(axis=1)
        with np.errstate(over="ignore"):
            self.ends /= scale
        self._refuse(flat, "all values are alike")
        self._refuse(np.isinf(self.ends).any(axis=1), "its ends are too large for a number")

    def _fieller(self, x: Floats, y: Floats, counts: NDArray[np.int64], unbounded: str) -> None:
        self.ends = fieller(x, y, student_u(counts, self.confidence), counts)
        self._refuse_few(counts)
        self._refuse(np.isnan(self.ends[:, 0]), unbounded.format(units=self.units))

    def _totals(self, values: Floats, there: NDArray[np.bool_]) -> Floats:
        """Return the total of each unit, rows × units; 0 where a row lacks a unit."""
        cells = np.where(there, values, 0.0)
        if self.clusters is None:
            return cells
        made = np.zeros((len(cells), int(self.clusters.max(initial=-1)) + 1))
        np.add.at(made.T, self.clusters, cells.T)
        return made

    def _counts(self, there: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of units of each row."""
        return np.asarray((self._totals(there.astype(np.float64), there) > 0).sum(axis=1))

    def _refuse_few(self, counts: NDArray[np.int64]) -> None:
        self._refuse(counts == 0, "no scores")
        self._refuse(counts == 1, f"only 1 {singular(self.units)}")

    def _refuse(self, where: NDArray[np.bool_], reason: str) -> None:
        """Remove the intervals of some systems, and say why; the first reason stands."""
        self.ends[where] = np.nan
        for s in np.flatnonzero(where):
            self.reasons[s] = self.reasons[s] or reason
