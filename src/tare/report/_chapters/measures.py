"""Measures: rank correlation between them, and their discriminative power."""

from __future__ import annotations

import math

import numpy as np

from tare.report._blocks import Block, Chapter, Figure
from tare.report._charts.curves import asl_curves
from tare.report._charts.heatmaps import correlation_heatmap
from tare.report._context import ReportContext
from tare.stats._correlation import correlation

__all__ = ["measures"]

MIN_SYSTEMS = 3  # for a rank correlation


def measures(context: ReportContext) -> Chapter | None:
    """Return the chapter, or None with fewer than two measures or three systems."""
    names = list(dict.fromkeys(m.name for m in context.measures))
    if len(names) < 2 or len(context.scores.systems) < MIN_SYSTEMS:
        return None
    blocks: list[Block] = [_heatmap(context, names)]
    families = context.comparison.families if context.comparison else ()
    if context.comparison is not None and len(families) > 1 and len(families[0]) > 2:
        repeated = {m.net for m in context.measures if context.net_repeats(m)}
        drawn = [f for f in families if f.measure not in repeated]
        chart = asl_curves(
            {f.measure: f.adjusted[~np.isnan(f.adjusted)].tolist() for f in drawn},
            alpha=context.comparison.alpha,
        )
        caption = (
            "Achieved significance levels: the p-values of all pairs, largest first. The sooner a line "
            f"falls below {context.comparison.alpha:g} (dashed), the more pairs are significantly "
            "different by that measure."
        )
        caption += " A net score has the p-values of its measure." if repeated else ""
        blocks.append(
            Figure("significance levels", chart, caption, "Discriminative power by measure", 330)
        )
    lead = "A measure with more significant differences is more sensitive, but not necessarily more valid."
    return Chapter("measures", "Measures", tuple(blocks), lead)


def _heatmap(context: ReportContext, names: list[str]) -> Figure:
    rows = []
    systems = context.scores.systems
    for one in names:
        for other in names:
            pair = {
                s: (context.means[s][one], context.means[s][other])
                for s in systems
                if not math.isnan(context.means[s][one] + context.means[s][other])
            }
            value = math.nan
            if len(pair) >= MIN_SYSTEMS:
                value = correlation(
                    {s: v[0] for s, v in pair.items()}, {s: v[1] for s, v in pair.items()}
                )
            rows.append(
                {"first": one, "second": other, "value": None if math.isnan(value) else value}
            )
    caption = f"Kendall's τ-b between the rankings of {len(systems)} systems by two measures: 1 is the same order, −1 the reverse order."
    chart = correlation_heatmap(rows, order=names)
    return Figure(
        "correlation of measures",
        chart,
        caption,
        "Rank correlation between measures",
        80 + 36 * len(names),
    )
