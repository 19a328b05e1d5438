"""Score tables for readers: means with intervals, long tables, and tables by item."""

from __future__ import annotations

import math
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.aggregation import better_end, number_of
from tare._measures.score_data import DRAWS
from tare._measures.score_intervals import score_intervals
from tare._measures.scores import Scores
from tare._result import PaperResult
from tare._tables import Column, Table, interval_column
from tare._tables.table import Cell

__all__ = ["item_table", "long_table", "notes_of", "paper_table", "query_table", "score_table"]

WIDE = 2  # measures that are shown with intervals
MAX_FINDINGS = 3  # of one kind that are shown


def notes_of(findings: tuple[Finding, ...], *, remarks: bool = False) -> list[str]:
    """Return warnings as notes, grouped by kind; remarks, which change no number, on request.

    The pool comes first, because every value net of chance depends on it.
    """
    by_kind: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.kind != "pool" and (remarks or finding.severity != "note"):
            by_kind.setdefault(finding.kind, []).append(finding)
    lines = list(dict.fromkeys(str(finding) for finding in findings if finding.kind == "pool"))
    for kind, same in by_kind.items():
        shown = same if len(same) <= MAX_FINDINGS else same[: MAX_FINDINGS - 1]
        lines += [f"! {finding}" for finding in shown]
        if len(same) > len(shown):
            lines.append(f"! … and {len(same) - len(shown)} more of this kind ({kind}).")
    return lines


def score_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """Return one row per measure for a single system, else one row per system with the best marked."""
    means, counts = scores.means(), scores.counts()
    found = score_intervals(scores, confidence, DRAWS, scores.seed)
    ends = found.ends
    percent = f"{confidence * 100:g} % interval"
    notes = notes_of(scores.findings)
    signed = [f"signature: {signature}" for signature in scores.signatures]
    if len(scores.systems) == 1:
        notes += [*found.notes(), *found.methods(), *signed]
        system = scores.systems[0]
        rows: list[tuple[Cell, ...]] = [
            (m, _number(means[system][m]), _interval(ends[0, k]), int(counts[0, k]))
            for k, m in enumerate(scores.measure_names)
        ]
        columns = [
            Column("measure", align="left"),
            Column("mean"),
            interval_column(percent),
            Column("n"),
        ]
        return Table.of(columns, rows, title=system, notes=notes)
    # With more measures the intervals would not fit; expected values need none.
    ranked = [better_end(measure) != "neither" for measure in scores.measures]
    wide = [r and sum(ranked) <= WIDE for r in ranked]
    columns = [Column("system", align="left")]
    places = []
    for name, with_interval in zip(scores.measure_names, wide, strict=True):
        places.append(len(columns))
        columns += [Column(name)] + ([interval_column(percent)] if with_interval else [])
    shown = [m.text for m, w in zip(scores.measures, wide, strict=True) if w]
    notes += [*found.notes(shown), *found.methods(shown), *signed]
    columns.append(Column("n"))
    rows = []
    for s, system in enumerate(scores.systems):
        row: list[Cell] = [system]
        for k, name in enumerate(scores.measure_names):
            row += [_number(means[system][name])]
            row += [_interval(ends[s, k])] if wide[k] else []
        rows.append((*row, _count(counts[s])))
    return Table.of(columns, rows, notes=notes, marks=_best(scores, places))


def _best(scores: Scores, places: list[int]) -> frozenset[tuple[int, int]]:
    """Return the cells with the best mean of each measure; `places` are the measures' columns."""
    means = scores.means()
    marks: set[tuple[int, int]] = set()
    for place, measure in zip(places, scores.measures, strict=True):
        column = np.array([means[system][measure.text] for system in scores.systems])
        better = better_end(measure)
        if better != "neither" and len(column) and not np.isnan(column).all():
            best = np.nanmax(column) if better == "higher" else np.nanmin(column)
            marks |= {(int(s), place) for s in np.flatnonzero(column == best)}
    return frozenset(marks)


def paper_table(scores: Scores, marks: str | None, digits: int) -> Table:
    """Return systems × measures for a paper: the best in bold, or marks of tested differences."""
    if marks is not None:
        # Statistics lie above scores, so they are imported by name.
        compared: PaperResult = import_module("tare").compare(scores)
        return compared.paper_table(marks=marks, digits=digits)
    means, names = scores.means(), scores.measure_names
    columns = [Column("system", align="left")]
    columns += [Column(name, digits, align="left") for name in names]
    rows = [(system, *(_number(means[system][m]) for m in names)) for system in scores.systems]
    counts = sorted(set(map(int, scores.counts().ravel().tolist())))
    items = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    notes = [f"Means over {items} items. The best score of each measure is in bold."]
    return Table.of(columns, rows, notes=notes, marks=_best(scores, list(range(1, len(columns)))))


def long_table(scores: Scores, *, confidence: float = 0.95) -> Table:
    """Return one row per system and measure, for programs: mean, interval and n."""
    means, counts = scores.means(), scores.counts()
    found = score_intervals(scores, confidence, DRAWS, scores.seed)
    ends = found.ends
    rows = [
        (system, m, means[system][m], float(ends[s, k, 0]), float(ends[s, k, 1]), int(counts[s, k]))
        for s, system in enumerate(scores.systems)
        for k, m in enumerate(scores.measure_names)
    ]
    columns: list[Column | str] = [
        "system",
        "measure",
        Column("mean"),
        Column("low"),
        Column("high"),
        Column("n"),
    ]
    notes = [
        *found.notes(),
        *found.methods(),
        *(f"signature: {signature}" for signature in scores.signatures),
    ]
    return Table.of(columns, rows, notes=[*notes_of(scores.findings), *notes])


def query_table(scores: Scores) -> Table:
    """Return one row per system, query and measure."""
    return item_table(scores, "query")


def item_table(scores: Scores, item: str = "item") -> Table:
    """Return one row per system, item and measure; `item` is the heading of the items."""
    rows = [
        (system, name, measure, float(scores.values[s, i, m]))
        for s, system in enumerate(scores.systems)
        for i, name in enumerate(scores.items)
        for m, measure in enumerate(scores.measure_names)
    ]
    return Table.of(["system", item, "measure", Column("value")], rows)


def _number(value: float) -> Cell:
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) >= 2 else value


def _count(counts: NDArray[np.int64]) -> Cell:
    """Return the number of items, or a range if the measures differ."""
    text = number_of(counts)
    return int(text) if text.isdigit() else text


def _interval(ends: NDArray[np.float64]) -> Cell:
    if np.isnan(ends).any():
        return None
    return float(ends[0]), float(ends[1])
