"""The systems: means, intervals, letters, and what is left net of chance."""

from __future__ import annotations

import math

from tare.report.blocks import Block, Chapter, Figure, Grid
from tare.report.charts.systems import mean_intervals
from tare.report.material import Material
from tare.tables import Column, Table
from tare.tables.table import Cell

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
    if family is None:
        return "Means over the items, with 95 % bootstrap intervals."
    if family.all_pairs:
        return (
            "Means over the items, with 95 % bootstrap intervals. Systems that share a letter do not "
            "differ significantly. A heading sorts."
        )
    return "Means over the items, with 95 % bootstrap intervals. A heading sorts."


def _summary(material: Material) -> Grid:
    scores = material.scores
    ends = scores.intervals()
    counts = scores.counts()
    place = {m: k for k, m in enumerate(scores.measures)}
    few = len(material.subjects) <= WIDE
    columns = [Column("system", align="left")]
    bars = set()
    for subject in material.subjects:
        wide = few or subject is material.subjects[0]
        bars.add(len(columns))
        columns.append(Column(subject.measure, digits=3))
        family = material.family(subject.measure)
        if wide:
            columns.append(Column("95 % interval"))
        if family is not None and family.all_pairs:
            columns.append(Column("letters", align="left"))
        if subject.expected and wide:
            columns.append(Column(subject.expected, digits=3))
        if subject.net:
            columns.append(Column(subject.net, digits=3))
    columns.append(Column("n"))
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    best = {m: material.ranking(m)[0] for m in scores.measures}
    for system in material.ranking(material.subjects[0].measure):
        s = scores.systems.index(system)
        row: list[Cell] = [system]
        for subject in material.subjects:
            wide = few or subject is material.subjects[0]
            family = material.family(subject.measure)
            if system == best[subject.measure] and len(scores.systems) > 1:
                marks.add((len(rows), len(row)))
            row.append(material.means[system][subject.measure])
            if wide:
                low, high = ends[s, place[subject.measure]]
                row.append(None if math.isnan(low) else f"{low:.3f} … {high:.3f}".replace("-", "−"))
            if family is not None and family.all_pairs:
                row.append(family.letters[system])
            if subject.expected and wide:
                row.append(material.means[system][subject.expected])
            if subject.net:
                if system == best[subject.net] and len(scores.systems) > 1:
                    marks.add((len(rows), len(row)))
                row.append(material.means[system][subject.net])
        low_n, high_n = int(counts[s].min()), int(counts[s].max())
        rows.append((*row, high_n if low_n == high_n else f"{low_n:,}–{high_n:,}"))
    notes = ["The best mean of each measure is marked."] if len(rows) > 1 else []
    if any(subject.expected for subject in material.subjects):
        notes.append(
            "E is what a random ranking of the same documents would score; V2 is the score net of it: "
            "1 perfect, 0 chance, −1 nothing found."
        )
    return Grid(Table.of(columns, rows, notes=notes, marks=frozenset(marks)), frozenset(bars))


def _intervals(material: Material) -> Figure:
    subject, scores = material.subjects[0], material.scores
    ranking = material.ranking(subject.measure)
    family = material.family(subject.measure)
    tied = {ranking[0], *(family.tied_with_best if family is not None else ranking)}
    ends = scores.intervals()[:, scores.measures.index(subject.measure)]
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
        caption += " Strong: the best, and those that cannot be told from it; pale: significantly worse."  # fmt: skip
    if subject.expected:
        caption += " Orange ticks: what chance would score."
    if len(ranking) > MOST:
        caption += f" The best {MOST} of {len(ranking)} systems."
    chart = mean_intervals(rows, measure=subject.measure, interval="95 % interval")
    return Figure("means", chart, caption, f"{subject.measure} by system", 30 + 26 * len(rows))
