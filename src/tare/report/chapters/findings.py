"""Findings first: who leads, whether it is luck, what chance would score, what to mind in the data."""

from __future__ import annotations

import math

from tare.measures.score_table import notes_of
from tare.report.blocks import Chapter, Headline, Headlines, Prose
from tare.report.material import Material
from tare.report.subjects import Subject
from tare.stats.p_values import shown

__all__ = ["findings"]


def findings(material: Material) -> Chapter:
    """The chapter that a hurried reader reads."""
    items: list[Headline] = []
    first = material.subjects[0]
    items += _leader(material, first)
    items += _net(material)
    items += _chance(material)
    items += _kinds(material)
    items += _data(material)
    scores = material.scores
    lead = (
        f"{_count(len(scores.systems), 'system')}, {_count(len(scores.items), 'item')}, "
        f"{_count(len(material.subjects), 'measure')}; the first, {first.measure}, leads this report."
    )
    blocks = (Headlines(tuple(items)),) if items else (Prose("Nothing was found."),)
    return Chapter("findings", "Findings", blocks, lead)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _leader(material: Material, subject: Subject) -> list[Headline]:
    """The best system by a measure, and whether the next is worse by more than luck."""
    ranking = material.ranking(subject.measure)
    best = ranking[0]
    mean = material.means[best][subject.measure]
    if math.isnan(mean):
        return []
    if len(ranking) == 1:
        return [Headline(f"{best} scores {mean:.3f} by {subject.measure}.")]
    title = f"{best} leads by {subject.measure}, with {mean:.3f}."
    family = material.family(subject.measure)
    if family is None:
        return [Headline(title)]
    rows = {frozenset((r["system"], r["against"])): r for r in family.rows()}
    row = rows.get(frozenset((best, ranking[1])))
    if row is None:
        return [Headline(title)]
    gap = abs(row["difference"])
    sign = 1 if row["system"] == best else -1
    low, high = sorted((sign * row["low"], sign * row["high"]))
    next_ = (
        f"{gap:.3f} above {ranking[1]} ({100 * (1 - family.alpha):g} % interval "
        f"{_signed(low)} to {_signed(high)}, p = {shown(row['p_adjusted'])}, d_z = {abs(row['d_z']):.2f}): "
    )
    if row["significant"]:
        return [Headline(title, next_ + "more than luck explains.", "good")]
    tied = len(family.tied_with_best)
    others = f" {_count(tied, 'system')} cannot be told from it." if family.all_pairs else ""
    return [Headline(title, next_ + f"not more than luck could do.{others}", "note")]


def _signed(number: float) -> str:
    return f"{number:.3f}".replace("-", "−")


def _net(material: Material) -> list[Headline]:
    """Where the score net of chance names another winner, or another order."""
    found = []
    for subject in material.subjects:
        if subject.net is None or len(material.scores.systems) < 2:
            continue
        raw, net = material.ranking(subject.measure), material.ranking(subject.net)
        if raw[0] != net[0]:
            found.append(
                Headline(
                    f"Net of chance, {net[0]} leads, not {raw[0]}.",
                    f"By {subject.net} it scores {material.means[net[0]][subject.net]:.3f} against "
                    f"{material.means[raw[0]][subject.net]:.3f}. The two differ in where they earn "
                    "their points: see the chapter on chance.",
                    "warning",
                )
            )
        elif raw != net and not found:
            moved = sum(a != b for a, b in zip(raw, net, strict=True))
            found.append(
                Headline(
                    f"Net of chance, the order of {_count(moved, 'system')} changes.",
                    f"{raw[0]} leads by {subject.measure} and by {subject.net}.",
                )
            )
    return found[:2]


def _chance(material: Material) -> list[Headline]:
    subject = material.by_chance
    if subject is None or subject.expected is None:
        return []
    best = material.ranking(subject.measure)[0]
    luck = material.means[best][subject.expected]
    mean = material.means[best][subject.measure]
    if math.isnan(luck) or not mean:
        return []
    text = f"That is {100 * luck / mean:.0f} % of what {best} scores." if luck < mean else f"{best} scores no more than that."  # fmt: skip
    return [Headline(f"A random ranking would score {luck:.3f} by {subject.measure}.", text)]


def _kinds(material: Material) -> list[Headline]:
    if material.kinds is None:
        return []
    total = len(material.kinds.items)
    below = int((material.kinds.distance <= 0).sum())
    informative = len(material.kinds.informative)
    text = f"On {informative:,} of {total:,} queries the systems stand well above chance"
    text += f"; on {below:,} they do no better than a random order." if below else "."
    share = informative / total
    return [Headline(f"{100 * share:.0f} % of the queries tell systems from chance.", text, "note" if share > 0.5 else "warning")]  # fmt: skip


def _data(material: Material) -> list[Headline]:
    """What was met in the data, those of one kind together."""
    told = [*material.scores.findings]
    if material.comparison is not None:
        told += material.comparison.findings
    lines = notes_of(tuple(told))
    return [Headline("In the data", line.removeprefix("! "), "warning") for line in lines]
