"""One query: two rankings side by side, their grades, texts and contributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tare._view.contributions import contributions, score_of, swapped_score
from tare._view.highlights import marked
from tare._view.index import ViewIndex
from tare._view.listing import Wish

__all__ = ["QueryComparison"]

SNIPPET = 300  # letters of a document in a ranking
FULL = 200_000  # letters of a document on its own page


@dataclass(frozen=True)
class QueryComparison:
    """A query and the rankings of two systems, as the page shows them."""

    index: ViewIndex
    wish: Wish
    place: int
    shown: int = 20

    def ranking(self, system: str) -> list[str]:
        """Return the documents of one system, best first."""
        return [name for name, _ in self.index.ranking(self.place, system)]

    def sides(self, text: str) -> list[dict[str, Any]]:
        """Return both rankings, each row with grade, contribution, other rank and text."""
        grades = self.index.grades(self.place)
        names = (self.wish.a, self.wish.b)
        ranked = [self.index.ranking(self.place, name) for name in names]
        ranks = [{document: k for k, (document, _) in enumerate(own, 1)} for own in ranked]
        made = []
        for side, (name, own) in enumerate(zip(names, ranked, strict=True)):
            documents = [document for document, _ in own]
            added = contributions(self.wish.measure, grades, documents)
            slope = self._slope(name)
            most = max([1e-12, *map(abs, added)])
            rows = [
                {
                    "rank": rank,
                    "document": document,
                    "score": score,
                    "other": ranks[1 - side].get(document),
                    "grade": _grade(grades, document),
                    "tone": _tone(grades, document),
                    "added": added[rank - 1],
                    "net": None if slope is None else added[rank - 1] * slope,
                    "width": round(100 * abs(added[rank - 1]) / most, 1),
                    "text": self._snippet(document, text),
                }
                for rank, (document, score) in enumerate(own[: self.shown], 1)
            ]
            value = self.index.column("gross", self.wish.measure, name)
            net = self.index.column("net", self.wish.measure, name)
            made.append(
                {
                    "name": name,
                    "rows": rows,
                    "total": len(own),
                    "gross": None if value is None else float(value[self.place]),
                    "net": None if net is None else float(net[self.place]),
                    "at_depth": score_of(self.wish.measure, grades, documents),
                }
            )
        return made

    def swap(self, system: str, first: int, second: int) -> dict[str, float] | None:
        """Return what swapping two ranks of a system changes; None if there are no such ranks."""
        documents = self.ranking(system)
        if not 1 <= first <= len(documents) or not 1 <= second <= len(documents):
            return None
        grades = self.index.grades(self.place)
        before, after = swapped_score(self.wish.measure, grades, documents, first, second)
        found = {"before": before, "after": after, "difference": after - before}
        slope = self._slope(system)
        return found if slope is None else found | {"net": (after - before) * slope}

    def missed(self) -> list[tuple[str, float]]:
        """Return relevant documents that neither ranking contains, best grade first."""
        seen = {*self.ranking(self.wish.a), *self.ranking(self.wish.b)}
        grades = self.index.grades(self.place)
        found = [(name, g) for name, g in grades.items() if g > 0 and name not in seen]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _slope(self, system: str) -> float | None:
        """Return the net score per unit of the score on this query, 1 / (ideal − tare)."""
        values = [self.index.column(k, self.wish.measure, system) for k in ("gross", "tare", "net")]
        if any(value is None for value in values):
            return None
        gross, tare, net = (float(value[self.place]) for value in values if value is not None)
        return net / (gross - tare) if abs(gross - tare) > 1e-9 else None

    def _snippet(self, document: str, query: str) -> dict[str, Any] | None:
        found = self.index.document(document)
        if found is None:
            return None
        return {"title": found.title, "html": marked(found.text, query, SNIPPET)}


def _grade(grades: dict[str, float], document: str) -> str:
    return f"{grades[document]:g}" if document in grades else ""


def _tone(grades: dict[str, float], document: str) -> str:
    """Return the class of a grade: unjudged, or from g0 to g4 by its share of the best grade."""
    if document not in grades:
        return "unjudged"
    best = max(1.0, *grades.values())
    grade = grades[document]
    return "g0" if grade <= 0 else f"g{max(1, min(4, round(4 * grade / best)))}"
