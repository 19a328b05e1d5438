"""Small collections for the laws: rankings with ties and unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

Grade = float | None


@dataclass(frozen=True)
class Ranked:
    """One query: tie groups of grades in rank order, and judged grades that were not retrieved."""

    groups: tuple[tuple[Grade, ...], ...]
    missed: tuple[float, ...] = ()

    @property
    def ranking(self) -> list[Grade]:
        """The grades in rank order."""
        return [grade for group in self.groups for grade in group]

    @property
    def judged(self) -> list[float]:
        """All judged grades."""
        return [g for g in self.ranking if g is not None] + list(self.missed)

    def qrels(self) -> dict[str, int | float]:
        """Judgements by document."""
        found = {f"d{i:02d}": g for i, g in enumerate(self.ranking) if g is not None}
        return found | {f"m{i:02d}": g for i, g in enumerate(self.missed)}

    def run(self) -> dict[str, float]:
        """Scores by document; the documents of a group share theirs."""
        scores, i = {}, 0
        for place, group in enumerate(self.groups):
            for _ in group:
                scores[f"d{i:02d}"] = 100.0 - place
                i += 1
        return scores


def grades(*, fractional: bool = True, negative: bool = True) -> st.SearchStrategy[Grade]:
    """Grades that measures are defined for: 0 to 3, some halves, −1, unjudged."""
    choices: list[Grade] = [0, 0, 1, 1, 2, 3, None]
    choices += [0.5, 1.5] if fractional else []
    choices += [-1] if negative else []
    return st.sampled_from(choices)


def untied(largest: int = 12) -> st.SearchStrategy[Ranked]:
    """Rankings in which every document stands alone."""
    group = st.tuples(grades())
    missed = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, -1.0]), max_size=4).map(tuple)
    return st.builds(Ranked, st.lists(group, max_size=largest).map(tuple), missed)


def tied(largest: int = 3) -> st.SearchStrategy[Ranked]:
    """Rankings of one or two tie groups."""
    group = st.lists(grades(), min_size=1, max_size=largest).map(tuple)
    missed = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), max_size=3).map(tuple)
    return st.builds(Ranked, st.lists(group, min_size=1, max_size=2).map(tuple), missed)
