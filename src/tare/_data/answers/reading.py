"""`read_answers`: answers from nuggets, assignments, citations and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tare._data.answers.answers import Answers
from tare._data.answers.assignments import AnswerKey, Assignments, read_facts
from tare._data.answers.citations import Statements, read_citations
from tare._data.answers.content_units import add_units, are_units
from tare._data.answers.fields import chosen_fields
from tare._data.answers.nuggets import NuggetLists, refuse_mixed_importance
from tare._data.answers.records import AnswerSource, records_of
from tare._data.findings import Finding, listed
from tare.errors import FormatError, MismatchError, OptionError

__all__ = ["read_answers"]


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
