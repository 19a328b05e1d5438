"""Texts of answers and topics, for readers; scores need only the number of words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tare._data.answers.assignments import answer_of, text_of
from tare._data.answers.content_units import are_units
from tare._data.answers.fields import Field, cell, chosen_fields, id_of, is_missing
from tare._data.answers.records import AnswerSource, Record, records_of

__all__ = ["answer_texts", "topic_texts"]

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
        if text is None or is_missing(cell(row, fields, "item")):
            continue
        system, item = answer_of(row, fields)
        if is_missing(about) or id_of(about, "topic of the answer") == item:
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
    """Return the rows of all sources; content units have no texts of answers."""
    given = [source for source in sources if source is not None and not are_units(source)]
    return [row for source in given for row in records_of(source, "answers")[1]]
