"""One query of an index: two rankings side by side, what a swap changes, and preferences that they agree with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tare._data.preferences import Judgement, counted
from tare._web.view.index import ViewIndex
from tare._web.view.listing import Wish
from tare.report._rankings import Levels, RankedQuery, swapped_score

__all__ = ["FULL", "MAX_PAIRS", "JudgedPair", "PreferencePairs", "QueryComparison"]


# Judged preferences of one query, and which of them two rankings agree with or violate.


AGREES, VIOLATES, OPEN = "agrees", "violates", "says nothing"
TONES = {AGREES: "g3", VIOLATES: "against", OPEN: "unjudged"}
MAX_PAIRS = 1000  # of a group on one page
GROUPS = (
    "Preferences on which the two rankings differ",
    "Preferences that both rankings violate",
    "Preferences that both rankings agree with",
    "Ties, and preferences about which both rankings say nothing",
)


@dataclass
class JudgedPair:
    """A judged preference: two documents, after the same given ones, with the votes for each and the ties."""

    first: str
    second: str
    given: tuple[str, ...] = ()
    votes: dict[str, int] = field(default_factory=dict)
    ties: int = 0

    @property
    def preferred(self) -> str | None:
        """The document of a judged pair with more votes; None if both have as many."""
        one, two = self.votes.get(self.first, 0), self.votes.get(self.second, 0)
        return None if one == two else self.first if one > two else self.second

    @property
    def other(self) -> str:
        """The document that is not preferred."""
        return self.first if self.preferred == self.second else self.second

    def verdict(self, ranks: Mapping[str, int]) -> str:
        """Return whether a ranking agrees with the majority of a judged pair, violates it, or says nothing.

        A document that is not ranked is below all others. A preference after given documents counts if
        the ranking has all of them above both documents.
        """
        if self.preferred is None:
            return OPEN
        last = len(ranks) + 1
        best, worst = ranks.get(self.preferred, last), ranks.get(self.other, last)
        if best == worst or any(ranks.get(g, last) >= min(best, worst) for g in self.given):
            return OPEN
        return AGREES if best < worst else VIOLATES


class PreferencePairs:
    """The judged preferences of one query, held against the rankings of some systems."""

    def __init__(
        self, judgements: Sequence[Judgement], rankings: Mapping[str, Sequence[tuple[str, float]]]
    ) -> None:
        found: dict[tuple[frozenset[str], tuple[str, ...]], JudgedPair] = {}
        for j in judgements:
            given = tuple(sorted(j.given))
            key = (frozenset((j.left, j.right)), given)
            first, second = sorted((j.left, j.right))
            pair = found.setdefault(key, JudgedPair(first, second, given))
            if j.preferred is None:
                pair.ties += 1
            else:
                pair.votes[j.preferred] = pair.votes.get(j.preferred, 0) + 1
        self.pairs = list(found.values())
        self.ranks = {
            name: {document: k for k, (document, _) in enumerate(own, 1)}
            for name, own in rankings.items()
        }

    def counts(self) -> list[dict[str, Any]]:
        """Return for each system how many judged preferences its ranking agrees with and violates."""
        made = []
        for name, ranks in self.ranks.items():
            verdicts = [pair.verdict(ranks) for pair in self.pairs if pair.preferred is not None]
            made.append(
                {
                    "name": name,
                    "agrees": verdicts.count(AGREES),
                    "violates": verdicts.count(VIOLATES),
                    "all": len(verdicts),
                }
            )
        return made

    def remarks(self, name: str) -> dict[str, str]:
        """Return, for documents of a ranking, what is above them although they are preferred to it in a judged pair."""
        above: dict[str, list[int]] = {}
        ranks = self.ranks[name]
        for pair in self.pairs:
            if pair.preferred in ranks and pair.verdict(ranks) == VIOLATES:
                above.setdefault(pair.preferred, []).append(ranks[pair.other])
        return {
            document: f"preferred to {'rank' if len(own) == 1 else 'ranks'} {', '.join(map(str, sorted(set(own))))} above it"
            for document, own in above.items()
        }

    def groups(self, shown: int) -> list[dict[str, Any]]:
        """Return the first judged preferences of each group: those first on which the two rankings differ."""
        listed: list[list[dict[str, Any]]] = [[], [], [], []]
        for pair in self.pairs:
            verdicts = [pair.verdict(ranks) for ranks in self.ranks.values()]
            same = {VIOLATES: 1, AGREES: 2, OPEN: 3}[verdicts[0]]
            place = 0 if len(set(verdicts)) > 1 else same
            listed[place].append(self._row(pair, verdicts))
        for rows in listed:
            rows.sort(key=lambda row: (row["top"], row["preferred"], row["other"], row["given"]))
        return [
            {
                "title": title if len(self.ranks) > 1 else _single(title),
                "count": len(rows),
                "rows": rows[: min(shown, MAX_PAIRS)],
            }
            for title, rows in zip(GROUPS, listed, strict=True)
            if rows
        ]

    def _row(self, pair: JudgedPair, verdicts: Sequence[str]) -> dict[str, Any]:
        preferred = pair.preferred or pair.first
        other = pair.second if preferred == pair.first else pair.first
        sides = [
            {
                "name": name,
                "verdict": verdict if pair.preferred else "tie",
                "tone": TONES[verdict],
                "ranks": f"{ranks.get(preferred, '–')} and {ranks.get(other, '–')}",
            }
            for (name, ranks), verdict in zip(self.ranks.items(), verdicts, strict=True)
        ]
        known = [
            rank
            for ranks in self.ranks.values()
            for d in (preferred, other)
            if (rank := ranks.get(d))
        ]
        return {
            "preferred": preferred,
            "other": other,
            "tie": pair.preferred is None,
            "given": pair.given,
            "votes": (pair.votes.get(preferred, 0), pair.votes.get(other, 0), pair.ties),
            "sides": sides,
            "top": min(known, default=10**9),
        }


def _single(title: str) -> str:
    """Return the title of a group of preferences if there is only one ranking."""
    return (
        title.replace("both rankings violate", "the ranking violates")
        .replace("both rankings agree", "the ranking agrees")
        .replace("both rankings say", "the ranking says")
    )


# One query of an index: two rankings side by side, and what a swap changes.


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
        """The systems whose rankings are compared, the first one once if it is compared with itself."""
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
        """The judged preferences of the query, if the view is one of preferences."""
        if self.index.content != "preferences":
            return None
        return PreferencePairs(self._judgements, self.query.rankings)

    def sides(self) -> list[dict[str, Any]]:
        """Return both rankings of the query, each row with grade, contribution, other rank and text."""
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
        """Return relevant documents of the query that neither ranking contains, best grade first."""
        return self.query.missed()

    def _levels(self, system: str) -> Levels:
        values = [self.index.column(k, self.wish.measure, system) for k in ("gross", "tare", "net")]
        return Levels(*(None if value is None else float(value[self.place]) for value in values))
