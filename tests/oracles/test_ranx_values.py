"""The measures of docs/how-to/from-ranx.md against ranx 0.3.21, and the p-values of its t-test."""

import json
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

import tare
from tests.conftest import ROOT

MADE = Path(__file__).parent / "ranx_values.json"  # by `python -m tests.oracles.test_ranx_values`
PAGE = ROOT / "docs" / "how-to" / "from-ranx.md"
ROW = re.compile(r"\| `([^`]+)` \| `([^`]+)`(?: × (\d+))? \| yes", re.MULTILINE)
EQUIVALENTS = {name: (ours, int(times or 1)) for name, ours, times in ROW.findall(PAGE.read_text())}
BINARY = ["rbp.95", "rbp.5"]  # ranx multiplies RBP by the grade
NAMES = [name for name in EQUIVALENTS if name not in BINARY]


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


def check(stored, seeds):
    values = iter(stored["values"])
    for qrels, runs, names in collections(seeds):
        for run in runs:
            theirs = next(values)
            assert theirs.keys() == set(names)
            mine = tare.evaluate(qrels, run, [EQUIVALENTS[name][0] for name in names])
            order = [mine.items.index(query) for query in sorted(qrels)]
            for name in names:
                ours, times = EQUIVALENTS[name]
                found = mine[ours].values[0, order, 0] * times
                wanted = np.array(theirs[name])
                if name == "bpref":  # NaN: no document of the query is judged as not relevant
                    found = np.where(np.isnan(wanted), math.nan, found)
                assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True), name


def test_stored_values():
    check(json.loads(MADE.read_text(encoding="utf-8")), range(6))


def test_stored_p_values():
    stored = json.loads(MADE.read_text(encoding="utf-8"))["report"]
    qrels, runs, _ = next(collections([0]))
    runs = {f"r{i}": run for i, run in enumerate(runs)}
    scores = tare.evaluate(qrels, runs, ["ndcg", "map@5"])
    for row in tare.compare(scores, test="t", correction="none").to_frame().to_dicts():
        name = {"nDCG": "ndcg", "AP@5": "map@5"}[row["measure"]]
        theirs, against = stored[row["system"]], row["against"]
        mean = scores.means()[row["system"]][row["measure"]]
        assert theirs["scores"][name] == pytest.approx(mean, abs=1e-12)
        assert theirs["comparisons"][against][name] == pytest.approx(row["p"], abs=1e-9)
        counted = {"W": row["wins"], "T": row["ties"], "L": row["losses"]}
        assert theirs["win_tie_loss"][against][name] == counted


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.timeout(600)
def test_ranx_itself():
    pytest.importorskip("ranx", reason="ranx is in the group bench")
    check(written(range(100, 112)), range(100, 112))


def test_where_ranx_differs():
    qrels = {"q": {"a": 3, "b": 0}}
    tied = [{"q": dict.fromkeys(order, 1.0)} for order in (("a", "b"), ("b", "a"))]
    assert {tare.evaluate(qrels, run, "mrr").mean for run in tied} == {0.5}
    assert tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "bpref").mean == 1  # NaN in ranx
    assert tare.evaluate(qrels, {"q": {"a": 1.0}}, "rbp.50").mean == 0.5  # 1.5 in ranx
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    twice = {name: {"q": {"a": 1.0}, "r": {"b": 1.0}} for name in "xy"}
    for test in ("t", "permutation", "tukey"):
        made = tare.compare(tare.evaluate(judged, twice, "map"), test=test, seed=1)
        assert made.to_frame()["p"].item() == 1  # NaN in ranx


if __name__ == "__main__":
    MADE.write_text(json.dumps(written(range(6))), encoding="utf-8")
    print(np.version.version)
