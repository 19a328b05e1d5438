"""Figures and findings of the consistency study."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._figures import drawn, said
from tare.report._marks import curves, intervals
from tare.report._people import coefficient_name
from tare.studies._consistency import Consistency

__all__ = ["figures", "findings"]


MAX_NAMED = 3  # measures in a sentence
MAX_SERIES = 8  # combinations of measure and sets of items


@said.register
def findings(study: Consistency) -> list[str]:
    """Report the lowest and the highest swap rate, and that they were not tested against each other."""
    rows = [r for r in study.measure_rows() if r["swap_rate"] is not None]
    if not rows:
        return []
    low, high = (pick(r["swap_rate"] for r in rows) for pick in (min, max))
    lowest, highest = ([r for r in rows if r["swap_rate"] == rate] for rate in (low, high))
    if low == high:
        return [_swaps(lowest)]
    return [
        _swaps(lowest),
        _swaps(highest),
        f"These are the lowest and the highest of {len(rows):,} swap rates on these items. Whether "
        "measures differ in their swap rates was not tested.",
    ]


def _swaps(rows: list[dict[str, Any]]) -> str:
    """Name the measures that share a swap rate, with the counts of the first."""
    names = list(dict.fromkeys(r["measure"] for r in rows))
    if len(names) > MAX_NAMED:
        names = [*names[: MAX_NAMED - 1], f"{len(names) - MAX_NAMED + 1} other measures"]
    named = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    first = rows[0]
    return (
        f"{named}: {first['swaps']:,} of {first['pairs']:,} pairs of systems change order between "
        f"{first['first']} and {first['second']}."
    )


@drawn.register
def figures(study: Consistency) -> dict[str, list[Figure]]:
    """Draw swap rates by difference, and correlations with intervals."""
    rows = study.all_rows()
    charts: list[Figure] = []

    def series(row: dict[str, Any]) -> str:
        sets = row["first"] if row["first"] == row["second"] else f"{row['first']}/{row['second']}"
        return f"{row['measure']} · {sets}"

    names = list(dict.fromkeys(map(series, rows["curves"])))[:MAX_SERIES]
    drawn = [
        {"series": series(r), "x": r["from"], "y": r["swap_rate"]}
        for r in rows["curves"]
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
    known = [r for r in rows["measures"] if r["coefficient"] is not None]
    if known:
        labels = [
            {
                "label": r["measure"],
                "group": f"{r['first']} and {r['second']}",
                "value": r["coefficient"],
                "low": r["low"],
                "high": r["high"],
            }
            for r in known
        ]
        chart = intervals(labels, title=coefficient_name(study.kind))
        caption = f"{coefficient_name(study.kind)} between the rankings of systems on two sets of items, with the {100 * study.confidence:g} % interval of its expected value for item sets of this size."
        charts.append(
            Figure(
                "correlation of sets",
                chart,
                caption,
                "Rank correlation between sets of items",
            )
        )
    return {"measures": charts}
