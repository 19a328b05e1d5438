"""What the chapters of a report share: the scores, the comparison, derived results, and the measures with their columns of chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tare._decide.compare import Comparison, compare
from tare._decide.families import Family
from tare._measures.aggregation import best_first
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._result import Row
from tare.chance._kinds_of_queries import Kinds
from tare.chance._runs_against_chance import Luck, luck_of
from tare.errors import MismatchError, OptionError, nearest

__all__ = [
    "ReportContext",
    "ReportedMeasure",
    "chance_of",
    "kinds_of_scores",
    "reported_measures",
]


# The measures that a report covers, each with the columns that describe chance.


WRAPPERS = {"E": "expected", "Ideal": "ideal", "Net": "net"}


@dataclass(frozen=True)
class ReportedMeasure:
    """A measure of a score table and, if present, the columns of its expected, ideal and net score."""

    name: str
    expected: str | None = None
    ideal: str | None = None
    net: str | None = None


def reported_measures(scores: Scores) -> tuple[ReportedMeasure, ...]:
    """Return the measures of a table, without the columns that describe chance of another one."""
    companions: dict[str, dict[str, str]] = {}
    names: list[str] = []
    for measure in scores.measures:
        inner = None if measure.inner is None else measure.inner.text
        field = WRAPPERS.get(measure.name) if inner in scores.measure_names else None
        if inner is not None and field is not None and field not in companions.get(inner, {}):
            companions.setdefault(inner, {})[field] = measure.text
        else:
            names.append(measure.text)
    return tuple(ReportedMeasure(name, **companions.get(name, {})) for name in names)


def chance_of(
    scores: Scores, reported: ReportedMeasure
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return score and expected value by system and query for a chapter, as shares of the ideal.

    Returns None without an expected value. Queries with an ideal of 0 are NaN, because every system
    scores the same on them.
    """
    if reported.expected is None:
        return None
    scored, expected = scores.matrix(reported.name), scores.matrix(reported.expected)
    if reported.ideal is None:
        return scored, expected
    ideal = scores.matrix(reported.ideal)
    ideal = np.where(ideal > 0, ideal, np.nan)
    return scored / ideal, expected / ideal


def kinds_of_scores(scores: Scores, reported: ReportedMeasure) -> Kinds | None:
    """Return the kinds of queries by one reported measure, or None without an expected value."""
    found = chance_of(scores, reported)
    if found is None:
        return None
    share, chance = found
    defined = ~np.isnan(share).any(axis=0) & ~np.isnan(chance).any(axis=0)
    kept = np.flatnonzero(defined)
    if len(kept) < 3:
        return None
    measure = next(m for m in scores.measures if m == reported.name)
    return Kinds(
        (measure,),
        tuple(scores.items[k] for k in kept),
        share[:, kept].mean(axis=0),
        chance[:, kept].mean(axis=0),
        max(1, round(0.1 * len(kept))),
        0.3,
        0.7,
        0.2,
        tuple(scores.items[k] for k in np.flatnonzero(~defined)),
    )


# The scores, the comparison and the derived results that the chapters share.


@dataclass(frozen=True, eq=False)
class ReportContext:
    """What the chapters share: a score table, its comparison, and results derived from them, each computed once."""

    scores: Scores
    comparison: Comparison | None
    people: tuple[str, ...] = ()  # systems that are human authors

    @classmethod
    def of(
        cls, scores: Scores, comparison: Comparison | None = None, people: Sequence[str] = ()
    ) -> ReportContext:
        """Return the context of the chapters on a score table; compare its systems if no comparison is given."""
        for name in people:
            if name not in scores.systems:
                raise OptionError(
                    f"{name!r} is not one of the systems.{nearest(name, scores.systems)}"
                )
        if comparison is None and len(scores.systems) > 1 and len(scores.items) > 1:
            names = [m.name for m in reported_measures(scores)]
            names += [m.net for m in reported_measures(scores) if m.net]
            try:
                comparison = compare(scores.select(measures=names), seed=scores.seed)
            except MismatchError:  # too few common items: report the scores without tests
                comparison = None
        return cls(scores, comparison, tuple(people))

    @cached_property
    def measures(self) -> tuple[ReportedMeasure, ...]:
        """The measures that the report covers."""
        return reported_measures(self.scores)

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """The mean score by system and measure."""
        return self.scores.means()

    @cached_property
    def kinds(self) -> Kinds | None:
        """The kinds of queries in a report, by the first measure with an expected value."""
        reported = self.chance_measure
        return None if reported is None else kinds_of_scores(self.scores, reported)

    @cached_property
    def chance_measure(self) -> ReportedMeasure | None:
        """The first measure with an expected value in the score table of a report."""
        return next((m for m in self.measures if m.expected is not None), None)

    @cached_property
    def luck(self) -> Luck | None:
        """The systems of a report against a random ranker, by the first measure with an expected value.

        None unless the rankings behind the scores are known and cover all queries.
        """
        source, reported = self.scores.rescoring, self.chance_measure
        if source is None or reported is None:
            return None
        if source.pools is None or source.pools.default is None:
            return None
        if source.pools.default.unlimited or len(source.rankings) != len(self.scores.systems):
            return None
        if len(self.scores.items) != len(source.rankings[0].items):
            return None  # the band is that of all queries
        if any(not judged.present.all() for judged in source.rankings):
            return None  # the score of a missing query is a policy, not chance
        return luck_of(list(source.rankings), (parse(reported.name),), source.pools)

    def family(self, measure: str) -> Family | None:
        """Return the reported comparison of systems by one measure, if there is one."""
        families = self.comparison.families if self.comparison else ()
        return next((f for f in families if f.measure == measure), None)

    def net_repeats(self, reported: ReportedMeasure) -> bool:
        """Return whether the tests of a net score in a report have the p-values of its measure.

        They do if the expected and the ideal score of a query are the same for all systems.
        """
        gross = self.family(reported.name)
        net = None if reported.net is None else self.family(reported.net)
        if gross is None or net is None or len(gross) != len(net):
            return False
        same = np.isclose(gross.adjusted, net.adjusted, rtol=1e-6, atol=1e-9, equal_nan=True)
        return bool(same.all() and (gross.significant == net.significant).all())

    def comparisons_of(self, system: str, measure: str) -> dict[str, Row]:
        """Return the reported comparisons of one system by the name of the other one."""
        family = self.family(measure)
        return {} if family is None else family.compared_with(system)

    def ranking(self, measure: str) -> list[str]:
        """Return the systems of a report sorted by mean, best first; systems without scores are last."""
        means = {system: self.means[system][measure] for system in self.scores.systems}
        return best_first(means, measure)

    def kind_by_query(self) -> dict[str, str]:
        """Return the kind of each query of a report; empty if the kinds are not known."""
        return {} if self.kinds is None else self.kinds.kind_by_query()
