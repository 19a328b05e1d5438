"""One topic of answers: its nuggets, what was assigned to the answers of two systems, and what each nugget adds."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tare._choices import Missing
from tare._data.answers import Answers, Credits, answer_texts, read_answers, topic_texts
from tare._data.nuggets import AnswerKey, Nugget
from tare._measures.answers import Refusals, Unassigned, evaluate_answers
from tare._measures.names import parse
from tare._measures.scores import Scores
from tare._web.view.index import ViewIndex
from tare._web.view.listing import Wish
from tare._web.view.rankings import FULL
from tare._web.view.texts import marked_words
from tare.chance._net_measures import completed
from tare.errors import MismatchError

__all__ = [
    "MAX_NUGGETS",
    "AnswerComparison",
    "AnswerFiles",
    "StoredAnswer",
    "answer_of",
    "fill_answers",
    "nugget_contributions",
    "nuggets_of",
]


# The files of a view of answers: assignments, lists of nuggets, texts, and how they are scored.


@dataclass(frozen=True)
class AnswerFiles:
    """The files of answers in a view: what `tare.read_answers` reads, and what `tare.evaluate_answers` does with missing parts."""

    assignments: tuple[Path, ...]
    nuggets: tuple[Path, ...] = ()
    elsewhere: tuple[Path, ...] = ()
    texts: tuple[Path, ...] = ()
    assigner: str | None = None
    columns: tuple[tuple[str, str | None], ...] = ()
    missing: Missing = "skip"
    unassigned: Unassigned = "error"
    refusals: Refusals = "score"

    @property
    def files(self) -> tuple[Path, ...]:
        """All files, the assignments first."""
        return (*self.assignments, *self.nuggets, *self.elsewhere, *self.texts)

    def options(self) -> list[tuple[str, str]]:
        """Return the settings of the answers of a view that change the scores, and how many files of each part there are."""
        counts = [len(self.assignments), len(self.nuggets), len(self.elsewhere)]
        given = [("parts", counts), ("assigner", self.assigner), ("columns", self.columns)]
        given += [("missing", self.missing), ("unassigned", self.unassigned)]
        return [(name, str(value)) for name, value in [*given, ("refusals", self.refusals)]]

    def read(self) -> Answers:
        """Read the answers."""
        return read_answers(
            _source(self.assignments),
            nuggets=_source(self.nuggets),
            elsewhere=_source(self.elsewhere),
            texts=_source(self.texts),
            assigner=self.assigner,
            columns=dict(self.columns),
        )

    def scores(self, measures: Sequence[str] | None = None) -> Scores:
        """Score the answers of a view; with answers to other topics, also by chance."""
        policies: dict[str, Any] = {
            "missing": self.missing,
            "unassigned": self.unassigned,
            "refusals": self.refusals,
        }
        return completed(evaluate_answers(self.read(), measures, **policies))

    def answer_texts(self) -> dict[tuple[str, str], str]:
        """Return the text of each answer in a view by system and topic, if it is known."""
        return answer_texts(
            _source(self.texts), _source(self.assignments), columns=dict(self.columns)
        )

    def topic_texts(self) -> dict[str, str]:
        """Return the question of each topic of answers, if it is known."""
        return topic_texts(
            _source(self.assignments), _source(self.nuggets), columns=dict(self.columns)
        )


def _source(files: tuple[Path, ...]) -> Any:
    """Return no file, one file, or several."""
    return None if not files else files[0] if len(files) == 1 else list(files)


# Answers in the index: the nuggets of each topic, and what was assigned to each answer.


CreditRows = tuple[tuple[str, tuple[float | None, ...]], ...]


@dataclass(frozen=True)
class StoredAnswer:
    """One stored answer of a system to a topic: for each assigner the credit of each nugget, and what is known of its text."""

    credits: CreditRows
    text: str | None = None
    words: int | None = None
    refused: bool | None = None


def fill_answers(
    base: sqlite3.Connection, files: AnswerFiles, systems: Sequence[str], place: dict[str, int]
) -> list[tuple[str, Any]]:
    """Store the answer of every system to every topic; return each topic with its nuggets."""
    answers = files.read()
    texts = files.answer_texts()
    credits: dict[tuple[str, str], list[tuple[str, dict[str, float | None]]]] = {}
    for key, own in answers.credits.items():
        credits.setdefault((key.system, key.item), []).append((key.assigner, own))
    for s, system in enumerate(systems):
        for item, k in place.items():
            body = _answer(answers, (system, item), credits.get((system, item), []), texts)
            if body is not None:
                packed = zlib.compress(json.dumps(body).encode(), 1)
                row = (s * len(place) + k, packed)
                base.execute("INSERT INTO rankings VALUES (?, ?)", row)
    return [
        (item, [[n.id, n.text, n.vital, n.weight] for n in answers.nuggets.get(item, ())])
        for item in place
    ]


def _answer(
    answers: Answers,
    pair: tuple[str, str],
    credits: list[tuple[str, dict[str, float | None]]],
    texts: dict[tuple[str, str], str],
) -> dict[str, Any] | None:
    nuggets = answers.nuggets.get(pair[1], ())
    made = {
        "credits": [[who, [own.get(n.id) for n in nuggets]] for who, own in credits],
        "text": texts.get(pair),
        "words": answers.words.get(pair),
        "refused": answers.refused.get(pair),
    }
    return (
        made if credits or any(made[k] is not None for k in ("text", "words", "refused")) else None
    )


def nuggets_of(index: ViewIndex, place: int) -> tuple[Nugget, ...]:
    """Return the nuggets of one topic."""
    return tuple(Nugget(*row) for row in index.judged(place))


def answer_of(index: ViewIndex, place: int, system: str) -> StoredAnswer | None:
    """Return the answer of one system to one topic, or None."""
    body = index.texts(place, system)
    if body is None:
        return None
    credits = tuple((who, tuple(own)) for who, own in body["credits"])
    return StoredAnswer(credits, body["text"], body["words"], body["refused"])


# What each nugget adds to the score of an answer.


MAX_NUGGETS = 500
TOPIC = "topic"


def nugget_contributions(
    measure: str, nuggets: Sequence[Nugget], answer: StoredAnswer, policies: dict[str, Any]
) -> list[float] | None:
    """Return, for each nugget, what the score would lose if the answer did not support it.

    These add up to the score. None if the measure is not one of nuggets.
    """
    chosen = parse(measure)
    if chosen.inner is not None or chosen.definition.needs != "nuggets" or not answer.credits:
        return None
    if not nuggets or len(nuggets) > MAX_NUGGETS:
        return None
    credits: Credits = {}
    for k in range(len(nuggets) + 1):  # the last one loses nothing
        for who, own in answer.credits:
            kept = {n.id: own[i] for i, n in enumerate(nuggets)}
            if k < len(nuggets) and own[k] is not None:
                kept[nuggets[k].id] = 0.0
            credits[AnswerKey(str(k), TOPIC, who, TOPIC)] = kept
    names = [(str(k), TOPIC) for k in range(len(nuggets) + 1)]
    given = Answers(
        "answers",
        {TOPIC: tuple(nuggets)},
        credits,
        words={} if answer.words is None else dict.fromkeys(names, answer.words),
        refused={} if answer.refused is None else dict.fromkeys(names, answer.refused),
    )
    try:
        found = evaluate_answers(given, chosen, **policies)
    except MismatchError:  # such as a length that is not known
        return None
    values = dict(zip(found.systems, found.matrix()[:, 0].tolist(), strict=True))
    whole = values[str(len(nuggets))]
    added = [whole - values[str(k)] for k in range(len(nuggets))]
    return None if whole != whole else added


# One topic of answers: its nuggets, and what was assigned to the answers of two systems.


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
        """Whether it is known what each nugget adds to the scores of both answers."""
        return all(own is not None for own in self.added.values())

    @property
    def unequal(self) -> bool:
        """Whether a nugget with the same assignment adds more to the score of one answer than to the other."""
        return any(abs(row["difference"] or 0) > 1e-9 for row in self.rows if not row["differs"])

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The nuggets of a topic of answers, those first that make the largest difference between the two answers."""
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
        """Return every measure with the scores of both answers to this topic."""
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
