"""Charts of answers: nuggets by topic, and vital nuggets against all."""

from __future__ import annotations

from typing import Any

from tare.report._charts.encoding import (
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
from tare.report._charts.heatmaps import RISING
from tare.report._theme import theme_colour

__all__ = ["nuggets_by_topic", "vital_against_all"]

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
