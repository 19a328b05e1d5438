"""Answers of systems: their texts, nuggets, citations and refusals, with what was assigned to them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tare._data.findings import Finding, listed
from tare._data.nuggets import (
    AnswerKey,
    AnswerSource,
    Assignments,
    Field,
    Nugget,
    NuggetLists,
    Record,
    answer_of,
    cell,
    chosen_fields,
    credit_of,
    id_of,
    list_cell,
    read_facts,
    records_of,
    refuse_mixed_importance,
    text_of,
)
from tare._data.pyramids import PeerAnnotation, Pyramid, read_scus
from tare._data.table_files import table_in
from tare._data.tables import is_blank, is_frame, is_missing, to_polars
from tare._files.opening import can_be_read_again, name_of, plain_suffix
from tare.errors import FormatError, MismatchError, OptionError, raise_all

__all__ = [
    "Answers",
    "Statements",
    "add_units",
    "answer_texts",
    "are_units",
    "read_answers",
    "read_citations",
    "topic_texts",
]


# Citations: the statements of an answer, what each cites, and whether that supports it.


Statements = dict[AnswerKey, dict[str, dict[str, float]]]
"""{answer: {statement: {citation: support}}}; a statement without citations has an empty dictionary."""


def read_citations(records: Iterable[Record], fields: Field) -> Statements:
    """Read the citations of answers: one row per citation (or per statement without one), or one object per answer.

    A row has system, item, statement, citation and support; an object has a list of statements, each
    with a list of citations {citation, support}.
    """
    made: Statements = {}
    problems: list[str] = []
    for where, row in records:
        try:
            _add(made, row, fields)
        except ValueError as error:
            problems.append(f"{where}: {error}.")
    raise_all(problems)
    return made


def _add(made: Statements, row: Mapping[str, Any], fields: Field) -> None:
    item = id_of(cell(row, fields, "item"), "topic (such as qid)")
    given = cell(row, fields, "system")
    system = "system" if is_blank(given) else id_of(given, "system")
    who = cell(row, fields, "assigner")
    key = AnswerKey(system, item, "" if is_blank(who) else id_of(who, "assigner"), item)
    nested = None if "statement" in row else cell(row, fields, "statements")
    if nested is None:
        statement = id_of(cell(row, fields, "statement"), "statement")
        own = made.setdefault(key, {}).setdefault(statement, {})
        citation = cell(row, fields, "citation")
        if not is_blank(citation):
            _cite(own, id_of(citation, "citation"), row, fields, statement)
        elif not is_missing(cell(row, fields, "support")):
            raise ValueError(f"statement {statement!r:.60} has support, but no citation")
        return
    if key in made:
        raise ValueError(f"a second answer of {system!r} to topic {item!r}")
    own_statements = made.setdefault(key, {})
    for number, part in enumerate(list_cell(nested, "statements"), 1):
        own = own_statements.setdefault(str(number), {})
        citations = cell(part, fields, "citations")
        for place, one in enumerate(
            () if citations is None else list_cell(citations, "citations with their support"), 1
        ):
            named = cell(one, fields, "citation")
            name = str(place) if is_blank(named) else id_of(named, "citation")
            _cite(own, name, one, fields, str(number))


def _cite(
    own: dict[str, float], citation: str, row: Mapping[str, Any], fields: Field, statement: str
) -> None:
    support = credit_of(cell(row, fields, "support"))
    if support is None:
        raise ValueError(
            f"citation {citation!r:.60} of statement {statement!r:.60} has no support. Accepted: support, "
            "partial_support, not_support"
        )
    if own.get(citation, support) != support:
        raise ValueError(
            f"citation {citation!r:.60} of statement {statement!r:.60} has two assignments of support. "
            "Name the assigners, or keep one of the two"
        )
    own[citation] = support


# Content units of pyramids as nuggets: the weight is the importance, a contributor the
# assignment.


XML = (".pyr", ".pan")


def are_units(source: Any) -> bool:
    """Return whether a source of answers holds content units: pyramids, annotated peers, or scu and present."""
    if isinstance(source, Pyramid | PeerAnnotation):
        return True
    if isinstance(source, str | os.PathLike):
        suffix = plain_suffix(source)
        if suffix in XML:
            return True
        table = table_in(source)
        if table is None or table.form == "jsonl" or not can_be_read_again(source):
            return False
        return _has_presence(table.read().columns)
    if is_frame(source):
        return _has_presence(to_polars(source).columns)
    if isinstance(source, Mapping) or not isinstance(source, Iterable):
        return False
    parts = list(source)
    return bool(parts) and not isinstance(parts[0], Mapping) and all(map(are_units, parts))


def _has_presence(columns: Iterable[str]) -> bool:
    return {"scu", "present"} <= {column.strip().lower() for column in columns}


def add_units(found: Assignments, source: Any) -> str:
    """Add content units as nuggets, and which of them peers contain, to the assignments of answers; return the name of the source."""
    for one in read_scus(source):
        pyramid = one.pyramid if isinstance(one, PeerAnnotation) else one
        try:
            for scu in pyramid.scus:
                found.lists.add(one.item, Nugget(scu.id, scu.label, weight=float(scu.weight)))
        except ValueError as error:
            raise FormatError(f"{error}.") from None
        if not isinstance(one, PeerAnnotation):
            continue
        key = AnswerKey(one.system, one.item, "", one.item)
        if key in found.credits:
            raise FormatError(f"a second annotation of {one.system!r} for item {one.item!r}.")
        found.credits[key] = {scu.id: float(scu.id in one.found) for scu in pyramid.scus}
    if isinstance(source, str | os.PathLike):
        return name_of(source)
    return "content units"


# Texts of answers and topics, for readers; scores need only the number of words.


QUESTIONS = ("query", "query_text", "question")  # next to the id of the topic


def answer_texts(
    *sources: AnswerSource, columns: Mapping[str, str | None] | None = None
) -> dict[tuple[str, str], str]:
    """Return the text of each answer by system and topic, from rows that contain it.

    Answers to other topics than that of their nuggets are left out.

    >>> answer_texts([{"qid": "q1", "run_id": "a", "answer_text": "In Paris.", "nuggets": []}])
    {('a', 'q1'): 'In Paris.'}
    """
    fields = chosen_fields(columns or {})
    found: dict[tuple[str, str], str] = {}
    for _, row in _rows(sources):
        text, about = text_of(row, fields), cell(row, fields, "answer_to")
        if text is None or is_blank(cell(row, fields, "item")):
            continue
        system, item = answer_of(row, fields)
        if is_blank(about) or id_of(about, "topic of the answer") == item:
            found.setdefault((system, item), text)
    return found


def topic_texts(
    *sources: AnswerSource, columns: Mapping[str, str | None] | None = None
) -> dict[str, str]:
    """Return the question of each topic, if rows have it next to the id of the topic.

    >>> topic_texts([{"qid": "q1", "query": "Where is it?", "nuggets": []}])
    {'q1': 'Where is it?'}
    """
    fields = chosen_fields(columns or {})
    found: dict[str, str] = {}
    for _, row in _rows(sources):
        given = cell(row, fields, "item")
        if is_missing(given):
            continue
        text = _question(row, fields, given)
        if isinstance(text, str) and text.strip():
            found.setdefault(id_of(given, "topic (such as qid)"), text.strip())
    return found


def _question(row: Mapping[str, Any], fields: Field, given: object) -> object:
    if isinstance(given, Mapping):
        return given.get("text")
    own = next(name for name in fields["item"] if name in row)
    return next((row[name] for name in QUESTIONS if name in row and name != own), None)


def _rows(sources: tuple[AnswerSource, ...]) -> list[Record]:
    """Return the rows of all sources of answers; those of content units are left out, since they have no texts of answers."""
    given = [source for source in sources if source is not None and not are_units(source)]
    return [row for source in given for row in records_of(source, "answers")[1]]


# Answers of systems, with what was assigned to them. Made by `read_answers`.


Credits = dict[AnswerKey, dict[str, float | None]]


@dataclass(frozen=True, repr=False, eq=False)
class Answers:
    """Answers of systems to topics: their nuggets, citations, lengths and refusals. Made by `read_answers`.

    Attributes
    ----------
    name : str
        The source of the data, as named in messages.
    nuggets : dict of str to tuple of Nugget
        The nuggets of each topic.
    credits : dict
        For each answer and assigner the credit of each nugget: 1 if it is supported, ½ if partially, 0
        if not, None if nothing was assigned.
    elsewhere : dict
        The same for answers to other topics, from which chance is known.
    citations : dict
        For each answer its statements, and for each statement the support by each citation.
    words, refused : dict
        Number of words, and whether it is a refusal, by system and topic.
    answerable : dict of str to bool
        Whether a topic has an answer, if the data say so.
    known : tuple of (str, str)
        Answers whose text is known, by system and topic.
    findings : tuple of Finding
        Properties of the data that users should know.

    Examples
    --------
    >>> import tare
    >>> rows = [{"qid": "q1", "run_id": "a", "nuggets": [
    ...     {"text": "Paris", "importance": "vital", "assignment": "support"},
    ...     {"text": "Seine", "importance": "okay", "assignment": "not_support"}]}]
    >>> answers = tare.read_answers(rows)
    >>> answers.systems, answers.items
    (('a',), ('q1',))
    >>> [nugget.text for nugget in answers.nuggets["q1"]]
    ['Paris', 'Seine']
    >>> list(answers.credits.values())
    [{'Paris': 1.0, 'Seine': 0.0}]
    """

    name: str
    nuggets: Mapping[str, tuple[Nugget, ...]]
    credits: Credits
    elsewhere: Credits = field(default_factory=dict)
    citations: Statements = field(default_factory=dict)
    words: Mapping[tuple[str, str], int] = field(default_factory=dict)
    refused: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    answerable: Mapping[str, bool] = field(default_factory=dict)
    known: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        nuggets = sum(map(len, self.nuggets.values()))
        return (
            f"Answers({len(self.systems):,} systems, {len(self.items):,} topics, {len(self):,} answers, "
            f"{nuggets:,} nuggets)"
        )

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The answers that something was assigned to, as (system, topic), and refusals."""
        rated = [(key.system, key.item) for key in (*self.credits, *self.citations)]
        refused = [pair for pair, answer in self.refused.items() if answer]
        return tuple(dict.fromkeys([*rated, *refused]))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their first answer."""
        return tuple(dict.fromkeys(system for system, _ in self.pairs))

    @cached_property
    def items(self) -> tuple[str, ...]:
        """The topics with answers; by number if all ids are numbers, else sorted as text."""
        found = {item for _, item in self.pairs}
        numbers = all(item.isdecimal() for item in found)
        return tuple(sorted(found, key=lambda item: (int(item) if numbers else 0, item)))

    @cached_property
    def assigners(self) -> tuple[str, ...]:
        """Those who assigned nuggets, in the order of their first assignment; "" has no name."""
        return tuple(dict.fromkeys(key.assigner for key in self.credits))

    @property
    def has_chance(self) -> bool:
        """Whether a topic with answers also has assignments of answers to other topics."""
        return not {key.item for key in self.elsewhere}.isdisjoint(self.items)

    @property
    def importance(self) -> str | None:
        """What importance is: "words" (vital, okay), "weights", or None if it is not known."""
        for own in self.nuggets.values():
            for nugget in own:
                if nugget.importance is not None:
                    return "words" if nugget.vital is not None else "weights"
        return None

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the data, in any order."""
        total = hashlib.sha256()
        rows = [repr((item, n)) for item, own in self.nuggets.items() for n in own]
        for part in (self.credits, self.elsewhere, self.citations, self.words, self.refused):
            rows += [
                repr((k, sorted(v.items()) if isinstance(v, dict) else v)) for k, v in part.items()
            ]
        rows += map(repr, self.answerable.items())
        for row in sorted(rows):
            total.update(row.encode("utf-8", "surrogatepass"))
        return total.hexdigest()[:8]


