"""Nuggets on real data: human assignments of iKAT 2024 and REALSumm next to a mechanical assigner.

The mechanical assigner stands for a model: it supports a nugget if the answer holds at least 80 % of the
nugget's words, and partially if it holds at least half. It also assigns answers to other topics, from
which chance is known.

    python -m benchmarks.nuggets [--save results.json]
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import tare

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("TARE_DATA", ROOT.parent / "shared" / "data"))
WORDS = re.compile(r"[a-z0-9]+")
COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "for",
        "from",
        "had",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "that",
        "the",
        "this",
        "to",
        "was",
        "were",
        "will",
        "with",
        "you",
        "your",
    ]
)
OTHERS = 3  # answers to other topics, per system and topic

Texts = dict[tuple[str, str], str]  # by system and topic
Lists = dict[str, list[dict[str, Any]]]  # nuggets by topic


def content(text: str) -> list[str]:
    """The words of a text without the most common ones."""
    return [w for w in WORDS.findall(text.lower()) if w not in COMMON]


def assigned(nuggets: list[dict[str, Any]], words: frozenset[str]) -> list[dict[str, Any]]:
    """The nuggets with the assignment of the mechanical assigner."""
    made = []
    for nugget in nuggets:
        own = content(str(nugget["text"]))
        share = sum(w in words for w in own) / len(own) if own else 0.0
        said = "support" if share >= 0.8 else "partial_support" if share >= 0.5 else "not_support"
        made.append({**nugget, "assignment": said})
    return made


def mechanical(texts: Texts, lists: Lists, seed: int = 1) -> list[dict[str, Any]]:
    """Assignments of every answer to its topic, and of answers to other topics."""
    held = {key: frozenset(content(text)) for key, text in texts.items()}
    systems = sorted({system for system, _ in texts})
    random = Random(seed)
    rows = []
    for item, nuggets in lists.items():
        for system in systems:
            elsewhere = sorted(i for s, i in texts if s == system and i != item)
            chosen = [item, *random.sample(elsewhere, min(OTHERS, len(elsewhere)))]
            rows += [
                {
                    "qid": item,
                    "run_id": system,
                    "answer_to": about,
                    "nuggets": assigned(nuggets, held[system, about]),
                    "response_length": len(texts[system, about].split()) if about == item else None,
                }
                for about in chosen
                if (system, about) in held
            ]
    return rows


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a compressed JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def means(scores: tare.Scores) -> dict[str, dict[str, float]]:
    """Means rounded to four digits."""
    return {s: {m: round(v, 4) for m, v in own.items()} for s, own in scores.means().items()}


def ikat(found: dict[str, Any]) -> None:
    """Human labels of six systems; the mechanical assigner on nineteen, net of other topics."""
    folder = DATA / "nuggets" / "ikat24"
    people = tare.read_answers(
        folder / "human_matching_labels.csv",
        nuggets=folder / "gold_nuggets_human.jsonl.gz",
        columns={"importance": "passage_grade"},
    )
    scores = tare.evaluate_answers(people, ["NuggetAll", "NuggetWeighted"], unassigned="skip")
    compared = tare.compare(scores["NuggetAll"])
    zero = tare.evaluate_answers(people, "NuggetAll", unassigned="zero")
    found["ikat, people"] = {
        "answers": len(people),
        "topics": len(people.items),
        "means": means(scores),
        "means if unassigned are zeros": means(zero),
        "significant pairs": sum(r["significant"] for r in compared.rows()),
        "pairs": len(compared.rows()),
    }
    texts = {(r["system"], r["turn"]): r["response"] for r in lines(folder / "responses.jsonl.gz")}
    topics = {item for _, item in texts}
    lists = {
        r["turn"]: r["nuggets"]
        for r in lines(folder / "gold_nuggets_human.jsonl.gz")
        if r["turn"] in topics
    }
    answers = tare.read_answers(mechanical(texts, lists), columns={"importance": "passage_grade"})
    names = [
        "NuggetAll",
        "E(NuggetAll)",
        "Net(NuggetAll)",
        "NuggetAllStrict",
        "E(NuggetAllStrict)",
        "NuggetDensity",
    ]
    scores = tare.evaluate_answers(answers, names)
    found["ikat, mechanical"] = {
        "answers": len(answers),
        "topics": len(answers.items),
        "means": means(scores),
        "significant pairs": sum(
            r["significant"] for r in tare.compare(scores["NuggetAll"]).rows()
        ),
    }


def realsumm() -> tuple[list[dict[str, Any]], Texts, Lists]:
    """The crowd's answers, one row per worker and unit; the summaries; the units of each document."""
    folder = DATA / "summ" / "realsumm" / "scu"
    with (folder / "SCUs_list.csv").open(newline="", encoding="utf-8") as file:
        asked = {
            (r["eventId"], r["questionId"]): r["questionText"]
            for r in csv.DictReader(file)
            if r["answer"] == "Y"
        }
    rows: list[dict[str, Any]] = []
    texts: Texts = {}
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                event, system = row["Input.eventId"], row["Input.summaryId"]
                texts[system, event] = row["Input.summary_text"]
                for place, question in enumerate(ast.literal_eval(row["Input.qIdList"]), 1):
                    if (event, question) in asked:
                        present = row[f"Answer.S{place}Answer"] == "p"
                        rows.append(
                            {
                                "system": system,
                                "item": event,
                                "nugget": question,
                                "assignment": int(present),
                                "assigner": row.get("WorkerId", ""),
                            }
                        )
    lists: Lists = {}
    for (event, question), text in asked.items():
        lists.setdefault(event, []).append({"id": question, "text": text})
    return rows, texts, lists


