"""Laws of Net: 0 on average over all orders, 1 for the ideal, and a property of query and ranking alone."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import tare
from tare._measures import definitions, make, parse
from tare._measures.aggregation import Ratio
from tare.chance._net_measures import has_net
from tests.laws.orders import cases, every_cutoff, named_orders
from tests.reference.diversity_catalogue import VARIANTS as DIVERSITY

POOLS = ("judged", "corpus=6", "candidates", "union")
MEASURES = [m for m in every_cutoff(6) if has_net(m)]
EXACT = 1e-12


def wrapped(measures):
    return [make("Net", inner=m) for m in measures]


def on_all_orders(pool: str, seed: int):
    """Net of every measure on every order of some small pools: {case: orders × measures}."""
    found = {}
    for name, case in cases(4, seed, largest=5, most=120).items():
        documents = case.documents("union" if pool == "candidates" else pool)
        runs = named_orders(documents)
        qrels = {str(i): case.qrels() for i in range(len(runs))}
        asked = (
            {"candidates": {q: list(documents) for q in qrels}}
            if pool == "candidates"
            else {"pool": pool}
        )
        keep = [m for m in MEASURES if room(case, documents, m, pool)]
        if not keep:
            continue
        scores = tare.evaluate(
            qrels, {q: runs[int(q)] for q in qrels}, wrapped(keep), ties="order", **asked
        )
        found[name] = keep, scores.values[0]
    return found


def room(case, documents, measure, pool) -> bool:
    """Whether the measure has room on this pool: on the others Net is undefined."""
    asked = {"candidates": {"q": list(documents)}} if pool == "candidates" else {"pool": pool}
    if pool == "union":
        asked = {"candidates": {"q": list(documents)}}
    found = tare.chance.chances({"q": case.qrels()}, {"q": {"d0": 1.0}}, measure, **asked)
    return bool(found.room[0] != 0)


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("seed", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_the_mean_over_all_orders_is_0_and_the_best_order_has_1(pool, seed):
    seen = 0
    for keep, values in on_all_orders(pool, seed).values():
        for m, measure in enumerate(keep):
            column = values[:, m]
            assert column.mean() == pytest.approx(0, abs=EXACT * max(1, np.abs(column).max())), (
                pool,
                measure,
            )
            assert column.max() == pytest.approx(1, abs=1e-11), (pool, measure)
            seen += 1
    assert seen > 50


def test_every_measure_with_a_chance_has_a_net_score_and_the_others_say_why_not():
    for definition in definitions():
        if definition.family != "ranking":
            continue
        text = {"required": f"{definition.name}@3", "recall": f"{definition.name}@0.5"}
        measure = parse(text.get(definition.cutoff, definition.name))
        qrels, run = {"q": {"a": 2, "b": 1, "c": 0, "d": 0}}, {"q": {"a": 1.0, "c": 0.5}}
        if has_net(measure):
            continue
        with pytest.raises(tare.TareError, match="has no net score, because"):
            tare.evaluate(qrels, run, make("Net", inner=measure), pool="judged")


@pytest.mark.parametrize("text", [t for texts in DIVERSITY.values() for t in texts])
def test_net_of_diversity_is_0_on_average_and_1_for_the_best_order(text):
    measure = parse(text)
    if not has_net(measure):
        return
    cells = [("a", "d1", 1), ("b", "d1", 1), ("a", "d2", 1), ("c", "d3", 2), ("none", "d4", 0)]
    documents = ["d1", "d2", "d3", "d4"]
    orders = list(permutations(documents))
    subtopics = [(str(i), s, d, g) for i in range(len(orders)) for s, d, g in cells]
    runs = {str(i): {d: -float(k) for k, d in enumerate(order)} for i, order in enumerate(orders)}
    one = tare.chance.chances(subtopics[: len(cells)], {"0": runs["0"]}, measure, pool="judged")
    if one.room[0] == 0:
        return  # every order has the same value
    scores = tare.evaluate(subtopics, runs, make("Net", inner=measure), pool="judged")
    values = scores.values[0, :, 0]
    assert values.mean() == pytest.approx(0, abs=EXACT)
    assert values.max() == pytest.approx(1, abs=EXACT)  # the greedy order is the best one here


@pytest.mark.parametrize(
    "asked",
    [
        {"pool": "judged"},
        {"corpus": 500},
        {"corpus": "inf"},
        {"candidates": 300},
        {"candidates": "listed"},
    ],
)
def test_net_does_not_change_with_depth_or_company(asked):
    random = np.random.default_rng(4)
    documents = [f"d{k:03d}" for k in range(150)]
    qrels = {
        q: {d: int(g) for d, g in zip(documents[:60], random.integers(0, 3, 60), strict=True)}
        for q in ("x", "y", "z")
    }
    order = {q: [documents[k] for k in random.permutation(150)] for q in qrels}
    runs = {
        f"cut{k}": {q: {d: 200.0 - i for i, d in enumerate(order[q][:k])} for q in qrels}
        for k in (10, 20, 100, 150)
    }
    if asked.get("candidates") == "listed":
        asked = {"candidates": dict.fromkeys(qrels, documents)}
    measures = [
        parse(f"Net({m})") for m in ("nDCG@10", "RR@10", "P@5", "ERR@10", "AP@10", "Success@5")
    ]
    together = tare.evaluate(qrels, runs, measures, **asked)
    for s, system in enumerate(together.systems):
        alone = tare.evaluate(qrels, {system: runs[system]}, measures, **asked)
        np.testing.assert_array_equal(together.values[s], alone.values[0])
        np.testing.assert_array_equal(together.values[s], together.values[0])
        assert list(together.means()[system].values()) == list(together.means()["cut10"].values())
    assert not tare.compare(together).families[0].significant.any()


def test_affine_images_have_the_same_net():
    random = np.random.default_rng(1)
    score, tare_, ideal = np.sort(random.random((3, 4, 30)), axis=0)[[1, 0, 2]]
    plain = Ratio(score, tare_, ideal)
    for a, b in ((2.0, 0.0), (0.25, -3.0), (1e3, 7.0)):
        image = Ratio(a * score + b, a * tare_ + b, a * ideal + b)
        np.testing.assert_allclose(image.values(), plain.values(), rtol=1e-9, atol=EXACT)
        np.testing.assert_allclose(image.means(), plain.means(), rtol=1e-9, atol=EXACT)
    qrels, run = {"q": {"a": 2, "b": 1, "c": 0, "d": 0}}, {"q": {"c": 3.0, "a": 2.0, "b": 1.0}}
    scaled = tare.evaluate(
        qrels, run, ["Net(DCG@3)", "Net(DCG(base=10)@3)", "Net(nDCG@3)"], pool="judged"
    )
    assert np.ptp(scaled.values) <= EXACT


def test_order_and_p_are_those_of_the_measure():
    random = np.random.default_rng(7)
    qrels = {
        f"q{q}": {f"d{d}": int(g) for d, g in enumerate(random.integers(0, 3, 20))}
        for q in range(40)
    }
    runs = {
        s: {
            q: {d: float(g * skill + random.normal()) for d, g in ds.items()}
            for q, ds in qrels.items()
        }
        for s, skill in (("a", 0.2), ("b", 0.3), ("c", 0.6))
    }
    for measure in ("nDCG@5", "AP", "RR"):
        net = f"Net({measure})"
        scores = tare.evaluate(qrels, runs, [measure, net], pool="judged")
        for test in ("t", "wilcoxon", "permutation", "tukey"):
            found = tare.compare(scores, test=test, correction="none", seed=3)
            assert found[measure].ranking == found[net].ranking
            np.testing.assert_allclose(
                found[measure].result.p, found[net].result.p, rtol=0, atol=EXACT
            )
        means = scores.means()
        for row in found[net].rows():
            gap = means[row["system"]][net] - means[row["against"]][net]
            assert row["difference"] == pytest.approx(gap, abs=1e-9)
            assert row["low"] <= row["difference"] <= row["high"]


def test_gross_tare_ideal_and_net_are_over_the_same_queries():
    qrels = {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 0}, "c": {"z": 2}}
    scores = tare.evaluate(
        qrels, {"a": {"y": 2.0, "x": 1.0}}, ["RR", "E(RR)", "Ideal(RR)", "Net(RR)"], pool="judged"
    )
    means = scores.means()["run"]
    assert scores.counts().tolist() == [[3, 3, 3, 3]]
    assert means["Net(RR)"] == pytest.approx(
        (means["RR"] - means["E(RR)"]) / (means["Ideal(RR)"] - means["E(RR)"]), abs=EXACT
    )
    assert all("n:3" in str(signature) for signature in scores.signatures)
