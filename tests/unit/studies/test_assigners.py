"""People and models that assign nuggets: agreement, systems under both, and estimates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest

import tare
from tare.errors import MismatchError, OptionError

SAID = ("not_support", "partial_support", "support")


def records(seed: int, lenient: float = 0.0, topics: int = 30) -> list[dict[str, Any]]:
    """Three systems of different quality; a lenient assigner raises some assignments by a step."""
    truth, slip = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    made = []
    for s, quality in enumerate((0.3, 0.5, 0.7)):
        for t in range(topics):
            nuggets = []
            for k in range(5):
                step = int(truth.binomial(2, quality))
                step = min(2, step + int(slip.random() < lenient))
                nuggets.append(
                    {
                        "text": f"fact {k}",
                        "importance": "vital" if k < 2 else "okay",
                        "assignment": SAID[step],
                    }
                )
            made.append({"qid": f"q{t}", "run_id": f"s{s}", "nuggets": nuggets})
    return made


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_agreement_of_assigners(tmp_path: Path) -> None:
    people = written(tmp_path / "people.jsonl", records(1))
    model = written(tmp_path / "model.jsonl", records(1, lenient=0.3))
    found = tare.studies.judges(
        people, model, measures=["NuggetAll", "NuggetVital"], draws=200, splits=5
    )
    row = found.rows()[0]
    labels = np.array(
        [
            [SAID.index(n["assignment"]) / 2 for r in rows for n in r["nuggets"]]
            for rows in (records(1), records(1, 0.3))
        ]
    )
    expected = krippendorff.alpha(reliability_data=labels, level_of_measurement="ordinal")
    assert row["alpha"] == pytest.approx(expected, abs=1e-9)
    assert row["leniency"] == pytest.approx(float((labels[1] - labels[0]).mean()))
    assert (row["pairs"], row["queries"]) == (450, 30)
    assert row["leniency_low"] > 0
    by_people = tare.evaluate_answers(people, "NuggetVital").means()
    by_model = tare.evaluate_answers(model, "NuggetVital").means()
    systems = {
        r["system"]: r for r in found.rows_by_name["systems"] if r["measure"] == "NuggetVital"
    }
    for name, own in systems.items():
        assert own["human"] == pytest.approx(by_people[name]["NuggetVital"])
        assert own["labelled"] == pytest.approx(by_model[name]["NuggetVital"])
        assert own["bias"] > 0
    whole = [r for r in found.rows_by_name["conclusions"] if r["comparison"] == "all queries"]
    assert [
        sum(
            v
            for k, v in r.items()
            if k.count("_") == 1 and k.split("_")[0] in ("better", "none", "worse")
        )
        for r in whole
    ] == [3, 3]


def test_importance_in_a_file_of_its_own(tmp_path: Path) -> None:
    bare = [
        {**r, "nuggets": [{k: v for k, v in n.items() if k != "importance"} for n in r["nuggets"]]}
        for r in records(1)
    ]
    people, model = (written(tmp_path / n, bare) for n in ("people.jsonl", "model.jsonl"))
    lists = [
        {
            "qid": f"q{t}",
            "nuggets": [
                {"text": f"fact {k}", "importance": "okay" if k else "vital"} for k in range(5)
            ],
        }
        for t in range(30)
    ]
    with pytest.raises(MismatchError, match="NuggetVital needs the importance"):
        tare.studies.judges(people, model, measures=["NuggetVital"], draws=100, splits=2)
    found = tare.studies.judges(
        people, model, measures=["NuggetVital"], nuggets=lists, draws=100, splits=2
    )
    assert found.rows()[0]["kappa"] == 1.0
    with pytest.raises(OptionError, match="nuggets belong to measures of answers"):
        tare.studies.judges(people, model, nuggets=lists, draws=100)
    grades = {"q": {"a": 1, "b": 0}}
    with pytest.raises(MismatchError, match="the labels of labels are grades"):
        tare.studies.judges(grades, {"llm": grades}, measures=["NuggetAll"], draws=100)


def test_one_table_with_several_assigners() -> None:
    rows = [
        {
            "system": r["run_id"],
            "item": r["qid"],
            "nugget": n["text"],
            "assignment": n["assignment"],
            "assigner": who,
        }
        for who, lenient in (("human", 0.0), ("llm", 0.3))
        for r in records(1, lenient)
        for n in r["nuggets"]
    ]
    import polars as pl

    found = tare.studies.judges(pl.DataFrame(rows), measures=["NuggetAll"], draws=100, splits=2)
    assert (found.people, found.judges) == (("human",), ("llm",))
    assert len(found.rows_by_name["systems"]) == 3


def test_an_estimate_removes_the_leniency_of_a_model() -> None:
    """People assigned the answers to 40 of 200 topics, a lenient model those to all."""
    truth = records(3, topics=200)
    model = tare.evaluate_answers(records(3, lenient=0.4, topics=200), "NuggetAll")
    some = {f"q{t}" for t in range(0, 200, 5)}
    people = tare.evaluate_answers([r for r in truth if r["qid"] in some], "NuggetAll")
    found = tare.estimate(people, model)
    whole = tare.evaluate_answers(truth, "NuggetAll").means()
    for row in found.rows():
        true = whole[row["system"]]["NuggetAll"]
        assert row["judge"] > row["high"] > true > row["low"]


def test_power_and_comparison_of_nuggets() -> None:
    scores = tare.evaluate_answers(records(5), ["NuggetAll", "NuggetVital"])
    made = tare.compare(scores, baseline="s0")
    assert {row["system"] for row in made.rows()} == {"s1", "s2"}
    curve = tare.stats.power_curve(scores.matrix("NuggetAll"), [0], [2], simulations=100)
    assert curve.rows()
