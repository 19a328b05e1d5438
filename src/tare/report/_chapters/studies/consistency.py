"""The charts of the study of consistency."""

from __future__ import annotations

from typing import Any

from tare.report._blocks import Figure
from tare.report._charts.curves import curves
from tare.report._charts.people import correlation_intervals

__all__ = ["figures", "findings"]

MOST = 8  # couples of sets and measures


def findings(study: Any) -> list[str]:
    """Which measure keeps the order of systems best, and which worst."""
    rows = [r for r in study.measure_rows() if r["swap_rate"] is not None]
    if not rows:
        return []
    best, worst = (pick(rows, key=lambda r: r["swap_rate"]) for pick in (min, max))
    made = [
        f"{best['measure']} keeps the order of systems best: {best['swaps']:,} of {best['pairs']:,} "
        f"pairs turn round between {best['first']} and {best['second']}."
    ]
    if worst["swap_rate"] > best["swap_rate"]:
        made.append(
            f"{worst['measure']} keeps it worst: {worst['swaps']:,} of {worst['pairs']:,} pairs turn "
            f"round between {worst['first']} and {worst['second']}."
        )
    return made


def figures(study: Any) -> dict[str, list[Figure]]:
    """The swap rate against the difference, and correlations with their intervals."""
    rows = study.all_rows()
    made: list[Figure] = []

    def series(row: dict[str, Any]) -> str:
        sets = row["first"] if row["first"] == row["second"] else f"{row['first']}/{row['second']}"
        return f"{row['measure']} · {sets}"

    names = list(dict.fromkeys(map(series, rows["curves"])))[:MOST]
    drawn = [
        {"series": series(r), "x": r["from"], "y": r["swap_rate"]}
        for r in rows["curves"]
        if series(r) in names
    ]
    if drawn:
        chart = curves(drawn, x="difference of two systems, at least", y="swap rate", level=study.level)  # fmt: skip
        caption = (
            "How often the order of two systems turns round on other items, by how far apart they "
            f"are. Below {study.level:g} (dashed) an order can be relied on."
        )
        made.append(Figure("swap rates", chart, caption, "Swap rate against difference", 330))
    known = [r for r in rows["measures"] if r["coefficient"] is not None]
    if known:
        labels = [
            {"label": r["measure"], "group": f"{r['first']} and {r['second']}",
             "value": r["coefficient"], "low": r["low"], "high": r["high"]}
            for r in known
        ]  # fmt: skip
        chart = correlation_intervals(labels, title=study.kind)
        caption = f"{study.kind} between the orders of systems on two sets of items, with {100 * study.confidence:g} % intervals."  # fmt: skip
        made.append(Figure("correlation of sets", chart, caption, "Do two sets of items agree?", 60 + 30 * len(labels)))  # fmt: skip
    return {"measures": made}
