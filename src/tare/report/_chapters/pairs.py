"""Pairs of systems: differences, intervals, tests, and differences by query."""

from __future__ import annotations

import math
from typing import Any

from tare._decide.compare import tested_families
from tare._decide.families import Family
from tare._tables import shown
from tare.report._blocks import Block, Chapter, Figure, SortableTable
from tare.report._chapters.pair_tables import (
    MAX_PAIRS,
    directed_rows,
    first_pair,
    pair_tables,
    query_differences,
)
from tare.report._charts.bars import difference_bars
from tare.report._charts.intervals import pair_intervals
from tare.report._context import ReportContext

__all__ = ["pairs"]

MAX_INTERVALS = 24  # in the chart of intervals
MAX_BARS = 300  # queries in the chart of differences
MAX_VALUES = 60_000  # scores in the chart of differences; with more, the best systems are kept


def pairs(context: ReportContext) -> Chapter | None:
    """Return the chapter, or None if no two systems were compared."""
    comparison = context.comparison
    if comparison is None:
        return None
    families = tested_families(comparison)
    if not families:
        return None
    family = families[0]
    blocks: list[Block] = [_intervals(family, comparison.interval)]
    blocks += _by_query(context, family)
    blocks += [SortableTable(table, max_rows=12) for table in pair_tables(context)]
    lead = (
        "Differences with intervals, effect sizes and p-values. The effect size d_z is the mean difference "
        "divided by the standard deviation of the differences."
    )
    return Chapter("pairs", "Pairs of systems", tuple(blocks), lead)


def _intervals(family: Family, interval: str) -> Figure:
    rows = [row for row in directed_rows(family, family) if not math.isnan(row["difference"])]
    best = family.ranking[0]
    # With many pairs, only those with the best system are drawn.
    chosen = (
        rows
        if len(rows) <= MAX_INTERVALS
        else [r for r in rows if best in (r["system"], r["against"])]
    )
    drawn = [
        {
            "pair": f"{row['system']} − {row['against']}",
            "difference": row["difference"],
            "low": row["low"],
            "high": row["high"],
            "significant": row["significant"],
            "p": shown(row["p_adjusted"]),
        }
        for row in sorted(chosen[:MAX_INTERVALS], key=lambda row: -row["difference"])
    ]
    percent = f"{100 * (1 - family.alpha):g} %"
    caption = f"Differences in {family.measure} with {percent} intervals (method: {interval}). Significant differences (α = {family.alpha:g}) are highlighted."
    if len(drawn) < len(rows):
        below = "all of them" if len(rows) <= MAX_PAIRS else "more"
        caption += (
            f" The chart shows {len(drawn)} of {len(rows):,} pairs; the table below has {below}."
        )
    chart = pair_intervals(drawn, measure=family.measure, interval=percent)
    return Figure(
        "differences", chart, caption, f"Differences in {family.measure}", 40 + 26 * len(drawn)
    )


def _by_query(context: ReportContext, family: Family) -> list[Block]:
    """Return the chart in which the reader selects any two systems, and a table of the first pair."""
    found = family.result.pairs
    index = {system: k for k, system in enumerate(found.systems)}
    kept = list(family.ranking[: max(2, MAX_VALUES // max(1, len(found.items)))])
    a, b = first_pair(family)
    kept += [system for system in (a, b) if system not in kept]
    scores = {system: found.scores[index[system]] for system in kept}
    rows: list[dict[str, Any]] = [
        {"item": item}
        | {
            system: None if math.isnan(values[k]) else float(values[k])
            for system, values in scores.items()
        }
        for k, item in enumerate(found.items)
    ]
    if not any(row[a] is not None and row[b] is not None for row in rows):
        return []
    caption = "One bar per query: the score of the first system minus the score of the second."
    hint = "Select any two systems above the chart." if len(kept) > 2 else ""
    if len(kept) < len(family.ranking):
        hint += f" The best {len(kept):,} of {len(family.ranking):,} systems can be selected."
    if len(found.items) > MAX_BARS:
        caption += f" The chart shows the {MAX_BARS // 2} largest and the {MAX_BARS // 2} smallest differences."
    chart = difference_bars(rows, measure=family.measure, systems=kept, pair=(a, b), most=MAX_BARS)
    return [
        Figure("differences by query", chart, caption, "Difference by query", 320, hint),
        SortableTable(query_differences(context, family, a, b), max_rows=20),
    ]
