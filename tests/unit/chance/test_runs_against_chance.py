"""Luck: a run against a ranker without skill, held against all orders and against simulation."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

import tare
from tare._data.judged import Policies
from tare._measures import parse
from tare._measures.evaluate_rankings import join, read_judgements
from tare.chance import better_than_chance, chances, floor, luck
from tare.chance._distributions import (
    convolved,
    corrected_quantile,
    corrected_tail,
    mean_distribution,
    tail,
)

GRADES = {"x": [1, 0, 0, 1], "y": [1, 1, 0], "z": [0, 2, 0, 0]}
QRELS = {q: {f"d{i}": g for i, g in enumerate(gs)} for q, gs in GRADES.items()}
RUN = {q: {f"d{i}": -float(i) for i in range(len(gs))} for q, gs in GRADES.items()}


def all_means(measure: str) -> np.ndarray:
    """The mean over the queries for every combination of their orders."""
    values = []
    for query, documents in QRELS.items():
        orders = list(permutations(documents))
        names = {f"{query}{i}": order for i, order in enumerate(orders)}
        scores = tare.evaluate(
            dict.fromkeys(names, documents),
            {n: {d: -float(k) for k, d in enumerate(order)} for n, order in names.items()},
            measure,
        )
        values.append(scores.values[0, :, 0])
    return np.array([sum(choice) / len(values) for choice in product(*values)])


@pytest.mark.parametrize(
    "measure",
    [
        "P@2",
        "Recall@2",
        "Success@1",
        "RR",
        "RR@2",
        "F@2",
        "P(rel=2)@1",
        "RelP@3",
        "nDCG@2",
        "AP",
        "ERR(lmax=3)@3",
        "bpref",
    ],
)
def test_p_is_the_share_of_all_orders_that_do_as_well(measure):
    means = all_means(measure)
    found = luck(QRELS, RUN, measure, pool="judged")
    row = found.rows()[0]
    assert row["how"] == "exact"
    assert row["expected"] == pytest.approx(means.mean(), abs=1e-12)
    assert row["p"] == pytest.approx((means >= row["mean"] - 1e-9).mean(), abs=1e-12)
    assert row["z"] == pytest.approx((row["mean"] - means.mean()) / means.std(), abs=1e-9)
    assert (means < row["low"] - 1e-12).mean() <= 0.025 + 1e-12
    assert (means > row["high"] + 1e-12).mean() <= 0.025 + 1e-12


@pytest.mark.parametrize(
    "measure", ["nDCG@3", "DCG@2", "P@2", "Recall@2", "F@3", "CG@2", "RBP", "AP", "ERR@3", "bpref"]
)
def test_third_moments_are_those_over_all_orders(measure):
    grades = [2, 0, 1, 0, 0, 3]
    orders = list(permutations(range(len(grades))))
    documents = {f"d{i}": g for i, g in enumerate(grades)}
    names = {str(i): order for i, order in enumerate(orders)}
    values = tare.evaluate(
        dict.fromkeys(names, documents),
        {n: {f"d{d}": -float(k) for k, d in enumerate(order)} for n, order in names.items()},
        measure,
    ).values[0, :, 0]
    from tare._measures.one_system import Sampling
    from tare.chance._expected_values import kernel_values

    judged = join(
        read_judgements({"q": documents}, [parse(measure)]), {"q": {"d0": 1.0}}, Policies()
    )
    tied = chances({"q": documents}, {"q": {"d0": 1.0}}, measure, pool="judged").pool.all_tied(
        judged
    )
    third, error = kernel_values(judged, parse(measure), tied, Sampling(), "thirds")
    assert third[0] == pytest.approx(((values - values.mean()) ** 3).mean(), abs=1e-13)
    assert error[0] == 0


def test_the_corrected_tail_is_near_a_skewed_truth_and_its_inverse_inverts_it():
    random = np.random.default_rng(5)
    qrels = {f"q{q}": {f"d{d}": int(d < 1 + q % 3) for d in range(40)} for q in range(30)}
    run = {q: dict.fromkeys(list(ds)[:1], 1.0) for q, ds in qrels.items()}
    measure = parse("nDCG@5")
    judged = join(read_judgements(qrels, [measure]), run, Policies())
    found = chances(qrels, run, measure, pool="judged")
    chance = mean_distribution(judged, found)
    assert chance.how == "skewness-corrected normal"
    assert chance.skewness > 0.3
    weights = np.array([1 / np.log2(i + 2) for i in range(5)])
    means = np.zeros(40_000)
    for q in range(30):
        r = 1 + q % 3
        places = np.argsort(random.random((len(means), 40)), axis=1)[:, :r]
        gain = np.where(places < 5, weights[np.minimum(places, 4)], 0).sum(axis=1)
        means += gain / weights[: min(r, 5)].sum() / 30
    for share in (0.9, 0.95, 0.99):
        at = float(np.quantile(means, share))
        assert chance.p(at) == pytest.approx(1 - share, abs=0.006)
    low, high = chance.band()
    assert (means < low).mean() + (means > high).mean() == pytest.approx(0.05, abs=0.012)
    for z in (-1.5, 0.2, 2.5):
        assert corrected_quantile(1 - corrected_tail(z, 0.7), 0.7) == pytest.approx(z, abs=1e-9)
        assert corrected_tail(z, -0.7) == pytest.approx(1 - corrected_tail(-z, 0.7))


def test_convolution_on_a_lattice_and_off_it_agree():
    random = np.random.default_rng(2)
    lattice = [(np.array([0.0, 0.2, 0.4]), p / p.sum()) for p in random.random((6, 3))]
    values, p = convolved(lattice)
    plain = {0.0: 1.0}
    for v, q in lattice:
        new: dict[float, float] = {}
        for (a, x), (b, y) in product(plain.items(), zip(v, q, strict=True)):
            new[round(a + b, 9)] = new.get(round(a + b, 9), 0.0) + x * y
        plain = new
    for value, probability in plain.items():
        here = np.abs(values - value) < 1e-9
        assert p[here].sum() == pytest.approx(probability, abs=1e-12)
    odd = [(np.array([0.0, 0.1234567 * k, 0.77]), np.array([0.2, 0.5, 0.3])) for k in (1, 2, 3)]
    many = convolved(odd)
    assert many is not None
    assert tail(many, 0.77 * 3) == pytest.approx(0.027)
    assert convolved(odd, most=5) is None


def test_a_random_ranker_has_uniform_p():
    random = np.random.default_rng(11)
    qrels = {
        f"q{q}": {f"d{d}": int(g) for d, g in enumerate(random.integers(0, 2, 12))}
        for q in range(8)
    }
    runs = {
        f"s{s}": {q: {d: float(random.random()) for d in ds} for q, ds in qrels.items()}
        for s in range(300)
    }
    for measure in ("P@5", "nDCG@5", "AP"):
        p = np.array([row["p"] for row in luck(qrels, runs, measure, pool="judged").rows()])
        assert (p <= 0.05).mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
        assert abs(p.mean() - 0.5) < 0.08


@pytest.mark.parametrize(("name", "verb"), [("ROUGE-1", "text"), ("NuggetAll", "answers")])
def test_a_random_ranking_has_no_value_of_texts_and_answers(name, verb):
    """It was an AssertionError, which the command showed as an unexpected error."""
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 0.5}}
    reason = f"{name} does not measure rankings.*`tare {verb}`"
    with pytest.raises(tare.errors.MeasureError, match=reason):
        tare.chance.luck(qrels, run, name, pool="judged")
    with pytest.raises(tare.errors.MeasureError, match=reason):
        tare.chance.chances(qrels, run, name, pool="judged")
    with pytest.raises(tare.errors.MeasureError, match=reason):
        tare.chance.floor(qrels, name, pool="judged")


def test_the_floor_needs_no_run():
    found = floor(QRELS, ["nDCG@2", "Success@2"], pool="judged")
    rows = {row["measure"]: row for row in found.rows()}
    scores = tare.evaluate(QRELS, RUN, ["E(nDCG@2)", "Ideal(nDCG@2)"], pool="judged")
    assert rows["nDCG@2"]["expected"] == pytest.approx(scores.means()["run"]["E(nDCG@2)"])
    assert rows["nDCG@2"]["ideal"] == pytest.approx(scores.means()["run"]["Ideal(nDCG@2)"])
    assert found.to_frame()["measure"].to_list() == ["nDCG@2", "Success@2"]
    assert found.frames()["queries"].height == 6
    with pytest.raises(tare.TareError, match="needs to know what could have been ranked"):
        floor(QRELS, "AP")
    with pytest.raises(tare.TareError, match="the floor uses no run"):
        floor(QRELS, "AP", pool="union")
    with pytest.raises(tare.TareError, match="chance has no variance"):
        floor(QRELS, "AP", corpus="inf")


# p-values beyond enumeration say that they are sampled, with seed, samples and error.


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
