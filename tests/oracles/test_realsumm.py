"""REALSumm's stored scores: ROUGE-1.5.5 -m of its summaries, LitePyramid recall of its crowd."""

from __future__ import annotations

import ast
import csv
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tare._measures.text import Rouge, profile
from tare._measures.text.profiles import find_wordnet
from tare._measures.text.pyramid import lite_recall
from tare._measures.text.rouge import rouge

Recorder = Callable[[str, object], None]


@pytest.fixture(scope="module")
def folder(real_data: Path) -> Path:
    return real_data / "summ" / "realsumm"


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def documents(folder: Path) -> dict[str, dict[str, object]]:
    with gzip.open(folder / "realsumm_100x24.jsonl.gz", "rt", encoding="utf-8") as file:
        return {str(row["doc_id"]): row for row in map(json.loads, file)}


def test_rouge(folder: Path, record_property: Recorder) -> None:
    """Most values agree in all five decimals; for the rest the texts given are not those scored."""
    if find_wordnet() is None:
        pytest.skip("no WordNet is installed (apt install wordnet-base)")
    known = documents(folder)
    stored = list(rows_of(folder / "all_metric_scores.csv.gz"))
    texts = [known[r["doc"]]["sys_summs"][r["system"]]["sys_summ"] for r in stored]  # type: ignore[index]
    references = [[known[r["doc"]]["ref_summ"]] for r in stored]
    found = rouge(
        texts,  # type: ignore[arg-type]
        references,  # type: ignore[arg-type]
        [Rouge("N", n=1), Rouge("N", n=2)],
        profile=profile("lin2004", stem=True),
    ).values
    shares = {}
    for n, parts in zip("12", found, strict=True):
        for column, values in (
            ("precision", parts.precision),
            ("recall", parts.recall),
            ("f_score", parts.f),
        ):
            given = np.array([float(r[f"rouge_{n}_{column}"]) for r in stored])
            shares[f"rouge_{n}_{column}"] = float((np.abs(given - values) < 1e-9).mean())
            assert np.corrcoef(given, values)[0, 1] > 0.997
    record_property("shares", shares)
    assert min(shares.values()) > 0.85
    assert max(shares.values()) > 0.93


def test_lite_pyramid(folder: Path, record_property: Recorder) -> None:
    """The majority of assessors, SCU by SCU; events are matched to documents by their summaries."""
    stored = {
        (r["system"].removesuffix(".txt"), r["doc"]): float(r["litepyramid_recall"])
        for r in sorted(rows_of(folder / "all_metric_scores.csv.gz"), key=lambda r: r["kind"])
        # Stored for two kinds of system with the same values; only one kind's answers give them.
        if r["system"] != "bart_out.txt"
    }

    def start(text: str) -> str:
        return re.sub("[^a-z0-9]", "", text.lower())[:60]

    owners = defaultdict(list)
    for doc, document in documents(folder).items():
        for system in document["sys_summs"].values():  # type: ignore[attr-defined]
            owners[start(system["sys_summ"])].append(doc)
    with (folder / "scu" / "SCUs_list.csv").open(newline="") as file:
        asked = {row["questionId"] for row in csv.DictReader(file) if row["answer"] == "Y"}
    answers: dict[tuple[str, str], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    events: dict[str, Counter[str]] = defaultdict(Counter)
    for path in sorted((folder / "scu").glob("*.csv.gz")):
        for row in rows_of(path):
            events[row["Input.eventId"]].update(owners.get(start(row["Input.summary_text"]), ()))
            questions = ast.literal_eval(row["Input.qIdList"])
            for place, question in enumerate(questions, 1):
                if question in asked:
                    votes = answers[row["Input.summaryId"], row["Input.eventId"]][question]
                    votes.append(row[f"Answer.S{place}Answer"] == "p")
    doc_of = {event: found.most_common(1)[0][0] for event, found in events.items()}
    assert len(set(doc_of.values())) == 100
    agrees = [
        abs(lite_recall(votes) - stored[system, doc_of[event]]) < 1e-9
        for (system, event), votes in answers.items()
        if (system, doc_of[event]) in stored
    ]
    record_property("share", sum(agrees) / len(agrees))
    assert len(agrees) == 2300
    assert all(agrees)
