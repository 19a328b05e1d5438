"""What the chapters about a score table are written from, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tare._measures.aggregation import better_end
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare.chance._kinds import Kinds
from tare.chance._luck import Luck, luck_of
from tare.errors import MismatchError, OptionError, nearest
from tare.report._chapters.studies.kinds import kind_of_each
from tare.report._subjects import Subject, kinds_of_scores, subjects
from tare.stats._comparison import Comparison, compare
from tare.stats._families import Family

__all__ = ["Material"]


@dataclass(frozen=True, eq=False)
class Material:
    """Scores, their comparison, and what follows from them."""

    scores: Scores
    comparison: Comparison | None
    people: tuple[str, ...] = ()  # systems that are human authors

    @classmethod
    def of(
        cls, scores: Scores, comparison: Comparison | None = None, people: Sequence[str] = ()
    ) -> Material:
        """The material of a score table; systems are compared unless that was done."""
        if comparison is None and len(scores.systems) > 1 and len(scores.items) > 1:
            names = [s.measure for s in subjects(scores)]
            names += [s.net for s in subjects(scores) if s.net]
            try:
                comparison = compare(scores.select(measures=names), seed=scores.seed)
            except MismatchError:  # too little in common: the scores are told without
                comparison = None
        for name in people:
            if name not in scores.systems:
                raise OptionError(
                    f"{name!r} is none of the systems.{nearest(name, scores.systems)}"
                )
        return cls(scores, comparison, tuple(people))

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """The measures that are told of."""
        return subjects(self.scores)

    @cached_property
    def means(self) -> dict[str, dict[str, float]]:
        """The mean of each system and measure."""
        return self.scores.means()

    @cached_property
    def kinds(self) -> Kinds | None:
        """The kinds of queries by the first measure whose chance is known."""
        subject = self.by_chance
        return None if subject is None else kinds_of_scores(self.scores, subject)

    @cached_property
    def by_chance(self) -> Subject | None:
        """The first measure whose expected value is in the table."""
        return next((s for s in self.subjects if s.expected is not None), None)

    @cached_property
    def luck(self) -> Luck | None:
        """The systems against a ranker without skill by the first measure with chance, if data are known."""
        behind, subject = self.scores.rescoring, self.by_chance
        if (
            behind is None
            or subject is None
            or behind.pools is None
            or behind.pools.default is None
        ):
            return None
        if behind.pools.default.unlimited or len(behind.rankings) != len(self.scores.systems):
            return None
        if len(self.scores.items) != len(behind.rankings[0].items):
            return None  # the band is that of all queries
        if any(not judged.present.all() for judged in behind.rankings):
            return None  # what a missing query counts is a policy, not chance
        return luck_of(list(behind.rankings), (parse(subject.measure),), behind.pools)

    def family(self, measure: str) -> Family | None:
        """The comparison by one measure, if there is one."""
        families = self.comparison.families if self.comparison else ()
        return next((f for f in families if f.measure == measure), None)

    def ranking(self, measure: str) -> list[str]:
        """The systems by their mean, best first; those without scores last."""
        means = self.means
        sign = 1 if better_end(measure) == "lower" else -1

        def place(system: str) -> tuple[bool, float, str]:
            mean = means[system][measure]
            return bool(np.isnan(mean)), 0.0 if np.isnan(mean) else sign * round(mean, 12), system

        return sorted(self.scores.systems, key=place)

    def kind_of(self) -> dict[str, str]:
        """Each query's kind, by the narrowest set that holds it."""
        return {} if self.kinds is None else kind_of_each(self.kinds)
