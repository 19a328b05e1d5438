"""What a chapter is made of: words, tables, figures and texts to paste."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tare._tables import Table
from tare.report._charts.drawing import Undrawn

__all__ = ["Block", "Chapter", "Figure", "Grid", "Headline", "Headlines", "Prose", "Snippet"]

Tone = Literal["good", "note", "warning"]


@dataclass(frozen=True)
class Prose:
    """A paragraph of plain words."""

    text: str


@dataclass(frozen=True)
class Headline:
    """One thing that was found, in a sentence or two."""

    title: str
    text: str = ""
    tone: Tone = "note"


@dataclass(frozen=True)
class Headlines:
    """What was found, the most important first."""

    items: tuple[Headline, ...]


@dataclass(frozen=True)
class Grid:
    """A table that readers can sort; columns in `bars` show their numbers as lengths too.

    Rows beyond `most` are folded away until they are asked for.
    """

    table: Table
    bars: frozenset[int] = frozenset()
    most: int = 30


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart (altair), the words beneath it, and how many numbers it leaves out, if any."""

    name: str
    chart: Any
    caption: str
    title: str = ""
    height: int = 340

    def spec(self) -> dict[str, Any]:
        """The chart as Vega-Lite, without addresses and without colours of its own."""
        made: dict[str, Any] = self.chart.to_dict(context={"pre_transform": False})
        made.pop("$schema", None)
        made.pop("config", None)
        return _one_line(made)  # type: ignore[no-any-return]


def _one_line(value: Any) -> Any:
    """Names without the two line ends that the expressions of Vega do not know."""
    if isinstance(value, dict):
        return {key: _one_line(cell) for key, cell in value.items()}
    if isinstance(value, list):
        return [_one_line(cell) for cell in value]
    if isinstance(value, str):
        return value.replace("\u2028", " ").replace("\u2029", " ")
    return value


@dataclass(frozen=True)
class Snippet:
    """A text that is ready to paste."""

    label: str
    text: str


Block = Prose | Headlines | Grid | Figure | Snippet


@dataclass(frozen=True)
class Chapter:
    """A part of a report with a heading."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    lead: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The charts of the chapter that could be drawn."""
        figures = [block for block in self.blocks if isinstance(block, Figure)]
        return tuple(figure for figure in figures if not isinstance(figure.chart, Undrawn))
