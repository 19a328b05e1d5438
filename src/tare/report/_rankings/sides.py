"""The rankings of one query side by side: grades, contributions, ranks elsewhere and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tare._data.passages import Passage
from tare._data.preferences import QueryUtilities
from tare.report._rankings.contributions import QueryJudgements, contributions, score_of
from tare.report._rankings.highlights import marked

__all__ = ["Levels", "RankedQuery"]

SNIPPET = 300  # letters of a document in a ranking
Ranking = Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Levels:
    """The score of a system on one query, next to its expected value and net score if known."""

    gross: float | None
    tare: float | None = None
    net: float | None = None

    @property
    def slope(self) -> float | None:
        """The net score per unit of the score on this query, 1 / (ideal − tare)."""
        if self.gross is None or self.tare is None or self.net is None:
            return None
        distance = self.gross - self.tare
        return self.net / distance if abs(distance) > 1e-9 else None


@dataclass(frozen=True)
class RankedQuery:
    """A query and what some systems ranked for it, best documents first.

    With preferences, `grades` are the shares of comparisons that each document won, which are shown, and
    `utilities` are what the measure is computed from.
    """

    text: str
    grades: Mapping[str, float]
    rankings: Mapping[str, Ranking]
    utilities: QueryUtilities | None = None

    @property
    def judged(self) -> QueryJudgements:
        """What the measure is computed from."""
        return self.grades if self.utilities is None else self.utilities

    def sides(
        self,
        measure: str,
        levels: Mapping[str, Levels],
        passage: Callable[[str], Passage | None],
        shown: int,
    ) -> list[dict[str, Any]]:
        """Return the first `shown` documents of each system as rows, with what each one adds."""
        ranks = {
            name: {document: k for k, (document, _) in enumerate(own, 1)}
            for name, own in self.rankings.items()
        }
        documents_of = {
            name: [document for document, _ in own] for name, own in self.rankings.items()
        }
        added_by = {
            name: contributions(measure, self.judged, own) for name, own in documents_of.items()
        }
        # The bars of both systems have one scale: they are compared with each other.
        most = max([1e-12, *(abs(value) for own in added_by.values() for value in own)])
        made = []
        for name, own in self.rankings.items():
            documents, added, slope = documents_of[name], added_by[name], levels[name].slope
            others = next((ranks[other] for other in ranks if other != name), None)
            rows = [
                {
                    "rank": rank,
                    "document": document,
                    "score": score,
                    "alone": others is None,
                    "other": None if others is None else others.get(document),
                    "grade": f"{self.grades[document]:g}" if document in self.grades else "",
                    "means": "grade" if self.utilities is None else "share of wins",
                    "tone": self._tone(document),
                    "added": added[rank - 1],
                    "net": None if slope is None else added[rank - 1] * slope,
                    "width": round(100 * abs(added[rank - 1]) / most, 1),
                    "text": self._snippet(passage(document)),
                }
                for rank, (document, score) in enumerate(own[:shown], 1)
            ]
            made.append(
                {
                    "name": name,
                    "rows": rows,
                    "total": len(own),
                    "gross": levels[name].gross,
                    "net": levels[name].net,
                    "at_depth": score_of(measure, self.judged, documents),
                }
            )
        return made

    def missed(self) -> list[tuple[str, float]]:
        """Return relevant documents that no ranking contains, best grade first."""
        seen = {document for own in self.rankings.values() for document, _ in own}
        found = [(name, g) for name, g in self.grades.items() if g > 0 and name not in seen]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _tone(self, document: str) -> str:
        """Return the class of a grade: unjudged, or g0 to g4 by its share of the best grade."""
        if document not in self.grades:
            return "unjudged"
        best = max(1.0, *self.grades.values())
        grade = self.grades[document]
        return "g0" if grade <= 0 else f"g{max(1, min(4, round(4 * grade / best)))}"

    def _snippet(self, passage: Passage | None) -> dict[str, Any] | None:
        if passage is None:
            return None
        return {"title": passage.title, "html": marked(passage.text, self.text, SNIPPET)}