# `read_answers`: answers from nuggets, assignments, citations and texts.


def read_answers(
    assignments: AnswerSource | Answers | None = None,
    *,
    nuggets: AnswerSource | None = None,
    elsewhere: AnswerSource | None = None,
    citations: AnswerSource | None = None,
    texts: AnswerSource | None = None,
    assigner: str | None = None,
    columns: Mapping[str, str | None] | None = None,
) -> Answers:
    """Read answers of systems, with the nuggets and citations that people or models assigned.

    Parameters
    ----------
    assignments : path, data frame, list of dict, or list of these
        What each answer supports. nuggetizer's assignments (JSON lines with qid, run_id and nuggets,
        each with text, importance and assignment); a table with one row per answer and nugget
        (system, item, nugget, assignment, and optionally importance, assigner and answer_to); or
        content units (.pan, tables with scu and present).
    nuggets : path, data frame or list of dict, optional
        Lists of nuggets with their importance: one object per topic with its nuggets, a table with
        item, nugget and importance, or a pyramid (.pyr). Without it, the nuggets of a topic are those
        of its assignments.
    elsewhere : path, data frame or list of dict, optional
        Assignments of answers to other topics: what an answer supports by chance. Net scores need
        them. Rows of `assignments` whose answer_to is another topic count as well.
    citations : path, data frame or list of dict, optional
        Statements of the answers, what they cite, and whether it supports them: one row per citation
        (system, item, statement, citation, support); a statement without citation has an empty cell.
    texts : path, data frame or list of dict, optional
        The answers themselves: system, item, and text or a number of words; optionally refused and
        answerable.
    assigner : str, optional
        Keep only the assignments of this person or model.
    columns : dict, optional
        Names of columns other than the usual ones, such as {"importance": "passage_grade"}.

    Returns
    -------
    Answers
        The answers, with what was assigned to them.

    Raises
    ------
    OptionError
        If no answers are given, or answers that were read already are given with further data.
    UnreadableError
        If a file cannot be read.
    FormatError
        If a row cannot be read, a nugget has no importance while others have one, an importance is
        negative, or an answer has no assignments.
    MismatchError
        If the parts do not fit together.

    Examples
    --------
    >>> import tare
    >>> rows = [{"qid": "q1", "run_id": "a", "nuggets": [
    ...     {"text": "Paris", "importance": "vital", "assignment": "support"},
    ...     {"text": "Seine", "importance": "okay", "assignment": "not_support"}]}]
    >>> tare.read_answers(rows)
    Answers(1 systems, 1 topics, 1 answers, 2 nuggets)
    """
    if isinstance(assignments, Answers):
        if any(x is not None for x in (nuggets, elsewhere, citations, texts, assigner, columns)):
            raise OptionError("these answers were read already; give further data to read_answers.")
        return assignments
    if assignments is None and citations is None and texts is None:
        raise OptionError("no answers given: name assignments, citations or texts.")
    fields = chosen_fields(columns or {})
    lists = NuggetLists()
    names: list[str] = []
    if nuggets is not None:
        if are_units(nuggets):
            names.append(add_units(Assignments(lists), nuggets))
            lists.fixed = frozenset(lists.of_item)
        else:
            name, records = records_of(nuggets, "nuggets")
            lists.add_lists(records, fields, name)
            names.append(name)
    found = Assignments(lists)
    for given, is_elsewhere in ((assignments, False), (elsewhere, True)):
        if given is None:
            continue
        if are_units(given):
            if is_elsewhere:
                raise OptionError(
                    "elsewhere: give a table of assignments with the column answer_to."
                )
            names.append(add_units(found, given))
            continue
        name, records = records_of(given, "assignments")
        if not records:
            raise FormatError(f"{name}: no assignments found.")
        found.add(records, fields, elsewhere=is_elsewhere)
        names.append(name)
    statements: Statements = {}
    if citations is not None:
        name, records = records_of(citations, "citations")
        statements = read_citations(records, fields)
        names.append(name)
    if texts is not None:
        name, records = records_of(texts, "answers")
        read_facts(records, fields, found.facts, lists.answerable)
        names.append(name)
    whole = ", ".join(dict.fromkeys(names))
    refuse_mixed_importance(lists.of_item, whole)
    if assigner is not None:
        found.credits = _by(found.credits, assigner)
    return _made(whole, found, statements)


