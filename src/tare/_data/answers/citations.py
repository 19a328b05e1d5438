"""Citations: the statements of an answer, what each cites, and whether that supports it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tare._data.answers.assignments import AnswerKey
from tare._data.answers.fields import Field, cell, credit_of, id_of, is_missing
from tare._data.answers.records import Record, list_cell
from tare.errors import raise_all

__all__ = ["Statements", "read_citations"]

Statements = dict[AnswerKey, dict[str, dict[str, float]]]
"""{answer: {statement: {citation: support}}}; a statement without citations has an empty dictionary."""


def read_citations(records: Iterable[Record], fields: Field) -> Statements:
    """Read one row per citation (or per statement without one), or one object per answer.

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
    system = "system" if is_missing(given) else id_of(given, "system")
    who = cell(row, fields, "assigner")
    key = AnswerKey(system, item, "" if is_missing(who) else id_of(who, "assigner"), item)
    nested = None if "statement" in row else cell(row, fields, "statements")
    if nested is None:
        statement = id_of(cell(row, fields, "statement"), "statement")
        own = made.setdefault(key, {}).setdefault(statement, {})
        citation = cell(row, fields, "citation")
        if not is_missing(citation):
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
            name = str(place) if is_missing(named) else id_of(named, "citation")
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
