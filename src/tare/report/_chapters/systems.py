"""The systems: means, intervals, letters, and scores net of chance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, Grid
from tare.report._charts.systems import mean_intervals
from tare.report._material import Material

__all__ = ["systems"]

MOST = 40  # systems that a chart of intervals shows
WIDE = 2  # measures whose intervals and expected values fit into the table; else those of the first


def systems(material: Material) -> Chapter:
    """The summary: a table of everything, a chart of the first measure."""
    blocks: list[Block] = [_summary(material)]
    if len(material.scores.systems) > 1:
        blocks.append(_intervals(material))
    return Chapter("systems", "Systems", tuple(blocks), _lead(material))


def _lead(material: Material) -> str:
    family = material.family(material.subjects[0].measure)
    text = "Means over the items, with 95 % intervals."
    if family is not None and family.all_pairs:
        text += " Systems that share a letter are not significantly different."
    return text + " Click a heading to sort."


def _summary(material: Material) -> Grid:
    scores = material.scores
    ends = scores.intervals()
    counts = scores.counts()
    place = {m: k for k, m in enumerate(scores.measure_names)}
    columns = [Column("system", align="left")]
    bars = set()
    rows: list[list[Cell]] = [[s] for s in material.ranking(material.subjects[0].measure)]
    systems = [scores.systems.index(str(row[0])) for row in rows]
    marks: set[tuple[int, int]] = set()

    def add(column: Column, cells: list[Cell]) -> None:
        columns.append(column)
        for row, cell in zip(rows, cells, strict=True):
            row.append(cell)

    def interval(measure: str) -> list[Cell]:
        found = [ends[s, place[measure]] for s in systems]
        return [
            None if math.isnan(low) else f"{low:.3f} … {high:.3f}".replace("-", "−")
            for low, high in found
        ]

    def means(measure: str) -> list[Cell]:
        return [material.means[scores.systems[s]][measure] for s in systems]

    def add_measure(measure: str, wide: bool) -> None:
        best = material.ranking(measure)[0]
        if len(rows) > 1:
            marks.update((k, len(columns)) for k, row in enumerate(rows) if row[0] == best)
        add(Column(measure, digits=3), means(measure))
        if wide:
            add(Column("95 % interval"), interval(measure))
        family = material.family(measure)
        if family is not None and family.all_pairs:
            letters: list[Cell] = [family.letters[scores.systems[s]] for s in systems]
            add(Column("letters", align="left"), letters)

    for subject in material.subjects:
        wide = len(material.subjects) <= WIDE or subject is material.subjects[0]
        bars.add(len(columns))
        add_measure(subject.measure, wide)
        if subject.expected and wide:
            add(Column(subject.expected, digits=3), means(subject.expected))
        if subject.ideal and wide:
            add(Column(subject.ideal, digits=3), means(subject.ideal))
        if subject.net:
            add_measure(subject.net, wide)
    add(Column("n"), [_number(counts[s]) for s in systems])
    notes = ["The best mean of each measure is marked."] if len(rows) > 1 else []
    pools = [str(f) for f in scores.findings if f.kind == "pool"]
    if any(subject.expected for subject in material.subjects):
        notes.append(
            "E is the tare, what a random ranking would score; Net is the score net of it, "
            "(score − tare)/(ideal − tare): 1 is ideal, 0 is chance. Means are over the same queries."
        )
    notes += dict.fromkeys(pools)
    table = Table.of(columns, [tuple(row) for row in rows], notes=notes, marks=frozenset(marks))
    return Grid(table, frozenset(bars))


def _number(counts: NDArray[np.int64]) -> Cell:
    low, high = int(counts.min()), int(counts.max())
    return high if low == high else f"{low:,}–{high:,}"


def _intervals(material: Material) -> Figure:
    subject, scores = material.subjects[0], material.scores
    ranking = material.ranking(subject.measure)
    family = material.family(subject.measure)
    tied = {ranking[0], *(family.tied_with_best if family is not None else ranking)}
    ends = scores.intervals()[:, scores.measure_names.index(subject.measure)]
    rows = []
    for system in ranking[:MOST]:
        s = scores.systems.index(system)
        luck = material.means[system][subject.expected] if subject.expected else None
        rows.append(
            {
                "system": system,
                "mean": material.means[system][subject.measure],
                "low": float(ends[s, 0]),
                "high": float(ends[s, 1]),
                "chance": luck,
                "best": system in tied,
            }
        )
    caption = f"Mean {subject.measure} and its 95 % interval, best first."
    if family is not None and family.all_pairs:
        caption += " Strong: the best, and those that are not significantly different from it; pale: significantly worse."  # fmt: skip
    band = None
    if subject.expected:
        caption += " Orange ticks: the expected score of a random ranking."
    if material.luck is not None and material.by_chance is subject:
        band = material.luck.chances[0].band()
        caption += (
            f" Shaded: {100 * material.luck.confidence:g} % of random rankers have a mean between "
            f"{band[0]:.3f} and {band[1]:.3f}."
        )
    if len(ranking) > MOST:
        caption += f" The best {MOST} of {len(ranking)} systems."
    chart = mean_intervals(rows, measure=subject.measure, interval="95 % interval", band=band)
    return Figure("means", chart, caption, f"{subject.measure} by system", 30 + 26 * len(rows))
