"""The measures beside one another: do they order systems alike, and how much do they tell apart?"""

from __future__ import annotations

import math

import numpy as np

from tare.report._blocks import Block, Chapter, Figure
from tare.report._charts.curves import asl_curves
from tare.report._charts.heatmaps import correlation_heatmap
from tare.report._material import Material
from tare.stats._correlation import correlation

__all__ = ["measures"]

FEWEST = 3  # systems whose order can be compared


def measures(material: Material) -> Chapter | None:
    """τ between all measures, and the achieved significance levels of each."""
    names = list(dict.fromkeys(s.measure for s in material.subjects))
    if len(names) < 2 or len(material.scores.systems) < FEWEST:
        return None
    blocks: list[Block] = [_heatmap(material, names)]
    families = material.comparison.families if material.comparison else ()
    if material.comparison is not None and len(families) > 1 and len(families[0]) > 2:
        chart = asl_curves(
            {f.measure: f.adjusted[~np.isnan(f.adjusted)].tolist() for f in families},
            alpha=material.comparison.alpha,
        )
        caption = (
            "Achieved significance levels: the p of all pairs, largest first. The sooner a line falls "
            f"below {material.comparison.alpha:g} (dashed), the more pairs the measure separates. A net "
            "score has the p of its measure."
        )
        blocks.append(Figure("significance levels", chart, caption, "Discriminative power by measure", 330))  # fmt: skip
    lead = (
        "A measure that separates more pairs is more sensitive, which does not make it more valid."
    )
    return Chapter("measures", "Measures", tuple(blocks), lead)


def _heatmap(material: Material, names: list[str]) -> Figure:
    rows = []
    systems = material.scores.systems
    for one in names:
        for other in names:
            pair = {
                s: (material.means[s][one], material.means[s][other])
                for s in systems
                if not math.isnan(material.means[s][one] + material.means[s][other])
            }
            value = math.nan
            if len(pair) >= FEWEST:
                value = correlation({s: v[0] for s, v in pair.items()}, {s: v[1] for s, v in pair.items()})  # fmt: skip
            rows.append({"first": one, "second": other, "value": None if math.isnan(value) else value})  # fmt: skip
    caption = f"Kendall's τ-b between the orders of {len(systems)} systems: 1 the same order, −1 the reverse."  # fmt: skip
    chart = correlation_heatmap(rows, order=names)
    return Figure("correlation of measures", chart, caption, "Do the measures agree?", 80 + 36 * len(names))  # fmt: skip
