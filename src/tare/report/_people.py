"""Figures and findings of the study of measures and people (Rankel 2016, ch. 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tare.report._blocks import Figure
from tare.report._encoding import Chart, Row, Rows, altair, inline_data, numbers, states, tooltips
from tare.report._figures import drawn
from tare.report._marks import dashed, intervals, scatter
from tare.report._theme import theme_colour
from tare.stats._correlation import coefficient_name
from tare.studies._people import MeasuresAndPeople
from tare.studies._people_correlations import is_known

__all__ = ["figures"]


MAX_SCATTERS = 3
MAX_LABELS = 30


@drawn.register
def figures(study: MeasuresAndPeople) -> dict[str, list[Figure]]:
    """Draw the human–machine gap by measure, and correlations by group of systems."""
    rows = study.all_rows()
    by_table: dict[str, list[Figure]] = {"agreement": [], "correlations": []}
    models = set(study.models)
    systems = rows.get("systems", [])
    for measure in study.measures[:MAX_SCATTERS]:
        for human in study.people[:1]:
            dots = [
                {
                    "system": r["system"],
                    "automatic": r["measured"],
                    "human": r["judged"],
                    "person": r["system"] in models,
                }
                for r in systems
                if (r["measure"], r["human"]) == (measure, human)
                and is_known(r["measured"])
                and is_known(r["judged"])
            ]
            if len(dots) > 2:
                by_table["agreement"].append(_gap(dots, measure, human))
    for human in study.people[:2]:
        by_table["correlations"] += _correlations(study, rows.get("correlations", []), human)
    return by_table


def _gap(dots: list[dict[str, Any]], measure: str, human: str) -> Figure:
    caption = "One dot per system."
    if any(dot["person"] for dot in dots):
        caption += " The dashed line is fitted to the machines. The distance of people (triangles) from it is the human–machine gap."
    chart = human_machine_gap(dots, automatic=measure, human=human)
    return Figure(f"{measure} against {human}", chart, caption, f"{measure} against {human}")


def _correlations(study: MeasuresAndPeople, rows: list[dict[str, Any]], human: str) -> list[Figure]:
    charts = []
    for level in dict.fromkeys(r["level"] for r in rows):
        own = [
            r
            for r in rows
            if r["human"] == human
            and r["level"] == level
            and r["coefficient"] == study.kind
            and is_known(r["value"])
        ]
        if not own:
            continue
        labels = [
            {
                "label": r["measure"],
                "group": r["peers"],
                "value": r["value"],
                "low": r.get("low_both"),
                "high": r.get("high_both"),
            }
            for r in own[:MAX_LABELS]
        ]
        chart = intervals(labels, title=f"{coefficient_name(study.kind)} with {human}")
        caption = f"{coefficient_name(study.kind)} of each measure with {human}, {level} level, with {100 * study.confidence:g} % intervals of the expected coefficient for sets of systems and items of this size."
        charts.append(
            Figure(
                f"correlation with {human} {level}",
                chart,
                caption,
                f"Correlation with {human}: {level} level",
            )
        )
    return charts


MACHINE, PERSON = "machine", "person"


def human_machine_gap(rows: Rows, *, automatic: str, human: str) -> Chart:
    """Draw one dot per system, people marked, and a line fitted to the machines only.

    Each row has system, automatic, human and person (bool). The gap is the vertical distance of a
    person from the line (Rankel 2016, figs 5.1 and 5.6).
    """
    given = [{**row, "who": PERSON if row["person"] else MACHINE} for row in rows]
    given.sort(key=lambda row: row["who"])  # machines first, so that they are circles
    colours = {MACHINE: "c1", PERSON: "c2"}
    present = {row["who"] for row in given}
    return scatter(
        given,
        across=numbers("X", "automatic", automatic, zero=False),
        up=numbers("Y", "human", human, zero=False),
        tips=[("system", "system"), ("automatic", automatic, ".3f"), ("human", human, ".3f")],
        colour=states("who", {who: c for who, c in colours.items() if who in present}),
        shape="who",
        below=_gaps(given),
    )


def _gaps(rows: Rows) -> list[Chart]:
    """Draw the line fitted to the machines, and the distance of each person from it."""
    alt = altair()
    machines = np.array([(r["automatic"], r["human"]) for r in rows if not r["person"]])
    if len(machines) < 2 or np.ptp(machines[:, 0]) == 0:
        return []
    slope, start = np.polyfit(machines[:, 0], machines[:, 1], 1)

    def fitted(row: Row) -> dict[str, Any]:
        return {"x": row["automatic"], "y": float(start + slope * row["automatic"])}

    ends = sorted(map(fitted, rows), key=lambda end: float(end["x"]))
    layers = [dashed([ends[0], ends[-1]])]
    people = [{**row, **fitted(row)} for row in rows if row["person"]]
    if people:
        given = inline_data({**row, "gap": float(row["human"] - row["y"])} for row in people)
        drops = alt.Chart(given).mark_rule(color=theme_colour("c2"), opacity=0.55)
        tips = tooltips([("system", "system"), ("gap", "gap", "+.3f")])
        layers.append(drops.encode(x="x:Q", y="y:Q", y2="human:Q", tooltip=tips))
    return layers
