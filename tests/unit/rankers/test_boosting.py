"""Invariants of RankBoost and AdaRank, and their kernels against simple versions."""

from itertools import pairwise

import numpy as np
import pytest

from tare import _kernels as kernels
from tare import rankers
from tare._kernels.letor import pair_potentials, stump_sums
from tare.rankers._boosting import _bins, _Boosting, _cuts
from tare.rankers._ranker import Columns, Training
from tests.unit.rankers.planted import planted

NOISY = planted(noise=0.4)


def training(letor=NOISY, mode="corrected"):
    return Training.of(letor, Columns(1, letor.n_features), "none", 10, mode)


def test_potentials_are_sums_over_pairs():
    random = np.random.default_rng(4)
    offsets = np.array([0, 5, 6, 14])
    levels = random.integers(0, 4, 14).astype(np.int32)
    scores = random.standard_normal(14) * 3
    wanted, loss = np.zeros(14), 0.0
    for low, high in pairwise(offsets):
        for i in range(low, high):
            for j in range(low, high):
                if levels[i] > levels[j]:
                    weight = np.exp(scores[j] - scores[i])
                    wanted[i] += weight
                    wanted[j] -= weight
                    loss += weight
    found, total = pair_potentials(scores, levels, offsets, 4)
    assert found == pytest.approx(wanted, rel=1e-12)
    assert total == pytest.approx(loss, rel=1e-12)


def test_distant_scores_do_not_overflow():
    found, loss = pair_potentials(
        np.array([600.0, 0.0]), np.array([1, 0], np.int32), np.array([0, 2]), 2
    )
    assert loss == pytest.approx(np.exp(-600), rel=1e-12)
    assert found.tolist() == [loss, -loss]


def test_sums_of_stumps():
    random = np.random.default_rng(4)
    bins = random.integers(0, 6, (3, 101)).astype(np.uint8)
    potentials = random.standard_normal(101)
    found = stump_sums(bins, potentials, 6, threads=2)
    wanted = [[potentials[row >= b].sum() for b in range(1, 6)] for row in bins]
    assert found == pytest.approx(np.array(wanted), rel=1e-12)
    with pytest.raises(ValueError, match="2 to 256 bins"):
        kernels.letor.stump_sums(bins, potentials, 1)


def test_bins_count_exceeded_thresholds():
    columns = training().columns
    cuts = _cuts(columns, 10)
    bins = _bins(columns, cuts)
    assert (np.diff(cuts, axis=1) > 0).all()
    for f in range(len(columns)):
        for t in range(10):
            assert ((bins[f] > t) == (columns[f] > cuts[f, t])).all()


def test_rank_boost_lowers_the_weighted_pair_loss_each_round():
    for mode in rankers.MODES:
        history = rankers.RankBoost(rounds=200, mode=mode).fit(NOISY).history
        assert len(history) == 200
        assert (np.diff([1.0, *history]) < 0).all()


def test_a_round_of_rank_boost_meets_its_bound():
    """Z ≤ √(1 − r²): held against the loss over all pairs."""
    model = rankers.RankBoost(rounds=30).fit(NOISY)
    r = np.tanh(model.scorer.weights)
    assert (np.array(model.history) <= np.cumprod(np.sqrt(1 - r**2)) * (1 + 1e-12)).all()


def test_rank_boost_uses_a_feature_that_is_smaller_on_better_documents():
    turned = planted()
    features = turned.features.copy()
    features[:, 0] = 1 - features[:, 0]
    letor = type(turned)("turned", features, turned.grades, turned.queries, turned.offsets)
    corrected = rankers.RankBoost(rounds=1).fit(letor)
    assert corrected.scorer.columns.tolist() == [0]
    assert corrected.scorer.weights[0] < 0
    assert rankers.RankBoost(rounds=1, mode="ranklib").fit(letor).scorer.weights[0] > 0


def test_the_bound_of_ada_rank_holds_each_round():
    """mean E ≥ 1 − Π exp(−δ) √(1 − φ²) (Xu and Li 2007, theorem 1)."""
    rows = training()
    options = rankers.AdaRank(enqueue=False, tolerance=1.0, rounds=40)
    worth = np.array([rows.ndcg(c.astype(float)) for c in rows.columns])
    boosting = _Boosting(options, rows, None, worth)
    boosting.learn(0, False, lambda done, total: None)
    assert len(boosting.history) == 40
    p = np.full(rows.queries, 1 / rows.queries)
    bound, weights, before = 1.0, np.zeros(5), np.zeros(rows.queries)
    for (feature, alpha), reached in zip(boosting.chosen, boosting.history, strict=True):
        phi = float(p @ worth[feature])
        assert alpha == pytest.approx(0.5 * np.log((1 + phi) / (1 - phi)), rel=1e-9)
        weights[feature] += alpha
        e = rows.ndcg(rows.features @ weights)
        delta = (e - before - alpha * worth[feature]).min()
        bound *= np.exp(-delta) * np.sqrt(1 - phi**2)
        assert reached == pytest.approx(e.mean(), rel=1e-12)
        assert 1 - e.mean() <= bound * (1 + 1e-9)
        p, before = np.exp(-e) / np.exp(-e).sum(), e


def test_ada_rank_keeps_its_best_ensemble():
    for enqueue in (True, False):
        model = rankers.AdaRank(enqueue=enqueue).fit(NOISY)
        alone = max(training().mean_ndcg(c.astype(float)) for c in training().columns)
        kept = training().mean_ndcg(training().features @ model.scorer.weights)
        assert kept == pytest.approx(max(kept, *model.history))
        assert kept >= alone


def test_a_perfect_feature_ends_the_training():
    letor = planted()
    features = letor.features.copy()
    features[:, 3] = letor.grades
    perfect = type(letor)("perfect", features, letor.grades, letor.queries, letor.offsets)
    for mode in rankers.MODES:
        model = rankers.AdaRank(mode=mode).fit(perfect)
        assert model.importance()[4] == 1
        assert model.history == (1.0,)


def test_the_weights_of_queries_vanish_in_ranklib():
    rows = training(mode="ranklib")
    worth = np.array([rows.ndcg(c.astype(float)) for c in rows.columns])
    totals = {}
    for mode in rankers.MODES:
        options = rankers.AdaRank(enqueue=False, tolerance=1.0, rounds=60, mode=mode)
        boosting = _Boosting(options, rows, None, worth)
        boosting.learn(0, False, lambda done, total: None)
        totals[mode] = boosting.p.sum()
    assert totals["corrected"] == pytest.approx(1)
    assert totals["ranklib"] < 1e-60
