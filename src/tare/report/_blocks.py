"""The blocks of a chapter: paragraphs, findings, tables, figures and text to copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tare._tables import Table
from tare.report._encoding import NullChart, title_lines

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

CHANNELS = {"x", "y", "color", "fill", "shape", "size"}  # with an axis or a legend
Tone = Literal["good", "note", "warning"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str


@dataclass(frozen=True)
class Headline:
    """One finding: a sentence, and optional details, one paragraph per line."""

    title: str
    text: str = ""
    tone: Tone = "note"


@dataclass(frozen=True)
class Headlines:
    """Findings, the most important first."""

    items: tuple[Headline, ...]


@dataclass(frozen=True)
class SortableTable:
    """A table that readers can sort; the columns in `bars` also show their numbers as bars.

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
    data: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Figure:
    """An altair chart with a name, a title and a caption.

    `hint` is about controls of the page, which paper does not have.
    """

    name: str
    chart: Any
    caption: str
    title: str = ""
    hint: str = ""

    def spec(self) -> dict[str, Any]:
        """Return the chart as Vega-Lite, without a schema URL and without a theme."""
        spec: dict[str, Any] = self.chart.to_dict(context={"pre_transform": False})
        spec.pop("$schema", None)
        spec.pop("config", None)
        return _wrapped_titles(_without_separators(spec))  # type: ignore[no-any-return]


def _wrapped_titles(value: Any) -> Any:
    """Split the long titles of axes and legends into lines; Vega would cut them off."""
    if isinstance(value, list):
        return [_wrapped_titles(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {
        key: part if key == "datasets" else _wrapped_titles(part) for key, part in value.items()
    }
    for channel in CHANNELS & made.get("encoding", {}).keys():
        title = made["encoding"][channel].get("title")
        if isinstance(title, str):
            made["encoding"][channel]["title"] = title_lines(title)
    return made


def _without_separators(value: Any) -> Any:
    """Replace the Unicode line and paragraph separators, which Vega expressions cannot parse."""
    if isinstance(value, dict):
        return {key: _without_separators(cell) for key, cell in value.items()}
    if isinstance(value, list):
        return [_without_separators(cell) for cell in value]
    if isinstance(value, str):
        return value.replace("\u2028", " ").replace("\u2029", " ")
    return value


@dataclass(frozen=True)
class Snippet:
    """A text with a button to copy it."""

    label: str
    text: str


@dataclass(frozen=True)
class RankedQueries:
    """Queries that were chosen for one reason, each with its rankings as safe HTML."""

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
        """The charts of the chapter, without those that could not be drawn."""
        figures = [block for block in self.blocks if isinstance(block, Figure)]
        return tuple(figure for figure in figures if not isinstance(figure.chart, NullChart))
