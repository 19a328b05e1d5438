"""Pairs of systems: differences, intervals, tests, and differences by query."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, SortableTable
from tare.report._charts.bars import difference_bars
from tare.report._charts.intervals import pair_intervals
from tare.report._context import ReportContext
from tare.stats._comparison_tables import pair_table
from tare.stats._families import Family
from tare.stats._p_values import shown

__all__ = ["pairs"]

MAX_PAIRS = 300  # in the table
MAX_INTERVALS = 24  # in the chart of intervals
MAX_BARS = 300  # queries in the chart of differences
MAX_CHOICES = 12  # pairs that the reader can select


def pairs(context: ReportContext) -> Chapter | None:
    """Return the chapter, or None if the systems were not compared."""
    comparison = context.comparison
    if comparison is None:
        return None
    family = comparison.families[0]
    blocks: list[Block] = [_intervals(family, comparison.interval)]
    blocks += _by_query(context, family)
    blocks.append(SortableTable(_table(context), max_rows=12))
    lead = (
        "Differences with intervals, effect sizes and p-values. The effect size d_z is the mean difference "
        "divided by the standard deviation of the differences."
    )
    return Chapter("pairs", "Pairs of systems", tuple(blocks), lead)


def _rows(family: Family) -> list[dict[str, Any]]:
    """Return the pairs, larger mean first in each, sorted by difference."""
    turned = []
    for row in family.rows():
        if math.isnan(row["difference"]):
            continue
        if row["difference"] < 0:
            row = {**row, "system": row["against"], "against": row["system"], "difference": -row["difference"],
                   "low": -row["high"], "high": -row["low"]}  # fmt: skip
        turned.append(row)
    return sorted(turned, key=lambda row: -row["difference"])


def _intervals(family: Family, interval: str) -> Figure:
    rows = _rows(family)
    best = family.ranking[0]
    # With many pairs, only those with the best system are drawn.
    chosen = rows if len(rows) <= MAX_INTERVALS else [r for r in rows if best in (r["system"], r["against"])]  # fmt: skip
    drawn = [
        {
            "pair": f"{row['system']} − {row['against']}",
            "difference": row["difference"],
            "low": row["low"],
            "high": row["high"],
            "significant": row["significant"],
            "p": shown(row["p_adjusted"]),
        }
        for row in chosen[:MAX_INTERVALS]
    ]
    percent = f"{100 * (1 - family.alpha):g} %"
    caption = f"Differences in {family.measure} with {percent} intervals (method: {interval}). Significant differences (α = {family.alpha:g}) are highlighted."  # fmt: skip
    if len(drawn) < len(rows):
        caption += (
            f" The chart shows {len(drawn)} of {len(rows):,} pairs; the table below shows more."
        )
    chart = pair_intervals(drawn, measure=family.measure, interval=percent)
    return Figure("differences", chart, caption, f"Differences in {family.measure}", 40 + 26 * len(drawn))  # fmt: skip


def _by_query(context: ReportContext, family: Family) -> list[Block]:
    found = family.result.pairs
    ranking = family.ranking
    wanted = [found.name(k) for k in range(len(family))]
    place = {system: k for k, system in enumerate(ranking)}
    wanted = [pair if place[pair[0]] <= place[pair[1]] else (pair[1], pair[0]) for pair in wanted]
    wanted.sort(key=lambda pair: (place[pair[0]], place[pair[1]]))
    index = {system: k for k, system in enumerate(found.systems)}
    rows: list[dict[str, Any]] = []
    for a, b in wanted[:MAX_CHOICES]:
        first, second = found.scores[index[a]], found.scores[index[b]]
        both = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
        order = both[np.argsort(-(first[both] - second[both]), kind="stable")]
        if len(order) > MAX_BARS:  # keep both ends, which have the largest differences
            order = np.concatenate([order[: MAX_BARS // 2], order[-MAX_BARS // 2 :]])
        rows += [
            {
                "pair": f"{a} − {b}",
                "place": place_,
                "item": found.items[k],
                "difference": float(first[k] - second[k]),
                "first": float(first[k]),
                "second": float(second[k]),
            }
            for place_, k in enumerate(order)
        ]
    if not rows:
        return []
    many = len(found.items) > MAX_BARS
    caption = "One bar per query; above zero, the first system of the pair is better." + (
        " Select a pair above the chart." if len(wanted) > 1 else ""
    ) + (f" The chart shows the {MAX_BARS // 2} largest and the {MAX_BARS // 2} smallest differences." if many else "")  # fmt: skip
    chart = difference_bars(rows, measure=family.measure)
    a, b = wanted[0]
    return [
        Figure("differences by query", chart, caption, "Difference by query", 320),
        SortableTable(_extremes(context, family, a, b), max_rows=20),
    ]


def _extremes(context: ReportContext, family: Family, a: str, b: str) -> Table:
    """Return the queries on which two systems differ most."""
    found = family.result.pairs
    index = {system: k for k, system in enumerate(found.systems)}
    first, second = found.scores[index[a]], found.scores[index[b]]
    difference = first - second
    order = [int(k) for k in np.argsort(-np.abs(np.nan_to_num(difference)), kind="stable")[:10]]
    kind_of = context.kind_by_query()
    columns: list[Column | str] = ["query", Column(a, digits=3), Column(b, digits=3)]
    columns += [Column("difference", digits=3), "better"]
    columns += ["kind of query"] if kind_of else []
    rows: list[tuple[Cell, ...]] = []
    for k in order:
        if math.isnan(difference[k]) or difference[k] == 0:
            continue
        row: list[Cell] = [found.items[k], float(first[k]), float(second[k]), float(difference[k])]
        row.append(a if difference[k] > 0 else b)
        row += [kind_of.get(found.items[k], "undefined")] if kind_of else []
        rows.append(tuple(row))
    return Table.of(
        columns,
        rows,
        title=f"Queries with the largest differences between {a} and {b} in {family.measure}",
    )


def _table(context: ReportContext) -> Table:
    assert context.comparison is not None
    table = pair_table(context.comparison)
    # The signatures are in the last chapter, and a page highlights what a text marks with *.
    kept_notes = tuple(
        note.replace("* significant", "significant p-values are highlighted")
        for note in table.notes
        if not note.startswith("signature: ")
    )
    table = replace(table, notes=kept_notes)
    if len(table.rows) <= MAX_PAIRS:
        return table
    kept = table.rows[:MAX_PAIRS]
    notes = (
        f"The table shows the first {MAX_PAIRS} of {len(table.rows):,} comparisons.",
        *table.notes,
    )
    marks = frozenset(mark for mark in table.marks if mark[0] < MAX_PAIRS)
    return Table(table.columns, kept, table.title, notes, marks)
