"""The chapter on scores against chance, and the figures of kinds of queries: scatter plot and histogram of expected values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tare._result import Row
from tare._tables import Column, Table
from tare._tables.table import Cell
from tare.chance._kinds_of_queries import Kinds
from tare.chance._net_measures import NET_MEANING
from tare.chance._runs_against_chance import Luck
from tare.report._blocks import Block, Chapter, Figure, SortableTable
from tare.report._context import ReportContext, ReportedMeasure, chance_of
from tare.report._encoding import Chart, Rows, altair, chosen, inline_data, numbers, states
from tare.report._figures import Figures, drawn
from tare.report._marks import bars, scatter
from tare.report._theme import KINDS, theme_colour

__all__ = ["chance", "expected_histogram", "score_against_chance"]

MAX_DOTS = 6000
MIN_QUERIES = 8  # that are split into two halves


def chance(context: ReportContext) -> Chapter | None:
    """Return the chapter on scores against chance, or None without an expected value of any measure."""
    reported = context.chance_measure
    if reported is None or context.kinds is None:
        return None
    blocks: list[Block] = [
        _scatter(context, reported),
        SortableTable(replace(context.kinds.table(), title="Kinds of queries")),
    ]
    blocks.append(_histogram(context))
    if context.luck is not None:
        blocks.append(SortableTable(_luck(context, context.luck)))
    levels = _levels(context, reported)
    blocks += [SortableTable(levels)] if levels is not None else []
    lead = (
        "If most documents of a query are relevant, every ranking scores well. The closer a query is to the "
        f"diagonal, the closer its score is to chance. {NET_MEANING}"
    )
    return Chapter("chance", "Against chance", tuple(blocks), lead)


def _luck(context: ReportContext, luck: Luck) -> Table:
    """Return the table of the test of each system against chance, best system first; the measure is in the title."""
    table = luck.table()
    (measure,) = {str(chance.measure) for chance in luck.chances}
    kept = [k for k, column in enumerate(table.columns) if column.name != "measure"]
    place = {system: k for k, system in enumerate(context.ranking(measure))}
    rows = sorted(table.rows, key=lambda row: place.get(str(row[0]), len(place)))
    return replace(
        table,
        title=f"Test of each system against chance by {measure}",
        columns=tuple(table.columns[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in rows),
        notes=tuple(note.removeprefix("! ") for note in table.notes),
    )


def _scatter(context: ReportContext, reported: ReportedMeasure) -> Figure:
    scores, kinds = context.scores, context.kinds
    found = chance_of(scores, reported)
    assert kinds is not None
    assert found is not None
    share, luck = found
    kind_of = context.kind_by_query()
    place = {item: k for k, item in enumerate(scores.items)}
    kept = [place[item] for item in kinds.items]

    def rows_of(name: str, values: Any, expected: Any) -> list[Row]:
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
        ALL_SYSTEMS if several else scores.systems[0], np.mean(share, axis=0), np.mean(luck, axis=0)
    )
    left_out = False
    if several:
        order = context.ranking(reported.name)
        room = max(0, MAX_DOTS // len(kept) - 1)
        left_out = room < len(order)
        for system in order[:room]:
            s = scores.systems.index(system)
            rows += rows_of(system, share[s], luck[s])
    axis = reported.name if reported.ideal is None else f"{reported.name}, share of the ideal"
    caption = (
        "One dot per query: its score against the expected score of a random ranking, both as shares of "
        "the ideal. On the solid line, the score equals its expected value. Above the dashed line, a "
        "query is informative."
    )
    hint = "Select a system above the chart." if several else ""
    if left_out:
        hint += f" The best {len({r['system'] for r in rows}) - 1} systems can be selected."
    chart = score_against_chance(
        rows, measure=axis, low=kinds.low, high=kinds.high, margin=kinds.margin
    )
    return Figure("score against chance", chart, caption, "Score against chance", hint)


def _histogram(context: ReportContext) -> Figure:
    values = {}
    for reported in context.measures:
        found = chance_of(context.scores, reported)
        if found is not None:
            luck = np.nan_to_num(found[1], nan=np.nan)
            known = ~np.isnan(luck).all(axis=0)
            values[reported.name] = np.nanmean(luck[:, known], axis=0).tolist()
    caption = (
        "Number of queries by expected value, as a share of the ideal. On queries to the right, a random "
        "ranking scores well."
    )
    return Figure(
        "expected values", expected_histogram(values), caption, "Expected scores under chance"
    )


def _levels(context: ReportContext, reported: ReportedMeasure) -> Table | None:
    """Return scores and net scores on the queries with low and with high expected values."""
    scores = context.scores
    if reported.net is None or len(scores.items) < MIN_QUERIES:
        return None
    expected = scores.matrix(reported.expected)[0]
    order = np.argsort(expected, kind="stable")
    halves = [np.sort(part) for part in (order[: len(order) // 2], order[len(order) // 2 :])]
    sides = [scores.select(items=[scores.items[int(k)] for k in part]).means() for part in halves]
    columns: list[Column | str] = ["system"]
    for side in ("lower half", "upper half"):
        columns += [Column(f"{reported.name}, {side}", digits=3), Column("net", digits=3)]
    rows: list[tuple[Cell, ...]] = [
        (
            system,
            *(means[system][name] for means in sides for name in (reported.name, reported.net)),
        )
        for system in context.ranking(reported.name)
    ]
    low, high = (float(expected[part].mean()) for part in halves)
    title = "Scores on queries with low and high expected values"
    notes = [
        f"The queries are sorted by expected value. Lower half: {len(halves[0]):,} queries, a random ranking "
        f"scores {low:.3f}. Upper half: {len(halves[1]):,} queries, a random ranking scores {high:.3f}. Net scores "
        "remove this difference, but not that of how many documents are relevant."
    ]
    return Table.of(columns, rows, title=title, notes=notes)


# Kinds of queries without a score table (Feng and Karmaker 2023, fig. 1).


MAX_KINDS = 2000


@drawn.register
def _kinds(kinds: Kinds) -> Figures:
    """Draw scores of queries against expected values by chance, and the histogram of expected values."""
    kind = kinds.kind_by_query()
    measure = ", ".join(map(str, kinds.measures))
    step = -(-len(kinds.items) // MAX_KINDS)
    rows = [
        {
            "system": ALL_SYSTEMS,
            "item": item,
            "score": float(u),
            "chance": float(e),
            "kind": kind[item],
        }
        for item, u, e in list(zip(kinds.items, kinds.u, kinds.e, strict=True))[:: max(1, step)]
    ]
    chart = score_against_chance(
        rows,
        measure="score, share of the ideal",
        low=kinds.low,
        high=kinds.high,
        margin=kinds.margin,
    )
    caption = f"One dot per query: the mean score of all systems ({measure}) against the expected score of a random ranking."
    if step > 1:
        caption += f" The chart shows one in {step} of {len(kinds.items):,} queries."
    histogram = expected_histogram({measure: [float(e) for e in kinds.e]})
    return {
        "result": [
            Figure("score against chance", chart, caption, "Score against chance"),
            Figure(
                "expected values",
                histogram,
                "Number of queries by expected value.",
                "Expected scores under chance",
            ),
        ]
    }


# Charts of chance: scores against expected values, and how many queries have each expected value.


ALL_SYSTEMS = "mean of all systems"
BINS = 20


def score_against_chance(
    rows: Rows, *, measure: str, low: float = 0.3, high: float = 0.7, margin: float = 0.2
) -> Chart:
    """Draw one dot per query: its score against its expected value, coloured by the kind of query.

    Each row has system, item, score, chance and kind; with several systems the reader selects one. On
    the diagonal, a score equals what chance would score (Feng and Karmaker 2023, fig. 1).
    """
    systems = list(dict.fromkeys(str(row["system"]) for row in rows))
    lowest = min([0.0, *(float(row["score"]) for row in rows)])
    kinds = {kind: c for kind, c in KINDS.items() if any(row["kind"] == kind for row in rows)}
    return scatter(
        rows,
        across=numbers(
            "X", "chance", "expected value under chance", domain=[0, 1], axis={"tickCount": 6}
        ),
        up=numbers("Y", "score", measure, domain=[lowest, 1]),
        tips=[
            ("item", "query"),
            ("kind", "kind"),
            ("score", measure, ".3f"),
            ("chance", "expected by chance", ".3f"),
        ],
        colour=states("kind", kinds),
        prepare=lambda chart: chosen(chart, "system", systems, "system"),
        below=_areas(lowest, low, high, margin),
    )


def _areas(lowest: float, low: float, high: float, margin: float) -> list[Chart]:
    """Draw the areas of hard and easy queries, and the lines of chance and of informative queries."""
    alt = altair()
    soft, quiet = theme_colour("soft"), theme_colour("quiet")
    corners = [
        {"x": 0, "x2": low, "y": lowest, "y2": low},
        {"x": high, "x2": 1, "y": high, "y2": 1},
    ]
    words = [
        {"x": low - 0.05, "y": lowest + 0.02, "text": "hard"},
        {"x": high + 0.01, "y": 0.96, "text": "easy"},
        {"x": 0.61, "y": 0.56, "text": "chance"},
        {"x": 0.34, "y": 0.965, "text": "informative"},
    ]
    ends = [{"x": 0, "y": 0}, {"x": 1, "y": 1}]
    raised = [{"x": 0, "y": margin}, {"x": 1 - margin, "y": 1}]
    made = [
        alt.Chart(inline_data(corners))
        .mark_rect(color=quiet, opacity=0.13)
        .encode(x2="x2:Q", y2="y2:Q"),
        alt.Chart(inline_data(ends)).mark_line(color=soft, strokeWidth=1.5),
        alt.Chart(inline_data(raised)).mark_line(color=quiet, strokeDash=[4, 4], strokeWidth=1.2),
        alt.Chart(inline_data(words))
        .mark_text(align="left", color=soft, fontStyle="italic", dx=4)
        .encode(text="text:N"),
    ]
    return [layer.encode(x="x:Q", y="y:Q") for layer in made]


def expected_histogram(values: Mapping[str, Sequence[float]]) -> Chart:
    """Draw the number of queries by expected value; with several measures the reader selects one.

    `values` has the expected values of the queries by measure (Feng and Karmaker 2023, figs 2 and 3).
    """
    rows = []
    for measure, found in values.items():
        known = np.asarray(found, dtype=np.float64)
        known = known[np.isfinite(known)]
        counts, edges = np.histogram(np.clip(known, 0, 1), bins=BINS, range=(0, 1))
        rows += [
            {"measure": measure, "from": float(a), "to": float(b), "queries": int(n)}
            for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)
        ]
    return bars(
        rows,
        across=altair().X("from:Q", bin="binned", title="expected value under chance"),
        x2="to:Q",
        up=numbers("Y", "queries", "queries", axis={"tickMinStep": 1}),
        tips=[("from", "from", ".2f"), ("to", "to", ".2f"), ("queries", "queries", "d")],
        prepare=lambda chart: chosen(chart, "measure", list(values), "measure"),
    )
