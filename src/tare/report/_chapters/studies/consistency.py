"""Figures and findings of the consistency study."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.curves import curves
from tare.report._charts.intervals import correlation_intervals

__all__ = ["figures", "findings"]

MAX_SERIES = 8  # combinations of measure and sets of items


def findings(study: Any) -> list[str]:
    """Report the measures with the lowest and the highest swap rate."""
    rows = [r for r in study.measure_rows() if r["swap_rate"] is not None]
    if not rows:
        return []
    best, worst = (pick(rows, key=lambda r: r["swap_rate"]) for pick in (min, max))
    made = [
        f"{best['measure']} has the lowest swap rate: {best['swaps']:,} of {best['pairs']:,} pairs of "
        f"systems change order between {best['first']} and {best['second']}."
    ]
    if worst["swap_rate"] > best["swap_rate"]:
        made.append(
            f"{worst['measure']} has the highest swap rate: {worst['swaps']:,} of {worst['pairs']:,} "
            f"pairs of systems change order between {worst['first']} and {worst['second']}."
        )
    return made


def figures(study: Any) -> dict[str, list[Figure]]:
    """Draw swap rates by difference, and correlations with intervals."""
    rows = study.all_rows()
    made: list[Figure] = []

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
        chart = curves(drawn, x="minimum difference between two systems", y="swap rate", level=study.level)  # fmt: skip
        caption = (
            "How often two systems change order on other items, by the minimum difference between them. "
            f"The dashed line is the accepted swap rate, {study.level:g}."
        )
        made.append(Figure("swap rates", chart, caption, "Swap rate by difference", 330))
    known = [r for r in rows["measures"] if r["coefficient"] is not None]
    if known:
        labels = [
            {"label": r["measure"], "group": f"{r['first']} and {r['second']}",
             "value": r["coefficient"], "low": r["low"], "high": r["high"]}
            for r in known
        ]  # fmt: skip
        chart = correlation_intervals(labels, title=study.kind)
        caption = f"{study.kind} between the rankings of systems on two sets of items, with {100 * study.confidence:g} % intervals."  # fmt: skip
        made.append(Figure("correlation of sets", chart, caption, "Rank correlation between sets of items", 60 + 30 * len(labels)))  # fmt: skip
    return {"measures": made}
