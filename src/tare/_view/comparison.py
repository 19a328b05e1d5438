"""One query of an index: two rankings side by side, and what a swap changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tare._data.preferences import Judgement, counted
from tare._view.index import ViewIndex
from tare._view.listing import Wish
from tare._view.preference_pairs import PreferencePairs
from tare.report._rankings import Levels, RankedQuery, swapped_score

__all__ = ["FULL", "QueryComparison"]

FULL = 200_000  # letters of a document on its own page


@dataclass(frozen=True)
class QueryComparison:
    """A query and the rankings of two systems, as the page shows them."""

    index: ViewIndex
    wish: Wish
    place: int
    text: str = ""
    shown: int = 20

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, the first one once if it is compared with itself."""
        return tuple(dict.fromkeys((self.wish.a, self.wish.b)))

    @cached_property
    def query(self) -> RankedQuery:
        """The query with the rankings of both systems."""
        rankings = {name: self.index.ranking(self.place, name) for name in self.names}
        if self.index.content != "preferences":
            return RankedQuery(self.text, self.index.judged(self.place), rankings)
        utilities = counted(self._judgements)
        shares = zip(utilities.documents, utilities.estimated.tolist(), strict=True)
        grades = {name: round(share, 2) for name, share in shares if share == share}
        return RankedQuery(self.text, grades, rankings, utilities)

    @cached_property
    def _judgements(self) -> list[Judgement]:
        rows = self.index.judged(self.place)
        return [Judgement("", a, b, winner, who, tuple(given)) for a, b, winner, who, given in rows]

    @cached_property
    def pairs(self) -> PreferencePairs | None:
        """The judged preferences, if the view is one of preferences."""
        if self.index.content != "preferences":
            return None
        return PreferencePairs(self._judgements, self.query.rankings)

    def sides(self) -> list[dict[str, Any]]:
        """Return both rankings, each row with grade, contribution, other rank and text."""
        levels = {name: self._levels(name) for name in self.names}
        sides = self.query.sides(self.wish.measure, levels, self.index.document, self.shown)
        for side in sides:
            remarks = {} if self.pairs is None else self.pairs.remarks(side["name"])
            for row in side["rows"]:
                row["remark"] = remarks.get(row["document"], "")
        return sides

    def swap(self, system: str, first: int, second: int) -> dict[str, float] | None:
        """Return what swapping two ranks of a system changes; None if there are no such ranks."""
        documents = [name for name, _ in self.query.rankings[system]]
        if not 1 <= first <= len(documents) or not 1 <= second <= len(documents):
            return None
        before, after = swapped_score(
            self.wish.measure, self.query.judged, documents, first, second
        )
        found = {"before": before, "after": after, "difference": after - before}
        slope = self._levels(system).slope
        return found if slope is None else found | {"net": (after - before) * slope}

    def missed(self) -> list[tuple[str, float]]:
        """Return relevant documents that neither ranking contains, best grade first."""
        return self.query.missed()

    def _levels(self, system: str) -> Levels:
        values = [self.index.column(k, self.wish.measure, system) for k in ("gross", "tare", "net")]
        return Levels(*(None if value is None else float(value[self.place]) for value in values))
