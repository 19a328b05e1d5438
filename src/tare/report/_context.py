"""The scores, the comparison and the derived results that the chapters share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tare._decide.compare import Comparison, compare
from tare._decide.families import Family
from tare._measures.aggregation import better_end
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare.chance._kinds_of_queries import Kinds
from tare.chance._runs_against_chance import Luck, luck_of
from tare.errors import MismatchError, OptionError, nearest
from tare.report._reported_measures import ReportedMeasure, kinds_of_scores, reported_measures

__all__ = ["ReportContext"]


@dataclass(frozen=True, eq=False)
class ReportContext:
    """A score table, its comparison, and results derived from them, each computed once."""

    scores: Scores
    comparison: Comparison | None
    people: tuple[str, ...] = ()  # systems that are human authors

    @classmethod
    def of(
        cls, scores: Scores, comparison: Comparison | None = None, people: Sequence[str] = ()
    ) -> ReportContext:
        """Return the context of a score table; compare its systems if no comparison is given."""
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
        """The kinds of queries by the first measure with an expected value."""
        reported = self.chance_measure
        return None if reported is None else kinds_of_scores(self.scores, reported)

    @cached_property
    def chance_measure(self) -> ReportedMeasure | None:
        """The first measure with an expected value in the table."""
        return next((m for m in self.measures if m.expected is not None), None)

    @cached_property
    def luck(self) -> Luck | None:
        """The systems against a random ranker, by the first measure with an expected value.

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
        """Return the comparison by one measure, if there is one."""
        families = self.comparison.families if self.comparison else ()
        return next((f for f in families if f.measure == measure), None)

    def net_repeats(self, reported: ReportedMeasure) -> bool:
        """Return whether the tests of a net score have the p-values of its measure.

        They do if the expected and the ideal score of a query are the same for all systems.
        """
        gross = self.family(reported.name)
        net = None if reported.net is None else self.family(reported.net)
        if gross is None or net is None or len(gross) != len(net):
            return False
        same = np.isclose(gross.adjusted, net.adjusted, rtol=1e-6, atol=1e-9, equal_nan=True)
        return bool(same.all() and (gross.significant == net.significant).all())

    def comparisons_of(self, system: str, measure: str) -> dict[str, dict[str, Any]]:
        """Return the comparisons of one system by the name of the other one.

        Differences, intervals and effects are those of `system` minus the other. `better` is whether
        `system` is better on the items that both have.
        """
        family = self.family(measure)
        lower = better_end(measure) == "lower"
        found: dict[str, dict[str, Any]] = {}
        for row in () if family is None else family.rows():
            if system not in (row["system"], row["against"]):
                continue
            sign = 1 if row["system"] == system else -1
            low, high = sorted((sign * row["low"], sign * row["high"]))
            difference = sign * row["difference"]
            turned = {"difference": difference, "low": low, "high": high, "d_z": sign * row["d_z"]}
            other = row["against"] if sign == 1 else row["system"]
            found[other] = row | turned | {"better": difference < 0 if lower else difference > 0}
        return found

    def ranking(self, measure: str) -> list[str]:
        """Return the systems sorted by mean, best first; systems without scores are last."""
        means = self.means
        sign = 1 if better_end(measure) == "lower" else -1

        def key(system: str) -> tuple[bool, float, str]:
            mean = means[system][measure]
            return bool(np.isnan(mean)), 0.0 if np.isnan(mean) else sign * round(mean, 12), system

        return sorted(self.scores.systems, key=key)

    def kind_by_query(self) -> dict[str, str]:
        """Return the kind of each query; empty if the kinds are not known."""
        return {} if self.kinds is None else self.kinds.kind_by_query()
