"""The chapter on systems: means, intervals, significance letters and net scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, SortableTable
from tare.report._context import ReportContext, ReportedMeasure
from tare.report._encoding import Chart, Rows, altair, inline_data, numbers, states, tooltips
from tare.report._marks import dots
from tare.report._theme import theme_colour

__all__ = ["BEST", "BETTER", "UNTESTED", "WORSE", "mean_intervals", "systems"]

MAX_SYSTEMS = 40  # in the chart of intervals
PER_TABLE = 2  # measures after the first one; with more, the columns do not fit on a page


def systems(context: ReportContext) -> Chapter:
    """Return the chapter on systems with the table of all measures and the chart of the first one."""
    blocks: list[Block] = _summaries(context)
    if len(context.scores.systems) > 1:
        blocks.append(_intervals(context))
    return Chapter("systems", "Systems", tuple(blocks), _lead(context), "Click a heading to sort.")


def _lead(context: ReportContext) -> str:
    family = context.family(context.measures[0].name)
    text = "Means over the items, with 95 % intervals."
    if family is not None and family.lettered:
        text += " Systems that share a letter are not significantly different."
    return text


def _summaries(context: ReportContext) -> list[Block]:
    """Return the tables of systems: that of the first measure with all columns, and short ones of the other measures."""
    first, *others = context.measures
    parts = [[first]]
    parts += [others[k : k + PER_TABLE] for k in range(0, len(others), PER_TABLE)]
    return [_summary(context, part, whole=k == 0) for k, part in enumerate(parts)]


def _summary(
    context: ReportContext, measures: Sequence[ReportedMeasure], whole: bool
) -> SortableTable:
    """Return a table of the means of systems; a whole one has intervals and expected values as well."""
    scores = context.scores
    ends = scores.intervals()
    counts = scores.counts()
    place = {m: k for k, m in enumerate(scores.measure_names)}
    columns = [Column("system", align="left")]
    bars = set()
    rows: list[list[Cell]] = [[s] for s in context.ranking(context.measures[0].name)]
    systems = [scores.systems.index(str(row[0])) for row in rows]
    marks: set[tuple[int, int]] = set()

    def add(column: Column, cells: list[Cell]) -> None:
        columns.append(column)
        for row, cell in zip(rows, cells, strict=True):
            row.append(cell)

    def add_means(measure: str, interval: bool) -> None:
        best = context.ranking(measure)[0]
        if interval and len(rows) > 1:
            marks.update((k, len(columns)) for k, row in enumerate(rows) if row[0] == best)
        add(Column(measure, digits=3), [context.means[scores.systems[s]][measure] for s in systems])
        if interval and whole:
            found = [ends[s, place[measure]] for s in systems]
            texts = [None if math.isnan(low) else f"{low:.3f} … {high:.3f}" for low, high in found]
            add(Column("95 % interval"), [t and t.replace("-", "−") for t in texts])

    def add_letters(measure: str) -> None:
        family = context.family(measure)
        if family is not None and family.lettered:
            letters: list[Cell] = [family.letters[scores.systems[s]] for s in systems]
            add(Column("letters", align="left"), letters)

    for reported in measures:
        bars.add(len(columns))
        add_means(reported.name, True)
        add_letters(reported.name)
        for companion in (reported.expected, reported.ideal):
            if companion and whole:
                add_means(companion, False)
        if reported.net:
            add_means(reported.net, True)
            if not context.net_repeats(reported):
                add_letters(reported.net)
    add(Column("n"), [_number(counts[s]) for s in systems])
    names = " and ".join(reported.name for reported in measures)
    title = "" if len(context.measures) == 1 else names
    notes = _notes(context) if whole else []
    table = Table.of(
        columns, [tuple(row) for row in rows], title=title, notes=notes, marks=frozenset(marks)
    )
    return SortableTable(table, frozenset(bars))


def _notes(context: ReportContext) -> list[str]:
    several = len(context.scores.systems) > 1
    notes = ["The best mean of each measure is highlighted."] if several else []
    if any(reported.expected for reported in context.measures):
        notes.append(
            "E is the tare: the expected score of a random ranking. Net is (score − tare) / (ideal − tare): "
            "1 is the ideal ranking, 0 is chance. All means are over the same queries."
        )
        family = context.family(context.measures[0].name)
        if family is not None and family.lettered and context.net_repeats(context.measures[0]):
            notes.append("A net score has the letters of its measure.")
    notes += dict.fromkeys(str(f) for f in context.scores.findings if f.kind == "pool")
    return notes


def _number(counts: NDArray[np.int64]) -> Cell:
    low, high = int(counts.min()), int(counts.max())
    return high if low == high else f"{low:,}–{high:,}"


def _states(context: ReportContext, measure: str) -> dict[str, str]:
    """Return how each system compares with the best one, if the two were tested."""
    best = context.ranking(measure)[0]
    states = dict.fromkeys(context.scores.systems, UNTESTED)
    for system, row in context.comparisons_of(best, measure).items():
        if math.isnan(row["p_adjusted"]):
            continue
        if row["significant"]:
            states[system] = WORSE if row["better"] else BETTER
        else:
            states[system] = BEST
    return states if context.family(measure) is None else states | {best: BEST}


# How a system compares with the best one.
BEST = "best, or not significantly different"
WORSE = "significantly worse"
BETTER = "significantly better on common items"
UNTESTED = "not tested"
CHANCE = "chance"
COLOURS = {BEST: "accent", WORSE: "quiet", BETTER: "c3", UNTESTED: "c7", CHANCE: "c2"}


def mean_intervals(
    rows: Rows, *, measure: str, interval: str, band: tuple[float, float] | None = None
) -> Chart:
    """Draw the mean of each system with its interval, best first, and a tick at the expected score.

    Each row has system, mean, low, high, chance (or None) and state: one of `BEST`, `WORSE`,
    `BETTER` and `UNTESTED`. `band` is shaded; it is the range of the mean of a random ranker (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    given = [{**row, "by chance": CHANCE} for row in rows]
    ticked = any(row["chance"] is not None for row in rows)
    present = {*(str(row["state"]) for row in rows), *([CHANCE] if ticked else [])}
    tips = [
        ("system", "system"),
        ("mean", measure, ".3f"),
        ("low", f"{interval}, from", ".3f"),
        ("high", "to", ".3f"),
        ("chance", "expected by chance", ".3f"),
    ]
    below, above = [], []
    if band is not None:
        ends = alt.Chart(inline_data([{"from": band[0], "to": band[1]}]))
        shade = ends.mark_rect(color=theme_colour("c2"), opacity=0.15)
        below.append(shade.encode(x=numbers("X", "from", measure, zero=False), x2="to:Q"))
    if ticked:
        ticks = alt.Chart(inline_data(given)).mark_tick(thickness=2, size=14, opacity=1)
        x = numbers("X", "chance", measure, zero=False)
        above.append(ticks.encode(y="system:N", x=x, color="by chance:N", tooltip=tooltips(tips)))
    return dots(
        given,
        label="system",
        value="mean",
        title=measure,
        tips=tips,
        colour=states("state", {s: c for s, c in COLOURS.items() if s in present}, columns=1),
        scale={"zero": False},
        below=below,
        above=above,
    )


def _intervals(context: ReportContext) -> Figure:
    reported, scores = context.measures[0], context.scores
    ranking = context.ranking(reported.name)
    family = context.family(reported.name)
    ends = scores.intervals()[:, scores.measure_names.index(reported.name)]
    states = _states(context, reported.name)
    rows = []
    for system in ranking[:MAX_SYSTEMS]:
        s = scores.systems.index(system)
        luck = context.means[system][reported.expected] if reported.expected else None
        rows.append(
            {
                "system": system,
                "mean": context.means[system][reported.name],
                "low": float(ends[s, 0]),
                "high": float(ends[s, 1]),
                "chance": luck,
                "state": states[system],
            }
        )
    caption = f"Mean {reported.name} and its 95 % interval, best first."
    if family is not None:
        caption += " Colours show whether a system is significantly worse than the best one."
    band = None
    if reported.expected:
        caption += " Orange ticks mark the expected score of a random ranking."
    if context.luck is not None and context.chance_measure is reported:
        band = context.luck.chances[0].band()
        caption += (
            f" The mean of a random ranker is in the shaded range, {band[0]:.3f} to {band[1]:.3f}, with "
            f"probability {100 * context.luck.confidence:g} %."
        )
    if len(ranking) > MAX_SYSTEMS:
        caption += f" The chart shows the best {MAX_SYSTEMS} of {len(ranking)} systems."
    chart = mean_intervals(rows, measure=reported.name, interval="95 % interval", band=band)
    return Figure("means", chart, caption, f"{reported.name} by system")
