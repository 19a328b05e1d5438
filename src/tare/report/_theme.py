"""The look of reports: light and dark colours with sufficient contrast, fonts, stylesheets and templates.

Charts refer to colours by name (`ink`, `c1`). In a page the names are CSS variables, so a chart follows
light, dark and print without being drawn again. In figures for papers they are replaced by the light
palette.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = [
    "CATEGORIES",
    "DARK",
    "KINDS",
    "LIGHT",
    "Json",
    "Spec",
    "chart_config",
    "css_variables",
    "each_leaf",
    "resolve_colours",
    "stylesheet",
    "template_text",
    "templates",
    "theme_colour",
]

Json: TypeAlias = Any
"""A value of JSON."""
Spec: TypeAlias = dict[str, Json]
"""A chart as Vega-Lite, or a part of one."""

LIGHT = {
    "paper": "#fbfaf7",
    "card": "#ffffff",
    "ink": "#1d2329",
    "soft": "#56606b",
    "rule": "#dcdad2",
    "grid": "#eceae3",
    "accent": "#0b5c6b",
    "accent-soft": "#d9ecee",
    "good": "#146c43",
    "warn": "#8a5200",
    "bad": "#a8271b",
    "quiet": "#8b949e",
    "c1": "#1f6fb2",
    "c2": "#c2550a",
    "c3": "#14806f",
    "c4": "#7a4fb5",
    "c5": "#b5316b",
    "c6": "#6d7410",
    "c7": "#4a5a9a",
    "c8": "#8a5a2b",
}
DARK = {
    "paper": "#14181c",
    "card": "#1b2126",
    "ink": "#e8ebee",
    "soft": "#a9b4be",
    "rule": "#343d45",
    "grid": "#272f36",
    "accent": "#6cc5d3",
    "accent-soft": "#1d3a41",
    "good": "#6fcf97",
    "warn": "#f0b35a",
    "bad": "#ff8f80",
    "quiet": "#7d8893",
    "c1": "#6bb3f0",
    "c2": "#f2935c",
    "c3": "#4fc7b2",
    "c4": "#bb9af0",
    "c5": "#f07fae",
    "c6": "#c2cb5b",
    "c7": "#98a9f0",
    "c8": "#d3a477",
}
CATEGORIES = tuple(f"c{k}" for k in range(1, 9))
# Colours of the kinds of queries.
KINDS = {
    "ideal": "c3",
    "informative": "c1",
    "other": "quiet",
    "uninformative": "c4",
    "hard": "bad",
    "easy": "c2",
}
SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', 'Noto Sans', sans-serif"


def theme_colour(colour: str) -> str:
    """Return the CSS variable of a colour of the theme, for use in charts."""
    return f"var(--{colour})"


def css_variables(colours: dict[str, str]) -> str:
    """Return the CSS declarations of a palette."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())


@cache
def stylesheet(*parts: str) -> str:
    """Return the stylesheet that report, explorer and judging app share, and some more parts of it."""
    texts = [template_text(f"{part}.css") for part in ("base", *parts)]
    colours = {"/*LIGHT*/": css_variables(LIGHT), "/*DARK*/": css_variables(DARK)}
    for mark, variables in colours.items():
        texts[0] = texts[0].replace(mark, variables)
    return "".join(texts)


@cache
def template_text(name: str) -> str:
    """Return a file of the report's templates."""
    return (files("tare.report") / "templates" / name).read_text(encoding="utf-8")


def templates(*names: str) -> Environment:
    """Return an environment with some templates of reports, in which every text is escaped."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    return Environment(
        loader=DictLoader({name: template_text(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def each_leaf(value: Json, change: Callable[[Json], Json]) -> Json:
    """Return a JSON value, such as a chart or its theme, with every text, number and key changed."""
    if isinstance(value, dict):
        return {change(key): each_leaf(part, change) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [each_leaf(part, change) for part in value]
    return change(value)


def resolve_colours(spec: Spec, colours: Mapping[str, str]) -> Spec:
    """Replace the CSS variables in a chart by the colours of a palette of the theme; its data stay as they are."""
    by_variable = {theme_colour(name): colour for name, colour in colours.items()}

    def resolved(leaf: Json) -> Json:
        return by_variable.get(leaf, leaf) if isinstance(leaf, str) else leaf

    data = {"datasets": spec.get("datasets", {})}
    drawn: Spec = each_leaf(spec | {"datasets": {}}, resolved)
    return drawn | data


def chart_config() -> Spec:
    """Return the Vega-Lite configuration of all charts."""
    ink, soft, grid, rule = (theme_colour(c) for c in ("ink", "soft", "grid", "rule"))
    text = {"font": SANS}
    axis = {
        "labelColor": soft,
        "titleColor": ink,
        "gridColor": grid,
        "domainColor": rule,
        "tickColor": rule,
        "labelFont": SANS,
        "titleFont": SANS,
        "titleFontWeight": 500,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "labelLimit": 150,
        "labelFlush": False,
        "titleLimit": 320,
        "titlePadding": 8,
    }
    return {
        "background": "transparent",
        "font": SANS,
        "axis": axis,
        "legend": {
            "labelColor": soft,
            "titleColor": ink,
            "labelFont": SANS,
            "titleFont": SANS,
            "labelLimit": 220,
            "titleFontWeight": 500,
            "orient": "top",
            "direction": "horizontal",
            "columns": 3,
            "symbolStrokeWidth": 0,
        },
        "title": {**text, "color": ink, "fontWeight": 600, "fontSize": 13, "anchor": "start"},
        "text": {**text, "color": ink},
        "view": {"stroke": None},
        "range": {"category": [theme_colour(c) for c in CATEGORIES]},
        "point": {"filled": True, "size": 45},
        "line": {"strokeWidth": 2},
        "rule": {"color": rule},
        "bar": {"color": theme_colour("c1")},
    }
