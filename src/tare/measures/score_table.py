"""The score table as people read it."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from tare.data.findings import Finding
from tare.measures.scores import Scores
from tare.tables import Column, Table, interval_column
from tare.tables.table import Cell

__all__ = ["item_table", "long_table", "notes_of", "query_table", "score_table"]

WIDE = 2  # measures that fit beside their intervals
SHOWN = 3  # findings of one kind before they are counted only


def notes_of(findings: tuple[Finding, ...], *, remarks: bool = False) -> list[str]:
    """Warnings as notes, those of one kind together; remarks change no number and are optional."""
    by_kind: dict[str, list[Finding]] = {}
    for finding in findings:
        if remarks or finding.severity != "note":
            by_kind.setdefault(finding.kind, []).append(finding)
    lines = []
    for kind, same in by_kind.items():
        shown = same if len(same) <= SHOWN else same[: SHOWN - 1]
        lines += [f"! {finding}" for finding in shown]
        if len(same) > len(shown):
            lines.append(f"! … and {len(same) - len(shown)} more of this kind ({kind}).")
    return lines


# More of these is no merit: what chance scores, what depends on the run's length alone.
NO_BEST = frozenset({"E", "pValue", "Unjudged", "NumRet", "NumRel", "NumNonrelRet"})


def score_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """One system: a row a measure. Several: a row a system, the best mean of each column marked."""
    means, counts = scores.means(), scores.counts()
    ends = scores.intervals(confidence=confidence)
    percent = f"{confidence * 100:g} % interval"
    notes = notes_of(scores.findings)
    notes += [f"signature: {signature}" for signature in scores.signatures]
    if len(scores.systems) == 1:
        system = scores.systems[0]
        rows: list[tuple[Cell, ...]] = [
            (m, _number(means[system][m]), _interval(ends[0, k]), int(counts[0, k]))
            for k, m in enumerate(scores.measures)
        ]
        columns = [
            Column("measure", align="left"),
            Column("mean"),
            interval_column(percent),
            Column("n"),
        ]
        return Table.of(columns, rows, title=system, notes=notes)
    wide = len(scores.measures) <= WIDE  # with more measures the intervals would not fit
    columns = [Column("system", align="left")]
    for measure in scores.measures:
        columns += [Column(measure)] + ([interval_column(percent)] if wide else [])
    columns.append(Column("n"))
    rows = []
    for s, system in enumerate(scores.systems):
        row: list[Cell] = [system]
        for k, measure in enumerate(scores.measures):
            row += [_number(means[system][measure])]
            row += [_interval(ends[s, k])] if wide else []
        rows.append((*row, _count(counts[s])))
    marks = set()
    for k, measure in enumerate(scores.measures):
        column = np.array([means[system][measure] for system in scores.systems])
        if re.split(r"[(@]", measure)[0] in NO_BEST:
            continue
        if len(column) and not np.isnan(column).all():
            best = np.nanmax(column)
            marks |= {(int(s), 1 + (2 if wide else 1) * k) for s in np.flatnonzero(column == best)}
    return Table.of(columns, rows, notes=notes, marks=frozenset(marks))


def long_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """A row a system and measure, for programs: mean, interval, n; JSON holds the signatures too."""
    means, counts = scores.means(), scores.counts()
    ends = scores.intervals(confidence=confidence)
    rows = [
        (system, m, means[system][m], float(ends[s, k, 0]), float(ends[s, k, 1]), int(counts[s, k]))
        for s, system in enumerate(scores.systems)
        for k, m in enumerate(scores.measures)
    ]
    columns: list[Column | str] = [
        "system",
        "measure",
        Column("mean"),
        Column("low"),
        Column("high"),
        Column("n"),
    ]
    notes = [f"signature: {signature}" for signature in scores.signatures]
    return Table.of(columns, rows, notes=[*notes_of(scores.findings), *notes])


def query_table(scores: Scores) -> Table:
    """A row a system, query and measure."""
    return item_table(scores, "query")


def item_table(scores: Scores, item: str = "item") -> Table:
    """A row a system, item and measure; `item` is what an item is called."""
    rows = [
        (system, name, measure, float(scores.values[s, i, m]))
        for s, system in enumerate(scores.systems)
        for i, name in enumerate(scores.items)
        for m, measure in enumerate(scores.measures)
    ]
    return Table.of(["system", item, "measure", Column("value")], rows)


def _number(value: float) -> Cell:
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) >= 2 else value


def _count(counts: NDArray[np.int64]) -> Cell:
    """On how many items; a range where the measures differ."""
    low, high = int(counts.min()), int(counts.max())
    return high if low == high else f"{low}–{high}"


def _interval(ends: NDArray[np.float64]) -> Cell:
    if np.isnan(ends).any():
        return None
    return float(ends[0]), float(ends[1])
