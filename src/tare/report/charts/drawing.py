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
    "shown",
    "sized",
]


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


def number(field: str, title: str, format: str = ".3f") -> Any:
    """A number of a tooltip."""
    return altair().Tooltip(field, type="quantitative", title=title, format=format)


def shown(field: str, title: str) -> Any:
    """A name of a tooltip."""
    return altair().Tooltip(field, type="nominal", title=title)
