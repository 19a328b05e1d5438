"""What all charts are made of: axes, colours, legends, tooltips, wrapped labels, and altair if it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from textwrap import wrap
from typing import Any, TypeAlias

from tare.errors import MissingExtraError
from tare.report._theme import CATEGORIES, theme_colour

__all__ = [
    "BARE",
    "Chart",
    "NullChart",
    "Row",
    "Rows",
    "Tips",
    "altair",
    "charts_available",
    "chosen",
    "full_width",
    "groups",
    "inline_data",
    "names",
    "numbers",
    "optional_charts",
    "row_height",
    "row_names",
    "sort_by",
    "states",
    "title_lines",
    "tooltips",
    "upright_names",
    "wrap_expression",
    "wrapped_labels",
]


# Altair as an optional dependency: without it, reports have no charts.


class NullChart:
    """A chart that draws nothing: every attribute and every call returns it."""

    def __getattr__(self, name: str) -> NullChart:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> NullChart:
        return self


_optional: ContextVar[bool] = ContextVar("charts are optional", default=False)


def charts_available() -> bool:
    """Return whether the packages that draw charts are installed."""
    return all(find_spec(package) is not None for package in ("altair", "vl_convert"))


@contextmanager
def optional_charts() -> Iterator[None]:
    """Leave charts out of a report, instead of raising, if the packages for them are not installed."""
    token = _optional.set(True)
    try:
        yield
    finally:
        _optional.reset(token)


def altair() -> Any:
    """Return the altair package, which draws charts; raise if it is missing and charts are not optional."""
    if charts_available():
        import altair as alt

        return alt
    if _optional.get():
        return NullChart()
    raise MissingExtraError("altair", "report", "Drawing charts")


LETTERS = 24  # per line of a label
LINES = 3  # per label
TITLE_LETTERS = 42  # per line of a title
WIDE_PAGE = 700  # pixels; narrower are phones and saved figures

Chart: TypeAlias = Any
"""A chart of altair, or a part of one."""
Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Sequence[Row]
Tips: TypeAlias = Iterable[tuple[str, ...]]
"""Lines of a tooltip: field and title of a text; of a number, its format as well."""


def inline_data(rows: Iterable[Row]) -> Chart:
    """Return rows as data of a chart, without altair's limit on their number."""
    data = altair().InlineData(values=[])
    data.values = [dict(row) for row in rows]  # the constructor would validate every cell
    return data


def sort_by(field: str) -> Chart:
    """Sort labels of a chart by a numeric field; sorting by a list of labels is slow to draw."""
    return altair().EncodingSortField(field=field, op="min")


def full_width(chart: Chart, *, height: int) -> Chart:
    """Make a chart as wide as the page."""
    fit = altair().AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width="container", height=height, autosize=fit)


def _lines_expression(text: str, letters: int) -> str:
    """Return a Vega expression that splits a label of a chart into lines, at spaces if possible.

    The last line is truncated.
    """
    pattern = f"(.{{1,{letters}}})(?:[ ]+|$)|(.{{{letters}}})"
    lines = f"split(trim(replace({text}, regexp('{pattern}', 'g'), '$1$2\\n')), '\\n')"
    cut = f"truncate({lines}[{LINES - 1}], {letters - 1}, 'right', '') + '…'"
    kept = ", ".join([*(f"{lines}[{k}]" for k in range(LINES - 1)), cut])
    return f"(length({lines}) > {LINES} ? [{kept}] : {lines})"


def wrap_expression(text: str, letters: int = LETTERS) -> str:
    """Return a Vega expression that wraps a text of a chart with line breaks, for text marks."""
    return f"join({_lines_expression(text, letters)}, '\\n')"


def wrapped_labels(letters: int = LETTERS, wide: int | None = None) -> dict[str, Any]:
    """Return the options of a chart's axis that wraps long labels; on a wide page, after `wide` letters."""
    lines = _lines_expression("datum.label", letters)
    if wide is not None:
        lines = (
            f"containerSize()[0] > {WIDE_PAGE} ? {_lines_expression('datum.label', wide)} : {lines}"
        )
    return {
        "labelExpr": lines,
        "labelLimit": 8 * (wide or letters),
        "labelLineHeight": 12,
    }


