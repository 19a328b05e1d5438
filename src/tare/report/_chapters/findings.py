"""Findings: the best system and its test, the score of chance, and problems in the data."""

from __future__ import annotations

import math

from tare._measures.means_and_intervals import notes_of
from tare._measures.names import parse
from tare._tables import p_stated
from tare.chance._net_measures import has_net
from tare.errors import MeasureError
from tare.report._blocks import Block, Chapter, Headline, Headlines, Paragraph
from tare.report._context import ReportContext
from tare.report._reported_measures import ReportedMeasure

__all__ = ["findings"]

NO_POOL = (
    "Expected scores under chance are not shown, because the documents that a system can rank are not known. "
    "Use --pool judged if the systems rank the judged documents, --corpus N if they search N documents, or "
    "--candidates FILE for one list per query. In Python, use pool, corpus or candidates of evaluate, and "
    "for a comparison also scores of report."
)


def findings(context: ReportContext) -> Chapter:
    """Return the chapter with the main findings."""
    items: list[Headline] = []
    first = context.measures[0]
    items += _leader(context, first)
    items += _chance(context)
    items += _kinds(context)
    items += _data(context)
    scores = context.scores
    lead = f"{_count(len(scores.systems), 'system')}, {_count(len(scores.items), 'item')}, "
    lead += f"{_count(len(context.measures), 'measure')}."
    if len(context.measures) > 1:
        lead += f" Findings and charts are about the first measure, {first.name}, unless stated otherwise."
    blocks: tuple[Block, ...] = (
        (Headlines(tuple(items)),) if items else (Paragraph("There are no findings."),)
    )
    if context.chance_measure is None and _could_have_chance(first.name):
        blocks += (Paragraph(NO_POOL),)
    return Chapter("findings", "Findings", blocks, lead)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _could_have_chance(measure: str) -> bool:
    """Return whether a column is a ranking measure with a net score."""
    try:
        parsed = parse(measure)
    except MeasureError:  # a column with a name that tare does not know
        return False
    return parsed.definition.family != "text" and has_net(parsed)


def _leader(context: ReportContext, reported: ReportedMeasure) -> list[Headline]:
    """Report the system with the best mean, and whether it is significantly better."""
    ranking = context.ranking(reported.name)
    best = ranking[0]
    mean = context.means[best][reported.name]
    if math.isnan(mean):
        return []
    if len(ranking) == 1:
        return [Headline(f"{best} scores {mean:.3f} by {reported.name}.")]
    family = context.family(reported.name)
    highest = f"{best} has the best mean {reported.name}, {mean:.3f}."
    tested = context.comparisons_of(best, reported.name)
    # With a baseline, the second-best system may not have been compared with the best one.
    against = next((system for system in ranking[1:] if system in tested), None)
    if family is None or against is None:
        return [Headline(highest, "Its difference from the other systems was not tested.")]
    row = tested[against]
    untested = ""
    if against != ranking[1]:
        untested = f" It was not tested against {ranking[1]}, which has the second-best mean."
    if math.isnan(row["p_adjusted"]):
        return [Headline(highest, "Its difference from the other systems was not tested.")]
    interval = ""
    effect = f", d_z = {_signed(row['d_z'], 2)}" if math.isfinite(row["d_z"]) else ""
    if not math.isnan(row["low"]):
        level = f"{100 * (1 - family.alpha):g} % interval"
        interval = f"{level} {_signed(row['low'])} to {_signed(row['high'])}, "
    difference = (
        f"Its difference from {against} is {_signed(row['difference'])} "
        f"({interval}{p_stated(row['p_adjusted'])}{effect})"
    )
    if row["significant"] and not row["better"]:
        # The means are over different items.
        return [Headline(highest, f"{difference} on the items that both systems have.", "warning")]
    if row["significant"]:
        beaten = [
            s
            for s in ranking[1:]
            if s in tested and tested[s]["significant"] and tested[s]["better"]
        ]
        others = "every other system" if len(beaten) == len(ranking) - 1 else against
        title = f"{best} is significantly better than {others} by {reported.name}."
        return [Headline(title, f"It scores {mean:.3f}. {difference}.{untested}", "good")]
    tied = len(family.tied_with_best)
    also = ""
    if family.all_pairs and tied > 0:
        verb = "is" if tied == 1 else "are"
        also = f" {_count(tied, 'system')} {verb} not significantly different from it."
    text = f"{difference}, which is consistent with chance.{also}{untested}"
    return [Headline(highest, text, "note")]


def _signed(number: float, digits: int = 3) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _chance(context: ReportContext) -> list[Headline]:
    """Report the expected score of a random ranking, and the net score of the best system."""
    reported = context.chance_measure
    if reported is None or reported.expected is None:
        return []
    best = context.ranking(reported.name)[0]
    tare = context.means[best][reported.expected]
    mean = context.means[best][reported.name]
    if math.isnan(tare) or math.isnan(mean):
        return []
    title = f"A random ranking{_of_what(context)} would score {tare:.3f} by {reported.name} on these queries."
    if reported.net is None:
        return [Headline(title, f"{best} scores {mean:.3f}.")]
    net = context.means[best][reported.net]
    scores = context.scores
    low, high = scores.intervals()[
        scores.systems.index(best), scores.measure_names.index(reported.net)
    ]
    if math.isnan(net):
        return [Headline(title, f"{best} scores {mean:.3f}. Its net score is undefined.")]
    interval = "" if math.isnan(low) else f" (95 % interval {_signed(low)} to {_signed(high)})"
    text = (
        f"{best} scores {mean:.3f}. Its net score is {_signed(net)}{interval}, where 0 is chance and 1 is the "
        "ideal ranking."
    )
    return [Headline(title, text)]


def _of_what(context: ReportContext) -> str:
    """Return which documents a random ranking orders, if that is not every document."""
    source = context.scores.rescoring
    pool = None if source is None or source.pools is None else source.pools.default
    known = {
        "judged": " of the judged documents",
        "candidates": " of the candidates",
        "retrieved": " of the retrieved documents",
    }
    return "" if pool is None else known.get(pool.kind, "")


def _kinds(context: ReportContext) -> list[Headline]:
    """Report on how many queries the systems are well above chance."""
    if context.kinds is None:
        return []
    kinds = context.kinds
    total, informative = len(kinds.items), len(kinds.informative)
    below = int((kinds.distance <= 0).sum())
    share = informative / total
    text = (
        f"On {informative:,} of {total:,} queries, the mean score of the systems is at least "
        f"{kinds.margin:g} (as a share of the ideal) above its expected value"
    )
    text += f"; on {below:,}, it is not above its expected value." if below else "."
    title = f"On {100 * share:.0f} % of the queries the systems are well above chance."
    return [Headline(title, text, "note" if share > 0.5 else "warning")]


def _data(context: ReportContext) -> list[Headline]:
    """Report all problems in the data on one card, one line each."""
    # The pool is in the notes of the table of systems.
    found = [f for f in context.scores.findings if f.kind != "pool"]
    if context.comparison is not None:
        found += context.comparison.findings
    lines = [line.removeprefix("! ") for line in notes_of(tuple(found))]
    if not lines:
        return []
    title = "A problem in the data" if len(lines) == 1 else "Problems in the data"
    return [Headline(title, "\n".join(lines), "warning")]
