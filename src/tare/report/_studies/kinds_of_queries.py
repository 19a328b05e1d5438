"""Figures of the kinds of queries (Feng and Karmaker 2023, fig. 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tare.report._blocks import Figure
from tare.report._marks.curves import ALL_SYSTEMS, score_against_chance
from tare.report._marks.intervals import expected_histogram

if TYPE_CHECKING:
    from tare.chance._kinds_of_queries import Kinds

__all__ = ["figures"]


MAX_DOTS = 2000


def figures(kinds: Kinds) -> dict[str, list[Figure]]:
    """Draw scores against expected values, and the histogram of expected values."""
    kind = kinds.kind_by_query()
    measure = ", ".join(map(str, kinds.measures))
    step = -(-len(kinds.items) // MAX_DOTS)
    rows = [
        {
            "system": ALL_SYSTEMS,
            "item": item,
            "score": float(u),
            "chance": float(e),
            "kind": kind[item],
        }
        for item, u, e in list(zip(kinds.items, kinds.u, kinds.e, strict=True))[:: max(1, step)]
    ]
    chart = score_against_chance(
        rows,
        measure="score, share of the ideal",
        low=kinds.low,
        high=kinds.high,
        margin=kinds.margin,
    )
    caption = f"One dot per query: the mean score of all systems ({measure}) against the expected score of a random ranking."
    if step > 1:
        caption += f" The chart shows one in {step} of {len(kinds.items):,} queries."
    histogram = expected_histogram({measure: [float(e) for e in kinds.e]})
    return {
        "result": [
            Figure("score against chance", chart, caption, "Score against chance", 440),
            Figure(
                "expected values",
                histogram,
                "Number of queries by expected value.",
                "Expected scores under chance",
                240,
            ),
        ]
    }
