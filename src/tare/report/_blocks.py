"""The blocks of a chapter: paragraphs, findings, tables, figures and text to copy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tare._tables import Table
from tare.report._encoding import Chart, NullChart
from tare.report._theme import Json, Spec, each_leaf

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "Block",
    "Chapter",
    "Figure",
    "FilterableBoard",
    "Headline",
    "Headlines",
    "Paragraph",
    "RankedQueries",
    "Snippet",
    "SortableTable",
]

Tone = Literal["good", "note", "warning"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Headline:
    """One finding among the blocks of a chapter: a sentence, and optional details, one paragraph per line."""

    title: str
    text: str = ""
    tone: Tone = "note"


@dataclass(frozen=True)
class Headlines:
    """Findings, the most important first."""

    items: tuple[Headline, ...]


@dataclass(frozen=True)
class SortableTable:
    """A table of a chapter that readers can sort; the columns in `bars` also show their numbers as bars.

    Rows beyond `max_rows` are hidden until the reader asks for them.
    """

    table: Table
    bars: frozenset[int] = frozenset()
    max_rows: int = 30


@dataclass(frozen=True, eq=False)
class FilterableBoard:
    """A table of systems whose ranks are recomputed when readers switch data sets off.

    `data` is what the script of the page needs; its rows are those of the table, in the same order.
    """

    grid: SortableTable
    datasets: tuple[str, ...]
    data: Json


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart as a block of a chapter: an altair chart with a name, a title and a caption.

    `hint` is about controls of the page, which paper does not have.
    """

    name: str
    chart: Chart
    caption: str
    title: str = ""
    hint: str = ""

    def spec(self) -> Spec:
        """Return the chart of a figure as Vega-Lite, without a schema URL and without a theme."""
        made: Spec = each_leaf(
            self.chart.to_dict(context={"pre_transform": False}), _without_separators
        )
        made.pop("$schema", None)
        made.pop("config", None)
        return made


def _without_separators(leaf: Json) -> Json:
    """Replace the Unicode line and paragraph separators in a figure, which Vega expressions cannot parse."""
    return re.sub("[\u2028\u2029]", " ", leaf) if isinstance(leaf, str) else leaf


@dataclass(frozen=True)
class Snippet:
    """A text with a button to copy it."""

    label: str
    text: str


@dataclass(frozen=True)
class RankedQueries:
    """The block of queries that were chosen for one reason, each with its rankings as safe HTML."""

    title: str
    parts: tuple[Markup, ...]


Block = Paragraph | Headlines | SortableTable | FilterableBoard | Figure | Snippet | RankedQueries


@dataclass(frozen=True)
class Chapter:
    """A part of a report with a heading; `key` is its anchor within the page.

    `hint` is about controls of the page, which paper does not have.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    lead: str = ""
    hint: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The charts among the blocks of a chapter, without those that could not be drawn."""
        figures = [block for block in self.blocks if isinstance(block, Figure)]
        return tuple(figure for figure in figures if not isinstance(figure.chart, NullChart))
