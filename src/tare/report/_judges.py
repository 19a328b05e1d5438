"""Figures and findings of the audit of judges: confusion, leniency, systems by both label sets, nine cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tare.report._blocks import Figure
from tare.report._encoding import (
    Rows,
    altair,
    full_width,
    inline_data,
    number_tooltip,
    text_tooltip,
)
from tare.report._figures import drawn, said
from tare.report._marks.heatmaps import RISING
from tare.report._theme import CATEGORIES, theme_colour
from tare.studies._judges import JudgeStudy

__all__ = [
    "figures",
    "findings",
    "judge_leniency",
    "label_confusion",
    "nine_cells",
    "systems_by_labels",
]


# Charts of the audit of judges: confusion, leniency, systems by both label sets, nine cells.


CELL = 46
COLUMNS = 3
WORDS = {"better": "better", "none": "no difference", "worse": "worse"}


def label_confusion(rows: Rows, *, labels: Sequence[str]) -> Any:
    """Draw one matrix per judge: the human label across, the judge's label up, with counts.

    Each row has judge, human_label, judge_label, count and share (of the human label). The colour is the
    share; equal labels are on the diagonal.
    """
    alt = altair()
    base = alt.Chart(inline_data(rows))
    human = [x for x in labels if any(str(r["human_label"]) == x for r in rows)]
    said = [x for x in labels if any(str(r["judge_label"]) == x for r in rows)]
    x = alt.X(
        "human_label:N",
        title="label by people",
        sort=human,
        axis=alt.Axis(labelAngle=0, grid=False, ticks=False),
    )
    y = alt.Y(
        "judge_label:N",
        title="label by the judge",
        sort=said[::-1],
        axis=alt.Axis(grid=False, ticks=False),
    )
    tips = [
        text_tooltip("judge", "judge"),
        text_tooltip("human_label", "people"),
        text_tooltip("judge_label", "judge's label"),
        number_tooltip("count", "pairs", ",d"),
        number_tooltip("share", "share of this human label", ".1%"),
    ]
    return _facets(
        base,
        x,
        y,
        "share:Q",
        1.0,
        "count:Q",
        ",d",
        tips,
        "share of the human label",
        len(human),
        len(said),
        _judges(rows),
    )


def nine_cells(rows: Rows) -> Any:
    """Draw one matrix per judge: what people conclude across, what the judge concludes up.

    Each row has judge, human, labelled, count and share (of all pairs of systems).
    """
    alt = altair()
    given = [{**r, "human": WORDS[r["human"]], "labelled": WORDS[r["labelled"]]} for r in rows]
    order = list(WORDS.values())
    x = alt.X(
        "human:N",
        title="by labels of people",
        sort=order[::-1],
        axis=alt.Axis(labelAngle=0, grid=False, ticks=False),
    )
    y = alt.Y(
        "labelled:N",
        title="by labels of the judge",
        sort=order,
        axis=alt.Axis(grid=False, ticks=False),
    )
    tips = [
        text_tooltip("judge", "judge"),
        text_tooltip("human", "people"),
        text_tooltip("labelled", "judge"),
        number_tooltip("count", "pairs of systems", ",d"),
        number_tooltip("share", "share of all pairs", ".1%"),
    ]
    most = max((float(r["share"]) for r in rows), default=1.0)
    base = alt.Chart(inline_data(given))
    return _facets(
        base,
        x,
        y,
        "share:Q",
        most,
        "count:Q",
        ",d",
        tips,
        "share of all pairs",
        5,
        3,
        _judges(rows),
    )


def _judges(rows: Rows) -> list[str]:
    return list(dict.fromkeys(str(r["judge"]) for r in rows))


def _facets(
    base: Any,
    x: Any,
    y: Any,
    colour: str,
    most: float,
    text: str,
    form: str,
    tips: list[Any],
    title: str,
    wide: int,
    high: int,
    judges: list[str],
) -> Any:
    """Return one labelled heat map per judge, on one colour scale from 0 to `most`."""
    alt = altair()
    domain = [most * k / (len(RISING) - 1) for k in range(len(RISING))]
    scale = alt.Scale(domain=domain, range=RISING, type="linear", interpolate="rgb")
    legend = alt.Legend(title=title, gradientLength=140, format=".0%", orient="top")
    field = colour.removesuffix(":Q")
    cells = base.mark_rect(stroke=theme_colour("card"), strokeWidth=1.5).encode(
        x=x, y=y, color=alt.Color(colour, scale=scale, legend=legend), tooltip=tips
    )
    light = alt.condition(
        f"datum.{field} > {0.55 * most}", alt.value("#ffffff"), alt.value("#1d2329")
    )
    marks = base.mark_text(fontSize=11).encode(
        x=x, y=y, text=alt.Text(text, format=form), color=light, tooltip=tips
    )
    small = alt.layer(cells, marks).properties(
        width=max(120, CELL * wide), height=max(110, 34 * high)
    )
    header = alt.Header(labelColor=theme_colour("ink"), labelLimit=220, title=None)
    return small.facet(
        facet=alt.Facet("judge:N", title=None, sort=judges, header=header), columns=COLUMNS
    )


def judge_leniency(rows: Rows) -> Any:
    """Draw the mean judge − human label against the human grade, with intervals, one colour per judge.

    Each row has judge, grade, leniency, low and high.
    """
    alt = altair()
    judges = list(dict.fromkeys(str(r["judge"]) for r in rows))
    grades = sorted({float(r["grade"]) for r in rows})
    given = inline_data({**r, "label": f"{r['grade']:g}"} for r in rows)
    order = [f"{g:g}" for g in grades]
    x = alt.X(
        "label:N", sort=order, title="label by people", axis=alt.Axis(labelAngle=0, grid=False)
    )
    offset = alt.XOffset("judge:N", sort=judges)
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(judges))]
    colour = alt.Color(
        "judge:N",
        title=None,
        sort=judges,
        legend=None if len(judges) == 1 else alt.Legend(orient="top"),
        scale=alt.Scale(domain=judges, range=colours),
    )
    title = "mean judge − human label"
    tips = [
        text_tooltip("judge", "judge"),
        text_tooltip("label", "human label"),
        number_tooltip("leniency", "leniency", "+.3f"),
        number_tooltip("low", "from", "+.3f"),
        number_tooltip("high", "to", "+.3f"),
        number_tooltip("pairs", "pairs", ",d"),
    ]
    zero = alt.Chart(inline_data([{"y": 0}])).mark_rule(
        color=theme_colour("soft"), strokeDash=[3, 3]
    )
    lines = alt.Chart(given).mark_rule(strokeWidth=2.2)
    lines = lines.encode(
        x=x, xOffset=offset, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour, tooltip=tips
    )
    dots = alt.Chart(given).mark_circle(size=75, opacity=1)
    dots = dots.encode(
        x=x, xOffset=offset, y=alt.Y("leniency:Q", title=title), color=colour, tooltip=tips
    )
    return full_width(alt.layer(zero.encode(y="y:Q"), lines, dots), height=300)


def systems_by_labels(rows: Rows, *, measure: str) -> Any:
    """Draw one dot per system: its mean by the judge against its mean by people, with the diagonal.

    Each row has judge, system, human, labelled, bias, rank_human and rank_judge.
    """
    alt = altair()
    judges = list(dict.fromkeys(str(r["judge"]) for r in rows))
    values = [float(r[k]) for r in rows for k in ("human", "labelled")]
    room = 0.04 * ((max(values) - min(values)) or 1.0)
    ends = [min(values) - room, max(values) + room]
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    across = alt.X("x:Q", title=f"{measure} by labels of people", scale=scale)
    up = alt.Y("y:Q", title=f"{measure} by labels of the judge", scale=scale)
    line = alt.Chart(inline_data([{"x": e, "y": e} for e in ends])).mark_line(
        color=theme_colour("soft"), strokeDash=[5, 4], clip=True
    )
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(judges))]
    shapes = ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"]
    legend = None if len(judges) == 1 else alt.Legend(orient="top")
    colour = alt.Color(
        "judge:N",
        title=None,
        sort=judges,
        legend=legend,
        scale=alt.Scale(domain=judges, range=colours),
    )
    shape = alt.Shape(
        "judge:N",
        title=None,
        sort=judges,
        legend=legend,
        scale=alt.Scale(domain=judges, range=[shapes[k % len(shapes)] for k in range(len(judges))]),
    )
    tips = [
        text_tooltip("judge", "judge"),
        text_tooltip("system", "system"),
        number_tooltip("human", "by people"),
        number_tooltip("labelled", "by the judge"),
        number_tooltip("bias", "difference", "+.3f"),
        number_tooltip("rank_human", "rank by people", ".3~g"),
        number_tooltip("rank_judge", "rank by the judge", ".3~g"),
    ]
    dots = alt.Chart(inline_data({**r, "x": r["human"], "y": r["labelled"]} for r in rows))
    dots = dots.mark_point(filled=True, size=70, opacity=0.85).encode(
        x=across,
        y=up,
        color=colour,
        shape=shape,
        tooltip=tips,
    )
    return full_width(alt.layer(line.encode(x=across, y=up), dots), height=420)


# Figures and findings of the audit of judges.


MAX_JUDGES = 6
OUTCOMES = ("better", "none", "worse")


@said.register
def findings(study: JudgeStudy) -> list[str]:
    """Return the paragraph of each judge; with many judges, those that are drawn."""
    shown = set(_shown(study))
    return [r["text"] for r in study.rows_by_name["paragraphs"] if r["judge"] in shown]


def _shown(study: JudgeStudy) -> list[str]:
    """Return the judges that are drawn: all, or those with the highest κ."""
    if len(study.judges) <= MAX_JUDGES:
        return list(study.judges)
    rows = study.rows_by_name["agreement"]
    kappa = {r["judge"]: float(r["kappa"]) for r in rows if _known(r.get("kappa"))}
    best = sorted(study.judges, key=lambda judge: -kappa.get(judge, -2.0))
    return best[:MAX_JUDGES]


def _known(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


@drawn.register
def figures(study: JudgeStudy) -> dict[str, list[Figure]]:
    """Draw confusion, leniency by grade, systems by both label sets, and the nine cells."""
    shown = _shown(study)
    rest = len(study.judges) - len(shown)
    note = (
        f" The chart shows the {len(shown)} judges with the highest κ of {len(study.judges)}."
        if rest
        else ""
    )
    made: dict[str, list[Figure]] = {}

    def rows(name: str) -> list[dict[str, Any]]:
        found = [r for r in study.rows_by_name[name] if r["judge"] in shown]
        return sorted(found, key=lambda r: shown.index(r["judge"]))

    matrices = -(-len(shown) // 3)
    confusion = rows("confusion")
    if confusion:
        labels = dict.fromkeys(str(r[k]) for r in confusion for k in ("human_label", "judge_label"))
        chart = label_confusion(confusion, labels=sorted(labels, key=_sortable))
        caption = f"Number of pairs by the label of people and of the judge; the colour is the share of the human label. Equal labels are on the diagonal.{note}"
        made["confusion"] = [
            Figure("confusion", chart, caption, "Labels of people and judges", 80 + 230 * matrices)
        ]
    lenient = [r for r in rows("leniency") if _known(r["leniency"])]
    if lenient:
        drawn = [{**r, "low": r["leniency_low"], "high": r["leniency_high"]} for r in lenient]
        caption = f"Mean judge − human label of the pairs with each human label, with {100 * study.confidence:g} % intervals over queries. Above zero the judge is more lenient than people.{note}"
        made["leniency"] = [
            Figure("leniency", judge_leniency(drawn), caption, "Leniency by human grade", 340)
        ]
    for measure in study.measures:
        own = [
            r
            for r in rows("systems")
            if r["measure"] == measure and _known(r["labelled"]) and _known(r["human"])
        ]
        if own:
            caption = f"One dot per system. On the dashed line both label sets give the same {measure}; above it the judge's labels give more.{note}"
            chart = systems_by_labels(own, measure=measure)
            made.setdefault("systems", []).append(
                Figure(
                    f"systems {measure}",
                    chart,
                    caption,
                    f"{measure} by labels of people and judges",
                    470,
                )
            )
        cells = [
            {
                "judge": r["judge"],
                "human": h,
                "labelled": j,
                "count": r[f"{h}_{j}"],
                "share": r[f"{h}_{j}"] / max(r["pairs"], 1),
            }
            for r in rows("conclusions")
            if r["measure"] == measure and r["comparison"] == "all queries"
            for h in OUTCOMES
            for j in OUTCOMES
        ]
        if cells:
            caption = f"Pairs of systems by the conclusion of the test under each label set ({measure}, test {study.test}, α = {study.alpha:g}). The corners better/worse are reversed conclusions.{note}"
            made.setdefault("conclusions", []).append(
                Figure(
                    f"conclusions {measure}",
                    nine_cells(cells),
                    caption,
                    f"Conclusions about pairs of systems by {measure}",
                    80 + 170 * matrices,
                )
            )
    return made


def _sortable(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