def crowd(found: dict[str, Any]) -> None:
    """REALSumm: agreement in the crowd, the mechanical assigner against it, chance, and an estimate."""
    rows, texts, lists = realsumm()
    votes: dict[tuple[str, str, str], list[int]] = {}
    for row in rows:
        votes.setdefault((row["system"], row["item"], row["nugget"]), []).append(row["assignment"])
    people = [
        {"system": s, "item": i, "nugget": n, "assignment": int(2 * sum(v) > len(v))}
        for (s, i, n), v in votes.items()
    ]
    table = {"unit": [], "coder": [], "value": []}  # type: dict[str, list[Any]]
    for (s, i, n), own in votes.items():
        for k, vote in enumerate(own):
            table["unit"].append(f"{s} {i} {n}")
            table["coder"].append(str(k))
            table["value"].append(vote)
    import polars as pl

    alpha = tare.studies.agreement(
        tare.read_ratings(pl.DataFrame(table)), level="nominal", draws=200
    )
    model = mechanical(texts, lists)
    judged = [r for r in model if r["answer_to"] == r["qid"] and (r["run_id"], r["qid"]) in texts]
    flat = [
        {"system": r["run_id"], "item": r["qid"], "nugget": n["id"], "assignment": n["assignment"]}
        for r in judged
        for n in r["nuggets"]
    ]
    audit = tare.studies.judges(
        pl.DataFrame(people),
        {"mechanical": pl.DataFrame(flat)},
        measures=["NuggetAll"],
        draws=500,
        splits=20,
    )
    whole = tare.evaluate_answers(people, "NuggetAll", unassigned="skip")
    every = tare.read_answers([r for r in model if r["qid"] in whole.items])
    net = tare.evaluate_answers(every, ["NuggetAll", "E(NuggetAll)", "Net(NuggetAll)"])
    some = sorted(Random(2).sample(list(whole.items), 30))
    estimated = tare.estimate(
        whole.select(items=some), net["NuggetAll"].select(systems=whole.systems)
    )
    truth = whole.means()
    inside = sum(r["low"] <= truth[r["system"]]["NuggetAll"] <= r["high"] for r in estimated.rows())
    agreed = audit.rows()[0]
    found["REALSumm"] = {
        "answers of the crowd": len(rows),
        "summaries": len({(r["system"], r["item"]) for r in rows}),
        "votes per unit": dict(Counter(len(v) for v in votes.values())),
        "alpha of the crowd": round(alpha.alpha, 4),
        "mechanical": {
            k: round(agreed[k], 4)
            for k in (
                "equal",
                "by_chance",
                "kappa",
                "alpha",
                "alpha_low",
                "alpha_high",
                "leniency",
                "leniency_low",
                "leniency_high",
            )
        },
        "correlations": {
            k: round(audit.rows_by_name["correlations"][0][k], 4)
            for k in ("tau_b", "tau_b_low", "tau_b_high", "pearson")
        },
        "conclusions": {
            k: v
            for k, v in audit.rows_by_name["conclusions"][0].items()
            if k not in ("judge", "measure", "comparison")
        },
        "chance": round(sum(m["E(NuggetAll)"] for m in net.means().values()) / len(net.systems), 4),
        "means by people": means(whole),
        "means by the assigner": means(net),
        "estimate from 30 documents": {
            "systems": len(estimated.rows()),
            "intervals with the mean of 100": inside,
            "judge's bias": round(
                sum(r["judge"] - truth[r["system"]]["NuggetAll"] for r in estimated.rows())
                / len(estimated.rows()),
                4,
            ),
            "median n_eff": sorted(r["n_eff"] for r in estimated.rows())[
                len(estimated.rows()) // 2
            ],
        },
    }


def rag25(found: dict[str, Any]) -> None:
    """The lists of TREC RAG 2025: importance by topic; rubrics with negative weights are refused."""
    folder = DATA / "nuggets" / "rag25dev"
    lists = list(lines(folder / "rag25-dev-nuggets.jsonl.gz"))
    row = {
        "qid": lists[0]["qid"],
        "run_id": "empty",
        "nuggets": [{**n, "assignment": "not_support"} for n in lists[0]["nuggets"]],
    }
    given = tare.read_answers([row], nuggets=folder / "rag25-dev-nuggets.jsonl.gz")
    every = [n for own in given.nuggets.values() for n in own]
    try:
        tare.read_answers([row], nuggets=folder / "research-rubrics-dev-rubrics.jsonl.gz")
        refused = ""
    except tare.TareError as error:
        refused = str(error).splitlines()[0].split(": ", 1)[1]
    found["RAG 2025"] = {
        "topics": len(given.nuggets),
        "nuggets": len(every),
        "vital": sum(bool(n.vital) for n in every),
        "rubrics": refused,
    }


def main() -> None:
    """Print what was found as JSON."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--save", type=Path)
    given = options.parse_args()
    found: dict[str, Any] = {}
    for part in (ikat, rag25, crowd):
        part(found)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    print(text)
    if given.save is not None:
        given.save.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
