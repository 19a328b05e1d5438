"""The chapters on queries: the matrix of scores by system and query, and the queries that matter most with their rankings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tare._plain_text import plain
from tare.report._blocks import Block, Chapter, Figure, Paragraph, RankedQueries
from tare.report._context import ReportContext
from tare.report._encoding import (
    BARE,
    Chart,
    Row,
    Rows,
    altair,
    inline_data,
    row_height,
    row_names,
    title_lines,
    tooltips,
)
from tare.report._marks import Ramp, matrix
from tare.report._rankings import (
    Levels,
    RankingFiles,
    chosen_queries,
    compared_pair,
    drawn_legend,
    drawn_query,
    marked,
)
from tare.report._theme import theme_colour

__all__ = ["queries", "rankings", "score_matrix"]


# Queries: the scores of all systems on all queries.


MAX_CELLS = 4000


def queries(context: ReportContext) -> Chapter | None:
    """Return the chapter on queries with the score matrix; a large matrix has groups of queries."""
    scores = context.scores
    if len(scores.systems) < 2 or len(scores.items) < 3:
        return None
    measure = context.measures[0].name
    ranking = context.ranking(measure)
    values = scores.matrix(measure)[[scores.systems.index(s) for s in ranking]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a query without any score
        means = np.nanmean(values, axis=0)
    order = np.argsort(np.where(np.isnan(means), -1, means), kind="stable")
    rows, items, note = _cells(context, values[:, order], order, ranking)
    what = "queries" if not note else "groups of queries"
    attribute = next(iter(scores.attributes), "attribute")
    chart = score_matrix(
        rows, measure=measure, systems=ranking, items=items, what=what, attribute=attribute
    )
    caption = f"{measure} of every system on every query. The best system is at the top, and the query with the lowest mean is on the left.{note}"
    if any(row["value"] is None for row in rows):
        caption += " Crosses mark missing scores."
    if context.people:
        caption += " People are below the gap."
    figure = Figure("score matrix", chart, caption, "Scores by system and query")
    lead = "A column that is light from top to bottom is a query on which all systems score low. A light cell in a dark column is a query on which one system scores lower than the others."
    return Chapter("queries", "Queries", (figure,), lead)


def _cells(
    context: ReportContext,
    values: NDArray[np.float64],
    order: NDArray[np.int64],
    ranking: list[str],
) -> tuple[Rows, list[str], str]:
    names = [context.scores.items[int(k)] for k in order]
    note = ""
    if values.size > MAX_CELLS:
        groups = max(2, MAX_CELLS // len(ranking))
        parts = np.array_split(np.arange(len(names)), min(groups, len(names)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            values = np.stack([np.nanmean(values[:, part], axis=1) for part in parts], axis=1)
        names = [f"{names[p[0]]} … {names[p[-1]]}" for p in parts]
        note = f" The {len(order):,} queries are in {len(parts)} groups with similar means; each cell is the mean of a group."
    attributes = context.scores.attributes
    values_of = next(iter(attributes.values()), None) if not note else None
    attribute = dict(zip(context.scores.items, values_of, strict=True)) if values_of else {}
    rows = [
        {
            "attribute": attribute.get(name),
            "system": system,
            "human": system in context.people,
            "item": name,
            "value": None if np.isnan(v) else round(float(v), 4),
        }
        for system, line in zip(ranking, values, strict=True)
        for name, v in zip(names, line, strict=True)
    ]
    return rows, names, note


GAP = " "  # label of the empty row between machines and people
MISSING = "missing"
CROSS = "M-0.5,-0.5L0.5,0.5M0.5,-0.5L-0.5,0.5"
STRIP = 8  # height of the strip of attributes, in pixels


def score_matrix(
    rows: Rows,
    *,
    measure: str,
    systems: Sequence[str],
    items: Sequence[str],
    what: str = "queries",
    attribute: str = "attribute",
    labels: bool = False,
) -> Chart:
    """Draw scores by system and item as colours.

    Each row has system, item and value (None if missing), and optionally human and attribute. Missing
    cells are crossed out, people are below a gap, and attributes are in a strip below the matrix. The
    reader sorts the items by score (as given), by name or by attribute (Rankel 2016, figs 3.1, 4.2 to
    4.5). `attribute` is the name of the attribute. With `labels`, the items are named below the matrix.
    """
    alt = altair()
    kinds = {row["item"]: row.get("attribute") for row in rows}
    grouped = any(value is not None for value in kinds.values())
    orders = {"by score": list(items), "by name": sorted(items)}
    if grouped:
        orders["by attribute"] = sorted(items, key=lambda i: (str(kinds.get(i)), items.index(i)))
    places = {order: {name: k for k, name in enumerate(found)} for order, found in orders.items()}
    cases = "".join(f"order === '{o}' ? datum['{o}'] : " for o in list(orders)[1:])
    chooser = alt.binding_select(options=list(orders), name=f"{what} ")
    order = alt.param(name="order", value="by score", bind=chooser)

    def placed(found: Iterable[Row]) -> list[Row]:
        return [{**row, **{o: places[o][row["item"]] for o in orders}} for row in found]

    def ordered(chart: Chart) -> Chart:
        return chart.transform_calculate(column=f"{cases}datum['by score']")

    people = {row["system"] for row in rows if row.get("human")}
    machines = [s for s in systems if s not in people]
    # An empty row separates people from machines.
    gap = [GAP] if people and machines else []
    lines = [*machines, *gap, *(s for s in systems if s in people)]
    height = max(60, row_height(systems, min(18, 900 // max(1, len(lines)))) * len(lines))
    named = {"labelAngle": -90, "labelLimit": 120, "labelFontSize": 10, "labelOverlap": True}
    axis = alt.Axis(
        labels=labels,
        titlePadding=STRIP + 14 if grouped else 8,
        **BARE,
        **(named | {"labelExpr": _item_label(orders)} if labels else {}),
    )
    across = alt.X("column:O", title=what, axis=axis)
    down = row_names("system", lines)
    tips = [("system", "system"), ("item", "item")]
    layers = []
    missing = [{**row, "state": MISSING} for row in rows if row["value"] is None]
    if missing:
        crosses = ordered(alt.Chart(inline_data(placed(missing)))).mark_point(
            filled=False, size=70, strokeWidth=1, opacity=1, color=theme_colour("quiet")
        )
        sign = alt.Shape(
            "state:N",
            title=None,
            scale=alt.Scale(domain=[MISSING], range=[CROSS]),
            legend=alt.Legend(symbolStrokeWidth=1.2),
        )
        shown = tooltips([*tips, ("state", "score")])
        layers.append(crosses.encode(x=across, y=down, shape=sign, tooltip=shown))
    if gap:
        label = alt.Chart(inline_data([{"system": GAP, "label": "people"}]))
        label = label.mark_text(align="left", fontStyle="italic", color=theme_colour("soft"))
        layers.append(label.encode(y=down, x=alt.value(2), text="label:N"))
    if grouped:
        attributes = placed({"item": i, "attribute": str(kinds.get(i))} for i in items)
        below = ordered(alt.Chart(inline_data(attributes)))
        filled = alt.Fill(
            "attribute:N", title=title_lines(attribute), legend=alt.Legend(orient="bottom")
        )
        shown = tooltips([("item", "item"), ("attribute", attribute)])
        below = below.mark_rect(height=STRIP).encode(
            x=across, y=alt.value(height + STRIP), tooltip=shown, fill=filled
        )
        layers.append(below)
    known = [row for row in rows if row["value"] is not None]
    values = [float(row["value"]) for row in known]
    ramp = Ramp("value", measure, min(values, default=0.0), max(values, default=1.0))
    drawn = matrix(
        placed(known),
        across=across,
        down=down,
        ramp=ramp,
        tips=[*tips, ("value", measure, ".3f"), *([("attribute", attribute)] if grouped else [])],
        height=height,
        prepare=lambda chart: ordered(chart).add_params(order),
        above=layers,
    )
    return drawn.resolve_scale(color="independent", fill="independent", shape="independent")


def _item_label(orders: Mapping[str, Sequence[str]]) -> str:
    """Return a Vega expression for the name of the query in a column of the score matrix, in the order of the reader."""
    lists = {order: json.dumps(list(found)) for order, found in orders.items()}
    first, *rest = lists
    cases = "".join(f"order === '{o}' ? {lists[o]}[datum.value] : " for o in rest)
    return f"{cases}{lists[first]}[datum.value]"


# Rankings: the queries that matter most, each with two rankings side by side.


SHOWN = 20  # documents per ranking
MAX_BYTES = 5_000_000  # of all queries of the chapter


def rankings(
    context: ReportContext,
    files: RankingFiles,
    count: int,
    pair: Sequence[str] = (),
    *,
    max_bytes: int = MAX_BYTES,
) -> Chapter:
    """Return the chapter with the rankings of at most `count` queries and `max_bytes` bytes."""
    scores, reported = context.scores, context.measures[0]
    names = compared_pair(context, pair)
    groups = chosen_queries(context, names, count)
    chosen = [query for group in groups for query in group.queries]
    queries = files.ranked_queries(scores.systems, names, [query.item for query in chosen])
    passages = files.passages(list(queries.values()), SHOWN)
    columns = [
        None if name is None else scores.matrix(name)
        for name in (reported.name, reported.expected, reported.net)
    ]
    blocks: list[Block] = []
    used = shown = 0
    for group in groups:
        parts = []
        for query in group.queries:
            places = {name: (scores.systems.index(name), query.place) for name in names}
            levels = {
                name: Levels(*(None if c is None else float(c[place]) for c in columns))
                for name, place in places.items()
            }
            found = queries[query.item]
            values = [levels[name].gross or 0.0 for name in names]
            part = drawn_query(
                number=chosen.index(query) + 1,
                key=query.item,
                words=marked(found.text, "", 300),
                measure=reported.name,
                sides=found.sides(reported.name, levels, passages.get, SHOWN),
                missed=found.missed(),
                tare=levels[names[0]].tare,
                difference=values[0] - values[1] if len(names) == 2 else None,
            )
            size = len(part.encode())
            if used + size <= max_bytes:
                used, shown = used + size, shown + 1
                parts.append(part)
        if parts:
            blocks.append(RankedQueries(plain(group.title), tuple(parts)))
    if blocks:
        blocks.insert(0, RankedQueries("", (drawn_legend(reported.name),)))
    limit = f"This chapter is limited to {max_bytes / 1e6:g} MB"
    left = len(chosen) - shown
    said = (
        f"{limit}; {left} queries are left out."
        if left
        else f"{limit}; it has {used / 1e6:.1f} MB."
    )
    blocks.append(Paragraph(said))
    return Chapter(
        "rankings", "Rankings", tuple(blocks), _lead(names, shown, len(scores.items)), _hint(names)
    )


def _lead(names: Sequence[str], shown: int, total: int) -> str:
    what = f"{shown:,} of {total:,} queries, grouped by the reason for which they were chosen."
    return what if len(names) == 1 else f"{what} Differences are {names[0]} minus {names[1]}."


def _hint(names: Sequence[str]) -> str:
    if len(names) == 1:
        return "Click a query to see its ranking."
    return f"Click a query to see both rankings, up to {SHOWN} documents each."
