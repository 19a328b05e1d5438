"""A small collection with texts, and its index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tare._measures.evaluate_rankings import evaluate
from tare._web.view.build import opened_index
from tare._web.view.index import ViewInputs
from tare.chance._net_measures import with_chance, without_trivial_ideals

HOSTILE = "<script>alert(1)</script>"
QUERIES = {"q1": "blue whales", "q2": HOSTILE, "q3": "the cost of energy", "q4": ""}
GRADES = {
    "q1": {"a": 2, "b": 0, "c": 1, "d": 0},
    "q2": {"a": 1, "d": 0, "f": 0},
    "q3": {"e": 1, "b": 0, "a": 0, "c": 2},
    "q4": {"a": 0, "b": 1},
}
BM25 = {
    "q1": {"b": 4.0, "a": 3.0, "c": 2.0, "x\x7f": 1.0},
    "q2": {"d": 2.0, "a": 1.0},
    "q3": {"b": 5.0, "c": 4.0, "e": 3.0},
    "q4": {"a": 1.0, "b": 1.0},
}
DENSE = {
    "q1": {"a": 0.9, "c": 0.8, "b": 0.7, HOSTILE: 0.1},
    "q2": {"d": 0.7, "a": 0.6},
    "q3": {"c": 0.9, "z": 0.5, "e": 0.4},
}
DOCUMENTS = {
    name: f"text of {name}: Blue whales cost energy <b>bold</b>\x1b[31m" for name in "abcdef"
}
MEASURES = ["nDCG@10", "AP"]


def write_run(path: Path, rankings: dict[str, dict[str, float]], tag: str) -> None:
    """Write a run in TREC text; ids with control characters are left out."""
    lines = [
        f"{q} Q0 {d} {k} {s} {tag}\n"
        for q, own in rankings.items()
        for k, (d, s) in enumerate(own.items(), 1)
        if d.isprintable() and " " not in d
    ]
    path.write_text("".join(lines))


@pytest.fixture
def inputs(tmp_path) -> ViewInputs:
    """The files of the collection."""
    rows = [f"{q} 0 {d} {g}\n" for q, own in GRADES.items() for d, g in own.items()]
    (tmp_path / "qrels.txt").write_text("".join(rows))
    write_run(tmp_path / "bm25.run", BM25, "bm25")
    write_run(tmp_path / "dense.run", DENSE, "dense")
    (tmp_path / "queries.tsv").write_text("".join(f"{q}\t{t}\n" for q, t in QUERIES.items()))
    rows = [
        json.dumps({"id": d, "title": f"title {d}", "text": t}) + "\n" for d, t in DOCUMENTS.items()
    ]
    (tmp_path / "docs.jsonl").write_text("".join(rows))
    runs = (tmp_path / "bm25.run", tmp_path / "dense.run")
    return ViewInputs(
        tmp_path / "qrels.txt", runs, tmp_path / "queries.tsv", str(tmp_path / "docs.jsonl")
    )


def scores_of(inputs: ViewInputs):
    """Return the scores that the index is built from."""
    scores = evaluate(
        inputs.qrels, [str(r) for r in inputs.runs], with_chance(MEASURES), pool="judged"
    )
    return without_trivial_ideals(scores)


@pytest.fixture
def index(inputs):
    """The opened index of the collection."""
    made = opened_index(inputs, lambda: scores_of(inputs), say=lambda text: None)
    yield made
    made.close()
