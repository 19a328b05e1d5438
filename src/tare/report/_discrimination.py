"""Figures of the discrimination study: significance levels, power by cutoff, and τ between measures."""

from __future__ import annotations

from collections.abc import Sequence

from tare.report._blocks import Figure
from tare.report._figures import Figures, drawn
from tare.report._marks import curves
from tare.report._score_table import asl_curves, correlation_heatmap
from tare.studies._discrimination import Conflicts, Discrimination, MeasurePower

__all__ = ["figures"]


MAX_SETS = 3
MAX_MEASURES = 12


@drawn.register
def figures(study: Discrimination) -> Figures:
    """Draw significance levels and discriminative power by cutoff, and τ between measures."""
    rows = study.all_rows()
    sets = list(dict.fromkeys(row["set"] for row in rows["measures"]))
    by_table: Figures = {"families": [], "conflicts": []}
    for name in sets[:MAX_SETS]:
        measures = list(dict.fromkeys(r["measure"] for r in rows["curves"] if r["set"] == name))
        levels = {
            m: [r["asl"] for r in rows["curves"] if r["set"] == name and r["measure"] == m]
            for m in measures[:MAX_MEASURES]
        }
        of = f", {name} queries" if len(sets) > 1 else ""
        caption = (
            "The p-values of all pairs of systems, largest first. The sooner a line falls below "
            f"{study.alpha:g} (dashed), the more pairs are significantly different by that measure."
        )
        chart = asl_curves(levels, alpha=study.alpha)
        by_table["families"].append(
            Figure(f"significance levels{of}", chart, caption, f"Achieved significance levels{of}")
        )
    by_table["families"] += _by_cutoff(study.measure_rows(), sets[0])
    for name in sets[:MAX_SETS]:
        by_table["conflicts"] += _agreement(study.conflict_rows(), name, len(sets) > 1)
    return by_table


def _by_cutoff(rows: Sequence[MeasurePower], name: str) -> list[Figure]:
    own = [
        (r["family"], float(r["cutoff"]), r["power"])
        for r in rows
        if r["set"] == name and r["cutoff"] is not None
    ]
    if len({cutoff for _, cutoff, _ in own}) < 2:
        return []
    drawn = [{"series": family, "x": cutoff, "y": power} for family, cutoff, power in sorted(own)]
    chart = curves(drawn, x="cutoff", y="share of significant pairs", domain=(0, 1))
    caption = "Discriminative power by cutoff. It measures sensitivity, not validity."
    return [Figure("power by cutoff", chart, caption, "Discriminative power by cutoff")]


def _agreement(rows: Sequence[Conflicts], name: str, several: bool) -> list[Figure]:
    own = [r for r in rows if r["set"] == name]
    if not own:
        return []
    families = list(dict.fromkeys(f for r in own for f in (r["first"], r["second"])))
    cells = [{"first": f, "second": f, "value": 1.0} for f in families]
    for r in own:
        cells += [
            {"first": r["first"], "second": r["second"], "value": r["tau"]},
            {"first": r["second"], "second": r["first"], "value": r["tau"]},
        ]
    of = f", {name} queries" if several else ""
    chart = correlation_heatmap(cells, order=families)
    caption = "Kendall's τ-b between the rankings of systems by two measures: 1 is the same order, −1 the reverse order."
    return [
        Figure(
            f"tau of measures{of}",
            chart,
            caption,
            f"Rank correlation between measures{of}",
        )
    ]
