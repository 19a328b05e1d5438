"""The chart of kinds of queries (Feng and Karmaker 2023, fig. 1)."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.chance import EVERYONE, expected_histogram, score_against_chance

__all__ = ["figures", "kind_of_each"]

MOST_DOTS = 2000


def kind_of_each(kinds: Any) -> dict[str, str]:
    """Each query's kind, by the narrowest set that holds it."""
    sets = kinds.sets()
    made = dict.fromkeys(kinds.items, "other")
    for kind in ("informative", "ideal", "uninformative", "hard", "easy"):
        made |= dict.fromkeys(sets[kind], kind)
    return made


def figures(kinds: Any) -> dict[str, list[Figure]]:
    """The scatter of queries and the histogram of what chance would score."""
    kind = kind_of_each(kinds)
    measure = ", ".join(map(str, kinds.measures))
    step = -(-len(kinds.items) // MOST_DOTS)
    rows = [
        {"system": EVERYONE, "item": item, "score": float(u), "chance": float(e), "kind": kind[item]}
        for item, u, e in list(zip(kinds.items, kinds.u, kinds.e, strict=True))[:: max(1, step)]
    ]  # fmt: skip
    chart = score_against_chance(rows, measure=f"share of the possible, {measure}", low=kinds.low, high=kinds.high, margin=kinds.margin)  # fmt: skip
    caption = "One dot a query: the mean score of all systems against what a random ranking would score."  # fmt: skip
    if step > 1:
        caption += f" Every {step}th of {len(kinds.items):,} queries."
    histogram = expected_histogram({measure: [float(e) for e in kinds.e]})
    return {
        "result": [
            Figure("score against chance", chart, caption, "Score against chance", 440),
            Figure("expected values", histogram, "How many queries have which expected value.", "What chance would score", 240),
        ]
    }  # fmt: skip