def title_lines(text: str, letters: int = TITLE_LETTERS) -> str | list[str]:
    """Return the title of a chart's axis or legend, as several lines if it is long.

    >>> title_lines("nDCG@10")
    'nDCG@10'
    >>> title_lines("nDCG(gain=exp2)@10, share of the ideal", 24)
    ['nDCG(gain=exp2)@10,', 'share of the ideal']
    """
    if len(text) <= letters:
        return text
    return wrap(text, letters) or text


def row_height(names: Iterable[str], least: int, letters: int = LETTERS) -> int:
    """Return the pixels per row that the longest label of a chart needs.

    >>> row_height(["bm25"], 26), row_height(["a name of more than twenty-four letters " * 2], 26)
    (26, 42)
    """
    longest = max((len(name) for name in names), default=0)
    lines = min(LINES, -(-longest // (letters - 6)) if longest > letters else 1)
    return max(least, 6 + 12 * lines)


def tooltips(tips: Tips) -> list[Chart]:
    """Return the lines of a chart's tooltip: field and title of a text; of a number, its format as well."""
    alt = altair()
    return [
        alt.Tooltip(field, type="quantitative", title=title, format=form[0])
        if form
        else alt.Tooltip(field, type="nominal", title=title)
        for field, title, *form in tips
    ]


def names(
    channel: str, field: str, order: Iterable[str], *, title: str | None = None, **axis: object
) -> Chart:
    """Return a chart's axis of names in the given order; `channel` is X or Y."""
    alt = altair()
    return getattr(alt, channel)(
        f"{field}:N",
        title=title and title_lines(title),
        scale=alt.Scale(domain=list(dict.fromkeys(order))),
        axis=alt.Axis(**{"ticks": False, **axis}),
    )


BARE: dict[str, Any] = {"grid": False, "ticks": False, "domain": False}


def row_names(field: str, order: Iterable[str]) -> Chart:
    """Return an axis with the names of the rows of a matrix, the first at the top."""
    return names("Y", field, order, **BARE, **wrapped_labels())


def upright_names(field: str, order: Iterable[str], *, title: str | None = None) -> Chart:
    """Return an axis with the names of the columns of a matrix, at an angle."""
    return names("X", field, order, title=title, labelAngle=-45, labelLimit=170, **BARE)


def numbers(
    channel: str,
    field: str,
    title: str,
    *,
    axis: Mapping[str, object] | None = None,
    **scale: object,
) -> Chart:
    """Return a chart's axis of numbers with options of its axis and its scale; `channel` is X or Y."""
    alt = altair()
    return getattr(alt, channel)(
        f"{field}:Q",
        title=title_lines(title),
        scale=alt.Scale(**scale),
        axis=alt.Axis(**(axis or {})),
    )


def states(field: str, colours: Mapping[str, str], **legend: object) -> Chart:
    """Return the colour encoding of states, named as in the theme, with options of the legend."""
    alt = altair()
    scale = alt.Scale(domain=list(colours), range=[theme_colour(c) for c in colours.values()])
    return alt.Color(f"{field}:N", title=None, legend=alt.Legend(**legend), scale=scale)


def groups(field: str, order: Iterable[str]) -> Chart:
    """Return the colour encoding of groups, one colour per group; a single group has no legend."""
    alt = altair()
    found = list(dict.fromkeys(order))
    colours = [theme_colour(CATEGORIES[k % len(CATEGORIES)]) for k in range(len(found))]
    return alt.Color(
        f"{field}:N",
        title=None,
        legend=None if len(found) == 1 else alt.Legend(),
        scale=alt.Scale(domain=found, range=colours),
    )


def chosen(chart: Chart, field: str, options: Sequence[str], label: str) -> Chart:
    """Return a chart of the rows whose `field` is the option that the reader selects; one option needs none."""
    if len(options) < 2:
        return chart
    alt = altair()
    chooser = alt.binding_select(options=list(options), name=f"{label} ")
    param = alt.param(name=field, value=options[0], bind=chooser)
    return chart.add_params(param).transform_filter(f"datum.{field} === {field}")
