"""Altair as an optional dependency: without it, reports have no charts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from typing import Any

from tare.errors import MissingExtraError

__all__ = ["NullChart", "altair", "charts_available", "optional_charts"]


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
    """Leave charts out, instead of raising, if the packages for them are not installed."""
    token = _optional.set(True)
    try:
        yield
    finally:
        _optional.reset(token)


def altair() -> Any:
    """Return the altair package; raise if it is missing and charts are not optional."""
    if charts_available():
        import altair as alt

        return alt
    if _optional.get():
        return NullChart()
    raise MissingExtraError("altair", "report", "Drawing charts")
