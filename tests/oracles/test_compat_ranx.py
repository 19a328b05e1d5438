"""`tare.compat.ranx` against ranx 0.3.21."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pytest

from tare.compat.ranx import Qrels, Run, compare, evaluate

MADE = Path(__file__).parent / "ranx_values.json"  # by `python -m tests.oracles.test_compat_ranx`
NAMES = [
    *("hits", "hits@5", "hit_rate", "hit_rate@3", "precision", "precision@5", "recall", "recall@7"),
    *(
        "f1",
        "f1@5",
        "r-precision",
        "mrr",
        "mrr@2",
        "map",
        "map@5",
        "dcg",
        "dcg@4",
        "ndcg",
        "ndcg@5",
    ),
    *("dcg_burges", "ndcg_burges@3", "map@5-l2", "ndcg@5-l2", "recall@7-l2", "mrr-l2", "bpref"),
]
BINARY = ["rbp.95", "rbp.5"]  # ranx multiplies RBP by the grade


def collections(seeds):
    """Collections without ties, which ranx breaks by the order of insertion."""
    for seed in seeds:
        rng = random.Random(seed)
        documents = [f"d{i}" for i in range(25)]
        grades = [0, 1] if seed % 2 else [0, 1, 2, 3]
        qrels, runs = {}, [{}, {}, {}]
        for q in range(12):
            judged = rng.sample(documents, rng.randint(3, 20))
            qrels[f"q{q}"] = {d: rng.choice(grades) for d in judged} | {judged[0]: max(grades)}
            for run in runs:
                found = rng.sample(documents, rng.randint(1, 25))
                run[f"q{q}"] = {d: rng.random() for d in found}
        yield qrels, runs, NAMES + (BINARY if seed % 2 else [])


def written(seeds):
    """Values of ranx, by collection and run, and p-values of the first collection."""
    import ranx

    values, p_values = [], {}
    for seed, (qrels, runs, names) in zip(seeds, collections(seeds), strict=True):
        made = [ranx.Run(run, name=f"r{i}") for i, run in enumerate(runs)]
        for run in made:
            found = ranx.evaluate(ranx.Qrels(qrels), run, names, return_mean=False)
            values.append({name: array.tolist() for name, array in found.items()})
        if seed == seeds[0]:
            report = ranx.compare(ranx.Qrels(qrels), made, ["ndcg", "map@5"], max_p=0.2)
            p_values = report.to_dict()
    return {"values": values, "report": p_values}


def same(name, mine, theirs):
    if name == "bpref" and math.isnan(
        theirs
    ):  # a query without judged documents that are not relevant
        return
    assert mine == pytest.approx(theirs, abs=1e-12), name


def check(stored, seeds):
    values = iter(stored["values"])
    for seed, (qrels, runs, names) in zip(seeds, collections(seeds), strict=True):
        for run in runs:
            mine = evaluate(Qrels(qrels), Run(run), names, return_mean=False)
            for name, theirs in next(values).items():
                for one, other in zip(mine[name].tolist(), theirs, strict=True):
                    same(name, one, other)
        if seed == seeds[0]:
            made = [Run(run, name=f"r{i}") for i, run in enumerate(runs)]
            report = compare(Qrels(qrels), made, ["ndcg", "map@5"], max_p=0.2).to_dict()
            for model in ("r0", "r1", "r2"):
                theirs = stored["report"][model]
                assert report[model]["scores"] == pytest.approx(theirs["scores"], abs=1e-12)
                assert report[model]["win_tie_loss"] == theirs["win_tie_loss"]
                for other, p_values in theirs["comparisons"].items():
                    assert report[model]["comparisons"][other] == pytest.approx(p_values, abs=1e-9)


def test_stored_values():
    check(json.loads(MADE.read_text(encoding="utf-8")), range(6))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(600)
def test_ranx_itself():
    pytest.importorskip("ranx", reason="ranx is in the group bench")
    check(written(range(100, 112)), range(100, 112))


def test_the_example_of_its_readme():
    qrels_dict = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
    run_dict = {
        "q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4},
        "q_2": {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4},
    }
    qrels = Qrels(qrels_dict)
    run = Run(run_dict)
    assert round(evaluate(qrels, run, "ndcg@5"), 4) == 0.7861
    both = evaluate(qrels, run, ["map@5", "mrr"])
    assert both == {"map@5": pytest.approx(0.64166, abs=1e-5), "mrr": 0.75}  # printed as 0.6416
    others = [
        Run({q: {d: i * s for d, s in docs.items()} for q, docs in run_dict.items()})
        for i in (-1, 1)
    ]
    report = compare(
        qrels=qrels,
        runs=[run, *others],
        metrics=["map@100", "mrr@100", "ndcg@10"],
        max_p=0.01,  # P-value threshold
    )
    assert str(report).splitlines()[0].split() == ["#", "Model", "MAP@100", "MRR@100", "NDCG@10"]
    assert str(report).splitlines()[2].split() == ["a", "run_1", "0.642", "0.750", "0.786"]


def test_where_ranx_errs():
    qrels = Qrels({"q": {"a": 3, "b": 0}})
    tied = [Run({"q": dict.fromkeys(order, 1.0)}) for order in (("a", "b"), ("b", "a"))]
    assert {float(evaluate(qrels, run, "mrr")) for run in tied} == {
        0.5
    }  # not the order of insertion
    only = Qrels({"q": {"a": 1}})
    assert evaluate(only, Run({"q": {"a": 1.0}}), "bpref") == 1  # not NaN
    assert evaluate(qrels, Run({"q": {"a": 1.0}}), "rbp.50") <= 1  # not 1.5
    same_twice = [Run({"q": {"a": 1.0}, "r": {"b": 1.0}}, name=n) for n in "xy"]
    judged = Qrels({"q": {"a": 1}, "r": {"a": 1}})
    for test in ("student", "fisher", "tukey"):
        report = compare(judged, same_twice, "map", stat_test=test)
        assert report.to_dict()["x"]["comparisons"]["y"]["map"] == 1  # not NaN
    many = [Run({"q": {"a": 1.0}, "r": {"b": float(i)}}, name=f"s{i}") for i in range(30)]
    assert str(compare(judged, many, "map")).splitlines()[-1].startswith("ad ")  # not an IndexError


def test_runs_are_not_changed():
    run = Run({"q": {"a": 1.0}, "other": {"b": 1.0}})
    qrels = Qrels({"q": {"a": 1}, "missing": {"a": 1}})
    assert evaluate(qrels, run, "map", make_comparable=True) == 0.5
    assert run.to_dict() == {"other": {"b": 1.0}, "q": {"a": 1.0}}
    assert list(run.make_comparable(qrels).keys()) == ["q", "missing"]
    assert run.size == 2


if __name__ == "__main__":
    MADE.write_text(json.dumps(written(range(6))), encoding="utf-8")
    print(np.version.version)
