"""Figures for results without a figure module, chosen by the columns of their rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tare.report._blocks import Figure
from tare.report._marks.curves import curves
from tare.report._marks.intervals import correlation_intervals

__all__ = ["figure_of_rows", "figures", "rows_of"]


VALUES = ("value", "coefficient", "tau", "r", "mean", "difference", "rate", "power", "accuracy")
MAX_LABELS = 40
MAX_SERIES = 12
MAX_ROWS = 5000


def rows_of(result: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a result by name."""
    if hasattr(result, "all_rows"):
        return dict(result.all_rows())
    if hasattr(result, "frames"):
        return {name: frame.to_dicts() for name, frame in result.frames().items()}
    if hasattr(result, "to_frame"):
        return {"result": result.to_frame().to_dicts()}
    return {}


def figures(result: Any) -> dict[str, list[Figure]]:
    """Draw one chart for each table whose columns suit a chart."""
    by_table = {}
    for name, rows in rows_of(result).items():
        figure = figure_of_rows(name, rows)
        if figure is not None:
            by_table[name] = [figure]
    return by_table


def _number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _finite(cell: Any) -> bool:
    return _number(cell) and math.isfinite(cell)


def figure_of_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Draw intervals if rows have low and high, or curves if they have a value and a step."""
    if len(rows) < 2 or len(rows) > MAX_ROWS:
        return None
    keys = list(rows[0])
    numbers = [k for k in keys if all(_number(r.get(k)) or r.get(k) is None for r in rows)]
    words = [k for k in keys if k not in numbers]
    value = next((k for k in VALUES if k in numbers), None)
    title = name.replace("_", " ").capitalize()
    if value is not None and {"low", "high"} <= set(numbers) and words:
        return _intervals(title, rows, words, value)
    steps = [k for k in numbers if k != value and len({r[k] for r in rows}) > 2]
    if value is not None and steps:
        return _lines(title, rows, words, steps[0], value)
    return None


def _label(row: Mapping[str, Any], words: Sequence[str]) -> str:
    return " · ".join(str(row[k]) for k in words if row.get(k) is not None) or "all"


def _varying(rows: Sequence[Mapping[str, Any]], words: Sequence[str]) -> list[str]:
    """Return the text columns whose values differ between rows."""
    return [k for k in words if len({str(r.get(k)) for r in rows}) > 1]


def _intervals(
    title: str, rows: Sequence[Mapping[str, Any]], words: Sequence[str], value: str
) -> Figure | None:
    labels = _varying(rows, words)
    known = [row for row in rows if _finite(row.get(value))]
    if not known or not labels:
        return None
    drawn = [
        {
            "label": _label(row, labels),
            "group": "all",
            "value": row[value],
            "low": row["low"] if _finite(row["low"]) else None,
            "high": row["high"] if _finite(row["high"]) else None,
        }
        for row in known[:MAX_LABELS]
    ]
    caption = f"{value.replace('_', ' ')} with intervals, by {', '.join(labels)}."
    if len(known) > MAX_LABELS:
        caption += f" The chart shows the first {MAX_LABELS} of {len(known):,} rows."
    chart = correlation_intervals(drawn, title=value.replace("_", " "))
    return Figure(title, chart, caption, title, 60 + 26 * len(drawn))


def _lines(
    title: str, rows: Sequence[Mapping[str, Any]], words: Sequence[str], step: str, value: str
) -> Figure | None:
    labels = _varying(rows, words)
    points: dict[tuple[str, float], list[float]] = {}
    for row in rows:
        if _finite(row.get(value)) and _finite(row.get(step)):
            points.setdefault((_label(row, labels), row[step]), []).append(row[value])
    series = list(dict.fromkeys(name for name, _ in points))
    if not points or len(series) > MAX_SERIES:
        return None
    drawn = []
    for (name, x), found in sorted(points.items()):
        mean = sum(found) / len(found)
        spread = math.sqrt(sum((f - mean) ** 2 for f in found) / max(1, len(found) - 1))
        several = len(found) > 1
        drawn.append(
            {
                "series": name,
                "x": x,
                "y": mean,
                "low": mean - spread if several else None,
                "high": mean + spread if several else None,
            }
        )
    repeated = any(len(found) > 1 for found in points.values())
    caption = f"{value.replace('_', ' ')} against {step.replace('_', ' ')}" + (
        ". The line is the mean over repetitions and the band is one standard deviation."
        if repeated
        else "."
    )
    chart = curves(drawn, x=step.replace("_", " "), y=value.replace("_", " "))
    return Figure(title, chart, caption, title, 330)
