"""Figures of the study of answers: nuggets by topic, and vital nuggets against all."""

from __future__ import annotations

import math

from tare._result import Row
from tare.report._blocks import Figure
from tare.report._encoding import (
    BARE,
    Chart,
    Rows,
    altair,
    inline_data,
    numbers,
    row_height,
    row_names,
    title_lines,
    tooltips,
)
from tare.report._figures import Figures, drawn
from tare.report._marks import Ramp, dashed, matrix, scatter
from tare.report._theme import theme_colour
from tare.studies._answers import AnswerStudy, NuggetRow

__all__ = ["figures", "nuggets_by_topic", "vital_against_all"]


MOST_TEXT = 160  # characters of a nugget in a tooltip


def nuggets_by_topic(rows: Rows) -> Chart:
    """Draw one cell per nugget of the answers: topics down, the most important and most often found nuggets first.

    Each row has topic, text, importance, major (whether it is vital, or among the weightiest), found and
    answers. The colour is the mean credit over the answers; nuggets that are not major are lower cells.
    """
    topics: dict[str, list[Row]] = {}
    for row in rows:
        topics.setdefault(str(row["topic"]), []).append(dict(row))
    hardest = sorted(topics, key=lambda t: sum(r["found"] for r in topics[t]) / len(topics[t]))
    given = []
    for topic in hardest:
        own = sorted(topics[topic], key=lambda r: (not r["major"], -r["found"]))
        for place, row in enumerate(own, 1):
            text = str(row["text"])
            given.append(
                {
                    **row,
                    "topic": topic,
                    "place": place,
                    "text": text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…",
                }
            )
    height = row_height(topics, min(18, max(6, 900 // max(1, len(topics)))))
    axis = altair().Axis(labels=False, **BARE)
    title = "nuggets, most important and most often found first"
    return matrix(
        given,
        across=altair().X("place:O", title=title_lines(title), axis=axis),
        down=row_names("topic", hardest),
        ramp=Ramp("found", "mean credit"),
        tips=[
            ("topic", "topic"),
            ("text", "nugget"),
            ("importance", "importance"),
            ("found", "mean credit", ".3f"),
            ("answers", "answers", "d"),
        ],
        heights={"datum.major": height - 2, "!datum.major": max(2, (height - 2) // 2)},
        height=max(60, height * len(topics)),
    )


def vital_against_all(rows: Rows, *, across: str = "NuggetAll", up: str = "NuggetVital") -> Chart:
    """Draw one dot per system that answers: important nuggets found against all nuggets found, with intervals.

    Each row has system, x, x_low, x_high, y, y_low and y_high. On the dashed line a system finds
    important nuggets as often as others.
    """
    alt = altair()
    most = max((float(r[k]) for r in rows for k in ("x_high", "y_high", "x", "y")), default=1.0)
    scale: Row = {"domain": [0.0, most * 1.04], "nice": False}
    x, y = numbers("X", "x", across, **scale), numbers("Y", "y", up, **scale)
    tips = [("system", "system"), ("x", across, ".3f"), ("y", up, ".3f")]
    base = alt.Chart(inline_data(rows))
    spans = base.mark_rule(color=theme_colour("c1"), opacity=0.4)
    words = base.mark_text(align="left", dx=7, dy=-7, limit=150, color=theme_colour("ink"))
    return scatter(
        rows,
        across=x,
        up=y,
        tips=tips,
        colour=alt.value(theme_colour("c1")),
        below=[
            dashed([{"x": e, "y": e} for e in (0.0, most)]),
            spans.encode(x="x_low:Q", x2="x_high:Q", y=y, tooltip=tooltips(tips)),
            spans.encode(x=x, y="y_low:Q", y2="y_high:Q", tooltip=tooltips(tips)),
        ],
        above=[words.encode(x=x, y=y, text="system:N")] if len(rows) <= 20 else [],
    )


MAX_TOPICS = 120


@drawn.register
def figures(study: AnswerStudy) -> Figures:
    """Draw the figures of answers: important nuggets against all, and the heat map of nuggets by topic."""
    made: Figures = {}
    up = next(
        (n for n in ("NuggetVital", "NuggetWeighted") if n in study.scores.measure_names), None
    )
    if up is not None and "NuggetAll" in study.scores.measure_names:
        rows = _paired(study, "NuggetAll", up)
        if rows:
            what = "vital nuggets" if up == "NuggetVital" else "nuggets, by weight,"
            caption = (
                f"One dot per system, with {100 * study.confidence:g} % intervals over topics. Above the dashed "
                f"line a system finds {what} more often than all nuggets."
            )
            chart = vital_against_all(rows, across="NuggetAll", up=up)
            made["systems"] = [
                Figure("vital against all", chart, caption, f"{up} against NuggetAll")
            ]
    if study.nuggets:
        drawn, note = _drawn(study)
        caption = (
            "One row per topic, the hardest first; one cell per nugget, coloured by the mean credit over the "
            f"answers. {_major_words(study)}{note}"
        )
        chart = nuggets_by_topic(drawn)
        made["nuggets"] = [Figure("nuggets by topic", chart, caption, "Nuggets by topic")]
    return made


def _paired(study: AnswerStudy, across: str, up: str) -> list[Row]:
    by = {(r["system"], r["measure"]): r for r in study.systems}
    made = []
    for system in study.scores.systems:
        one, two = by[system, across], by[system, up]
        if math.isnan(one["mean"]) or math.isnan(two["mean"]):
            continue
        made.append(
            {
                "system": system,
                "x": one["mean"],
                "x_low": one["low"],
                "x_high": one["high"],
                "y": two["mean"],
                "y_low": two["low"],
                "y_high": two["high"],
            }
        )
    return made


def _major_words(study: AnswerStudy) -> str:
    if study.importance is None:
        return ""
    if study.importance == "words":
        return "Vital nuggets fill their row, okay nuggets are lower cells."
    return "Nuggets with at least the mean weight of their topic fill their row, the others are lower cells."


def _drawn(study: AnswerStudy) -> tuple[list[Row], str]:
    """Return the nuggets of answers to draw, each with whether it is major, and a note if topics are left out."""
    topics: dict[str, list[NuggetRow]] = {}
    for row in study.nuggets:
        topics.setdefault(row["topic"], []).append(row)
    kept = sorted(topics, key=lambda t: sum(r["found"] for r in topics[t]) / len(topics[t]))
    note = ""
    if len(kept) > MAX_TOPICS:
        note = f" The chart shows the {MAX_TOPICS} hardest of {len(kept):,} topics."
        kept = kept[:MAX_TOPICS]
    made = []
    for topic in kept:
        own = topics[topic]
        weights = [r["importance"] for r in own if isinstance(r["importance"], int | float)]
        mean = sum(weights) / len(weights) if weights else 0.0
        for r in own:
            value = r["importance"]
            major = value >= mean if isinstance(value, int | float) else value != "okay"
            made.append(
                {**r, "major": bool(major), "importance": "" if value is None else str(value)}
            )
    return made, note