def _by(credits: dict[AnswerKey, Any], assigner: str) -> dict[AnswerKey, Any]:
    kept = {key: own for key, own in credits.items() if key.assigner == assigner}
    if not kept:
        known = ", ".join(sorted({repr(key.assigner) for key in credits}))
        raise OptionError(f"assigner={assigner!r}: nobody of that name assigned; found {known}.")
    return kept


def _made(name: str, found: Assignments, statements: Statements) -> Answers:
    own = {key: credits for key, credits in found.credits.items() if key.about == key.item}
    other = {key: credits for key, credits in found.credits.items() if key.about != key.item}
    if found.credits and not own:
        raise MismatchError(
            f"{name}: all assigned answers are to other topics than that of their nuggets, so no system "
            "can be scored. Is answer_to the right column?"
        )
    made = Answers(
        name,
        {item: tuple(nuggets.values()) for item, nuggets in found.lists.of_item.items()},
        own,
        other,
        statements,
        found.facts.words,
        found.facts.refused,
        found.lists.answerable,
        tuple(found.facts.known),
    )
    if not made.pairs:
        raise FormatError(f"{name}: no assigned answers and no refusals found.")
    return replace(made, findings=tuple(_findings(made)))


def _findings(made: Answers) -> Iterable[Finding]:
    """Report texts without assignments and topics without nuggets."""
    rated = set(made.pairs)
    without = [f"{system} {item}" for system, item in made.known if (system, item) not in rated]
    if without:
        message = (
            f"{len(without):,} answers have no assignments; they are left out, not counted as 0."
        )
        yield Finding("no assignments", message, len(without), examples=listed(without))
    if made.credits:
        empty = [item for item in made.items if not made.nuggets.get(item)]
        if empty:
            message = f"{len(empty):,} topics have no nuggets; nugget measures have no value there."
            yield Finding("no nuggets", message, len(empty), examples=listed(empty))
