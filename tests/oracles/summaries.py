"""Real summaries for the oracles: those of SummEval and REALSumm, sentences by lines."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import polars as pl

from tare._data.summaries import Summaries, read_summaries
from tare._measures.scores import Scores


def lines(text: str) -> str:
    """The texts are tokenised: a full stop between blanks ends a sentence."""
    return text.replace(" . ", " .\n")


def real_items(folder: Path) -> list[tuple[str, list[str]]]:
    """(candidate, references) of all systems of both collections."""
    found = []
    for path in ("summeval/summeval_100x16.jsonl.gz", "realsumm/realsumm_100x24.jsonl.gz"):
        with gzip.open(folder / "summ" / path, "rt", encoding="utf-8") as file:
            for row in map(json.loads, file):
                references = [lines(r) for r in row.get("ref_summs", [row["ref_summ"]])]
                found += [(lines(s["sys_summ"]), references) for s in row["sys_summs"].values()]
    return found


def random_pairs(count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Pairs of random text: few words, many repetitions, odd characters."""
    rng = random.Random(seed)
    words = "a an the cat cats running ran flies dying news skies generally 3 14 don't K İ ß naïve"
    words += " relational conditional happily hopping sized agreed controlling - . , \n \n 日本 …"

    def text() -> str:
        length = rng.choice((0, 1, 3, 10, 40, 90))
        return " ".join(rng.choice(words.split(" ")) for _ in range(length))

    return [(text(), text()) for _ in range(count)]


def collection(folder: Path, name: str) -> tuple[Summaries, Scores]:
    """Summaries of all systems, and what people said of them: "summeval" or "realsumm"."""
    path = {"summeval": "summeval_100x16.jsonl.gz", "realsumm": "realsumm_100x24.jsonl.gz"}[name]
    rows, judged = [], []
    with gzip.open(folder / "summ" / name / path, "rt", encoding="utf-8") as file:
        for document in map(json.loads, file):
            references = [lines(r) for r in document.get("ref_summs", [document["ref_summ"]])]
            for system, summary in document["sys_summs"].items():
                key = {"system": system.removesuffix(".txt"), "item": str(document["doc_id"])}
                rows.append(key | {"text": lines(summary["sys_summ"]), "references": references})
                judged.append(key | {k: float(v) for k, v in summary["scores"].items()})
    return read_summaries(rows), Scores.load(pl.DataFrame(judged))
