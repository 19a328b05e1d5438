"""Figures of the audit of judges: confusion, leniency, systems by both label sets, nine cells."""

from __future__ import annotations

from collections.abc import Sequence

from tare._result import Row
from tare.report._blocks import Figure
from tare.report._encoding import Chart, Rows, Tips, groups, names, numbers
from tare.report._figures import Figures, drawn
from tare.report._marks import Ramp, dashed, dots, matrix, rule, scatter
from tare.studies._judges import JudgeStudy
from tare.studies._people_correlations import is_known

__all__ = [
    "figures",
    "judge_leniency",
    "label_confusion",
    "nine_cells",
    "systems_by_labels",
]


WORDS = {"better": "better", "none": "no difference", "worse": "worse"}


def label_confusion(rows: Rows, *, labels: Sequence[str]) -> Chart:
    """Draw one matrix per judge: the human label across, the judge's label up, with counts.

    Each row has judge, human_label, judge_label, count and share (of the human label). The colour is the
    share; equal labels are on the diagonal.
    """
    human = [x for x in labels if any(str(r["human_label"]) == x for r in rows)]
    said = [x for x in labels if any(str(r["judge_label"]) == x for r in rows)]
    return _by_judge(
        rows,
        names("X", "human_label", human, title="label by people", labelAngle=0, grid=False),
        names("Y", "judge_label", said[::-1], title="label by the judge", grid=False),
        Ramp("share", "share of the human label", format=".0%"),
        [
            ("human_label", "people"),
            ("judge_label", "judge's label"),
            ("count", "pairs", ",d"),
            ("share", "share of this human label", ".1%"),
        ],
        (len(human), len(said)),
    )


def nine_cells(rows: Rows) -> Chart:
    """Draw one matrix per judge: what people conclude across, what the judge concludes up.

    Each row has judge, human, labelled, count and share (of all pairs of systems).
    """
    order = list(WORDS.values())
    most = max((float(r["share"]) for r in rows), default=1.0)
    return _by_judge(
        [{**r, "human": WORDS[r["human"]], "labelled": WORDS[r["labelled"]]} for r in rows],
        names("X", "human", order[::-1], title="by labels of people", labelAngle=0, grid=False),
        names("Y", "labelled", order, title="by labels of the judge", grid=False),
        Ramp("share", "share of all pairs", high=most, format=".0%"),
        [
            ("human", "people"),
            ("labelled", "judge"),
            ("count", "pairs of systems", ",d"),
            ("share", "share of all pairs", ".1%"),
        ],
        (5, 3),
    )


def _by_judge(
    rows: Rows, across: Chart, down: Chart, ramp: Ramp, tips: Tips, cells: tuple[int, int]
) -> Chart:
    wide, high = cells
    return matrix(
        rows,
        across=across,
        down=down,
        ramp=ramp,
        tips=[("judge", "judge"), *tips],
        words=("count", ",d"),
        facet="judge",
        width=max(120, 46 * wide),
        height=max(110, 34 * high),
    )


def judge_leniency(rows: Rows) -> Chart:
    """Draw the mean judge − human label against the human grade, with intervals, one colour per judge.

    Each row has judge, grade, leniency, low and high.
    """
    ordered = sorted(rows, key=lambda r: float(r["grade"]))
    judges = list(dict.fromkeys(str(r["judge"]) for r in rows))
    return dots(
        [{**r, "label": f"{r['grade']:g}"} for r in ordered],
        label="label",
        value="leniency",
        title="mean judge − human label",
        group="judge",
        members=judges,
        tips=[
            ("judge", "judge"),
            ("label", "human label"),
            ("leniency", "leniency", "+.3f"),
            ("low", "from", "+.3f"),
            ("high", "to", "+.3f"),
            ("pairs", "pairs", ",d"),
        ],
        upright=True,
        labels={"title": "label by people", "labelAngle": 0, "grid": False, "ticks": True},
        below=[rule("y")],
    )


def systems_by_labels(rows: Rows, *, measure: str) -> Chart:
    """Draw one dot per system: its mean by the judge against its mean by people, with the diagonal.

    Each row has judge, system, human, labelled, bias, rank_human and rank_judge.
    """
    values = [float(r[k]) for r in rows for k in ("human", "labelled")]
    room = 0.04 * ((max(values) - min(values)) or 1.0)
    ends = [min(values) - room, max(values) + room]
    scale: Row = {"domain": ends, "nice": False, "zero": False}
    return scatter(
        [{**r, "x": r["human"], "y": r["labelled"]} for r in rows],
        across=numbers("X", "x", f"{measure} by labels of people", **scale),
        up=numbers("Y", "y", f"{measure} by labels of the judge", **scale),
        tips=[
            ("judge", "judge"),
            ("system", "system"),
            ("human", "by people", ".3f"),
            ("labelled", "by the judge", ".3f"),
            ("bias", "difference", "+.3f"),
            ("rank_human", "rank by people", ".3~g"),
            ("rank_judge", "rank by the judge", ".3~g"),
        ],
        colour=groups("judge", (str(r["judge"]) for r in rows)),
        shape="judge",
        below=[dashed([{"x": e, "y": e} for e in ends])],
    )


OUTCOMES = ("better", "none", "worse")


@drawn.register
def figures(study: JudgeStudy) -> Figures:
    """Draw the figures of an audit of judges: confusion, leniency by grade, systems by both label sets, and the nine cells."""
    shown = study.shortlist
    rest = len(study.judges) - len(shown)
    note = (
        f" The chart shows the {len(shown)} judges with the highest κ of {len(study.judges)}."
        if rest
        else ""
    )
    made: Figures = {}

    def rows(name: str) -> list[Row]:
        found = [r for r in study.rows_by_name[name] if r["judge"] in shown]
        return sorted(found, key=lambda r: shown.index(r["judge"]))

    confusion = rows("confusion")
    if confusion:
        labels = dict.fromkeys(str(r[k]) for r in confusion for k in ("human_label", "judge_label"))
        chart = label_confusion(confusion, labels=sorted(labels, key=_sortable))
        caption = f"Number of pairs by the label of people and of the judge; the colour is the share of the human label. Equal labels are on the diagonal.{note}"
        made["confusion"] = [Figure("confusion", chart, caption, "Labels of people and judges")]
    lenient = [r for r in rows("leniency") if is_known(r["leniency"])]
    if lenient:
        drawn = [{**r, "low": r["leniency_low"], "high": r["leniency_high"]} for r in lenient]
        caption = f"Mean judge − human label of the pairs with each human label, with {100 * study.confidence:g} % intervals over queries. Above zero the judge is more lenient than people.{note}"
        made["leniency"] = [
            Figure("leniency", judge_leniency(drawn), caption, "Leniency by human grade")
        ]
    for measure in study.measures:
        own = [
            r
            for r in rows("systems")
            if r["measure"] == measure and is_known(r["labelled"]) and is_known(r["human"])
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
                )
            )
    return made


def _sortable(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
