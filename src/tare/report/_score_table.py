"""Chapters of a score table or a comparison, in the order of reading: findings first, methods last."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tare._decide.compare import Comparison
from tare._decide.families import leader
from tare._measures.means_and_intervals import notes_of
from tare._measures.measure import Measure
from tare._measures.names import column_measures, parse
from tare._measures.scores import Scores
from tare._signature import tare_version
from tare.chance._net_measures import completed, has_net
from tare.errors import MeasureError, OptionError
from tare.report._blocks import Block, Chapter, Figure, Headline, Headlines, Paragraph, Snippet
from tare.report._chance import chance
from tare.report._context import ReportContext, ReportedMeasure
from tare.report._encoding import Chart, Rows, row_height, row_names, upright_names
from tare.report._figures import drawn
from tare.report._marks import Ramp, curves, matrix
from tare.report._pairs import pairs
from tare.report._queries import queries
from tare.report._systems import systems
from tare.stats._correlation import correlation

__all__ = [
    "citations",
    "compared_scores",
    "context_of",
    "figures",
    "findings_chapter",
    "measures",
    "methods",
    "methods_of",
    "score_table_chapters",
]


# Findings: the best system and its test, the score of chance, and problems in the data.


NO_POOL = (
    "Expected scores under chance are not shown, because the documents that a system can rank are not known. "
    "Use --pool judged if the systems rank the judged documents, --corpus N if they search N documents, or "
    "--candidates FILE for one list per query. In Python, use pool, corpus or candidates of evaluate, and "
    "for a comparison also scores of report."
)


def findings_chapter(context: ReportContext) -> Chapter:
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
    """Return whether a column of a score table is a ranking measure with a net score."""
    try:
        parsed = parse(measure)
    except MeasureError:  # a column with a name that tare does not know
        return False
    return parsed.definition.family != "text" and has_net(parsed)


def _leader(context: ReportContext, reported: ReportedMeasure) -> list[Headline]:
    """State a finding on a score table: the system with the best mean, and whether it is significantly better."""
    name = reported.name
    means = {system: own[name] for system, own in context.means.items()}
    found = leader(name, means, context.ranking(name), context.family(name))
    return [] if found is None else [Headline(found.title, found.text, found.tone)]


def _signed(number: float, digits: int = 3) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def _chance(context: ReportContext) -> list[Headline]:
    """State the finding on chance in a score table: the expected score of a random ranking, and the net score of the best system."""
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
    """Return which documents a random ranking orders in a finding on a score table, if that is not every document."""
    source = context.scores.rescoring
    pool = None if source is None or source.pools is None else source.pools.default
    known = {
        "judged": " of the judged documents",
        "candidates": " of the candidates",
        "retrieved": " of the retrieved documents",
    }
    return "" if pool is None else known.get(pool.kind, "")


def _kinds(context: ReportContext) -> list[Headline]:
    """State the finding on a score table on how many queries the systems are well above chance."""
    if context.kinds is None:
        return []
    kinds = context.kinds
    share = len(kinds.informative) / len(kinds.items)
    title, text = kinds.well_above_chance(), kinds.above_chance()
    return [Headline(title, text, "note" if share > 0.5 else "warning")]


def _data(context: ReportContext) -> list[Headline]:
    """State all problems in the data of a score table on one card, one line each."""
    # The pool is in the notes of the table of systems.
    found = [f for f in context.scores.findings if f.kind != "pool"]
    if context.comparison is not None:
        found += context.comparison.findings
    lines = [line.removeprefix("! ") for line in notes_of(tuple(found))]
    if not lines:
        return []
    title = "A problem in the data" if len(lines) == 1 else "Problems in the data"
    return [Headline(title, "\n".join(lines), "warning")]


# Measures: rank correlation between them, and their discriminative power.


MIN_SYSTEMS = 3  # for a rank correlation


def measures(context: ReportContext) -> Chapter | None:
    """Return the chapter of a score table on measures, or None with fewer than two measures or three systems."""
    names = list(dict.fromkeys(m.name for m in context.measures))
    if len(names) < 2 or len(context.scores.systems) < MIN_SYSTEMS:
        return None
    blocks: list[Block] = [_heatmap(context, names)]
    families = context.comparison.families if context.comparison else ()
    if context.comparison is not None and len(families) > 1 and len(families[0]) > 2:
        repeated = {m.net for m in context.measures if context.net_repeats(m)}
        drawn = [f for f in families if f.measure not in repeated]
        chart = asl_curves(
            {f.measure: f.adjusted[~np.isnan(f.adjusted)].tolist() for f in drawn},
            alpha=context.comparison.alpha,
        )
        caption = (
            "Achieved significance levels: the p-values of all pairs, largest first. The sooner a line "
            f"falls below {context.comparison.alpha:g} (dashed), the more pairs are significantly "
            "different by that measure."
        )
        caption += " A net score has the p-values of its measure." if repeated else ""
        blocks.append(
            Figure("significance levels", chart, caption, "Discriminative power by measure")
        )
    lead = "A measure with more significant differences is more sensitive, but not necessarily more valid."
    return Chapter("measures", "Measures", tuple(blocks), lead)


def _heatmap(context: ReportContext, names: list[str]) -> Figure:
    rows = []
    systems = context.scores.systems
    for one in names:
        for other in names:
            pair = {
                s: (context.means[s][one], context.means[s][other])
                for s in systems
                if not math.isnan(context.means[s][one] + context.means[s][other])
            }
            value = math.nan
            if len(pair) >= MIN_SYSTEMS:
                value = correlation(
                    {s: v[0] for s, v in pair.items()}, {s: v[1] for s, v in pair.items()}
                )
            rows.append(
                {"first": one, "second": other, "value": None if math.isnan(value) else value}
            )
    caption = f"Kendall's τ-b between the rankings of {len(systems)} systems by two measures: 1 is the same order, −1 the reverse order."
    chart = correlation_heatmap(rows, order=names)
    return Figure(
        "correlation of measures",
        chart,
        caption,
        "Rank correlation between measures",
    )


LABELLED = 14  # measures up to which cells show their correlation
MAX_POINTS = 200  # per curve; a screen cannot show more


def correlation_heatmap(
    rows: Rows, *, title: str = "τ", order: Sequence[str] | None = None
) -> Chart:
    """Draw one cell per pair of measures of a score table, coloured and labelled by their correlation.

    Each row has first, second and value.
    """
    across = list(order or dict.fromkeys(str(row["first"]) for row in rows))
    down = list(order or dict.fromkeys(str(row["second"]) for row in rows))
    few = len(across) <= LABELLED
    return matrix(
        rows,
        across=upright_names("first", across),
        down=row_names("second", down),
        ramp=Ramp("value", title, low=-1, diverging=True, legend=not few),
        tips=[("first", "first"), ("second", "second"), ("value", title, ".3f")],
        words=("value", ".2f") if few else None,
        height=max(120, row_height(down, 36) * len(down)),
    )


def asl_curves(p_values: Mapping[str, Sequence[float]], *, alpha: float = 0.05) -> Chart:
    """Draw achieved significance levels in a score table: all p-values in descending order, one line per measure.

    The sooner a line falls below α, the more pairs are significantly different by that measure (Sakai
    2006).
    """
    rows = []
    for measure, given in p_values.items():
        ordered = sorted((float(p) for p in given), reverse=True)
        step = max(1, len(ordered) // MAX_POINTS)
        chosen = sorted({*range(0, len(ordered), step), len(ordered) - 1})
        rows += [{"series": measure, "x": (k + 1) / len(ordered), "y": ordered[k]} for k in chosen]
    x = "share of pairs, largest p first"
    return curves(rows, x=x, y="p-value", level=alpha, domain=(0, 1), points=False)


# Methods: a methods paragraph, signatures and citations, ready to copy.


def methods(context: ReportContext) -> Chapter:
    """Return the last chapter of a score table."""
    blocks: list[Block] = []
    if context.comparison is not None:
        blocks.append(Snippet("Methods paragraph", context.comparison.methods))
    blocks += methods_of(context.scores)
    lead = "Copy these texts into a paper, so that others can reproduce the numbers."
    return Chapter("methods", "Methods", tuple(blocks), lead)


def methods_of(scores: Scores) -> list[Block]:
    """Return the signatures and citations of a score table."""
    return [
        Snippet("Signatures", "\n".join(str(signature) for signature in scores.signatures)),
        Snippet("How to cite", "\n\n".join(citations(scores.measures))),
    ]


def citations(measures: tuple[Measure, ...]) -> list[str]:
    """Return one citation per work behind a score table, and the citation of tare."""
    lines: dict[str, list[str]] = {}
    for measure in measures:
        inside: Measure | None = measure
        while inside is not None:
            definition = inside.definition
            names = lines.setdefault(definition.citation, [])
            if definition.name not in names:
                names.append(definition.name)
            inside = inside.inner
    works = [f"{', '.join(names)}: {work}" for work, names in lines.items() if work]
    return [*works, f"tare: the tare developers. tare {tare_version()}, evaluation net of chance."]


# Chapters of a score table or a comparison, in the order of reading.


CHAPTERS: tuple[Callable[[ReportContext], Chapter | None], ...] = (
    *(findings_chapter, systems, chance, pairs, queries, measures, methods),
)


def context_of(
    result: Scores | Comparison, *, scores: Scores | None = None, people: Sequence[str] = ()
) -> ReportContext:
    """Return the context of the report of a score table or of a comparison, whose score table may be given."""
    if isinstance(result, Scores):
        return ReportContext.of(completed(result), people=people)
    table = compared_scores(result) if scores is None else completed(scores)
    return ReportContext.of(table, result, people)


def score_table_chapters(context: ReportContext) -> tuple[Chapter, ...]:
    """Return the chapters of a score table; raise if it is empty."""
    scores = context.scores
    if not scores.systems or not scores.items or not scores.measures:
        raise OptionError("the score table is empty; there is nothing to report.")
    return tuple(chapter for make in CHAPTERS if (chapter := make(context)) is not None)


def compared_scores(comparison: Comparison) -> Scores:
    """Return the scores that were compared; items that the comparison left out are missing."""
    families = comparison.families
    names = families[0].result.pairs.systems
    items = tuple(sorted({item for f in families for item in f.result.pairs.items}))
    place = {item: k for k, item in enumerate(items)}
    values = np.full((len(names), len(items), len(families)), np.nan)
    for m, family in enumerate(families):
        compared = family.result.pairs
        values[:, [place[item] for item in compared.items], m] = compared.scores
    return Scores(
        names,
        items,
        column_measures(f.measure for f in families),
        values,
        comparison.signatures,
        seed=comparison.options.seed,
    )


@drawn.register
def figures(result: Scores | Comparison) -> dict[str, list[Figure]]:
    """Return the figures in the report of a score table or comparison by the key of their chapter."""
    chapters = score_table_chapters(context_of(result))
    return {chapter.key: list(chapter.figures) for chapter in chapters if chapter.figures}
