"""Assignments: whether an answer supports each nugget of a topic, by one assigner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tare._data.answers.fields import Field, cell, credit_of, flag_of, id_of, is_missing
from tare._data.answers.nuggets import NuggetLists, nugget_of
from tare._data.answers.records import Record, list_cell
from tare.errors import raise_all

__all__ = ["AnswerFacts", "AnswerKey", "Assignments", "answer_of", "read_facts", "text_of"]


class AnswerKey(NamedTuple):
    """Who answered, the topic of the nuggets, who assigned, and the topic the answer is about.

    `about` equals `item`, except for answers to other topics, from which chance is known.
    """

    system: str
    item: str
    assigner: str = ""
    about: str = ""


@dataclass
class AnswerFacts:
    """The number of words of each answer and whether it is a refusal, by (system, item)."""

    words: dict[tuple[str, str], int] = field(default_factory=dict)
    refused: dict[tuple[str, str], bool] = field(default_factory=dict)
    known: dict[tuple[str, str], None] = field(default_factory=dict)


@dataclass
class Assignments:
    """Credits by answer and nugget; None where nothing was assigned."""

    lists: NuggetLists
    credits: dict[AnswerKey, dict[str, float | None]] = field(default_factory=dict)
    facts: AnswerFacts = field(default_factory=AnswerFacts)

    def add(self, records: Iterable[Record], fields: Field, *, elsewhere: bool) -> None:
        """Add rows; `elsewhere` are answers to other topics than that of their nuggets."""
        problems: list[str] = []
        for where, row in records:
            try:
                self._add_row(row, fields, elsewhere)
            except ValueError as error:
                problems.append(f"{where}: {error}.")
        raise_all(problems)

    def _add_row(self, row: Mapping[str, Any], fields: Field, elsewhere: bool) -> None:
        system, item = answer_of(row, fields)
        who = cell(row, fields, "assigner")
        assigner = "" if is_missing(who) else id_of(who, "assigner")
        target = cell(row, fields, "answer_to")
        about = (
            id_of(target, "topic of the answer")
            if not is_missing(target)
            else ("" if elsewhere else item)
        )
        if elsewhere and about == item:
            raise ValueError(
                f"this answer is to topic {item!r} itself; chance is known from answers to other topics"
            )
        key = AnswerKey(system, item, assigner, about)
        if about == item:
            add_facts(self.facts, row, fields, system, item)
            add_answerable(self.lists.answerable, row, fields, item)
        nested = cell(row, fields, "nuggets")
        if nested is None:
            if is_missing(cell(row, fields, "nugget")):
                raise ValueError(
                    f"the answer of {system!r} to topic {item!r} has no assignments: expected a list of "
                    "nuggets, or columns nugget and assignment"
                )
            self._assign(key, [row], fields)
            return
        rows = list(list_cell(nested, "nuggets"))
        refused = self.facts.refused.get((system, item), False)
        given = [credit_of(cell(one, fields, "assignment")) for one in rows]
        if rows and not refused and all(credit is None for credit in given):
            raise ValueError(
                f"the answer of {system!r} to topic {item!r} has no assignments. Each nugget has an "
                "assignment: support, partial_support or not_support"
            )
        if key in self.credits:
            raise ValueError(
                f"a second answer of {system!r} to topic {item!r}; a system has one answer per topic. "
                f"{_remedy(key)}"
            )
        self._assign(key, rows, fields)

    def _assign(self, key: AnswerKey, rows: list[Mapping[str, Any]], fields: Field) -> None:
        own = self.credits.setdefault(key, {})
        nested = len(rows) > 1
        for number, row in enumerate(rows, 1):
            nugget = nugget_of(row, fields, number, own if nested else ())
            credit = credit_of(cell(row, fields, "assignment"))
            self.lists.add(key.item, nugget)
            if own.get(nugget.id, credit) != credit:
                raise ValueError(
                    f"nugget {nugget.id!r:.80} of topic {key.item!r} has two assignments for the answer of "
                    f"{key.system!r}. {_remedy(key)}"
                )
            own[nugget.id] = credit


def answer_of(row: Mapping[str, Any], fields: Field) -> tuple[str, str]:
    """Return the system and the topic of a row; a row without a system is that of "system"."""
    item = id_of(cell(row, fields, "item"), "topic (such as qid)")
    given = cell(row, fields, "system")
    return "system" if is_missing(given) else id_of(given, "system"), item


def _remedy(key: AnswerKey) -> str:
    """Return what to do about two assignments of one answer."""
    if not key.about:
        return "Name the topic that each answer is about (answer_to)"
    return "Name the assigners if two assigned the same answer, or keep one of the two"


def add_facts(
    facts: AnswerFacts, row: Mapping[str, Any], fields: Field, system: str, item: str
) -> None:
    """Add the length of an answer and whether it is a refusal, if the row has them."""
    key = (system, item)
    refused = flag_of(cell(row, fields, "refused"), "refused")
    if refused is not None:
        if facts.refused.get(key, refused) != refused:
            raise ValueError(f"the answer of {system!r} to topic {item!r} is and is not a refusal")
        facts.refused[key] = refused
    words = _words(row, fields)
    if words is not None:
        if facts.words.get(key, words) != words:
            raise ValueError(
                f"the answer of {system!r} to topic {item!r} has {words:,} words, and "
                f"{facts.words[key]:,} elsewhere"
            )
        facts.words[key] = words


def add_answerable(
    answerable: dict[str, bool], row: Mapping[str, Any], fields: Field, item: str
) -> None:
    """Add whether a topic has an answer, if the row says so."""
    known = flag_of(cell(row, fields, "answerable"), "answerable")
    if known is not None and answerable.setdefault(item, known) != known:
        raise ValueError(f"topic {item!r} is and is not answerable")


def _words(row: Mapping[str, Any], fields: Field) -> int | None:
    given = cell(row, fields, "words")
    if not is_missing(given):
        try:
            count = float(str(given))
        except ValueError:
            count = -1.0
        if not 0 <= count < 1e12 or count != int(count):
            raise ValueError(f"the number of words {given!r:.60} is not a whole number")
        return int(count)
    text = text_of(row, fields)
    return None if text is None else len(text.split())


def text_of(row: Mapping[str, Any], fields: Field) -> str | None:
    """Return the text of an answer, if the row has it; sentences are joined by spaces."""
    if not is_missing(cell(row, fields, "nugget")):
        return None  # the text of such a row is that of its nugget
    text = cell(row, fields, "text")
    if isinstance(text, list | tuple):
        parts = [part.get("text", "") if isinstance(part, Mapping) else part for part in text]
        text = " ".join(str(part) for part in parts)
    return text if isinstance(text, str) else None


def read_facts(
    records: Iterable[Record], fields: Field, facts: AnswerFacts, answerable: dict[str, bool]
) -> None:
    """Read texts of answers, their lengths and refusals: one row per system and topic."""
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for where, row in records:
        try:
            system, item = answer_of(row, fields)
            if (system, item) in seen:
                raise ValueError(f"a second answer of {system!r} to topic {item!r}")
            seen.add((system, item))
            facts.known[system, item] = None
            add_facts(facts, row, fields, system, item)
            add_answerable(answerable, row, fields, item)
        except ValueError as error:
            problems.append(f"{where}: {error}.")
    raise_all(problems)
