"""What an index stores per query and system: rankings, generated texts, or answers."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tare._data.passages import passages_by_id
from tare._data.preferences import read_preferences
from tare._data.qrels import read_qrels
from tare._data.summaries import read_summaries
from tare._view.attributes import filled_attributes
from tare._view.index import packed_ranking
from tare._view.inputs import ViewInputs
from tare._view.stored_answers import fill_answers
from tare.report._rankings import ranked, runs_of_systems

__all__ = ["fill_contents"]

HEAD = 160  # letters of an item in the table


def fill_contents(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: dict[str, int]
) -> tuple[dict[str, list[str]], list[str]]:
    """Store queries and what the systems made of them.

    Returns the values of the attributes, and which attributes are left out.
    """
    texts, attributes = _query_texts(inputs, place)
    judged: Iterable[tuple[str, Any]]
    if inputs.of_texts:
        texts = _fill_texts(base, inputs, systems, place)
        judged = ((item, {}) for item in place)
    elif inputs.answers is not None:
        texts = inputs.answers.topic_texts() | texts
        judged = fill_answers(base, inputs.answers, systems, place)
    else:
        _fill_rankings(base, inputs, systems, place)
        judged = _judgements(inputs)
    rows = (
        (place[query], query, texts.get(query), zlib.compress(json.dumps(own).encode(), 1))
        for query, own in judged
        if query in place
    )
    base.executemany("INSERT INTO queries VALUES (?, ?, ?, ?)", rows)
    base.execute("CREATE INDEX query_ids ON queries(id)")
    return filled_attributes(base, attributes, len(place))


def _query_texts(
    inputs: ViewInputs, place: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, dict[int, str]]]:
    """Return the texts of the queries by id, and their attributes by place."""
    texts: dict[str, str] = {}
    values: dict[str, dict[int, str]] = {}
    found = {} if inputs.queries is None else passages_by_id(str(inputs.queries), place)
    for passage in found.values():
        texts[passage.id] = passage.text
        for name, value in passage.attributes.items():
            values.setdefault(name, {})[place[passage.id]] = value
    return texts, values


def _judgements(inputs: ViewInputs) -> Iterator[tuple[str, Any]]:
    """Yield each query with its grades, or with its preferences between documents."""
    if inputs.of_preferences:
        for query, judgements in read_preferences(inputs.qrels).by_query.items():
            yield query, [[j.left, j.right, j.preferred, j.assessor, j.given] for j in judgements]
        return
    for query, grades in read_qrels(inputs.qrels).by_query():
        yield query, dict(grades)


def _fill_rankings(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: Mapping[str, int]
) -> None:
    """Store the first documents of every query by every system."""
    number = {system: s for s, system in enumerate(systems)}
    for system, run in runs_of_systems(inputs.runs, systems):
        first = number[system] * len(place)
        rows = (
            (first + place[query], packed_ranking(documents))
            for query, documents in ranked(run, inputs.depth)
            if query in place
        )
        base.executemany("INSERT INTO rankings VALUES (?, ?)", rows)


def _fill_texts(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: Mapping[str, int]
) -> dict[str, str]:
    """Store the texts of every system and item; return the beginning of each item's source."""
    given = read_summaries(inputs.qrels)
    number = {system: s for s, system in enumerate(systems)}
    rows = zip(
        given.systems, given.items, given.texts, given.references, given.sources, strict=True
    )
    heads: dict[str, str] = {}
    for system, item, text, references, source in rows:
        if item not in place or system not in number:
            continue
        body: dict[str, Any] = {
            "text": _joined(text),
            "references": [_joined(reference) for reference in references],
            "source": "" if source is None else _joined(source),
        }
        heads.setdefault(item, _beginning(body["source"] or next(iter(body["references"]), "")))
        packed = zlib.compress(json.dumps(body).encode(), 1)
        row = number[system] * len(place) + place[item]
        base.execute("INSERT OR REPLACE INTO rankings VALUES (?, ?)", (row, packed))
    return heads


def _beginning(text: str) -> str:
    """Return the first words of a text; an ellipsis marks that more follow."""
    if len(text) <= HEAD:
        return text
    kept = text[:HEAD]
    cut = kept if text[HEAD].isspace() else kept.rpartition(" ")[0]
    return f"{(cut or kept).rstrip()} …"


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "\n".join(text)
