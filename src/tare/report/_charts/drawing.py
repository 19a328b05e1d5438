"""What all charts share: altair when it is needed, rows as data, a width that follows the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

from tare.errors import MissingExtraError

__all__ = [
    "Undrawn",
    "altair",
    "by",
    "charts_are_possible",
    "data",
    "number",
    "optional_charts",
    "row_height",
    "shown",
    "sized",
    "wrapped",
    "wrapping",
]

LETTERS = 24  # of a line of a name beside a chart
LINES = 3


class Undrawn:
    """A pencil without lead: whatever is drawn with it, nothing is there."""

    def __getattr__(self, name: str) -> Undrawn:
        return self

    def __call__(self, *arguments: Any, **options: Any) -> Undrawn:
        return self


_optional: ContextVar[bool] = ContextVar("charts are optional", default=False)


def charts_are_possible() -> bool:
    """Whether the packages that draw charts are installed."""
    return all(find_spec(package) is not None for package in ("altair", "vl_convert"))


@contextmanager
def optional_charts() -> Iterator[None]:
    """Within this, charts are left out where the packages for them are not installed."""
    token = _optional.set(True)
    try:
        yield
    finally:
        _optional.reset(token)


def altair() -> Any:
    """The package altair, or a message that says how to get it."""
    if charts_are_possible():
        import altair as alt

        return alt
    if _optional.get():
        return Undrawn()
    raise MissingExtraError("altair", "report", "Drawing charts")


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Rows as data of a chart, whatever their number."""
    alt = altair()
    if isinstance(alt, Undrawn):
        return alt
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):  # it would check every cell of every row, for seconds
        return alt.InlineData(values=[dict(row) for row in rows])


def by(field: str) -> Any:
    """Names in the order of a number beside them; a list of names would be slow to draw."""
    return altair().EncodingSortField(field=field, op="min")


def sized(chart: Any, *, height: int = 320) -> Any:
    """The chart as wide as the page."""
    fit = altair().AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width="container", height=height, autosize=fit)


def _lines(text: str, letters: int) -> str:
    """A Vega expression: a text in lines, broken at blanks where it has any; the last may be cut."""
    pattern = f"(.{{1,{letters}}})(?:[ ]+|$)|(.{{{letters}}})"
    lines = f"split(trim(replace({text}, regexp('{pattern}', 'g'), '$1$2\\n')), '\\n')"
    cut = f"truncate({lines}[{LINES - 1}], {letters - 1}, 'right', '') + '…'"
    kept = ", ".join([*(f"{lines}[{k}]" for k in range(LINES - 1)), cut])
    return f"(length({lines}) > {LINES} ? [{kept}] : {lines})"


def wrapping(text: str, letters: int = LETTERS) -> str:
    """A Vega expression: the same as one text with line breaks, for marks."""
    return f"join({_lines(text, letters)}, '\\n')"


def wrapped(letters: int = LETTERS) -> dict[str, Any]:
    """Options of an axis whose long names are broken into lines."""
    return {
        "labelExpr": _lines("datum.label", letters),
        "labelLimit": 8 * letters,
        "labelLineHeight": 12,
    }


def row_height(names: Iterable[str], least: int, letters: int = LETTERS) -> int:
    """Pixels per row that leave room for names of several lines.

    >>> row_height(["bm25"], 26), row_height(["a name of more than twenty-four letters " * 2], 26)
    (26, 42)
    """
    longest = max((len(name) for name in names), default=0)
    lines = min(LINES, -(-longest // (letters - 6)) if longest > letters else 1)
    return max(least, 6 + 12 * lines)


def number(field: str, title: str, format: str = ".3f") -> Any:
    """A number of a tooltip."""
    return altair().Tooltip(field, type="quantitative", title=title, format=format)


def shown(field: str, title: str) -> Any:
    """A name of a tooltip."""
    return altair().Tooltip(field, type="nominal", title=title)
