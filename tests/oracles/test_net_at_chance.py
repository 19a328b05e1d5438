"""A ranker without skill has a net score of 0, and intervals of Net cover what they promise."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare._data.simulation import simulate
from tare._measures.aggregation import Ratio
from tare.stats import ratio_interval

MEASURES = ("nDCG@10", "AP", "RR", "Success@10", "ERR@20")
REPEATS = 40


def random_means(qrels: dict[str, dict[str, float]], measures, seed: int) -> np.ndarray:
    """Net of several random rankers of the judged documents: rankers × measures."""
    random = np.random.default_rng(seed)
    runs = {
        f"r{k:02d}": {
            q: dict(zip(ds, random.random(len(ds)).tolist(), strict=True))
            for q, ds in qrels.items()
        }
        for k in range(REPEATS)
    }
    scores = tare.evaluate(qrels, runs, [f"Net({m})" for m in measures], pool="judged")
    return np.array([list(means.values()) for means in scores.means().values()])


def collection(relevant: int, documents: int) -> dict[str, dict[str, float]]:
    return {f"q{q}": {f"d{d}": int(d < relevant) for d in range(documents)} for q in range(60)}


@pytest.mark.parametrize(
    "qrels",
    [collection(1, 100), collection(5, 20), simulate(seed=1).qrels.to_dict()],
    ids=["1 of 100", "5 of 20", "demo"],
)
def test_the_net_of_random_rankers_is_0(qrels):
    means = random_means(qrels, MEASURES, seed=3)
    error = means.std(axis=0, ddof=1) / np.sqrt(REPEATS)
    assert (np.abs(means.mean(axis=0)) <= 3 * error).all(), dict(zip(MEASURES, means.mean(axis=0)))  # noqa: B905


def test_the_net_of_random_rankers_on_real_data_is_0(real_data):
    letor = tare.read_letor(real_data / "letor" / "mq2008" / "train.txt.gz")
    random = np.random.default_rng(8)
    qrels = letor.qrels()
    runs = [letor.run(scores=random.random(len(letor)), system=f"r{k}") for k in range(REPEATS)]
    names = [name for m in MEASURES for name in (m, f"E({m})", f"Net({m})")]
    scores = tare.evaluate(qrels, runs, names)  # LETOR data know their pool
    means = np.array([list(found.values()) for found in scores.means().values()])
    for m, measure in enumerate(MEASURES):
        gross, expected, net = means[:, 3 * m : 3 * m + 3].T
        error = net.std(ddof=1) / np.sqrt(REPEATS)
        assert abs(net.mean()) <= 3 * error, measure
        assert abs(gross.mean() - expected[0]) <= 0.005, measure


def test_the_net_of_random_orders_is_0_for_preferences():
    documents = [f"d{k}" for k in range(12)]
    random = np.random.default_rng(5)
    worth = {d: k for k, d in enumerate(documents)}
    judgements = [
        (f"q{q}", a, b, max(a, b, key=lambda d: worth[d] + random.normal(0, 2)))
        for q in range(20)
        for i, a in enumerate(documents)
        for b in documents[i + 1 :]
    ]
    means = []
    for _ in range(REPEATS):
        run = {f"q{q}": {d: float(random.random()) for d in documents} for q in range(20)}
        means.append(tare.evaluate(judgements, run, "Net(Prf@5)", pool="judged").mean)
    assert abs(np.mean(means)) <= 3 * np.std(means, ddof=1) / np.sqrt(REPEATS)


def test_the_net_of_random_texts_is_0():
    random = np.random.default_rng(6)
    words = [f"w{k}" for k in range(40)]
    means = []
    items = []
    for item in range(25):
        source = [words[k] for k in random.integers(0, 40, 120)]
        reference = [source[k] for k in random.integers(0, 120, 15)]
        items.append((f"i{item}", source, reference))
    for _ in range(REPEATS):
        rows = [
            {
                "item": name,
                "text": " ".join(random.choice(source, len(reference))),
                "references": [" ".join(reference)],
                "source": " ".join(source),
            }
            for name, source, reference in items
        ]
        means.append(tare.evaluate_texts(tare.read_summaries(rows), "Net(ROUGE-1)").mean)
    assert abs(np.mean(means)) <= 3 * np.std(means, ddof=1) / np.sqrt(REPEATS)


def population(random: np.random.Generator, size: int) -> tuple[np.ndarray, ...]:
    """Queries of two systems: tare, ideal, and gross scores with skew, zeros and empty queries."""
    tare_ = random.beta(1, 3, size)
    ideal = np.ones(size)
    shared = random.beta(0.8, 0.9, size)
    gross = []
    for shift in (0.0, 0.1):
        skill = np.clip(shared + shift + random.normal(0, 0.15, size), -0.3, 1)
        score = np.clip(tare_ + (ideal - tare_) * skill, 0, 1)
        gross.append(np.where(random.random(size) < 0.1, 0.0, score))
    empty = random.random(size) < 0.1
    return tuple(np.where(empty, 0.0, x) for x in (*gross, tare_, ideal))


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200])
def test_intervals_cover_94_to_96_percent_of_10000_query_sets(n):
    random = np.random.default_rng(1)
    whole = population(random, 400_000)
    gross = np.stack(whole[:2])
    truth = Ratio(gross, np.stack([whole[2]] * 2), np.stack([whole[3]] * 2)).means()
    single = difference = 0
    sets = 10_000
    for _ in range(sets):
        pick = random.integers(0, len(whole[0]), n)
        part = Ratio(gross[:, pick], np.stack([whole[2][pick]] * 2), np.stack([whole[3][pick]] * 2))
        _, low, high = ratio_interval(part.gain[0], part.room[0])
        single += low <= truth[0] <= high
        _, low, high = ratio_interval(part.gain[0] - part.gain[1], part.room[0])
        difference += low <= truth[0] - truth[1] <= high
    assert 0.94 <= single / sets <= 0.96
    assert 0.94 <= difference / sets <= 0.96
