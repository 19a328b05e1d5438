"""Readers of answers: assignments, lists of nuggets, citations and texts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from tests.fuzz.targets import (
    PEER,
    PRESENCE_ROWS,
    Target,
    _jsonl,
    _labels,
    _labels_are_numbers,
    _tables,
)

RECORDS = [
    {
        "query": "what",
        "qid": f"q{q}",
        "run_id": s,
        "answer_text": "A cat sat.",
        "response_length": 3,
        "refused": q == 2,
        "nuggets": [
            {
                "text": f"fact {k}",
                "importance": ("vital", "okay")[k % 2],
                "assignment": ("support", "partial_support", "not_support", "failed")[(q + k) % 4],
            }
            for k in range(3)
        ],
    }
    for q in range(3)
    for s in "ab"
]
ROWS = [
    {
        "system": "ab"[k % 2],
        "item": f"q{k // 4}",
        "nugget": f"n{k % 4 // 2}",
        "importance": 1 + k % 4 // 2,
        "assignment": (0, 0.5, 1)[k % 3],
        "assigner": "ann",
        "answer_to": f"q{k // 4}" if k < 8 else "q9",
        "words": 20,
        "refused": False,
        "answerable": True,
    }
    for k in range(12)
]
LISTS = [
    {
        "qid": f"q{q}",
        "nuggets": [{"id": k, "text": "a", "importance": "vital"} for k in range(2)],
        "answerable": True,
    }
    for q in range(2)
]
LIST_ROWS = [
    {"item": f"q{k // 2}", "nugget": f"n{k % 2}", "importance": k, "text": "é"} for k in range(4)
]
CITATIONS = [
    {
        "system": "a",
        "item": "q0",
        "statement": str(k // 2),
        "citation": f"d{k}" if k else None,
        "support": ("FS", "PS", "NS")[k % 3] if k else None,
    }
    for k in range(5)
]
NESTED = [
    {
        "run_id": "a",
        "qid": "q0",
        "answer": [{"text": "x", "citations": [{"citation": "d1", "support": 1}]}, {"text": "y"}],
    }
]
TEXTS = [
    {"system": "a", "item": f"q{q}", "text": "A cat.", "refused": bool(q), "answerable": not q}
    for q in range(2)
]


def _shown(found: Any) -> Any:
    repr(found), found.digest, found.importance, found.items
    return found


def _assignments(path: Path) -> Any:
    from tare import read_answers

    return _shown(read_answers(path))


def _scored(path: Path) -> Any:
    from tare import evaluate_answers, studies

    scores = evaluate_answers(path, unassigned="skip")
    studies.answers(path, unassigned="skip").to_json()
    return scores


def _lists(path: Path) -> Any:
    from tare import read_answers

    row = {"item": "q0", "system": "a", "nugget": "n0", "assignment": 1}
    return _shown(read_answers([row, {**row, "nugget": "0"}][:1], nuggets=path))


def _citations(path: Path) -> Any:
    from tare import evaluate_answers, read_answers

    return evaluate_answers(_shown(read_answers(citations=path)))


def _texts(path: Path) -> Any:
    from tare import evaluate_answers, read_answers

    return evaluate_answers(_shown(read_answers(texts=path)))


def _shares(path: Path, result: Any) -> str | None:
    values = [v for v in result.values.ravel().tolist() if v == v]
    within = all(math.isfinite(v) and -1e-9 <= v <= 1 + 1e-9 for v in values)
    return None if within else f"values {values}"


def answer_targets() -> tuple[Target, ...]:
    """Return the readers of answers."""
    return (
        Target(
            "answers",
            ((".jsonl", _jsonl(RECORDS)), *_tables(ROWS), (".pan", PEER), *_tables(PRESENCE_ROWS)),
            _assignments,
            rows=tuple(ROWS),
        ),
        Target(
            "answers, scored",
            ((".jsonl", _jsonl(RECORDS)), *_tables(ROWS)),
            _scored,
            _shares,
            tuple(ROWS),
            share=0.2,
        ),
        Target(
            "nugget lists",
            (
                *_tables(LIST_ROWS),
                (".jsonl", _jsonl([*LISTS, {"qid": "q0", "nuggets": [{"id": "n0"}]}][-1:])),
            ),
            _lists,
            rows=tuple(LIST_ROWS),
        ),
        Target(
            "citations",
            ((".jsonl", _jsonl(NESTED)), *_tables(CITATIONS)),
            _citations,
            _shares,
            tuple(CITATIONS),
        ),
        Target(
            "labels of nuggets",
            ((".jsonl", _jsonl(RECORDS)), *_tables(ROWS)),
            _labels,
            _labels_are_numbers,
            tuple(ROWS),
        ),
        Target("answer texts", _tables(TEXTS), _texts, _shares, tuple(TEXTS)),
    )
