"""Nuggets: the facts that answers to a topic should hold, with their importance, and whether an answer supports each."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from tare._data import tables
from tare._data.columns import COLUMNS
from tare._data.findings import Frame
from tare._data.table_files import TableFile, table_in
from tare._data.tables import is_blank, is_frame, is_missing, to_polars
from tare._files.opening import STDIN, PathLike, name_of
from tare._plain_text import LONE_SURROGATE, has_lone_surrogate
from tare.errors import FormatError, OptionError, nearest, raise_all

__all__ = [
    "FIELDS",
    "AnswerFacts",
    "AnswerKey",
    "AnswerSource",
    "Assignments",
    "Field",
    "Nugget",
    "NuggetLists",
    "Record",
    "answer_of",
    "cell",
    "chosen_fields",
    "credit_of",
    "flag_of",
    "id_of",
    "importance_of",
    "list_cell",
    "nugget_of",
    "read_facts",
    "records_of",
    "refuse_mixed_importance",
    "text_of",
]


# Names of fields in files about answers, and the values of importance, assignment and support.


Field = Mapping[str, Sequence[str]]
FIELDS: dict[str, tuple[str, ...]] = {
    "item": ("item", "qid", "topic_id", "query_id", "turn", "turn_id", "item_id", "topic", "query"),
    "system": ("system", "run_id", "run", "system_id", "runid", "run_tag", "tag"),
    "nugget": ("nugget", "nugget_id", "scu", "unit", "criterion_id", "id"),
    "nuggets": ("nuggets", "scus", "content_units", "rubrics"),
    "nugget_text": ("nugget_text", "text", "label", "criterion"),
    "importance": ("importance", "weight"),
    "assignment": ("assignment", "matched", "present", "assigned"),
    "assigner": COLUMNS["assessor"],
    "answer_to": ("answer_to", "answer_topic", "answer_item", "written_for"),
    "statement": ("statement", "statement_id", "sentence", "sentence_id"),
    "statements": ("statements", "answer", "sentences"),
    "citation": ("citation", "citation_id", "cited", "document", "docid", "doc_id", "passage"),
    "citations": ("citations",),
    "support": ("support", "supported", "assignment"),
    "text": ("text", "answer_text", "response", "answer", "output"),
    "words": ("words", "response_length", "length"),
    "refused": ("refused", "refusal", "abstained", "is_refusal"),
    "answerable": ("answerable", "is_answerable"),
}
FULL = ("support", "supported", "full_support", "full", "fs", "yes", "y", "true", "present", "1")
PARTIAL = ("partial_support", "partially_supported", "partial", "ps", "0.5")
NOT = (
    "not_support",
    "not_supported",
    "no_support",
    "none",
    "not",
    "ns",
    "no",
    "n",
    "false",
    "absent",
    "not_present",
    "0",
)
CREDITS = {
    **dict.fromkeys(FULL, 1.0),
    **dict.fromkeys(PARTIAL, 0.5),
    **dict.fromkeys(NOT, 0.0),
}
FAILED = ("failed", "")  # what nuggetizer writes where the model gave no answer
VITAL, OKAY = ("vital",), ("okay", "ok")
YES, NO = ("true", "yes", "y", "1", "1.0"), ("false", "no", "n", "0", "0.0", "")


def chosen_fields(chosen: Mapping[str, str | None]) -> Field:
    """Return the names of the fields of nuggets and answers, with those that the caller chose instead of the usual ones."""
    for part in chosen:
        if part not in FIELDS:
            known = ", ".join(sorted(FIELDS))
            raise OptionError(
                f"there is no field {part!r}. Fields: {known}.{nearest(part, FIELDS)}"
            )
    return {
        part: (column.strip().lower(),) if (column := chosen.get(part)) is not None else names
        for part, names in FIELDS.items()
    }


def cell(row: Mapping[str, Any], fields: Field, part: str) -> Any:
    """Return the cell of one part of a nugget or an answer, or None if the row has no such field."""
    for name in fields[part]:
        if name in row:
            return row[name]
    return None


def id_of(value: object, what: str) -> str:
    """Return the id of a topic, system, nugget or citation as text; an object such as {"qid": …} is named by its id."""
    if isinstance(value, Mapping):
        value = next((value[k] for k in ("id", "qid", "query_id") if k in value), None)
    if is_blank(value) or isinstance(value, Mapping | list | tuple):
        raise ValueError(f"no {what} found")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # ids of a column of numbers with gaps
    return str(value).strip()


def credit_of(value: object) -> float | None:
    """Return the credit that an assignment gives a nugget: 1, ½ or 0; None if there is none or if it failed.

    >>> credit_of("support"), credit_of("Partial support"), credit_of(0), credit_of("failed")
    (1.0, 0.5, 0.0, None)
    """
    if is_missing(value):
        return None
    word = _word(value)
    if word in FAILED:
        return None
    if word not in CREDITS:
        raise ValueError(
            f"the assignment {value!r:.60} is not known. Accepted: support (1), partial_support (0.5), "
            "not_support (0), and failed or empty if nothing was assigned"
        )
    return CREDITS[word]


def importance_of(value: object) -> bool | float | None:
    """Return whether a nugget is vital, or its weight; None if nothing is given.

    >>> importance_of("vital"), importance_of("okay"), importance_of(3)
    (True, False, 3.0)
    """
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return value
    word = _word(value)
    if word in VITAL or word in OKAY:
        return word in VITAL
    try:
        weight = float(word)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise ValueError(
            f"the importance {value!r:.60} is not known. Accepted: vital, okay, or a weight of 0 or more"
        )
    if weight < 0:
        raise ValueError(
            f"the weight {weight:g} is negative. A nugget has a weight of 0 or more; leave out what an "
            "answer should not say"
        )
    return weight


def flag_of(value: object, what: str) -> bool | None:
    """Return the truth value in a field of an answer, such as whether it is a refusal; None if the cell is empty."""
    if is_missing(value):
        return None
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise ValueError(f"{what} must be true or false; found {value!r:.60}")
    return word in YES


def _word(value: object) -> str:
    """Return the cell of an importance or a credit of a nugget as one word in lower case; 1.0 and "1.0" are "1"."""
    word = str(value).strip().lower().replace(" ", "_")
    try:
        return f"{float(word):.17g}"
    except ValueError:
        return word.replace("-", "_")


# Records: the rows of a file, a data frame or a list, each with its place for messages.


AnswerSource: TypeAlias = "PathLike | Frame | Mapping[str, Any] | Iterable[Any]"
"""A path, a data frame, one object, a list of objects, or a list of these."""


class Record(NamedTuple):
    """One row of nuggets or answers with its place, such as "a.jsonl, line 3"."""

    where: str
    row: Mapping[str, Any]


def records_of(source: AnswerSource, what: str) -> tuple[str, list[Record]]:
    """Return the name of a source of nuggets or answers, and its rows; their keys are in lower case."""
    if isinstance(source, str | os.PathLike):
        name = name_of(source)
        return name, _of_file(source, name, what)
    if is_frame(source):
        frame = to_polars(source)
        return "data frame", _located(enumerate(frame.iter_rows(named=True), 1), "data frame")
    if isinstance(source, Mapping):
        return "object", _located([(1, source)], "object")
    if isinstance(source, Iterable):
        parts = list(source)
        if all(isinstance(part, Mapping) for part in parts):
            return "list", _located(enumerate(parts, 1), "list")
        if all(isinstance(part, str | os.PathLike) or is_frame(part) for part in parts):
            read = [records_of(part, what) for part in parts]
            return ", ".join(n for n, _ in read), [r for _, rows in read for r in rows]
        odd = next(part for part in parts if not isinstance(part, Mapping))
        raise FormatError(f"list: {what} are objects; found a {type(odd).__name__}.")
    raise FormatError(
        f"{what} cannot be read from a {type(source).__name__}. Accepted: a path, a data frame or a list "
        "of objects."
    )


def _of_file(source: PathLike, name: str, what: str) -> list[Record]:
    table = table_in(source)
    if table is None and os.fspath(source) == STDIN:
        table = TableFile(source, "jsonl")
    if table is None:
        raise FormatError(f"{name}: {what} are read from .jsonl, .csv, .tsv or .parquet files.")
    return _located(tables.records_of(table, "qid"), name)


def _located(rows: Iterable[tuple[int, Mapping[Any, Any]]], name: str) -> list[Record]:
    problems: list[str] = []
    made = []
    for number, row in rows:
        where = f"{name}, row {number}"
        if _has_surrogate(row):
            problems.append(f"{where}: a text {LONE_SURROGATE}")
            continue
        made.append(
            Record(where, {str(key).strip().lower(): row[key] for key in reversed(list(row))})
        )
    raise_all(problems)
    return made


def _has_surrogate(row: Mapping[Any, Any]) -> bool:
    return any(isinstance(value, str) and has_lone_surrogate(value) for value in row.values())


def list_cell(value: Any, what: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a nested list, such as the nuggets of a topic, which a table without lists holds as JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError(f"{what} are a list of objects; found {value!r:.60}") from None
    if not isinstance(value, list | tuple):
        raise ValueError(f"{what} are a list of objects; found {value!r:.60}")
    for part in value:
        if not isinstance(part, Mapping):
            raise ValueError(f"{what} are a list of objects; found {part!r:.60} in it")
        if _has_surrogate(part):
            raise ValueError(f"a text in {what} {LONE_SURROGATE}")
        yield {str(key).strip().lower(): part[key] for key in reversed(list(part))}


# Nuggets: the facts that answers to a topic should hold, with their importance.
#
# Content units of pyramids are nuggets whose importance is a weight.


@dataclass(frozen=True)
class Nugget:
    """A fact: vital or okay, or with a weight; both are None if its importance is not known."""

    id: str
    text: str
    vital: bool | None = None
    weight: float | None = None

    @property
    def importance(self) -> bool | float | None:
        """Whether it is vital, its weight, or None."""
        return self.weight if self.vital is None else self.vital


class NuggetLists:
    """The nuggets of each topic, collected from lists and from assignments."""

    def __init__(self) -> None:
        self.of_item: dict[str, dict[str, Nugget]] = {}
        self.answerable: dict[str, bool] = {}
        self.name = "the list of nuggets"
        self.fixed: frozenset[str] = frozenset()  # topics whose lists are complete

    def add(self, item: str, nugget: Nugget) -> None:
        """Add a nugget to those of its topic; raise ValueError if it is known with another importance."""
        known = self.of_item.setdefault(item, {})
        if nugget.id not in known and item in self.fixed:
            raise ValueError(f"topic {item!r} has no nugget {nugget.id!r:.80} in {self.name}")
        before = known.setdefault(nugget.id, nugget)
        if nugget.importance is None or before == nugget:
            return
        if before.importance is None:
            known[nugget.id] = Nugget(nugget.id, before.text, nugget.vital, nugget.weight)
        elif before.importance != nugget.importance or (before.vital is None) != (
            nugget.vital is None
        ):
            raise ValueError(
                f"nugget {nugget.id!r:.80} of topic {item!r} has the importance {shown(nugget)}, and "
                f"{shown(before)} elsewhere"
            )

    def add_lists(self, records: Iterable[Record], fields: Field, name: str) -> None:
        """Add lists of nuggets: one object per topic with its nuggets, or one row per nugget."""
        problems: list[str] = []
        for where, row in records:
            try:
                self._add_row(row, fields)
            except ValueError as error:
                problems.append(f"{where}: {error}.")
        raise_all(problems)
        if not self.of_item:
            raise FormatError(f"{name}: no nuggets found.")
        self.fixed = frozenset(self.of_item)
        self.name = name

    def _add_row(self, row: Mapping[str, Any], fields: Field) -> None:
        item = id_of(cell(row, fields, "item"), "topic (such as qid)")
        answerable = flag_of(cell(row, fields, "answerable"), "answerable")
        if answerable is not None:
            self.answerable[item] = answerable
        nested = cell(row, fields, "nuggets")
        if nested is None:
            rows = [row]
            if is_blank(cell(row, fields, "nugget")) and is_missing(
                cell(row, fields, "nugget_text")
            ):
                raise ValueError("a list of nuggets has nuggets, or a column nugget; found neither")
        else:
            rows = list(list_cell(nested, "nuggets"))
        own = self.of_item.setdefault(item, {})
        for number, one in enumerate(rows, 1):
            nugget = nugget_of(one, fields, number, own)
            if nugget.id in own:
                raise ValueError(f"duplicate nugget {nugget.id!r:.80} of topic {item!r}")
            own[nugget.id] = nugget


def nugget_of(
    row: Mapping[str, Any], fields: Field, number: int, seen: Iterable[str] = ()
) -> Nugget:
    """Return the nugget of an object or row; without an id it is named by its text.

    A text that a list repeats gets the number of its place, so that each nugget counts.
    """
    name, text = cell(row, fields, "nugget"), cell(row, fields, "nugget_text")
    if not is_blank(name):
        key = id_of(name, "nugget")
    elif not is_missing(text):
        key = str(text).strip()
        key = f"{key} ({number})" if key in seen else key
    else:
        key = str(number)
    importance = importance_of(cell(row, fields, "importance"))
    label = key if is_missing(text) else str(text).strip()
    if isinstance(importance, bool):
        return Nugget(key, label, vital=importance)
    return Nugget(key, label, weight=importance)


def refuse_mixed_importance(lists: Mapping[str, Mapping[str, Nugget]], name: str) -> None:
    """Raise an error if only some nuggets have an importance, or words and weights are mixed."""
    every = [(item, nugget) for item, own in lists.items() for nugget in own.values()]
    without = [pair for pair in every if pair[1].importance is None]
    if without and len(without) < len(every):
        raise_all(
            [
                f"{name}: nugget {nugget.id!r:.80} of topic {item!r} has no importance. Each nugget is "
                "vital or okay, or has a weight."
                for item, nugget in without
            ]
        )
    words = next((pair for pair in every if pair[1].vital is not None), None)
    weights = next((pair for pair in every if pair[1].weight is not None), None)
    if words is not None and weights is not None:
        raise FormatError(
            f"{name}: nugget {words[1].id!r:.80} of topic {words[0]!r} is {shown(words[1])}, and nugget "
            f"{weights[1].id!r:.80} of topic {weights[0]!r} has a weight. Use words for all nuggets, or "
            "weights for all."
        )


def shown(nugget: Nugget) -> str:
    """Return the importance in words."""
    if nugget.vital is None:
        return "no importance" if nugget.weight is None else f"weight {nugget.weight:g}"
    return "vital" if nugget.vital else "okay"


# Assignments: whether an answer supports each nugget of a topic, by one assigner.


class AnswerKey(NamedTuple):
    """Key of an assignment of nuggets: who answered, their topic, who assigned, and the topic the answer is about.

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
        """Add rows of nuggets assigned to answers; `elsewhere` are answers to other topics than that of their nuggets."""
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
        assigner = "" if is_blank(who) else id_of(who, "assigner")
        target = cell(row, fields, "answer_to")
        about = (
            id_of(target, "topic of the answer")
            if not is_blank(target)
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
            if is_blank(cell(row, fields, "nugget")):
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
    """Return the system and the topic of the answer in a row; a row without a system is that of "system"."""
    item = id_of(cell(row, fields, "item"), "topic (such as qid)")
    given = cell(row, fields, "system")
    return "system" if is_blank(given) else id_of(given, "system"), item


def _remedy(key: AnswerKey) -> str:
    """Return what to do about two assignments of nuggets to one answer."""
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
    if not is_blank(cell(row, fields, "nugget")):
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
