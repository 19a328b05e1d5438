"""Draw the rankings of one query as HTML; reports and the explorer share the templates."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tare._plain_text import plain

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["drawn_legend", "drawn_query", "number", "signed", "template_text"]


def number(value: float | None) -> str:
    """Return a score with three digits; a missing one is a dash."""
    return "–" if value is None or value != value else f"{value:.3f}".replace("-", "−")


def signed(value: float | None) -> str:
    """Return a difference with its sign; no difference has none."""
    if value is None or value != value:
        return "–"
    return f"{value:+.3f}".replace("-", "−") if value else "0.000"


@cache
def template_text(name: str) -> str:
    """Return a file of the report's templates."""
    return (files("tare.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import DictLoader, Environment, StrictUndefined

    names = ("rankings.html.j2", "ranked_query.html.j2")
    made = Environment(
        loader=DictLoader({name: template_text(name) for name in names}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"plain": plain, "number": number, "signed": signed}
    return made


def drawn_query(**values: Any) -> Markup:
    """Return one query with its rankings, closed until the reader opens it."""
    from markupsafe import Markup

    text = _environment().get_template("ranked_query.html.j2").render(values)
    return Markup(text.encode("utf-8", "replace").decode("utf-8"))


def drawn_legend(measure: str) -> Markup:
    """Return the meaning of colours and bars."""
    macros: Any = _environment().get_template("rankings.html.j2").module
    found: Markup = macros.legend(measure)
    return found
