"""Rankings: the queries that matter most, each with two rankings side by side."""

from __future__ import annotations

from collections.abc import Sequence

from tare._plain_text import plain
from tare.report._blocks import Block, Chapter, Paragraph, RankedQueries
from tare.report._context import ReportContext
from tare.report._rankings.drawing import drawn_legend, drawn_query
from tare.report._rankings.files import RankingFiles
from tare.report._rankings.highlights import marked
from tare.report._rankings.selection import chosen_queries, compared_pair
from tare.report._rankings.sides import Levels

__all__ = ["rankings"]

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
