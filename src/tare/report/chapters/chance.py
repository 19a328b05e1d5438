"""Chance: how far scores stand above it, query by query, and what is left when it is taken out."""

from __future__ import annotations

from typing import Any

import numpy as np

from tare.report.blocks import Block, Chapter, Figure, Grid
from tare.report.charts.chance import EVERYONE, expected_histogram, score_against_chance
from tare.report.charts.systems import rank_slopes
from tare.report.material import Material
from tare.report.subjects import Subject, chance_of

__all__ = ["chance"]

MOST_DOTS = 6000
MOST_SLOPES = 25


def chance(material: Material) -> Chapter | None:
    """The chapter, where the expected value of a measure is known."""
    subject = material.by_chance
    if subject is None or material.kinds is None:
        return None
    blocks: list[Block] = [_scatter(material, subject), Grid(material.kinds.table())]
    blocks.append(_histogram(material))
    slopes = _slopes(material, subject)
    blocks += [slopes] if slopes is not None else []
    lead = (
        "On a query where most documents are relevant any order scores well. The nearer a query lies "
        "to the diagonal, the less it tells about a system."
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
    axis = subject.measure if subject.upper is None else f"{subject.measure}, share of the possible"
    caption = (
        "One dot a query: its score against what a random ranking would score. On the line a system "
        "does no better than chance; the dashed line is where informative queries begin."
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
        "How many queries have which expected value. A collection with much on the right is easy to "
        "score well on."
    )
    return Figure("expected values", expected_histogram(values), caption, "What chance would score", 240)  # fmt: skip


def _slopes(material: Material, subject: Subject) -> Figure | None:
    if subject.net is None or len(material.scores.systems) < 2:
        return None
    before = material.ranking(subject.measure)
    after = material.ranking(subject.net)
    rows = [
        {"system": system, "before": k + 1, "after": after.index(system) + 1}
        for k, system in enumerate(before[:MOST_SLOPES])
    ]
    caption = f"The order of systems by {subject.measure} and by {subject.net}; those that change places are coloured."  # fmt: skip
    if len(before) > MOST_SLOPES:
        caption += f" The best {MOST_SLOPES} of {len(before)}."
    chart = rank_slopes(rows, left=subject.measure, right=subject.net)
    height = max(120, 26 * len(rows)) + 40
    return Figure("what normalisation changes", chart, caption, "What taking chance out changes", height)  # fmt: skip
