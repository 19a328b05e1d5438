"""Figures and findings of the study of answers: nuggets by topic, and vital nuggets against all."""

from __future__ import annotations

import math
from typing import Any

from tare.report._blocks import Figure
from tare.report._encoding import (
    Rows,
    altair,
    full_width,
    inline_data,
    number_tooltip,
    row_height,
    sort_by,
    text_tooltip,
    wrapped_labels,
)
from tare.report._figures import drawn, said
from tare.report._marks.heatmaps import RISING
from tare.report._theme import theme_colour
from tare.studies._answers import AnswerStudy

__all__ = ["figures", "findings", "nuggets_by_topic", "vital_against_all"]


# Charts of answers: nuggets by topic, and vital nuggets against all.


MOST_TEXT = 160  # characters of a nugget in a tooltip


def nuggets_by_topic(rows: Rows) -> Any:
    """Draw one cell per nugget: topics down, the most important and most often found nuggets first.

    Each row has topic, text, importance, major (whether it is vital, or among the weightiest), found and
    answers. The colour is the mean credit over the answers; nuggets that are not major are lower cells.
    """
    alt = altair()
    topics: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        topics.setdefault(str(row["topic"]), []).append(dict(row))
    hardest = sorted(topics, key=lambda t: sum(r["found"] for r in topics[t]) / len(topics[t]))
    given = []
    for line, topic in enumerate(hardest):
        own = sorted(topics[topic], key=lambda r: (not r["major"], -r["found"]))
        for place, row in enumerate(own, 1):
            text = str(row["text"])
            given.append(
                {
                    **row,
                    "topic": topic,
                    "line": line,
                    "place": place,
                    "text": text if len(text) <= MOST_TEXT else text[: MOST_TEXT - 1] + "…",
                }
            )
    height = row_height(topics, min(18, max(6, 900 // max(1, len(topics)))))
    axis = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
    x = alt.X("place:O", title="nuggets, most important and most often found first", axis=axis)
    y = alt.Y(
        "topic:N",
        sort=sort_by("line"),
        title=None,
        axis=alt.Axis(grid=False, ticks=False, domain=False, **wrapped_labels()),
    )
    domain = [k / (len(RISING) - 1) for k in range(len(RISING))]
    scale = alt.Scale(domain=domain, range=RISING, type="linear", interpolate="rgb")
    colour = alt.Color(
        "found:Q",
        title="mean credit",
        scale=scale,
        legend=alt.Legend(gradientLength=140, orient="top"),
    )
    tips = [
        text_tooltip("topic", "topic"),
        text_tooltip("text", "nugget"),
        text_tooltip("importance", "importance"),
        number_tooltip("found", "mean credit"),
        number_tooltip("answers", "answers", "d"),
    ]
    base = alt.Chart(inline_data(given))
    layers = []
    for major, size in ((True, height - 2), (False, max(2, (height - 2) // 2))):
        part = base.transform_filter(f"datum.major === {str(major).lower()}").mark_rect(height=size)
        layers.append(part.encode(x=x, y=y, color=colour, tooltip=tips))
    return full_width(alt.layer(*layers), height=max(60, height * len(topics)))


def vital_against_all(rows: Rows, *, across: str = "NuggetAll", up: str = "NuggetVital") -> Any:
    """Draw one dot per system: important nuggets found against all nuggets found, with intervals.

    Each row has system, x, x_low, x_high, y, y_low and y_high. On the dashed line a system finds
    important nuggets as often as others.
    """
    alt = altair()
    ends = [
        0.0,
        max((float(r[k]) for r in rows for k in ("x_high", "y_high", "x", "y")), default=1.0),
    ]
    scale = alt.Scale(domain=[ends[0], ends[1] * 1.04], nice=False)
    x, y = alt.X("x:Q", title=across, scale=scale), alt.Y("y:Q", title=up, scale=scale)
    line = alt.Chart(inline_data([{"x": e, "y": e} for e in ends])).mark_line(
        color=theme_colour("soft"), strokeDash=[5, 4], clip=True
    )
    tips = [text_tooltip("system", "system"), number_tooltip("x", across), number_tooltip("y", up)]
    base = alt.Chart(inline_data(rows))
    colour = theme_colour("c1")
    flat = base.mark_rule(color=colour, opacity=0.4).encode(
        x=alt.X("x_low:Q", title=across, scale=scale), x2="x_high:Q", y=y, tooltip=tips
    )
    tall = base.mark_rule(color=colour, opacity=0.4).encode(
        x=x, y=alt.Y("y_low:Q", title=up, scale=scale), y2="y_high:Q", tooltip=tips
    )
    dots = base.mark_circle(size=80, opacity=1, color=colour).encode(x=x, y=y, tooltip=tips)
    names = base.mark_text(align="left", dx=7, dy=-7, limit=150, color=theme_colour("ink")).encode(
        x=x, y=y, text="system:N", tooltip=tips
    )
    labels = [names] if len(rows) <= 20 else []
    return full_width(alt.layer(line.encode(x=x, y=y), flat, tall, dots, *labels), height=400)


# Figures and findings of the study of answers.


MAX_TOPICS = 120


@said.register
def findings(study: AnswerStudy) -> list[str]:
    """Return how many nuggets are found, and how often by none, and how important nuggets fare."""
    made = []
    if study.nuggets:
        none = sum(row["found"] == 0 for row in study.nuggets)
        mean = sum(row["found"] for row in study.nuggets) / len(study.nuggets)
        made.append(
            f"Answers earn {100 * mean:.1f} % of the credit of a nugget on average; {none:,} of "
            f"{len(study.nuggets):,} nuggets are found in no answer."
        )
        groups = {
            word: [r["found"] for r in study.nuggets if r["importance"] == word]
            for word in ("vital", "okay")
        }
        if all(groups.values()):
            vital, okay = (sum(own) / len(own) for own in groups.values())
            made.append(
                f"Vital nuggets earn {100 * vital:.1f} % and okay nuggets {100 * okay:.1f} % on average."
            )
    refused = sum({r["system"]: r["refusals"] for r in study.systems}.values())
    if refused:
        made.append(f"{refused:,} answers are refusals; they are counted apart.")
    return made


@drawn.register
def figures(study: AnswerStudy) -> dict[str, list[Figure]]:
    """Draw important nuggets against all, and the heat map of nuggets by topic."""
    made: dict[str, list[Figure]] = {}
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
                Figure("vital against all", chart, caption, f"{up} against NuggetAll", 460)
            ]
    if study.nuggets:
        drawn, note = _drawn(study)
        caption = (
            "One row per topic, the hardest first; one cell per nugget, coloured by the mean credit over the "
            f"answers. {_major_words(study)}{note}"
        )
        topics = len({row["topic"] for row in drawn})
        chart = nuggets_by_topic(drawn)
        made["nuggets"] = [
            Figure(
                "nuggets by topic", chart, caption, "Nuggets by topic", 110 + 18 * min(topics, 60)
            )
        ]
    return made


def _paired(study: AnswerStudy, across: str, up: str) -> list[dict[str, Any]]:
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


def _drawn(study: AnswerStudy) -> tuple[list[dict[str, Any]], str]:
    """Return the nuggets to draw, each with whether it is major, and a note if topics are left out."""
    topics: dict[str, list[dict[str, Any]]] = {}
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
