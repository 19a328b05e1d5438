"""Answers in the index: the nuggets of each topic, and what was assigned to each answer."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tare._data.answers import Answers
from tare._data.nuggets import Nugget
from tare._view.answer_files import AnswerFiles
from tare._view.index import ViewIndex

__all__ = ["StoredAnswer", "answer_of", "fill_answers", "nuggets_of"]

Credits = tuple[tuple[str, tuple[float | None, ...]], ...]


@dataclass(frozen=True)
class StoredAnswer:
    """One answer: for each assigner the credit of each nugget, and what is known of its text."""

    credits: Credits
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
