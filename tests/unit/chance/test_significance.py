"""p-values beyond enumeration say that they are sampled, with seed, samples and error."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare.chance import better_than_chance

LARGE = {"q": {f"d{i:02d}": int(i < 8) for i in range(30)}}  # 5,852,925 distinct orders
SMALL = {"q": {f"d{i}": int(i < 2) for i in range(6)}}
SUBTOPICS = {"q": {str(s): {f"d{i:02d}": 1 for i in range(s, 30, 5)} for s in range(3)}}


def run(qrels: dict[str, dict[str, int]]) -> dict[str, dict[str, float]]:
    names = sorted(qrels["q"])
    return {"q": {d: float((7 * i) % len(names)) for i, d in enumerate(names)}}


def test_sampled_p_values_have_seed_error_and_a_finding() -> None:
    scores = tare.evaluate(LARGE, run(LARGE), "pValue(AP)", pool="judged", seed=5, samples=400)
    p = scores.values[0, 0, 0]
    assert scores.errors is not None
    assert scores.errors[0, 0, 0] == pytest.approx(np.sqrt(p * (1 - p) / 400))
    assert "seed:5|samples:400" in str(scores.signatures[0])
    [finding] = [f for f in scores.findings if f.kind == "sampled values"]
    assert "sampled (seed 5, 400 orders); the largest standard error is" in finding.message


def test_the_error_is_that_of_other_seeds() -> None:
    """The spread of p over seeds is what the error says."""
    found = [
        tare.evaluate(LARGE, run(LARGE), "pValue(AP)", pool="judged", seed=seed, samples=300)
        for seed in range(60)
    ]
    values = np.array([s.values[0, 0, 0] for s in found])
    errors = np.array([s.errors[0, 0, 0] for s in found if s.errors is not None])
    assert len(errors) == 60
    assert values.std(ddof=1) == pytest.approx(errors.mean(), rel=0.35)


def test_enumerated_p_values_are_exact_and_say_nothing_of_samples() -> None:
    scores = tare.evaluate(SMALL, run(SMALL), "pValue(AP)", pool="judged")
    assert scores.errors is None
    assert "seed" not in str(scores.signatures[0])
    assert not [f for f in scores.findings if f.kind == "sampled values"]


def test_of_diversity() -> None:
    documents = sorted({d for own in SUBTOPICS["q"].values() for d in own})
    ranking = {"q": {d: float(i) for i, d in enumerate(documents)}}
    scores = tare.evaluate(SUBTOPICS, ranking, "pValue(alpha_nDCG@10)", pool="judged", samples=200)
    p = scores.values[0, 0, 0]
    assert scores.errors is not None
    assert scores.errors[0, 0, 0] == pytest.approx(np.sqrt(p * (1 - p) / 200))


def test_of_texts() -> None:
    row = {
        "text": "the cat sat",
        "references": ["a cat sat on the mat"],
        "source": "the cat sat on a mat by rain",
    }
    scores = tare.evaluate_texts(tare.read_summaries([row]), "pValue(ROUGE-L)", samples=50)
    p = scores.values[0, 0, 0]
    assert scores.errors is not None
    assert scores.errors[0, 0, 0] == pytest.approx(np.sqrt(p * (1 - p) / 50))


def test_a_whole_run() -> None:
    found = better_than_chance(LARGE, run(LARGE), "AP", pool="judged", seed=2, samples=100)
    assert found.p_error[0] > 0
    assert "p-value of 1 query is sampled (seed 2, 100 orders)" in str(found)
    assert "sampled" not in str(better_than_chance(SMALL, run(SMALL), "AP", pool="judged"))
