"""Coordinate ascent never lowers the training measure; its line search is exact."""

import itertools

import numpy as np
import pytest

from tare import Letor, evaluate, rankers
from tare._kernels.letor import line_search, score_order
from tare.rankers._linear import _Restart
from tare.rankers._ranker import Columns, Training
from tests.unit.rankers.planted import planted

NOISY = planted(noise=0.4)


def training(letor=NOISY, mode="corrected", cutoff=10):
    return Training.of(letor, Columns(1, letor.n_features), "none", cutoff, mode)


@pytest.mark.parametrize("cutoff", [1, 3, 10, 50])
def test_the_measure_is_that_of_the_evaluation(cutoff):
    rows = training(mode="ranklib", cutoff=cutoff)
    random = np.random.default_rng(2)
    scores = random.integers(0, 5, len(NOISY)).astype(float)  # with many ties
    found = rows.ndcg(scores, threads=2)
    run = NOISY.run(scores=scores - 1e-6 * np.arange(len(scores)))  # the earlier row first
    wanted = evaluate(NOISY.qrels(), run, f"nDCG(gain=exp2)@{cutoff}")
    places = [wanted.items.index(q) for q in NOISY.queries]
    assert found == pytest.approx(wanted.matrix()[0, places], rel=1e-12)


def test_tied_documents_count_in_their_worst_order():
    rows = training()
    flat = rows.ndcg(np.zeros(len(rows.grades)))
    worst = rows.ndcg(-rows.grades)
    assert flat.tolist() == worst.tolist()
    assert training(mode="ranklib").ndcg(np.zeros(len(NOISY))).sum() > flat.sum()


def test_a_line_search_returns_the_measure_at_each_step():
    rows = training()
    random = np.random.default_rng(3)
    scores = random.standard_normal(len(rows.grades))
    steps = np.concatenate([[0.0], 0.001 * 2.0 ** np.arange(22), -(0.001 * 2.0 ** np.arange(22))])
    order = score_order(rows.rows, scores)
    for column in rows.columns:
        found = line_search(rows.rows, scores, order, column, steps)
        wanted = [rows.ndcg(scores + s * column.astype(float)).sum() for s in steps]
        assert found == pytest.approx(wanted, rel=1e-12)
        again = line_search(rows.rows, scores, order, column, steps, threads=3)
        assert found.tobytes() == again.tobytes()
        alone = [
            line_search(rows.rows, scores, order, column, steps[k : k + 1])[0] for k in range(45)
        ]
        assert found.tolist() == alone


def test_the_order_of_scores_puts_the_earlier_row_first_among_equals():
    rows = training()
    scores = np.random.default_rng(4).integers(0, 3, len(rows.grades)).astype(float)
    found = score_order(rows.rows, scores)
    for begin, end in itertools.pairwise(rows.offsets):
        wanted = np.argsort(-scores[begin:end], kind="stable")
        assert found[begin:end].tolist() == wanted.tolist()
    with pytest.raises(ValueError, match="not finite"):
        score_order(rows.rows, np.full(len(scores), np.inf))
    with pytest.raises(ValueError, match="order"):
        line_search(rows.rows, scores, found + 1, rows.columns[0], np.ones(1))


def test_a_constant_feature_has_no_effect():
    rows = training()
    scores = np.random.default_rng(3).standard_normal(len(rows.grades))
    order = score_order(rows.rows, scores)
    flat = np.ones(len(scores), np.float32)
    found = line_search(rows.rows, scores, order, flat, np.array([-5.0, 9.0]))
    assert found == pytest.approx([rows.ndcg(scores).sum()] * 2)


def test_the_training_measure_never_falls_and_is_what_the_weights_reach():
    rows = training()
    climb = _Restart(rankers.CoordinateAscent(), rows, 1, 0)
    climb.run(lambda done, total: None)
    assert (np.diff(climb.history) >= 0).all()
    assert climb.history[-1] > climb.history[0] + 0.05
    assert np.abs(climb.weights).sum() == pytest.approx(1)
    assert rows.mean_ndcg(rows.features @ climb.weights) == pytest.approx(climb.reached, abs=1e-3)
    assert climb.scores == pytest.approx(rows.features @ climb.weights, abs=1e-5)


def test_scores_of_ranklib_drift_from_its_weights():
    """After it tries to remove a feature, its scores no longer match its weights."""
    rows = training(mode="ranklib")
    climb = _Restart(rankers.CoordinateAscent(mode="ranklib"), rows, 1, 0)
    climb.run(lambda done, total: None)
    assert np.abs(climb.scores - rows.features @ climb.weights).max() > 0.1


def test_a_noisy_feature_gets_a_small_weight():
    letor = planted()
    features = letor.features.copy()
    features[:, 3] = 4 * np.random.default_rng(8).random(len(letor))
    noisy = Letor("noisy", features, letor.grades, letor.queries, letor.offsets)
    weights = rankers.CoordinateAscent(restarts=1).fit(noisy).scorer.weights
    assert abs(weights[3]) < 0.05 * weights[0]
