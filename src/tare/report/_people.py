"""Figures of measures against people, known or learned: correlations, and the gap between people and machines (Rankel 2016, ch. 5)."""

from __future__ import annotations

import numpy as np

from tare.report._blocks import Figure
from tare.report._encoding import Chart, Row, Rows, altair, inline_data, numbers, states, tooltips
from tare.report._figures import Figures, drawn
from tare.report._marks import dashed, intervals, scatter
from tare.report._theme import theme_colour
from tare.stats._correlation import COEFFICIENTS
from tare.studies._learning import LearnedMeasures
from tare.studies._people import MeasuresAndPeople
from tare.studies._people_correlations import is_known

__all__ = ["BOTH", "human_machine_gap", "learned_figures", "people_figures"]


MAX_SCATTERS = 3
MAX_LABELS = 30
BOTH = ("low_both", "high_both")  # of intervals over systems and items


@drawn.register
def people_figures(study: MeasuresAndPeople) -> Figures:
    """Draw the human–machine gap by measure, and correlations by group of systems."""
    rows = study.all_rows()
    by_table: Figures = {"agreement": [], "correlations": []}
    systems = [{**r, "model": r["system"] in study.models} for r in rows.get("systems", [])]
    gap = " The dashed line is fitted to the machines. The distance of people (triangles) from it is the human–machine gap."
    for measure in study.measures[:MAX_SCATTERS]:
        for human in study.people[:1]:
            by_table["agreement"] += _gap(systems, measure, human, "One dot per system.", gap)
    kind = COEFFICIENTS[study.kind].title
    about = f"{100 * study.confidence:g} % intervals of the expected coefficient for sets of systems and items of this size"
    for human in study.people[:2]:
        found = [r for r in rows.get("correlations", []) if r["human"] == human]
        for level in dict.fromkeys(r["level"] for r in found):
            own = _known(found, study.kind, level)[:MAX_LABELS]
            if own:
                caption = f"{kind} of each measure with {human}, {level} level, with {about}."
                name, title = f"correlation with {human} {level}", f"Correlation with {human}"
                chart = _correlations(own, f"{kind} with {human}")
                by_table["correlations"].append(
                    Figure(name, chart, caption, f"{title}: {level} level")
                )
    return by_table


@drawn.register
def learned_figures(study: LearnedMeasures) -> Figures:
    """Draw the figures of a learned measure: correlations on held-out outputs, and people against machines."""
    human, kind = study.people[0], COEFFICIENTS[study.kind].title
    by_table: Figures = {"correlations": [], "coefficients": []}
    about = f"{100 * study.confidence:g} % intervals over systems and items"
    for level in ("system", "item"):
        own = _known(study.correlations, study.kind, level)
        if own:
            caption = f"{kind} with {human} on held-out outputs, {level} level, with {about}."
            chart = _correlations(own, f"{kind} with {human}")
            title = f"Learned measures: {level} level"
            by_table["correlations"].append(Figure(f"learned {level}", chart, caption, title))
    line = "One dot per system, predicted while it was held out. The dashed line is fitted to the machines."
    for measure in dict.fromkeys(r["measure"] for r in study.gaps):
        by_table["coefficients"] += _gap(study.gaps, measure, human, line)
    return {name: figures for name, figures in by_table.items() if figures}


def _known(rows: Rows, kind: str, level: str) -> Rows:
    """Return the coefficients of measures with people of one kind and level that are known."""
    return [
        r for r in rows if (r["level"], r["coefficient"]) == (level, kind) and is_known(r["value"])
    ]


def _correlations(rows: Rows, title: str) -> Chart:
    return intervals(rows, label="measure", group="peers", ends=BOTH, title=title)


def _gap(rows: Rows, measure: str, human: str, caption: str, more: str = "") -> list[Figure]:
    """Draw the gap between people and machines by one measure and one judgement, if systems are enough; `more` is said about people."""
    dots = [
        {
            "system": r["system"],
            "automatic": r["measured"],
            "human": r["judged"],
            "person": r["model"],
        }
        for r in rows
        if (r["measure"], r["human"]) == (measure, human)
        and is_known(r["measured"])
        and is_known(r["judged"])
    ]
    if len(dots) <= 2:
        return []
    caption += more if any(dot["person"] for dot in dots) else ""
    title = f"{measure} against {human}"
    return [Figure(title, human_machine_gap(dots, automatic=measure, human=human), caption, title)]


MACHINE, PERSON = "machine", "person"


def human_machine_gap(rows: Rows, *, automatic: str, human: str) -> Chart:
    """Draw one dot per system by a measure and a human judgement, people marked, and a line fitted to the machines only.

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
    """Draw the line fitted to the machines only, and the distance of each person from it."""
    alt = altair()
    machines = np.array([(r["automatic"], r["human"]) for r in rows if not r["person"]])
    if len(machines) < 2 or np.ptp(machines[:, 0]) == 0:
        return []
    slope, start = np.polyfit(machines[:, 0], machines[:, 1], 1)

    def fitted(row: Row) -> Row:
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
