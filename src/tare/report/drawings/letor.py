"""The charts of the study of rankers (Feng and Karmaker 2023, fig. 1 to 3)."""

from __future__ import annotations

from typing import Any

from tare.report.blocks import Figure
from tare.report.charts.chance import expected_histogram
from tare.report.drawings import discrimination, kinds

__all__ = ["figures"]


def figures(study: Any) -> dict[str, list[Figure]]:
    """The scatter of queries, histograms of expected values, and the curves of significance."""
    scatter = kinds.figures(study.kinds)["result"][:1]
    values: dict[str, list[float]] = {}
    for row in study.chances:
        name = f"{row['measure']}@{row['cutoff']}"
        if row["measure"] != "nDCG":
            name += f", {row['baseline']}"
        values.setdefault(name, []).append(float(row["expected"]))
    histogram = Figure(
        "expected values",
        expected_histogram(values),
        "How many queries have which expected value under a random ranking, for each measure and cutoff.",
        "What chance would score",
        480,
    )
    drawn = discrimination.figures(study.discrimination)
    return {"means": [*scatter, histogram], "power": [f for group in drawn.values() for f in group]}
