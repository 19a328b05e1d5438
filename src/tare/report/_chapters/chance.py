"""Chance: how far scores are above it, query by query, and where chance earns little or much."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, Grid
from tare.report._charts.chance import EVERYONE, expected_histogram, score_against_chance
from tare.report._material import Material
from tare.report._subjects import Subject, chance_of

__all__ = ["chance"]

MOST_DOTS = 6000
MOST_SYSTEMS = 12
FEWEST = 8  # queries that can be halved


def chance(material: Material) -> Chapter | None:
    """The chapter, where the expected value of a measure is known."""
    subject = material.by_chance
    if subject is None or material.kinds is None:
        return None
    blocks: list[Block] = [_scatter(material, subject), Grid(material.kinds.table())]
    blocks.append(_histogram(material))
    if material.luck is not None:
        blocks.append(Grid(replace(material.luck.table(), title="Each system against chance")))
    levels = _levels(material, subject)
    blocks += [Grid(levels)] if levels is not None else []
    lead = (
        "On a query where most documents are relevant, any order scores well. The closer a query is to "
        "the diagonal, the less it says about a system. Within one set of queries the net score orders "
        "systems as the score itself does; it makes levels comparable between sets of queries."
    )
    return Chapter("chance", "Against chance", tuple(blocks), lead)


def _scatter(material: Material, subject: Subject) -> Figure:
    scores, kinds = material.scores, material.kinds
    found = chance_of(scores, subject)
    assert kinds is not None
    assert found is not None
    share, luck = found
    kind_of = material.kind_of()
    place = {item: k for k, item in enumerate(scores.items)}
    kept = [place[item] for item in kinds.items]

    def rows_of(name: str, values: Any, expected: Any) -> list[dict[str, Any]]:
        return [
            {
                "system": name,
                "item": scores.items[k],
                "score": float(values[k]),
                "chance": float(expected[k]),
                "kind": kind_of[scores.items[k]],
            }
            for k in kept
        ]

    several = len(scores.systems) > 1
    rows = rows_of(
        EVERYONE if several else scores.systems[0], np.mean(share, axis=0), np.mean(luck, axis=0)
    )
    left_out = False
    if several:
        order = material.ranking(subject.measure)
        room = max(0, MOST_DOTS // len(kept) - 1)
        left_out = room < len(order)
        for system in order[:room]:
            s = scores.systems.index(system)
            rows += rows_of(system, share[s], luck[s])
    axis = subject.measure if subject.ideal is None else f"{subject.measure}, share of the ideal"
    caption = (
        "One dot per query: its score against the expected score of a random ranking, both as shares of "
        "the ideal. On the line a system is no better than chance; above the dashed line a query is "
        "informative."
    )
    if several:
        caption += " Choose a system above the chart."
    if left_out:
        caption += f" The best {len({r['system'] for r in rows}) - 1} systems can be chosen."
    chart = score_against_chance(
        rows, measure=axis, low=kinds.low, high=kinds.high, margin=kinds.margin
    )
    return Figure("score against chance", chart, caption, "Score against chance", 440)


def _histogram(material: Material) -> Figure:
    values = {}
    for subject in material.subjects:
        found = chance_of(material.scores, subject)
        if found is not None:
            luck = np.nan_to_num(found[1], nan=np.nan)
            known = ~np.isnan(luck).all(axis=0)
            values[subject.measure] = np.nanmean(luck[:, known], axis=0).tolist()
    caption = (
        "Number of queries by expected value, as a share of the ideal. Where many queries are on the "
        "right, chance alone earns much."
    )
    return Figure("expected values", expected_histogram(values), caption, "What chance would score", 240)  # fmt: skip


def _levels(material: Material, subject: Subject) -> Table | None:
    """Score and net score where chance earns little and where it earns much, half the queries each."""
    scores = material.scores
    if subject.net is None or len(scores.items) < FEWEST:
        return None
    expected = scores.matrix(subject.expected)[0]
    order = np.argsort(expected, kind="stable")
    halves = [np.sort(part) for part in (order[: len(order) // 2], order[len(order) // 2 :])]
    names = ("chance earns little", "chance earns much")
    columns: list[Column | str] = [
        "queries where",
        Column("queries"),
        Column("tare", digits=3),
        "system",
    ]
    columns += [Column(subject.measure, digits=3), Column(subject.net, digits=3)]
    rows: list[tuple[Cell, ...]] = []
    for name, part in zip(names, halves, strict=True):
        inside = scores.select(items=[scores.items[int(k)] for k in part])
        means = inside.means()
        for system in material.ranking(subject.measure)[:MOST_SYSTEMS]:
            found = means[system]
            rows.append((name, len(part), found[str(subject.expected)], system, found[subject.measure], found[subject.net]))  # fmt: skip
    title = "The same systems where chance earns little and where it earns much"
    notes = [
        "Half of the queries each, by expected value. Scores of the two halves are not comparable; net "
        "scores are."
    ]
    if len(scores.systems) > MOST_SYSTEMS:
        notes.append(f"The {MOST_SYSTEMS} systems with the best means of {len(scores.systems)}.")
    return Table.of(columns, rows, title=title, notes=notes)
