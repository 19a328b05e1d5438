"""Nugget measures against nuggetizer 0.0.5.

`GOLDEN` was made by nuggetizer 0.0.5: calculate_nugget_scores(qid, nuggets) and
calculate_global_metrics(records) of nuggetizer.core.metrics on `records(7)`. The live comparison runs
where the package is installed (pip install --no-deps nuggetizer==0.0.5; the module needs nothing else).
"""

from __future__ import annotations

import importlib
import random

import pytest

import tare

NAMES = {
    "vital_score": "NuggetVital",
    "strict_vital_score": "NuggetVitalStrict",
    "all_score": "NuggetAll",
    "strict_all_score": "NuggetAllStrict",
}
ASSIGNMENTS = ("support", "partial_support", "not_support")
GOLDEN: dict[str, dict[str, float]] = {
    "vital_score": {
        "q0": 0.25,
        "q1": 0.8333333333333334,
        "q2": 0.5,
        "q3": 0.0,
        "q4": 0.0,
        "q5": 0.25,
        "q6": 0.0,
        "q7": 0.25,
        "q8": 0.5,
        "q9": 0.5,
        "q10": 0.0,
        "q11": 0.25,
        "all": 0.2777777777777778,
    },
    "strict_vital_score": {
        "q0": 0.0,
        "q1": 0.6666666666666666,
        "q2": 0.3333333333333333,
        "q3": 0.0,
        "q4": 0.0,
        "q5": 0.0,
        "q6": 0.0,
        "q7": 0.0,
        "q8": 0.0,
        "q9": 0.5,
        "q10": 0.0,
        "q11": 0.0,
        "all": 0.125,
    },
    "all_score": {
        "q0": 0.3333333333333333,
        "q1": 0.6,
        "q2": 0.5,
        "q3": 1.0,
        "q4": 0.5,
        "q5": 0.25,
        "q6": 0.5,
        "q7": 0.2,
        "q8": 0.7,
        "q9": 0.3333333333333333,
        "q10": 0.5,
        "q11": 0.25,
        "all": 0.4722222222222222,
    },
    "strict_all_score": {
        "q0": 0.0,
        "q1": 0.4,
        "q2": 0.25,
        "q3": 1.0,
        "q4": 0.3333333333333333,
        "q5": 0.0,
        "q6": 0.0,
        "q7": 0.0,
        "q8": 0.4,
        "q9": 0.3333333333333333,
        "q10": 0.5,
        "q11": 0.0,
        "all": 0.26805555555555555,
    },
}


def records(seed: int, systems: int = 1, topics: int = 12, vital: float = 0.5) -> list[dict]:
    """Random assignments in nuggetizer's format; some topics have no vital nugget."""
    rng = random.Random(seed)
    lists = {
        f"q{t}": [
            {"text": f"fact {t} {k}", "importance": "vital" if rng.random() < vital else "okay"}
            for k in range(rng.randint(1, 6))
        ]
        for t in range(topics)
    }
    return [
        {
            "query": f"what about {qid}",
            "qid": qid,
            "answer_text": "a b c",
            "response_length": 3,
            "run_id": f"run{s}",
            "nuggets": [{**nugget, "assignment": rng.choice(ASSIGNMENTS)} for nugget in nuggets],
        }
        for s in range(systems)
        for qid, nuggets in lists.items()
    ]


def ours(rows: list[dict], name: str) -> tare.Scores:
    return tare.evaluate_answers(rows, f"{NAMES[name]}(empty=zero)")


@pytest.mark.parametrize("name", NAMES)
def test_values_that_nuggetizer_made(name: str) -> None:
    scores = ours(records(7), name)
    found = dict(zip(scores.items, scores.matrix()[0].tolist(), strict=True))
    expected = GOLDEN[name]
    assert {q: found[q] for q in expected if q != "all"} == {
        q: pytest.approx(v, abs=1e-12) for q, v in expected.items() if q != "all"
    }
    assert scores.mean == pytest.approx(expected["all"], abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_installed_nuggetizer_gives_the_same(seed: int) -> None:
    pytest.importorskip("nuggetizer", reason="pip install --no-deps nuggetizer==0.0.5")
    theirs = importlib.import_module("nuggetizer.core.metrics")
    rows = records(seed, systems=3, topics=15, vital=0.3)
    for name in NAMES:
        scores = ours(rows, name)
        matrix = scores.matrix()
        for row in rows:
            place = scores.systems.index(row["run_id"]), scores.items.index(row["qid"])
            value = getattr(theirs.calculate_nugget_scores(row["qid"], row["nuggets"]), name)
            assert matrix[place] == pytest.approx(value, abs=1e-12)
        for system in scores.systems:
            mine = [row for row in rows if row["run_id"] == system]
            means = vars(theirs)["calculate_global_metrics"](mine)
            assert scores.means()[system][str(scores.measures[0])] == pytest.approx(means[name])


def test_a_failed_assignment_counts_as_not_supported_only_on_request() -> None:
    """nuggetizer writes "failed" where the model gave no answer, and scores it like not_support."""
    row = {
        "qid": "q",
        "run_id": "a",
        "nuggets": [
            {"text": "x", "importance": "vital", "assignment": "support"},
            {"text": "y", "importance": "vital", "assignment": "failed"},
        ],
    }
    with pytest.raises(tare.errors.MismatchError, match="nuggets without assignment"):
        tare.evaluate_answers([row], "NuggetVital")
    assert tare.evaluate_answers([row], "NuggetVital", unassigned="zero").mean == 0.5
    assert tare.evaluate_answers([row], "NuggetVital", unassigned="skip").mean == 1.0
