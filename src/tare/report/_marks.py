"""The six marks that draw every chart: dots, bars, lines, scatter, matrix and strip."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tare.report._encoding import (
    Chart,
    Row,
    Rows,
    Tips,
    altair,
    full_width,
    groups,
    inline_data,
    names,
    numbers,
    row_height,
    states,
    title_lines,
    tooltips,
    wrapped_labels,
)
from tare.report._theme import CATEGORIES, theme_colour

__all__ = [
    "MAX_LABELS",
    "Ramp",
    "averaged",
    "bars",
    "curves",
    "dashed",
    "dots",
    "grouped_bars",
    "intervals",
    "lines",
    "matrix",
    "rule",
    "scatter",
    "strip",
]

ROW = 26  # pixels per row
MAX_LABELS = 60  # rows with a label; more do not fit
MAX_TICKS = 8  # one per point
MAX_BAR_LABELS = 40  # labels that fit below the bars
COLUMNS = 3  # small matrices side by side
DIVERGING = ("#a8430b", "#e79a62", "#f3ece3", "#74aed3", "#14588f")
RISING = ("#ebdcc4", "#9fc9d6", "#3f8fa8", "#0b4f5e")
SHAPES = ("circle", "triangle-up", "square", "diamond", "cross", "triangle-down")


def _as_given(chart: Chart) -> Chart:
    return chart


def rule(channel: str, value: float = 0) -> Chart:
    """Return the mark of a dashed line at one value of a chart; `channel` is x or y."""
    line = altair().Chart(inline_data([{channel: value}]))
    line = line.mark_rule(color=theme_colour("soft"), strokeDash=[3, 3])
    return line.encode(**{channel: f"{channel}:Q"})


def dashed(points: Rows) -> Chart:
    """Return the mark of a dashed line through points of a chart with x and y."""
    line = altair().Chart(inline_data(points))
    line = line.mark_line(color=theme_colour("soft"), strokeDash=[5, 4], clip=True)
    return line.encode(x="x:Q", y="y:Q")


def dots(
    rows: Rows,
    *,
    label: str,
    value: str,
    title: str,
    tips: Tips,
    colour: Chart | None = None,
    ends: tuple[str, str] | None = ("low", "high"),
    group: str = "",
    members: Sequence[str] = (),
    upright: bool = False,
    scale: Mapping[str, object] | None = None,
    axis: Mapping[str, object] | None = None,
    labels: Mapping[str, object] | None = None,
    prepare: Callable[[Chart], Chart] = _as_given,
    below: Sequence[Chart] = (),
    above: Sequence[Chart] = (),
) -> Chart:
    """Draw one dot per row at its value, with a line between its `ends`, and one line of the chart per label.

    With `group`, the dots of a label are side by side, one colour per group; `members` are the groups in
    their order. `upright` puts the labels
    below the chart. `prepare` changes the chart before it is drawn.
    """
    alt = altair()
    order = list(dict.fromkeys(str(row[label]) for row in rows))
    members = members or list(dict.fromkeys(str(row[group]) for row in rows if group))
    if colour is None:
        colour = groups(group, members) if group else alt.value(theme_colour("c1"))
    along, beside = ("y", "x") if upright else ("x", "y")
    few = bool(group) or len(order) <= MAX_LABELS
    given = {"grid": few, "labels": few, **wrapped_labels(), **(labels or {})}
    place = {beside: names(beside.upper(), label, order, **given), "tooltip": tooltips(tips)}
    if group:
        place[f"{beside}Offset"] = getattr(alt, f"{beside.upper()}Offset")(
            f"{group}:N", sort=members
        )
    place["color"] = colour
    base = prepare(alt.Chart(inline_data(rows)))
    ticks = {"tickCount": 8, **(axis or {})}
    layers = list(below)
    if ends is not None:
        low = numbers(along.upper(), ends[0], title, axis=ticks, **(scale or {}))
        span = base.mark_rule(strokeWidth=2.5)
        layers.append(span.encode(**place, **{along: low, f"{along}2": f"{ends[1]}:Q"}))
    middle = numbers(along.upper(), value, title, axis=ticks, **(scale or {}))
    mark = base.mark_circle(size=80 if few else 20, opacity=1)
    layers += [mark.encode(**place, **{along: middle}), *above]
    room = row_height(order, ROW + 8 * (len(members) - 1) if members else ROW)
    tall = max(80, room * len(order)) if few else 900
    return full_width(alt.layer(*layers), height=300 if upright else tall)


def intervals(
    rows: Rows,
    *,
    title: str,
    label: str = "label",
    group: str = "group",
    value: str = "value",
    ends: tuple[str, str] = ("low", "high"),
    words: tuple[str, str] = ("measure", "systems"),
) -> Chart:
    """Draw a value with its interval by label and group, such as correlations by measure and set of systems.

    Rows have the fields that are named; the ends may be None (Rankel 2016, figs 5.2 to 5.4, 5.7 to 5.9).
    `words` say what label and group are.
    """
    fields = {"value": value, "low": ends[0], "high": ends[1]}
    return dots(
        [
            {"label": str(row[label]), "group": str(row[group])}
            | {name: row.get(field) for name, field in fields.items()}
            for row in rows
        ],
        label="label",
        value="value",
        title=title,
        group="group",
        tips=[
            ("label", words[0]),
            ("group", words[1]),
            ("value", title, ".3f"),
            ("low", "from", ".3f"),
            ("high", "to", ".3f"),
        ],
        below=[rule("x")],
    )


def bars(
    rows: Rows,
    *,
    across: Chart,
    up: Chart,
    tips: Tips,
    colour: Chart | None = None,
    group: Chart | None = None,
    ends: tuple[str, str] | None = None,
    prepare: Callable[[Chart], Chart] = _as_given,
    above: Sequence[Chart] = (),
    **channels: object,
) -> Chart:
    """Draw one bar per row, side by side with those of other groups, with whiskers between its `ends`."""
    alt = altair()
    place = {"x": across, **({} if group is None else {"xOffset": group}), **channels}
    base = prepare(alt.Chart(inline_data(rows)))
    shown = {"color": colour} if colour is not None else {}
    layers = [base.mark_bar().encode(**place, **shown, y=up, tooltip=tooltips(tips))]
    if ends is not None:
        whiskers = base.mark_rule(color=theme_colour("ink"))
        layers.append(whiskers.encode(**place, y=f"{ends[0]}:Q", y2=f"{ends[1]}:Q"))
    return full_width(alt.layer(*layers, *above), height=280)


def grouped_bars(
    rows: Rows,
    *,
    x: str,
    y: str,
    order: Sequence[str] = (),
    side_by_side: bool = True,
) -> Chart:
    """Draw bars with one colour per group, and whiskers if rows have a standard deviation.

    Each row has label, group, value and optionally deviation (Feng 2023, figs 8.2 and 8.3). `order` is
    that of the groups. Without `side_by_side`, each label has one bar in the colour of its group.
    """
    members = list(order or dict.fromkeys(str(row["group"]) for row in rows))
    labels = list(dict.fromkeys(str(row["label"]) for row in rows))
    spread = any(row.get("deviation") is not None for row in rows)
    given = []
    for row in rows:
        half = row.get("deviation")
        ends = {} if half is None else {"low": row["value"] - half, "high": row["value"] + half}
        given.append({**row, **ends})
    few = len(labels) <= MAX_BAR_LABELS
    options = {"labelAngle": 0 if len(labels) < 8 else -50, "labelLimit": 110, "grid": False}
    tips = [("label", x), ("group", "group"), ("value", y, ".3f")]
    return bars(
        given,
        across=names("X", "label", labels, title=x, labels=few, **{**options, "ticks": few}),
        up=numbers("Y", "value", y),
        tips=[*tips, *([("deviation", "standard deviation", ".3f")] if spread else [])],
        colour=groups("group", members),
        group=altair().XOffset("group:N", sort=members) if side_by_side else None,
        ends=("low", "high") if spread else None,
    )


def lines(
    rows: Rows,
    *,
    across: Chart,
    up: Chart,
    colour: Chart,
    tips: Tips,
    ends: tuple[str, str] = ("low", "high"),
    points: bool = True,
    above: Sequence[Chart] = (),
    height: int = 300,
    **channels: object,
) -> Chart:
    """Draw one line per colour or `detail`, with a band between the `ends` that rows have."""
    alt = altair()
    low, high = ends
    base = alt.Chart(inline_data(rows))
    place = {"x": across, "color": colour}
    layers = []
    if any(row.get(low) is not None for row in rows):
        band = base.mark_area(opacity=0.16)
        layers.append(band.encode(**place, y=f"{low}:Q", y2=f"{high}:Q"))
    place |= {"y": up, "tooltip": tooltips(tips), **channels}
    layers.append(base.mark_line().encode(**place))
    if points:
        place.pop("strokeDash", None)
        layers.append(base.mark_circle(size=55, opacity=1).encode(**place))
    return full_width(alt.layer(*layers, *above), height=height)


def averaged(rows: Rows) -> list[Row]:
    """Return one row per series and x of a line chart: the mean of y, and one standard deviation around it if x is repeated."""
    repeated: dict[tuple[str, float], list[float]] = {}
    for row in rows:
        repeated.setdefault((row["series"], row["x"]), []).append(row["y"])
    made: list[Row] = []
    for (series, x), found in repeated.items():
        mean = sum(found) / len(found)
        ends: dict[str, float] = {}
        if len(found) > 1:
            spread = math.sqrt(sum((y - mean) ** 2 for y in found) / (len(found) - 1))
            ends = {"low": mean - spread, "high": mean + spread}
        made.append({"series": series, "x": x, "y": mean, **ends})
    return made


def curves(
    rows: Rows,
    *,
    x: str,
    y: str,
    log: bool = False,
    level: float | None = None,
    domain: tuple[float, float] | None = None,
    points: bool = True,
) -> Chart:
    """Draw a chart of y against x as one line per series, with a band from low to high if rows have them.

    `level` draws a horizontal line, such as α.
    """
    alt = altair()
    series = list(dict.fromkeys(str(row["series"]) for row in rows))
    places = sorted({float(row["x"]) for row in rows})
    ticks: dict[str, object] = {"tickCount": 8}
    if not log and all(place.is_integer() for place in places):
        ticks |= {"tickMinStep": 1, "format": ",d"}
        if len(places) <= MAX_TICKS:  # between few whole numbers, Vega would draw halves
            ticks["values"] = places
    across = {"type": "log", "nice": False} if log else {"zero": False, "nice": False}
    many = len(series) > len(CATEGORIES)
    return lines(
        rows,
        across=numbers("X", "x", x, axis=ticks, **across),
        up=numbers("Y", "y", y, **({"domain": list(domain)} if domain else {"zero": False})),
        colour=groups("series", series),
        tips=[("series", "series"), ("x", x, ".4~g"), ("y", y, ".3f")],
        points=points,
        above=[] if level is None else [rule("y", level)],
        strokeDash=alt.StrokeDash("series:N", legend=None) if many else alt.value([1, 0]),
    )


def scatter(
    rows: Rows,
    *,
    across: Chart,
    up: Chart,
    tips: Tips,
    colour: Chart,
    shape: str = "",
    prepare: Callable[[Chart], Chart] = _as_given,
    below: Sequence[Chart] = (),
    above: Sequence[Chart] = (),
) -> Chart:
    """Draw one dot per row: one number against another; with `shape`, a field that has one shape per value."""
    alt = altair()
    marks = {"x": across, "y": up, "color": colour, "tooltip": tooltips(tips)}
    if shape:
        found = list(dict.fromkeys(str(row[shape]) for row in rows))
        scale = alt.Scale(domain=found, range=[SHAPES[k % len(SHAPES)] for k in range(len(found))])
        legend = None if len(found) == 1 else alt.Legend()
        marks["shape"] = alt.Shape(f"{shape}:N", title=None, legend=legend, scale=scale)
    drawn = prepare(alt.Chart(inline_data(rows))).mark_point(filled=True, size=75, opacity=0.9)
    return full_width(alt.layer(*below, drawn.encode(**marks), *above), height=400)


@dataclass(frozen=True)
class Ramp:
    """The colours of a matrix for a number from `low` to `high`: rising, or diverging from the middle."""

    field: str
    title: str
    low: float = 0.0
    high: float = 1.0
    diverging: bool = False
    format: str = ".2~f"
    legend: bool = True

    def channel(self) -> Chart:
        """Return the colour of cells."""
        alt = altair()
        colours = DIVERGING if self.diverging else RISING
        step = (self.high - self.low) / (len(colours) - 1)
        scale = alt.Scale(
            domain=[self.low + step * k for k in range(len(colours))],
            range=colours,
            type="linear",
            clamp=True,
            interpolate="rgb",
        )
        legend = alt.Legend(gradientLength=140, format=self.format) if self.legend else None
        title = title_lines(self.title)
        return alt.Color(f"{self.field}:Q", title=title, scale=scale, legend=legend)

    def text(self) -> Chart:
        """Return the colour of words on cells of a matrix: white on the dark ones."""
        alt = altair()
        half = (self.high - self.low) / 2
        dark = f"datum.{self.field} > {self.low + 1.1 * half}"
        if self.diverging:
            dark = f"abs(datum.{self.field} - {self.low + half}) > {0.72 * half}"
        return alt.condition(dark, alt.value("#ffffff"), alt.value("#1d2329"))


def matrix(
    rows: Rows,
    *,
    across: Chart,
    down: Chart,
    ramp: Ramp,
    tips: Tips,
    height: int,
    words: tuple[str, str] | None = None,
    facet: str = "",
    width: int = 0,
    heights: Mapping[str, int] | None = None,
    prepare: Callable[[Chart], Chart] = _as_given,
    above: Sequence[Chart] = (),
) -> Chart:
    """Draw one cell per row, coloured by a number, with `words`: the field and format of a text.

    With `facet`, there is one small matrix of `width` and `height` per value of that field. `heights` are
    those of cells that pass a filter.
    """
    alt = altair()
    base = prepare(alt.Chart(inline_data(rows)))
    place = {"x": across, "y": down, "tooltip": tooltips(tips)}
    frame = {"stroke": theme_colour("card"), "strokeWidth": 1.5} if words else {}
    parts = [base.mark_rect(**frame)]
    if heights is not None:
        parts = [base.transform_filter(f).mark_rect(height=h) for f, h in heights.items()]
    layers = [part.encode(**place, color=ramp.channel()) for part in parts]
    if words is not None:
        field, form = words
        text = base.transform_filter(f"isValid(datum.{field})").mark_text(fontSize=11)
        layers.append(
            text.encode(**place, text=alt.Text(f"{field}:Q", format=form), color=ramp.text())
        )
    drawn = alt.layer(*layers, *above)
    if not facet:
        return full_width(drawn, height=height)
    order = list(dict.fromkeys(str(row[facet]) for row in rows))
    header = alt.Header(labelColor=theme_colour("ink"), labelLimit=220, title=None)
    return drawn.properties(width=width, height=height).facet(
        facet=alt.Facet(f"{facet}:N", title=None, sort=order, header=header), columns=COLUMNS
    )


def strip(rows: Rows, *, label: str, value: str, item: str, title: str) -> Chart:
    """Draw one tick per row at its value, and a dot at the mean of each label."""
    alt = altair()
    by_label: dict[str, list[float]] = {}
    for row in rows:
        by_label.setdefault(str(row[label]), []).append(float(row[value]))
    means = [
        {label: name, "mean": sum(own) / len(own), "n": len(own), "state": "mean"}
        for name, own in by_label.items()
    ]
    colour = states("state", {f"one {item}": "c1", "mean": "c2"})
    place = names("Y", label, by_label, grid=True, **wrapped_labels())
    given = inline_data({**row, "state": f"one {item}"} for row in rows)
    ticks = alt.Chart(given).mark_tick(opacity=0.45, size=16)
    tips = [(label, label), (item, item), (value, title, "+.3f")]
    ticks = ticks.encode(
        color=colour, x=numbers("X", value, title), y=place, tooltip=tooltips(tips)
    )
    middle = alt.Chart(inline_data(means)).mark_circle(size=110, opacity=1)
    shown = tooltips([(label, label), ("mean", "mean", "+.3f"), ("n", "n", "d")])
    middle = middle.encode(color=colour, x="mean:Q", y=place, tooltip=shown)
    height = max(80, row_height(by_label, ROW) * len(by_label))
    return full_width(alt.layer(rule("x"), ticks, middle), height=height)
