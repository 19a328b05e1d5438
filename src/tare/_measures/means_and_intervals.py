"""Score tables for readers: means with confidence intervals, long tables, and tables by item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._measures.aggregation import (
    FLOOR,
    aggregate,
    averaging,
    best_first,
    better_end,
    number_of,
    quantile,
)
from tare._measures.clusters import clusters_of, singular, unit_name
from tare._measures.geometric_ranks import GeometricRanks
from tare._plain_text import plain
from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell
from tare.errors import OptionError
from tare.stats._student import NOTHING, bounded, clustered_means, fieller, quantiles_of, student_u

if TYPE_CHECKING:
    from tare._measures.aggregation import Ratio, SummedStatistics
    from tare._measures.measure import Measure
    from tare._measures.scores import ScoreData, Scores

__all__ = [
    "DRAWS",
    "Intervals",
    "best_of",
    "item_table",
    "long_table",
    "notes_of",
    "paper_table",
    "possible_range",
    "query_table",
    "score_intervals",
    "score_table",
]

DRAWS = 1000  # resamples of summed statistics, unless another number is given


# Confidence intervals of the means of a score table, and why there is none.


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
        """Return why means have no interval: one sentence per measure (of these, or of all) and reason, with the systems."""
        return [
            f"{measure}: no interval for {', '.join(listed([plain(s) for s in systems]))}: {reason}."
            for (measure, reason), systems in self.reasons.items()
            if measures is None or measure in measures
        ]

    def methods(self, measures: Sequence[str] | None = None) -> list[str]:
        """Return one line on how the intervals of means (of these measures) were computed, with what to cite."""
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
    """Return the lowest and the highest possible value of a measure, for its interval; an expected value lies in the range of its measure.

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
    """The confidence intervals of the means of one measure: one row per system."""

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
        """Set the confidence intervals of plain and of geometric means of a measure."""
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
                np.asarray(outside.any(axis=1)),
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
        """Set Student's intervals of means; for clusters of unequal sizes they are Fieller's."""
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
        """Return the total of each item or cluster that an interval is over, rows × units; 0 where a row lacks a unit."""
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
        """Remove the intervals of means of some systems, and say why; the first reason stands."""
        self.ends[where] = np.nan
        for s in np.flatnonzero(where):
            self.reasons[s] = self.reasons[s] or reason


# Score tables for readers: means with intervals, long tables, and tables by item.


WIDE = 2  # measures that are shown with intervals
MAX_FINDINGS = 3  # of one kind that are shown


def notes_of(findings: tuple[Finding, ...], *, remarks: bool = False) -> list[str]:
    """Return the findings under a score table: warnings, grouped by kind; remarks, which change no number, on request.

    The pool comes first, because every value net of chance depends on it.
    """
    by_kind: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.kind != "pool" and (remarks or finding.severity != "note"):
            by_kind.setdefault(finding.kind, []).append(finding)
    lines = list(dict.fromkeys(str(finding) for finding in findings if finding.kind == "pool"))
    for kind, same in by_kind.items():
        shown = same if len(same) <= MAX_FINDINGS else same[: MAX_FINDINGS - 1]
        lines += [f"! {finding}" for finding in shown]
        if len(same) > len(shown):
            lines.append(f"! … and {len(same) - len(shown)} more of this kind ({kind}).")
    return lines


def score_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """Return means with intervals: one row per measure for a single system, else one row per system with the best marked."""
    means, counts = scores.means(), scores.counts()
    found = score_intervals(scores, confidence, DRAWS, scores.seed)
    ends = found.ends
    percent = f"{confidence * 100:g} % interval"
    notes = notes_of(scores.findings)
    signed = [f"signature: {signature}" for signature in scores.signatures]
    if len(scores.systems) == 1:
        notes += [*found.notes(), *found.methods(), *signed]
        system = scores.systems[0]
        rows: list[tuple[Cell, ...]] = [
            (m, _number(means[system][m]), _interval(ends[0, k]), int(counts[0, k]))
            for k, m in enumerate(scores.measure_names)
        ]
        columns = [
            Column("measure", align="left"),
            Column("mean"),
            interval_column(percent),
            Column("n"),
        ]
        return Table.of(columns, rows, title=system, notes=notes)
    # With more measures the intervals would not fit; expected values need none.
    ranked = [better_end(measure) != "neither" for measure in scores.measures]
    wide = [r and sum(ranked) <= WIDE for r in ranked]
    columns = [Column("system", align="left")]
    places = []
    for name, with_interval in zip(scores.measure_names, wide, strict=True):
        places.append(len(columns))
        columns += [Column(name)] + ([interval_column(percent)] if with_interval else [])
    shown = [m.text for m, w in zip(scores.measures, wide, strict=True) if w]
    notes += [*found.notes(shown), *found.methods(shown), *signed]
    columns.append(Column("n"))
    rows = []
    for s, system in enumerate(scores.systems):
        row: list[Cell] = [system]
        for k, name in enumerate(scores.measure_names):
            row += [_number(means[system][name])]
            row += [_interval(ends[s, k])] if wide[k] else []
        rows.append((*row, _count(counts[s])))
    return Table.of(columns, rows, notes=notes, marks=_best(scores, places))


