"""The chapter on pairs of systems: differences, intervals, tests, and differences by query."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tare._decide.compare import Comparison, deciding, pair_columns, tested_families
from tare._decide.families import Family, turned
from tare._result import Row
from tare._tables import Column, PColumn, Table, interval_column, shown
from tare._tables.table import Cell
from tare.report._blocks import Block, Chapter, Figure, SortableTable
from tare.report._context import ReportContext
from tare.report._encoding import (
    Chart,
    Rows,
    altair,
    inline_data,
    numbers,
    sort_by,
    states,
    wrapped_labels,
)
from tare.report._marks import bars, dots, rule
from tare.report._theme import theme_colour

__all__ = [
    "MAX_PAIRS",
    "difference_bars",
    "directed_rows",
    "first_pair",
    "pair_intervals",
    "pair_tables",
    "pairs",
    "query_differences",
]


# Tables of pairs: all differences by the first measure, by other measures, and by query.


MAX_PAIRS = 300  # in a table
COLUMNS = (
    "rank-biserial: the rank-biserial correlation of the paired differences, from −1 to 1. W/T/L: items on which "
    "the system wins, ties and loses. direction risk: the one-sided p-value of the paired t-test; with a flat "
    "prior, the probability that the sign of the difference is wrong. Not corrected."
)
MEASURES_PER_TABLE = 2  # with more, the columns do not fit on a page


def directed_rows(family: Family, first: Family) -> list[Row]:
    """Return the pairs of a comparison of systems in the direction in which the whole report subtracts.

    If all pairs were compared, the system with the better mean by the first measure comes first. With
    a baseline, each system comes first and the baseline second. The pairs are in the order of the
    ranking by the first measure.
    """
    place = {system: k for k, system in enumerate(first.ranking)}
    rows = []
    for row in family.rows():
        if first.all_pairs and place[row["system"]] > place[row["against"]]:
            row = turned(row)
        rows.append(row)
    return sorted(rows, key=lambda row: (place[row["system"]], place[row["against"]]))


def first_pair(family: Family) -> tuple[str, str]:
    """Return the pair of systems that is shown first: the two best, or the best against the baseline."""
    row = directed_rows(family, family)[0]
    return row["system"], row["against"]


def pair_tables(context: ReportContext) -> list[Table]:
    """Return the tables of pairs of systems: that of the first measure with all columns, and short ones of the other measures."""
    comparison = context.comparison
    assert comparison is not None
    nets = {reported.net for reported in context.measures if context.net_repeats(reported)}
    first, *others = tested_families(comparison)
    others = [family for family in others if family.measure not in nets]
    step = MEASURES_PER_TABLE
    parts = [others[start : start + step] for start in range(0, len(others), step)]
    whole = _first_table(comparison, first, bool(nets))
    return [whole, *(_other_table(comparison, first, part) for part in parts)]


def _first_table(comparison: Comparison, family: Family, nets: bool) -> Table:
    given = directed_rows(family, family)
    notes = [
        "Differences are system − against, as in the charts.",
        COLUMNS,
        f"{comparison.legend()} Significant p-values are highlighted.",
    ]
    notes += ["A net score has the p-values of its measure."] if nets else []
    return Table.of_rows(
        pair_columns(comparison),
        given[:MAX_PAIRS],
        title=f"All pairs by {family.measure}",
        notes=_limit(len(given)) + notes,
        marks={deciding(comparison): "significant"},
    )


def _other_table(comparison: Comparison, first: Family, families: list[Family]) -> Table:
    columns = [Column("system", align="left"), Column("against", align="left")]
    percent = f"{100 * (1 - comparison.alpha):g} % interval"
    for family in families:
        columns += [Column(family.measure), interval_column(percent), PColumn("p")]
    found = [
        {(row["system"], row["against"]): row for row in directed_rows(f, first)} for f in families
    ]
    pairs = [(row["system"], row["against"]) for row in directed_rows(first, first)]
    rows: list[tuple[Cell, ...]] = []
    marks = set()
    for pair in pairs[:MAX_PAIRS]:
        cells: list[Cell] = [*pair]
        for by_pair in found:
            row = by_pair.get(pair)
            if row is None:
                cells += [None, None, None]
                continue
            cells += [row["difference"], (row["low"], row["high"]), row["p_adjusted"]]
            if row["significant"]:
                marks.add((len(rows), len(cells) - 1))
        rows.append(tuple(cells))
    names = " and ".join(family.measure for family in families)
    notes = [*_limit(len(pairs)), "The pairs are in the order of the first table."]
    return Table.of(
        columns, rows, title=f"All pairs by {names}", notes=notes, marks=frozenset(marks)
    )


def _limit(pairs: int) -> list[str]:
    if pairs <= MAX_PAIRS:
        return []
    return [f"The table shows the first {MAX_PAIRS} of {pairs:,} pairs."]


def query_differences(context: ReportContext, family: Family, a: str, b: str) -> Table:
    """Return the queries on which two systems differ most."""
    found = family.result.pairs
    index = {system: k for k, system in enumerate(found.systems)}
    first, second = found.scores[index[a]], found.scores[index[b]]
    difference = first - second
    order = [int(k) for k in np.argsort(-np.abs(np.nan_to_num(difference)), kind="stable")[:10]]
    kind_of = context.kind_by_query()
    columns: list[Column | str] = ["query", Column(a, digits=3), Column(b, digits=3)]
    columns += [Column("difference", digits=3), "higher score"]
    columns += ["kind of query"] if kind_of else []
    rows: list[tuple[Cell, ...]] = []
    for k in order:
        if math.isnan(difference[k]) or difference[k] == 0:
            continue
        row: list[Cell] = [found.items[k], float(first[k]), float(second[k]), float(difference[k])]
        row.append(a if difference[k] > 0 else b)
        row += [kind_of.get(found.items[k], "undefined")] if kind_of else []
        rows.append(tuple(row))
    return Table.of(
        columns,
        rows,
        title=f"Queries with the largest differences between {a} and {b} in {family.measure}",
    )


MAX_INTERVALS = 24  # in the chart of intervals
MAX_BARS = 300  # queries in the chart of differences
MAX_VALUES = 60_000  # scores in the chart of differences; with more, the best systems are kept


def pairs(context: ReportContext) -> Chapter | None:
    """Return the chapter on pairs of systems, or None if no two systems were compared."""
    comparison = context.comparison
    if comparison is None:
        return None
    families = tested_families(comparison)
    if not families:
        return None
    family = families[0]
    blocks: list[Block] = [_intervals(family, comparison.interval)]
    blocks += _by_query(context, family)
    blocks += [SortableTable(table, max_rows=12) for table in pair_tables(context)]
    lead = (
        "Differences with intervals, effect sizes and p-values. The effect size d_z is the mean difference "
        "divided by the standard deviation of the differences."
    )
    return Chapter("pairs", "Pairs of systems", tuple(blocks), lead)


def _intervals(family: Family, interval: str) -> Figure:
    rows = [row for row in directed_rows(family, family) if not math.isnan(row["difference"])]
    best = family.ranking[0]
    # With many pairs, only those with the best system are drawn.
    chosen = (
        rows
        if len(rows) <= MAX_INTERVALS
        else [r for r in rows if best in (r["system"], r["against"])]
    )
    drawn = sorted(chosen[:MAX_INTERVALS], key=lambda row: -row["difference"])
    percent = f"{100 * (1 - family.alpha):g} %"
    caption = f"Differences in {family.measure} with {percent} intervals (method: {interval}). Significant differences (α = {family.alpha:g}) are highlighted."
    if len(drawn) < len(rows):
        below = "all of them" if len(rows) <= MAX_PAIRS else "more"
        caption += (
            f" The chart shows {len(drawn)} of {len(rows):,} pairs; the table below has {below}."
        )
    chart = pair_intervals(drawn, measure=family.measure, interval=percent)
    return Figure("differences", chart, caption, f"Differences in {family.measure}")


def _by_query(context: ReportContext, family: Family) -> list[Block]:
    """Return the chart of differences by query, in which the reader selects any two systems, and a table of the first pair."""
    found = family.result.pairs
    index = {system: k for k, system in enumerate(found.systems)}
    kept = list(family.ranking[: max(2, MAX_VALUES // max(1, len(found.items)))])
    a, b = first_pair(family)
    kept += [system for system in (a, b) if system not in kept]
    scores = {system: found.scores[index[system]] for system in kept}
    rows: list[Row] = [
        {"item": item}
        | {
            system: None if math.isnan(values[k]) else float(values[k])
            for system, values in scores.items()
        }
        for k, item in enumerate(found.items)
    ]
    if not any(row[a] is not None and row[b] is not None for row in rows):
        return []
    caption = "One bar per query: the score of the first system minus the score of the second."
    hint = "Select any two systems above the chart." if len(kept) > 2 else ""
    if len(kept) < len(family.ranking):
        hint += f" The best {len(kept):,} of {len(family.ranking):,} systems can be selected."
    if len(found.items) > MAX_BARS:
        caption += f" The chart shows the {MAX_BARS // 2} largest and the {MAX_BARS // 2} smallest differences."
    chart = difference_bars(rows, measure=family.measure, systems=kept, pair=(a, b), most=MAX_BARS)
    return [
        Figure("differences by query", chart, caption, "Difference by query", hint),
        SortableTable(query_differences(context, family, a, b), max_rows=20),
    ]


# Charts of pairs: differences with intervals, and differences by query.


def pair_intervals(rows: Rows, *, measure: str, interval: str) -> Chart:
    """Draw the difference of each pair of systems with its interval; significant differences are highlighted.

    The rows are those of a comparison (Rankel 2016, fig. 4.1; simultaneous intervals if the test is Tukey's).
    """
    words = {True: "significant", False: "not significant"}
    given = [
        {
            "pair": f"{row['system']} − {row['against']}",
            "state": words[bool(row["significant"])],
            "p": shown(row["p_adjusted"]),
            **{name: row[name] for name in ("difference", "low", "high")},
        }
        for row in rows
    ]
    return dots(
        given,
        label="pair",
        value="difference",
        title="difference",
        tips=[
            ("pair", "pair"),
            ("difference", f"difference in {measure}", "+.3f"),
            ("low", f"{interval}, from", "+.3f"),
            ("high", "to", "+.3f"),
            ("p", "p-value"),
        ],
        colour=states("state", {words[True]: "accent", words[False]: "quiet"}),
        axis={"tickCount": 5},
        labels=wrapped_labels(wide=52),
        below=[rule("x")],
    )


MAX_NAMED_BARS = 30  # bars that are labelled with their query


def difference_bars(
    rows: Rows, *, measure: str, systems: Sequence[str], pair: tuple[str, str], most: int = 300
) -> Chart:
    """Draw one bar per query: the difference of two systems, largest first.

    Each row has item and the score of each system under its name (None if missing). With more than
    two systems, the reader selects the first and the second one, beginning with `pair`. With more
    than `most` queries, both ends are drawn, which have the largest differences.
    """
    alt = altair()
    place = {system: k for k, system in enumerate(systems)}
    higher = ("first system higher", "second system higher")

    def subtracted(chart: Chart) -> Chart:
        fields = {}
        for side, system in zip(("first", "second"), pair, strict=True):
            fields[side] = f"datum.s{place[system]}"
            if len(systems) > 2:
                chooser = alt.binding_select(
                    options=list(place.values()), labels=list(place), name=f"{side} system "
                )
                chart = chart.add_params(
                    alt.param(name=f"{side}_system", value=place[system], bind=chooser)
                )
                fields[side] = f"datum['s' + {side}_system]"
        return (
            chart.transform_calculate(**fields)
            .transform_filter("isValid(datum.first) && isValid(datum.second)")
            .transform_calculate(difference="datum.first - datum.second")
            .transform_calculate(state=f"datum.difference > 0 ? '{higher[0]}' : '{higher[1]}'")
            .transform_window(
                place="row_number()", sort=[alt.SortField("difference", order="descending")]
            )
            .transform_joinaggregate(drawn="count()")
            .transform_filter(
                f"datum.place <= {most // 2} || datum.place > datum.drawn - {most - most // 2}"
            )
        )

    if len(rows) <= MAX_NAMED_BARS:
        named = alt.Axis(labelAngle=-60, labelLimit=170, grid=False)
        across = alt.X("item:N", sort=sort_by("place"), title=None, axis=named)
    else:
        bare = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
        across = alt.X("place:O", title="queries, sorted by difference", axis=bare)
        across = across.scale(paddingInner=0.0)
    zero = alt.Chart(inline_data([{"y": 0}])).mark_rule(color=theme_colour("soft")).encode(y="y:Q")
    # Fields are numbered, because the name of a system can contain any character.
    return bars(
        [
            {"item": row["item"]} | {f"s{k}": row[system] for system, k in place.items()}
            for row in rows
        ],
        across=across,
        up=numbers("Y", "difference", f"difference in {measure}", axis={"format": "+.1f"}),
        tips=[
            ("item", "query"),
            ("difference", "difference", "+.3f"),
            ("first", "first system", ".3f"),
            ("second", "second system", ".3f"),
        ],
        colour=states("state", dict(zip(higher, ("c1", "c2"), strict=True))),
        prepare=subtracted,
        above=[zero],
    )
