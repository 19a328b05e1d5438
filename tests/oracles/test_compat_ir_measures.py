"""`tare.compat.ir_measures`: the provider and measures net of chance, inside ir_measures and PyTerrier."""

import importlib.util
import json
import random
import subprocess
import sys

import pytest

import tare
from tare.errors import MeasureError, TareError

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
from ir_measures import AP, ERR, RBP, RR, Bpref, Judged, P, R, Rprec, Success, nDCG  # noqa: E402

from tare.compat.ir_measures import V2, E, Net, tare_provider  # noqa: E402

SAME = [
    AP,
    AP @ 5,
    AP(rel=2),
    nDCG,
    nDCG @ 5,
    P @ 3,
    P(rel=2) @ 5,
    R @ 5,
    RR,
    Rprec,
    Success @ 2,
    Bpref,
]
SAME += [RR @ 4, RBP(p=0.8), ERR @ 5, nDCG(dcg="exp-log2") @ 5]


def collection(seed):
    rng = random.Random(seed)
    documents = [f"d{i}" for i in range(20)]
    qrels = {f"{q}": {d: rng.choice([0, 0, 1, 2]) for d in documents[:15]} for q in range(1, 7)}
    run = {q: {d: rng.random() for d in rng.sample(documents, 12)} for q in qrels if q != "3"}
    return qrels, run


def as_tuples(qrels, run):
    return (
        [ir_measures.Qrel(q, d, g) for q, found in qrels.items() for d, g in found.items()],
        [ir_measures.ScoredDoc(q, d, s) for q, found in run.items() for d, s in found.items()],
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_same_values_as_the_default_providers(seed):
    qrels, run = collection(seed)
    measures = [m for m in SAME if ir_measures.DefaultPipeline.supports(m)]
    theirs = {(m.query_id, m.measure): m.value for m in ir_measures.iter_calc(measures, qrels, run)}
    mine = {(m.query_id, m.measure): m.value for m in tare_provider.iter_calc(measures, qrels, run)}
    assert set(mine) == set(theirs)
    for key, value in theirs.items():
        # gdeval prints five decimals
        assert mine[key] == pytest.approx(
            value, abs=1e-5 if key[1].NAME in ("ERR", "nDCG") else 1e-9
        ), key


@pytest.mark.parametrize("tuples", [False, True])
@pytest.mark.parametrize("of", ["nDCG@5", "AP", "RR"])
def test_measures_of_chance_equal_those_of_tare(of, tuples):
    qrels, run = collection(3)
    expected = tare.evaluate(qrels, run, [f"Net({of})", f"E({of})", f"V2({of})"], pool="judged")
    given = as_tuples(qrels, run) if tuples else (qrels, run)
    measures = [measure(of, pool="judged") for measure in (Net, E, V2)]
    found = ir_measures.calc_aggregate([*measures, nDCG @ 5], *given)
    assert found[nDCG @ 5] == pytest.approx(
        tare.evaluate(qrels, run, "nDCG@5").means()["run"]["nDCG@5"]
    )
    for measure, name in zip(measures, expected.measures, strict=True):
        assert found[measure] == pytest.approx(expected.means()["run"][name], abs=1e-12)
    values = {m.query_id: m.value for m in ir_measures.iter_calc([measures[0]], *given)}
    parts = expected.ratios[expected.measures[0]].contributions()[0]
    assert values == pytest.approx(dict(zip(expected.items, parts, strict=True)))
    assert sum(values.values()) / len(values) == pytest.approx(
        expected.means()["run"][expected.measures[0]]
    )


def test_an_empty_run():
    qrels, _ = collection(1)
    found = ir_measures.calc_aggregate([Net(nDCG @ 5, pool="judged"), nDCG @ 5], qrels, {})
    expected = tare.evaluate(qrels, {"7777": {"1": 1.0}}, "Net(nDCG@5)", pool="judged")
    assert found[nDCG @ 5] == 0
    assert found[Net(nDCG @ 5, pool="judged")] == pytest.approx(
        expected.means()["run"]["Net(nDCG@5)"]
    )


def test_spellings():
    assert Net(nDCG @ 10, pool="judged") == Net("nDCG@10")(pool="judged")
    assert Net(nDCG(dcg="exp-log2") @ 10).params == {"of": "nDCG(gain=exp2)@10"}
    text = str(V2(AP(rel=2), pool="corpus", corpus=1000))
    assert text == "V2(of='AP(rel=2)',pool='corpus',corpus=1000)"
    assert ir_measures.parse_measure(text) == V2(AP(rel=2), pool="corpus", corpus=1000)


def test_what_is_missing_or_unknown_is_an_error():
    qrels, run = collection(1)
    with pytest.raises(TareError, match="pool"):
        ir_measures.calc_aggregate([Net(nDCG @ 5)], qrels, run)
    with pytest.raises(MeasureError, match="nDGC"):
        ir_measures.calc_aggregate([Net("nDGC@5", pool="judged")], qrels, run)
    with pytest.raises(MeasureError, match="has no equal in tare"):
        Net(ir_measures.NumQ)
    with pytest.raises(MeasureError, match="no parameter judged_only"):
        Net(P(judged_only=True) @ 5)
    assert not tare_provider.supports(Judged @ 10)


EXPERIMENT = """
import json, warnings
warnings.simplefilter("ignore")
import pandas as pd
import pyterrier as pt
import tare.stats
from ir_measures import nDCG
from tare.compat.ir_measures import Net
from tests.oracles.test_compat_ir_measures import collection
qrels, run = collection(3)
rows = lambda found: [(q, d, v) for q, docs in found.items() for d, v in docs.items()]
judged = pd.DataFrame(rows(qrels), columns=["qid", "docno", "label"])
frames = []
for seed in (3, 4):
    frame = pd.DataFrame(rows(collection(seed)[1]), columns=["qid", "docno", "score"])
    frame["rank"] = frame.groupby("qid")["score"].rank(ascending=False).astype(int) - 1
    frames.append(pt.Transformer.from_df(frame))
topics = pd.DataFrame({"qid": sorted(qrels), "query": "x"})
found = pt.Experiment(frames, topics, judged, [nDCG @ 5, Net(nDCG @ 5, pool="judged")],
                      names=["a", "b"], baseline=0, test=tare.stats.flip_test)
print(json.dumps(json.loads(found.to_json(orient="records"))))
"""


def test_an_experiment_of_pyterrier():
    if importlib.util.find_spec("pyterrier") is None:
        pytest.skip("pyterrier is not installed")
    done = subprocess.run(
        [sys.executable, "-c", EXPERIMENT], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows = json.loads(done.stdout.splitlines()[-1])
    runs = {name: collection(seed)[1] for name, seed in (("a", 3), ("b", 4))}
    scores = tare.evaluate(collection(3)[0], runs, ["nDCG@5", "Net(nDCG@5)"], pool="judged")
    for row in rows:
        means = scores.means()[row["name"]]
        assert row["nDCG@5"] == pytest.approx(means["nDCG@5"])
        assert row["Net(of='nDCG@5',pool='judged')"] == pytest.approx(means["Net(nDCG@5)"])
    p = tare.compare(scores, test="permutation").pair("a", "b", "nDCG@5")["p"]
    assert rows[1]["nDCG@5 p-value"] == pytest.approx(p)