def _best(scores: Scores, places: list[int]) -> frozenset[tuple[int, int]]:
    """Return the cells of the table of means with the best mean of each measure; `places` are the measures' columns."""
    means = scores.means()
    marks: set[tuple[int, int]] = set()
    for place, measure in zip(places, scores.measures, strict=True):
        column = np.array([means[system][measure.text] for system in scores.systems])
        better = better_end(measure)
        if better != "neither" and len(column) and not np.isnan(column).all():
            best = np.nanmax(column) if better == "higher" else np.nanmin(column)
            marks |= {(int(s), place) for s in np.flatnonzero(column == best)}
    return frozenset(marks)


def best_of(scores: Scores) -> str:
    """Say which system of a score table has the best mean by the first measure that has a better end."""
    ranked = [m for m in scores.measures if better_end(m) != "neither"] or scores.measures[:1]
    if not ranked or not scores.systems:
        return "The score table is empty."
    name, means = ranked[0].text, scores.means()
    column = {system: means[system][name] for system in scores.systems}
    best, *others = best_first(column, name)
    if math.isnan(column[best]):
        return f"No system has a mean by {name}."
    if not others:
        return f"{best} scores {column[best]:.3f} by {name}."
    return (
        f"{best} has the best mean {name}, {column[best]:.3f}. Its difference from the other systems was not "
        "tested."
    )


def paper_table(scores: Scores, marks: str | None, digits: int) -> Table:
    """Return the table of means for a paper, systems × measures, the best of each measure in bold."""
    if marks is not None:
        raise OptionError(
            f"marks={marks!r} needs tested differences: use tare.compare(scores) and its to_latex, to_markdown or "
            "to_html."
        )
    means, names = scores.means(), scores.measure_names
    columns = [Column("system", align="left")]
    columns += [Column(name, digits, align="left") for name in names]
    rows = [(system, *(_number(means[system][m]) for m in names)) for system in scores.systems]
    counts = sorted(set(map(int, scores.counts().ravel().tolist())))
    items = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    notes = [f"Means over {items} items. The best score of each measure is in bold."]
    return Table.of(columns, rows, notes=notes, marks=_best(scores, list(range(1, len(columns)))))


def long_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """Return a long table of means for programs, one row per system and measure: mean, interval and n."""
    means, counts = scores.means(), scores.counts()
    found = score_intervals(scores, confidence, DRAWS, scores.seed)
    ends = found.ends
    rows = [
        (system, m, means[system][m], float(ends[s, k, 0]), float(ends[s, k, 1]), int(counts[s, k]))
        for s, system in enumerate(scores.systems)
        for k, m in enumerate(scores.measure_names)
    ]
    columns: list[Column | str] = [
        "system",
        "measure",
        Column("mean"),
        Column("low"),
        Column("high"),
        Column("n"),
    ]
    notes = [
        *found.notes(),
        *found.methods(),
        *(f"signature: {signature}" for signature in scores.signatures),
    ]
    return Table.of(columns, rows, notes=[*notes_of(scores.findings), *notes])


def query_table(scores: Scores) -> Table:
    """Return one row per system, query and measure."""
    return item_table(scores, "query")


def item_table(scores: Scores, item: str = "item") -> Table:
    """Return the score table by item: one row per system, item and measure; `item` is the heading of the items."""
    rows = [
        (system, name, measure, float(scores.values[s, i, m]))
        for s, system in enumerate(scores.systems)
        for i, name in enumerate(scores.items)
        for m, measure in enumerate(scores.measure_names)
    ]
    return Table.of(["system", item, "measure", Column("value")], rows)


def _number(value: float) -> Cell:
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) >= 2 else value


def _count(counts: NDArray[np.int64]) -> Cell:
    """Return the number of items in a system's means, or a range if the measures differ."""
    text = number_of(counts)
    return int(text) if text.isdigit() else text


def _interval(ends: NDArray[np.float64]) -> Cell:
    if np.isnan(ends).any():
        return None
    return float(ends[0]), float(ends[1])
