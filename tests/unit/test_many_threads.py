"""Sixteen threads on one set of judgements, one evaluator and one score table: the result is that of one thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import tare
from tare._data import Policies, judge
from tare._measures.names import parse
from tare._measures.one_system import RankingEvaluation, Sampling

THREADS = 16
MEASURES = [
    "nDCG@10",
    "AP",
    "RR",
    "ERR@20",
    "V2(nDCG@10,pool=judged)",
    "E(AP,pool=judged)",
    "Z(RR,pool=judged)",
    "Net(AP,pool=judged)",
    "bpref",
    "infAP",
]


def together(task: Any) -> list[Any]:
    """What each of sixteen threads gets from the same task, begun at once."""
    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(task) for _ in range(THREADS)]]


@pytest.fixture
def qrels() -> tare.Qrels:
    rng = np.random.default_rng(1)
    return tare.read_qrels(
        {
            f"q{q}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 30))}
            for q in range(40)
        }
    )


@pytest.fixture
def run() -> tare.Run:
    rng = np.random.default_rng(2)
    return tare.read_run(
        {
            f"q{q}": {f"d{d}": float(s) for d, s in enumerate(rng.integers(0, 20, 50))}
            for q in range(40)
        },
        system="s",
    )


def test_one_set_of_judgements_and_one_run(qrels, run):
    found = together(lambda: tare.evaluate(qrels, [run], MEASURES, ties="expected").values)
    alone = tare.evaluate(qrels, [run], MEASURES, ties="expected").values
    assert all(np.array_equal(values, alone, equal_nan=True) for values in found)


def test_one_evaluator(qrels, run):
    def made() -> RankingEvaluation:
        return RankingEvaluation(judge(qrels, run, Policies()), Sampling())

    shared, alone = made(), made()
    measures = [parse(text) for text in MEASURES]
    found = together(lambda: [shared.values(measure) for measure in measures])
    expected = [alone.values(measure) for measure in measures]
    assert all(
        np.array_equal(a, b) for values in found for a, b in zip(values, expected, strict=True)
    )


def test_one_score_table(qrels, run):
    def asked(scores: tare.Scores) -> Any:
        return str(scores), scores["AP"].mean, scores.to_frame().to_dicts(), repr(scores.signatures)

    shared = tare.evaluate(qrels, [run], ["AP", "nDCG@10"])
    alone = asked(tare.evaluate(qrels, [run], ["AP", "nDCG@10"]))
    assert all(answer == alone for answer in together(lambda: asked(shared)))


def test_files_are_read_by_all_at_once(tmp_path, qrels, run):
    for name in ("a.run", "a.parquet", "a.jsonl", "a.run.gz"):
        run.write(tmp_path / name)
        alone = run.to_dict()
        assert all(
            found == alone
            for found in together(lambda name=name: tare.read_run(tmp_path / name).to_dict())
        )


def test_one_file_written_by_all_at_once(tmp_path, run):
    path = tmp_path / "a.run"
    together(lambda: run.write(path))
    assert tare.read_run(path).to_dict() == run.to_dict()
    assert [p.name for p in tmp_path.iterdir()] == ["a.run"]
