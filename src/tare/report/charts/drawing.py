"""What all charts share: altair when it is needed, rows as data, a width that follows the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tare.errors import MissingExtraError

__all__ = ["altair", "by", "data", "number", "shown", "sized"]


def altair() -> Any:
    """The package altair, or a message that says how to get it."""
    try:
        import altair as alt
    except ImportError:
        raise MissingExtraError("altair", "report", "Drawing charts") from None
    return alt


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Rows as data of a chart, whatever their number."""
    return altair().InlineData(values=[dict(row) for row in rows])


def by(field: str) -> Any:
    """Names in the order of a number beside them; a list of names would be slow to draw."""
    return altair().EncodingSortField(field=field, op="min")


def sized(chart: Any, *, height: int = 320) -> Any:
    """The chart as wide as the page."""
    fit = altair().AutoSizeParams(type="fit-x", contains="padding")
    return chart.properties(width="container", height=height, autosize=fit)


def number(field: str, title: str, format: str = ".3f") -> Any:
    """A number of a tooltip."""
    return altair().Tooltip(field, type="quantitative", title=title, format=format)


def shown(field: str, title: str) -> Any:
    """A name of a tooltip."""
    return altair().Tooltip(field, type="nominal", title=title)
