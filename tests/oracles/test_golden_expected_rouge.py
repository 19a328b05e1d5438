"""Expected ROUGE: golden numbers, and sampled against exact on real sources."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import tare
from tare._kernels import expected_ngrams, text_profile
from tare.chance import text_chances

SOURCE = "the cat sat on the mat and the dog sat on the cat while the the bird sang to the cat"
REFERENCE = "the cat and the the dog sat on the the mat"
GOLDEN = {1: 5.424328184678412, 2: 1.6585704547680034, 3: 0.21443628073140908}
LENGTH = 8


@pytest.mark.parametrize("n", GOLDEN)
def test_expected_overlap(n: int) -> None:
    found = expected_ngrams(
        [SOURCE], [[REFERENCE]], np.array([LENGTH]), text_profile("google"), [n]
    )
    assert found[0, 0, 0] == pytest.approx(GOLDEN[n], rel=1e-14)


@pytest.mark.parametrize("n", GOLDEN)
def test_expected_values_follow(n: int) -> None:
    row = {"text": "w " * LENGTH, "references": [REFERENCE], "source": SOURCE}
    names = [f"E(ROUGE-{n}{part},length=candidate)" for part in (".p", ".r", "", "(beta=2)")]
    scores = tare.evaluate_texts(tare.read_summaries([row]), names)
    mine, theirs = LENGTH - n + 1, 11 - n + 1
    totals = (mine, theirs, (mine + theirs) / 2, 0.8 * theirs + 0.2 * mine)
    assert scores.values[0, 0] == pytest.approx([GOLDEN[n] / total for total in totals], rel=1e-13)
    fixed = tare.evaluate_texts(
        tare.read_summaries([{**row, "text": "w"}]), f"E(ROUGE-{n}.r,length=8)"
    )
    assert fixed.mean == pytest.approx(GOLDEN[n] / theirs, rel=1e-13)


@pytest.fixture(scope="module")
def real(real_data: Path) -> list[dict[str, object]]:
    """Two systems on a few articles, with the first reference and with all."""
    rows: list[dict[str, object]] = []
    with gzip.open(
        real_data / "summ/summeval/summeval_100x16.jsonl.gz", "rt", encoding="utf-8"
    ) as file:
        for line in list(file)[:12]:
            row = json.loads(line)
            rows += [
                {
                    "system": s,
                    "item": row["doc_id"],
                    "text": row["sys_summs"][s]["sys_summ"],
                    "references": row["ref_summs"],
                    "source": row["src"],
                }
                for s in ("M11", "M22")
            ]
    return rows


@pytest.mark.parametrize("measure", ["ROUGE-1", "ROUGE-2.r", "ROUGE-3.p", "ROUGE-2(stem=true)"])
def test_sampled_agrees_with_exact_on_real_sources(
    real: list[dict[str, object]], measure: str
) -> None:
    alone = [{**row, "references": row["references"][:1]} for row in real]  # type: ignore[index]
    exact = text_chances(alone, measure)
    sampled = text_chances(alone, measure, expected="sampled", samples=4000)
    assert (exact.expected_error == 0).all()
    gap = np.abs(exact.expected - sampled.expected)
    assert (gap <= 4 * sampled.expected_error + 1e-12).all()
    assert (sampled.expected_error > 0).any()


def test_the_oracle_is_at_1_and_random_texts_at_0(real: list[dict[str, object]]) -> None:
    one = [row for row in real if row["system"] == "M11"]
    sources = [str(row["source"]) for row in one]
    references = [row["references"] for row in one]
    best = tare.extractive_oracle(sources, references, "ROUGE-2")  # type: ignore[arg-type]
    rows = [{**row, "text": text} for row, text in zip(one, best.texts, strict=True)]
    scores = tare.evaluate_texts(
        tare.read_summaries(rows), ["V2(ROUGE-2,upper=oracle)", "U(ROUGE-2,upper=oracle)"]
    )
    assert scores.values == pytest.approx(np.ones_like(scores.values))

    random = np.random.default_rng(5)
    drawn = [
        {**row, "system": str(s), "text": " ".join(random.choice(str(row["source"]).split(), 60))}
        for row in one
        for s in range(40)
    ]
    names = ["ROUGE-1", "E(ROUGE-1,length=candidate)", "V2(ROUGE-1)"]
    a, e, v2 = np.moveaxis(
        tare.evaluate_texts(tare.read_summaries(drawn), names, samples=300).values, 2, 0
    )
    gap = (a - e).ravel()
    assert abs(gap.mean()) < 4 * gap.std(ddof=1) / np.sqrt(len(gap))
    assert abs(v2.mean()) < 0.05
