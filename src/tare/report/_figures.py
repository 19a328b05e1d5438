"""The figures of a result: drawn by the function that is registered for its class, or by the columns of its rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from importlib import import_module
from typing import TypeAlias, TypeGuard

from tare._result import Result
from tare.report._blocks import Block, Figure
from tare.report._encoding import Row, Rows
from tare.report._marks import averaged, curves, intervals

__all__ = ["Figures", "drawn", "figure_of_rows", "figures_of", "replaced"]


VALUES = ("value", "coefficient", "tau", "r", "mean", "difference", "rate", "power", "accuracy")
MAX_LABELS = 40
MAX_SERIES = 12
MAX_ROWS = 5000


# The module that draws a class of results. It is loaded when the first one is drawn: a study does
# not load the others.
MODULES = {
    "AnswerStudy": "_answers",
    "Arena": "_arena",
    "AssessorStudy": "_assessors",
    "Comparison": "_score_table",
    "Consistency": "_consistency",
    "Discrimination": "_discrimination",
    "DiversityStudy": "_diversity",
    "EstimateComparison": "_estimates",
    "Estimates": "_estimates",
    "Gate": "_gate",
    "ItemStudy": "_items",
    "JudgeStudy": "_judges",
    "Kinds": "_chance",
    "Leaderboard": "_leaderboard",
    "LearnedMeasures": "_people",
    "LetorStudy": "_letor",
    "MeasuresAndPeople": "_people",
    "PowerCurve": "_power",
    "PowerStudy": "_power",
    "Scores": "_score_table",
    "SelfConsistency": "_assessors",
    "SummaryStudy": "_summaries",
}

Figures: TypeAlias = dict[str, list[Figure]]
"""Figures by the name of their table."""


def figures_of(result: Result) -> Figures:
    """Return the figures of a result by the name of their table."""
    _load(result)
    return drawn(result)


def _load(result: Result) -> None:
    """Load the module that registers its figures for the class of a result, if there is one."""
    names = (kind.__name__ for kind in type(result).__mro__)
    module = next((MODULES[name] for name in names if name in MODULES), None)
    if module is not None:
        import_module(f"tare.report.{module}")


@singledispatch
def drawn(result: Result) -> Figures:
    """Draw one chart for each set of rows of a result whose columns suit a chart; better ones are registered."""
    made = {name: figure_of_rows(name, rows) for name, rows in result.all_rows().items()}
    return {name: [figure] for name, figure in made.items() if figure is not None}


@singledispatch
def replaced(result: Result) -> dict[str, list[Block]]:
    """Return the blocks that a result shows instead of tables, by the name of the table."""
    return {}


def _number(cell: object) -> TypeGuard[float]:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _finite(cell: object) -> bool:
    return _number(cell) and math.isfinite(cell)


def figure_of_rows(name: str, rows: Rows) -> Figure | None:
    """Draw the figure of a result by its columns: intervals if rows have low and high, or curves if they have a value and a step."""
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


def _label(row: Row, words: Sequence[str]) -> str:
    return " · ".join(str(row[k]) for k in words if row.get(k) is not None) or "all"


def _varying(rows: Rows, words: Sequence[str]) -> list[str]:
    """Return the text columns of a result's rows whose values differ between rows."""
    return [k for k in words if len({str(r.get(k)) for r in rows}) > 1]


def _intervals(title: str, rows: Rows, words: Sequence[str], value: str) -> Figure | None:
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
    chart = intervals(drawn, title=value.replace("_", " "))
    return Figure(title, chart, caption, title)


def _lines(title: str, rows: Rows, words: Sequence[str], step: str, value: str) -> Figure | None:
    labels = _varying(rows, words)
    points = [
        {"series": _label(row, labels), "x": row[step], "y": row[value]}
        for row in rows
        if _finite(row.get(value)) and _finite(row.get(step))
    ]
    if not points or len({point["series"] for point in points}) > MAX_SERIES:
        return None
    drawn = sorted(averaged(points), key=lambda point: (point["series"], point["x"]))
    caption = f"{value.replace('_', ' ')} against {step.replace('_', ' ')}" + (
        ". The line is the mean over repetitions and the band is one standard deviation."
        if len(drawn) < len(points)
        else "."
    )
    chart = curves(drawn, x=step.replace("_", " "), y=value.replace("_", " "))
    return Figure(title, chart, caption, title)
