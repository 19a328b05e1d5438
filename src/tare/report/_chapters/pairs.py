"""Pairs of systems: how far apart, how sure, and on which queries."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, Grid
from tare.report._charts.differences import difference_bars, pair_intervals
from tare.report._material import Material
from tare.stats._comparison_tables import pair_table
from tare.stats._families import Family
from tare.stats._p_values import shown

__all__ = ["pairs"]

MOST_PAIRS = 300  # of a table
MOST_DRAWN = 24  # of a chart
MOST_BARS = 300  # queries of a chart
CHOICES = 12  # pairs that a reader can choose from


def pairs(material: Material) -> Chapter | None:
    """The chapter, where systems were compared."""
    comparison = material.comparison
    if comparison is None:
        return None
    family = comparison.families[0]
    blocks: list[Block] = [_intervals(family, comparison.interval)]
    blocks += _by_query(material, family)
    blocks.append(Grid(_table(material), most=12))
    lead = (
        "Every difference with its interval, its effect size (d_z, the mean difference in standard "
        "deviations of the differences) and its p."
    )
    return Chapter("pairs", "Pairs of systems", tuple(blocks), lead)


def _rows(family: Family) -> list[dict[str, Any]]:
    """The pairs, turned so that the first is the better, largest difference first."""
    made = []
    for row in family.rows():
        if math.isnan(row["difference"]):
            continue
        if row["difference"] < 0:
            row = {**row, "system": row["against"], "against": row["system"], "difference": -row["difference"],
                   "low": -row["high"], "high": -row["low"]}  # fmt: skip
        made.append(row)
    return sorted(made, key=lambda row: -row["difference"])


def _intervals(family: Family, interval: str) -> Figure:
    rows = _rows(family)
    best = family.ranking[0]
    # With many pairs those of the best system tell most.
    chosen = rows if len(rows) <= MOST_DRAWN else [r for r in rows if best in (r["system"], r["against"])]  # fmt: skip
    drawn = [
        {
            "pair": f"{row['system']} − {row['against']}",
            "difference": row["difference"],
            "low": row["low"],
            "high": row["high"],
            "significant": row["significant"],
            "p": shown(row["p_adjusted"]),
        }
        for row in chosen[:MOST_DRAWN]
    ]
    percent = f"{100 * (1 - family.alpha):g} %"
    caption = f"Differences in {family.measure} with {percent} intervals ({interval}); strong: significant at {family.alpha:g}."  # fmt: skip
    if len(drawn) < len(rows):
        caption += f" {len(drawn)} of {len(rows):,} pairs; the table below has more."
    chart = pair_intervals(drawn, measure=family.measure, interval=percent)
    return Figure("differences", chart, caption, f"Differences in {family.measure}", 40 + 24 * len(drawn))  # fmt: skip


def _by_query(material: Material, family: Family) -> list[Block]:
    found = family.result.pairs
    ranking = family.ranking
    wanted = [found.name(k) for k in range(len(family))]
    place = {system: k for k, system in enumerate(ranking)}
    wanted = [pair if place[pair[0]] <= place[pair[1]] else (pair[1], pair[0]) for pair in wanted]
    wanted.sort(key=lambda pair: (place[pair[0]], place[pair[1]]))
    index = {system: k for k, system in enumerate(found.systems)}
    rows: list[dict[str, Any]] = []
    for a, b in wanted[:CHOICES]:
        first, second = found.scores[index[a]], found.scores[index[b]]
        both = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
        order = both[np.argsort(-(first[both] - second[both]), kind="stable")]
        if len(order) > MOST_BARS:  # both ends; between them there is little to see
            order = np.concatenate([order[: MOST_BARS // 2], order[-MOST_BARS // 2 :]])
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
    many = len(found.items) > MOST_BARS
    caption = "One bar per query; above zero, the first system of the pair is better." + (
        " Choose a pair above the chart." if len(wanted) > 1 else ""
    ) + (f" The {MOST_BARS} queries with the largest differences." if many else "")  # fmt: skip
    chart = difference_bars(rows, measure=family.measure)
    a, b = wanted[0]
    return [
        Figure("differences by query", chart, caption, "Query by query", 320),
        Grid(_extremes(material, family, a, b), most=20),
    ]


def _extremes(material: Material, family: Family, a: str, b: str) -> Table:
    """Where two systems differ most."""
    found = family.result.pairs
    index = {system: k for k, system in enumerate(found.systems)}
    first, second = found.scores[index[a]], found.scores[index[b]]
    difference = first - second
    order = [int(k) for k in np.argsort(-np.abs(np.nan_to_num(difference)), kind="stable")[:10]]
    kind_of = material.kind_of()
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
    return Table.of(columns, rows, title=f"Where {a} and {b} differ most, by {family.measure}")


def _table(material: Material) -> Table:
    assert material.comparison is not None
    table = pair_table(material.comparison)
    told = tuple(note for note in table.notes if not note.startswith("signature: "))
    table = replace(table, notes=told)  # the last chapter has the signatures
    if len(table.rows) <= MOST_PAIRS:
        return table
    kept = table.rows[:MOST_PAIRS]
    notes = (f"The first {MOST_PAIRS} of {len(table.rows):,} comparisons.", *table.notes)
    marks = frozenset(mark for mark in table.marks if mark[0] < MOST_PAIRS)
    return Table(table.columns, kept, table.title, notes, marks)
