"""Findings first: the best systems and the tests behind that, what chance would score, the data."""

from __future__ import annotations

import math

from tare._measures.names import parse
from tare._measures.score_table import notes_of
from tare.chance._net import has_net
from tare.errors import MeasureError
from tare.report._blocks import Block, Chapter, Headline, Headlines, Prose
from tare.report._material import Material
from tare.report._subjects import Subject
from tare.stats._families import Family
from tare.stats._p_values import shown

__all__ = ["findings"]

NO_POOL = (
    "What chance would score is not shown, because what could have been ranked is not known. Give "
    "--pool judged if the systems order the judged documents, --corpus N if they search N documents, or "
    "--candidates FILE for a list per query (in Python: pool, corpus or candidates of evaluate)."
)


def findings(material: Material) -> Chapter:
    """The chapter that a hurried reader reads."""
    items: list[Headline] = []
    first = material.subjects[0]
    items += _leader(material, first)
    items += _chance(material)
    items += _kinds(material)
    items += _data(material)
    scores = material.scores
    lead = (
        f"{_count(len(scores.systems), 'system')}, {_count(len(scores.items), 'item')}, "
        f"{_count(len(material.subjects), 'measure')}; the first, {first.measure}, leads this report."
    )
    blocks: tuple[Block, ...] = (
        (Headlines(tuple(items)),) if items else (Prose("Nothing was found."),)
    )
    if material.by_chance is None and _could_have_chance(first.measure):
        blocks += (Prose(NO_POOL),)
    return Chapter("findings", "Findings", blocks, lead)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _could_have_chance(measure: str) -> bool:
    """Whether a column is a ranking measure that chance can be subtracted from."""
    try:
        parsed = parse(measure)
    except MeasureError:  # a column that somebody else named
        return False
    return parsed.definition.family != "text" and has_net(parsed)


def _leader(material: Material, subject: Subject) -> list[Headline]:
    """The system with the best mean, and whether the test bears out that it is the best."""
    ranking = material.ranking(subject.measure)
    best = ranking[0]
    mean = material.means[best][subject.measure]
    if math.isnan(mean):
        return []
    if len(ranking) == 1:
        return [Headline(f"{best} scores {mean:.3f} by {subject.measure}.")]
    family = material.family(subject.measure)
    rows = (
        {} if family is None else {frozenset((r["system"], r["against"])): r for r in family.rows()}
    )
    row = rows.get(frozenset((best, ranking[1])))
    highest = f"{best} has the best mean {subject.measure}, {mean:.3f}."
    if family is None or row is None:
        return [Headline(highest, "Whether it differs from the others was not tested.")]
    sign = 1 if row["system"] == best else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    effect = f"{sign * row['d_z']:.2f}".replace("-", "−")
    difference = (
        f"Its difference from {ranking[1]} is {_signed(sign * row['difference'])} "
        f"({100 * (1 - family.alpha):g} % interval {_signed(low)} to {_signed(high)}, "
        f"p = {shown(row['p_adjusted'])}, d_z = {effect})"
    )
    if row["significant"]:
        title = f"{best} is significantly better than every other system by {subject.measure}."
        if not _beats_all(family, best):
            title = f"{best} is significantly better than {ranking[1]} by {subject.measure}."
        return [Headline(title, f"It scores {mean:.3f}. {difference}.", "good")]
    tied = len(family.tied_with_best)
    others = ""
    if family.all_pairs and tied > 0:
        verb = "is" if tied == 1 else "are"
        others = f" {_count(tied, 'system')} {verb} not significantly different from it."
    return [Headline(highest, f"{difference}: consistent with chance.{others}", "note")]


def _beats_all(family: Family, best: str) -> bool:
    """Whether the best system differs significantly from each other one."""
    return family.all_pairs and not family.tied_with_best


def _signed(number: float) -> str:
    return f"{number:.3f}".replace("-", "−")


def _chance(material: Material) -> list[Headline]:
    """What a random ranking would score, and how far above it the best system gets."""
    subject = material.by_chance
    if subject is None or subject.expected is None:
        return []
    best = material.ranking(subject.measure)[0]
    tare = material.means[best][subject.expected]
    mean = material.means[best][subject.measure]
    if math.isnan(tare) or math.isnan(mean):
        return []
    title = f"A random ranking would score {tare:.3f} by {subject.measure} on these queries."
    if subject.net is None:
        return [Headline(title, f"{best} scores {mean:.3f}.")]
    net = material.means[best][subject.net]
    scores = material.scores
    low, high = scores.intervals()[
        scores.systems.index(best), scores.measure_names.index(subject.net)
    ]
    text = (
        f"{best} scores {mean:.3f}, which is {_signed(net)} net of chance (95 % interval "
        f"{_signed(low)} to {_signed(high)}): 0 is chance, 1 is the ideal ranking."
    )
    return [Headline(title, text)]


def _kinds(material: Material) -> list[Headline]:
    """On how many queries the systems are well above chance."""
    if material.kinds is None:
        return []
    kinds = material.kinds
    total, informative = len(kinds.items), len(kinds.informative)
    below = int((kinds.distance <= 0).sum())
    share = informative / total
    text = (
        f"On {informative:,} of {total:,} queries the mean score of the systems is above the expected "
        f"value by at least {kinds.margin:g} of the ideal"
    )
    text += f"; on {below:,} it is at or below it." if below else "."
    title = f"On {100 * share:.0f} % of the queries the systems are well above chance."
    return [Headline(title, text, "note" if share > 0.5 else "warning")]


def _data(material: Material) -> list[Headline]:
    """Findings about the data, those of one kind together."""
    told = [
        f for f in material.scores.findings if f.kind != "pool"
    ]  # the table of systems names it
    if material.comparison is not None:
        told += material.comparison.findings
    lines = notes_of(tuple(told))
    return [Headline("In the data", line.removeprefix("! "), "warning") for line in lines]
