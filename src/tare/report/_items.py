"""Figures of the item study: simultaneous intervals (Rankel 2016, fig. 4.1)."""

from __future__ import annotations

from tare.report._blocks import Figure
from tare.report._encoding import Chart, Rows, altair, states
from tare.report._figures import Figures, drawn
from tare.report._marks import dots
from tare.studies._items import ItemStudy

__all__ = ["simultaneous_intervals"]


@drawn.register
def figures(study: ItemStudy) -> Figures:
    """Draw one chart of simultaneous intervals per factor of the item study; the reader selects the level to compare with."""
    by_table = {}
    what = study.measure if study.method == "means" else f"mean rank by {study.measure}"
    for factor in study.factors:
        own = [r for r in study.levels if r["factor"] == factor]
        if not own or own[0]["low"] is None:
            continue
        rows = [
            {"name": r["level"], "mean": r["mean"], "half": r["high"] - r["mean"]}
            for r in own
            if r["high"] is not None
        ]
        chart = simultaneous_intervals(rows, title=what, chosen=own[0]["against"])
        caption = (
            f"Simultaneous intervals of the {len(own)} levels of {factor}. Two levels whose intervals do "
            f"not overlap differ significantly (α = {study.alpha:g})."
        )
        by_table[factor] = [Figure(f"intervals of {factor}", chart, caption, f"By {factor}")]
    return by_table


def simultaneous_intervals(
    rows: Rows, *, title: str, needed: float | None = None, chosen: str | None = None
) -> Chart:
    """Draw means of the item study with comparison intervals, coloured by whether they differ from a selected one.

    Each row has name, mean and half (half the width of the interval). With `needed`, the smallest
    significant difference of any pair, half is `needed / 2`. Two intervals that do not overlap differ
    significantly; the reader selects the one to compare with (Rankel 2016, fig. 4.1).
    """
    alt = altair()
    given = []
    for row in sorted(rows, key=lambda row: -float(row["mean"])):
        half = float(row["half"] if needed is None else needed / 2)
        given.append({**row, "half": half, "low": row["mean"] - half, "high": row["mean"] + half})
    names = [str(row["name"]) for row in given]
    chooser = alt.binding_select(options=names, name="compare with ")
    param = alt.param(name="chosen", value=chosen or names[0], bind=chooser)

    def compared(chart: Chart) -> Chart:
        return (
            chart.transform_calculate(
                own="datum.name === chosen ? datum.mean : null",
                width="datum.name === chosen ? datum.half : null",
            )
            .transform_joinaggregate(target="max(own)", reach="max(width)")
            .transform_calculate(
                state="datum.name === chosen ? 'selected' : abs(datum.mean - datum.target) > "
                "datum.half + datum.reach ? 'significantly different' : 'not significantly different'"
            )
        )

    colours = {
        "selected": "c1",
        "significantly different": "c2",
        "not significantly different": "quiet",
    }
    return dots(
        given,
        label="name",
        value="mean",
        title=title,
        tips=[
            ("name", "name"),
            ("mean", title, ".3f"),
            ("low", "from", ".3f"),
            ("high", "to", ".3f"),
            ("state", "comparison"),
        ],
        colour=states("state", colours, columns=1),
        scale={"zero": False},
        prepare=compared,
    ).add_params(param)
