"""Bounding boxes of the texts of a chart, from the scene graph of Vega."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tare.report._page import WIDTH, converter
from tare.report._theme import LIGHT, chart_config, resolve_colours

__all__ = ["Box", "boxes", "overlaps", "scene"]

LETTER = 0.5  # assumed width of a letter, in font sizes


@dataclass(frozen=True)
class Box:
    """A rectangle, with its text or kind of mark."""

    what: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box, slack: float = 1.0) -> bool:
        """Return whether two boxes overlap."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > slack and down > slack


def scene(chart: Any) -> dict[str, Any]:
    """Return the scene graph of a saved chart."""
    spec = resolve_colours({**chart.to_dict(), "config": chart_config()}, LIGHT)
    if spec.get("width") == "container":
        spec["width"] = WIDTH
    made: dict[str, Any] = converter().vegalite_to_scenegraph(spec)
    return made


def boxes(chart: Any) -> Iterator[Box]:
    """Yield every text and rectangle of a chart, in page coordinates."""
    made = scene(chart)
    yield from _walk(made["scenegraph"], *made.get("origin", (0.0, 0.0)))


def _walk(node: dict[str, Any], x: float, y: float) -> Iterator[Box]:
    kind = node.get("marktype")
    for item in node.get("items", []):
        left, top = x + (item.get("x") or 0), y + (item.get("y") or 0)
        if kind == "group":
            for inner in item.get("items", []):
                yield from _walk(inner, left, top)
        elif kind == "text" and item.get("text") not in (None, "", " ") and item.get("opacity", 1):
            yield from _text(item, left, top)
        elif kind == "rect" and item.get("width"):
            width, height = item["width"], item.get("height") or 0
            yield Box(f"{node.get('role')} rect", left, top, left + width, top + height)


def _text(item: dict[str, Any], x: float, y: float) -> Iterator[Box]:
    if item.get("angle"):
        return  # rotated texts are not checked
    given = item["text"]
    lines = given if isinstance(given, list) else str(given).split("\n")
    size = item.get("fontSize") or 11
    wide = max(len(str(line)) for line in lines) * size * LETTER
    high = len(lines) * (item.get("lineHeight") or size)
    x, y = x + (item.get("dx") or 0), y + (item.get("dy") or 0)
    left = {"right": x - wide, "center": x - wide / 2}.get(item.get("align"), x)
    baseline = item.get("baseline")
    top = {"top": y, "line-top": y, "middle": y - size / 2, "line-bottom": y - size}.get(
        baseline, y - size * 0.8
    )
    yield Box(" ".join(map(str, lines)), left, top, left + wide, top + high)


def overlaps(chart: Any) -> list[tuple[str, str]]:
    """Return the pairs of texts that overlap."""
    texts = [box for box in boxes(chart) if not box.what.endswith("rect")]
    return [(a.what, b.what) for k, a in enumerate(texts) for b in texts[k + 1 :] if a.meets(b)]
