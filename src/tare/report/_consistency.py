"""Figures of the consistency study: swap rates by difference, and rank correlation between sets of items."""

from __future__ import annotations

from tare.report._blocks import Figure
from tare.report._figures import Figures, drawn
from tare.report._marks import curves, intervals
from tare.stats._correlation import COEFFICIENTS
from tare.studies._consistency import Consistency, SwapsByDifference

__all__ = ["figures"]


MAX_NAMED = 3  # measures in a sentence
MAX_SERIES = 8  # combinations of measure and sets of items


@drawn.register
def figures(study: Consistency) -> Figures:
    """Draw swap rates by difference, and rank correlations between sets of items with intervals."""
    by_difference = study.curve_rows()
    charts: list[Figure] = []

    def series(row: SwapsByDifference) -> str:
        sets = row["first"] if row["first"] == row["second"] else f"{row['first']}/{row['second']}"
        return f"{row['measure']} · {sets}"

    names = list(dict.fromkeys(map(series, by_difference)))[:MAX_SERIES]
    drawn = [
        {"series": series(r), "x": r["from"], "y": r["swap_rate"]}
        for r in by_difference
        if series(r) in names
    ]
    if drawn:
        chart = curves(
            drawn, x="minimum difference between two systems", y="swap rate", level=study.level
        )
        caption = (
            "How often two systems change order on other items, by the minimum difference between them. "
            f"The dashed line is the accepted swap rate, {study.level:g}."
        )
        charts.append(Figure("swap rates", chart, caption, "Swap rate by difference"))
    known = [r for r in study.measure_rows() if r["coefficient"] is not None]
    if known:
        sets = [{**r, "sets": f"{r['first']} and {r['second']}"} for r in known]
        name = COEFFICIENTS[study.kind].title
        chart = intervals(sets, label="measure", group="sets", value="coefficient", title=name)
        caption = f"{name} between the rankings of systems on two sets of items, with the {100 * study.confidence:g} % interval of its expected value for item sets of this size."
        charts.append(
            Figure(
                "correlation of sets",
                chart,
                caption,
                "Rank correlation between sets of items",
            )
        )
    return {"measures": charts}
