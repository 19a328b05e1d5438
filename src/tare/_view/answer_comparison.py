"""One topic of answers: its nuggets, and what was assigned to the answers of two systems."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

from markupsafe import Markup

from tare._data.nuggets import Nugget
from tare._view.comparison import FULL
from tare._view.index import ViewIndex
from tare._view.listing import Wish
from tare._view.matches import marked_words
from tare._view.nugget_contributions import MAX_NUGGETS, nugget_contributions
from tare._view.stored_answers import StoredAnswer, answer_of, nuggets_of

__all__ = ["AnswerComparison"]

LABELS = {
    1.0: ("support", "g3"),
    0.5: ("partial", "g1"),
    0.0: ("no support", "g0"),
    None: ("not assigned", "unjudged"),
}


class AnswerComparison:
    """The answers of two systems to one topic, nugget by nugget, as the page shows them."""

    def __init__(self, index: ViewIndex, wish: Wish, place: int) -> None:
        self.index, self.wish, self.place = index, wish, place
        self.names = tuple(dict.fromkeys((wish.a, wish.b)))
        every = nuggets_of(index, place)
        self.nuggets, self.left_out = every[:MAX_NUGGETS], max(0, len(every) - MAX_NUGGETS)
        self.answers = {name: answer_of(index, place, name) for name in self.names}
        who = {w for answer in self.answers.values() if answer for w, _ in answer.credits}
        self.several = len(who) > 1
        files = index.inputs.answers
        assert files is not None
        policies = {"missing": "skip", "unassigned": files.unassigned, "refusals": files.refusals}
        self.added = {
            name: None
            if answer is None or self.left_out
            else nugget_contributions(wish.measure, self.nuggets, answer, policies)
            for name, answer in self.answers.items()
        }

    @property
    def adds(self) -> bool:
        """Whether it is known what each nugget adds to the scores of both systems."""
        return all(own is not None for own in self.added.values())

    @property
    def unequal(self) -> bool:
        """Whether a nugget with the same assignment adds more to one score than to the other."""
        return any(abs(row["difference"] or 0) > 1e-9 for row in self.rows if not row["differs"])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The nuggets, those first that make the largest difference."""
        made: list[dict[str, Any]] = []
        for k, nugget in enumerate(self.nuggets):
            means = [self._mean(answer, k) for answer in self.answers.values()]
            added = [None if own is None else own[k] for own in self.added.values()]
            known = [value for value in added if value is not None]
            both = len(means) == 2 and None not in means
            made.append(
                {
                    "id": nugget.id,
                    "text": nugget.text,
                    "named": nugget.id not in (nugget.text, f"{nugget.text} ({k + 1})"),
                    "importance": _importance(nugget),
                    "vital": nugget.vital,
                    "sides": [
                        self._side(name, k, own)
                        for name, own in zip(self.names, added, strict=True)
                    ],
                    "differs": len(means) == 2 and means[0] != means[1],
                    "ahead": None if not both else _sign(means),
                    "difference": known[0] - known[1] if len(known) == 2 else None,
                }
            )
        most = max([1e-12, *(abs(row["difference"] or 0) for row in made)])
        for row in made:
            share = (row["difference"] or 0) / most
            row["share"] = 0.0 if abs(share) < 1e-9 else share
        return sorted(made, key=lambda row: -abs(row["difference"] or 0))

    def groups(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """Return the nuggets with a title: those on which the two answers differ come first."""
        if len(self.names) == 1:
            return [("Nuggets", self.rows)]
        differ = [row for row in self.rows if row["differs"]]
        same = [row for row in self.rows if not row["differs"]]
        named = [
            ("Nuggets on which the two answers differ", differ),
            ("Nuggets with the same assignment", same),
        ]
        return [(title, own) for title, own in named if own]

    def ahead(self) -> list[dict[str, Any]]:
        """Return, for each system, on how many nuggets it is ahead of the other, and how many are vital."""
        signs = (1, -1)[: len(self.names)]
        found = [[row for row in self.rows if row["ahead"] == sign] for sign in signs]
        words = any(nugget.vital is not None for nugget in self.nuggets)
        return [
            {
                "name": name,
                "count": len(own),
                "vital": sum(row["vital"] for row in own) if words else None,
            }
            for name, own in zip(self.names, found, strict=True)
        ]

    def some_unassigned(self) -> bool:
        """Return whether a nugget was assigned for one answer, or for none."""
        return len(self.names) == 2 and any(row["ahead"] is None for row in self.rows)

    def cards(self) -> list[dict[str, Any]]:
        """Return both answers: scores, how many nuggets they support, and their text."""
        made = []
        for name, answer in self.answers.items():
            counts = Counter(self._mean(answer, k) for k in range(len(self.nuggets)))
            made.append(
                {
                    "name": name,
                    "gross": self._score("gross", self.wish.measure, name),
                    "net": self._score("net", self.wish.measure, name),
                    "missing": answer is None,
                    "refused": answer is not None and bool(answer.refused),
                    "words": None if answer is None else answer.words,
                    "counts": [] if answer is None or not answer.credits else _counted(counts),
                    "html": _prose(answer),
                }
            )
        return made

    def scores(self) -> list[dict[str, Any]]:
        """Return every measure with the scores of both systems on this topic."""
        made = []
        for measure in self.index.measures:
            values = [self._score("gross", measure, name) for name in self.names]
            known = [v for v in values if v is not None]
            difference = known[0] - known[1] if len(known) == 2 else None
            tare = self._score("tare", measure, self.names[0])
            made.append(
                {"measure": measure, "values": values, "tare": tare, "difference": difference}
            )
        return made

    def _score(self, kind: str, measure: str, system: str) -> float | None:
        column = self.index.column(kind, measure, system)
        return None if column is None else float(column[self.place])

    @staticmethod
    def _mean(answer: StoredAnswer | None, k: int) -> float | None:
        given = (
            [] if answer is None else [own[k] for _, own in answer.credits if own[k] is not None]
        )
        known = [credit for credit in given if credit is not None]
        return sum(known) / len(known) if known else None

    def _side(self, name: str, k: int, added: float | None) -> dict[str, Any]:
        """Return the labels of one nugget of one answer, with who gave each."""
        answer = self.answers[name]
        given: dict[float | None, list[str]] = {}
        for who, own in () if answer is None else answer.credits:
            given.setdefault(own[k], []).append(who or "(no name)")
        if answer is None or not answer.credits:
            given = {None: []}
        order = sorted(given, key=lambda credit: -1.0 if credit is None else credit, reverse=True)
        labels = [
            {
                "label": LABELS[credit][0],
                "tone": LABELS[credit][1],
                "who": ", ".join(given[credit]) if self.several else "",
            }
            for credit in order
        ]
        return {"name": name, "labels": labels, "added": added}


def _sign(means: list[float | None]) -> int:
    first, second = (value or 0.0 for value in means)
    return (first > second) - (first < second)


def _importance(nugget: Nugget) -> str:
    if nugget.vital is not None:
        return "vital" if nugget.vital else "okay"
    return "" if nugget.weight is None else f"weight {nugget.weight:g}"


def _counted(counts: Counter[float | None]) -> list[tuple[int, str]]:
    """Return how many nuggets have each label; means of several assigners are between labels."""
    between = sum(n for credit, n in counts.items() if credit not in LABELS)
    listed = [(counts[credit], label) for credit, (label, _) in LABELS.items() if counts[credit]]
    return [*listed, *([(between, "between two labels")] if between else [])]


def _prose(answer: StoredAnswer | None) -> Markup | None:
    if answer is None or answer.text is None:
        return None
    return marked_words(answer.text[:FULL], set())
