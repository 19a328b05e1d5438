"""Gradients of RankNet and ListNet equal finite differences; RankLib's do not."""

from itertools import pairwise

import numpy as np
import pytest

import tare
from tare import rankers
from tare._kernels.letor import NetworkShape, network_epoch, network_gradient, network_scores
from tests.unit.rankers.planted import planted

SHAPES = [(hidden, squashed) for hidden in (0, 1, 4) for squashed in (False, True)]


def case(hidden, squashed, twice=False):
    random = np.random.default_rng(6)
    shape = NetworkShape(hidden, squashed, twice)
    features = random.standard_normal((11, 5)).astype(np.float32)
    features[2] = 0
    grades = np.array([0, 1, 2, 0, 0, 2, 1, 1, 0, 2, 2.0])
    parameters = random.standard_normal(shape.parameters(5))
    return shape, parameters, features, grades, np.array([0, 6, 7, 11])


def differences(shape, parameters, features, grades, offsets, loss, step=1e-6):
    made = np.zeros_like(parameters)
    for i in range(len(parameters)):
        ends = []
        for sign in (1, -1):
            moved = parameters.copy()
            moved[i] += sign * step
            ends.append(network_gradient(shape, moved, features, grades, offsets, loss)[0])
        made[i] = (ends[0] - ends[1]) / (2 * step)
    return made


@pytest.mark.parametrize("loss", ["pairs", "list"])
@pytest.mark.parametrize(("hidden", "squashed"), SHAPES)
def test_a_gradient_equals_finite_differences(hidden, squashed, loss):
    given = case(hidden, squashed)
    _, gradient = network_gradient(*given, loss)
    assert gradient == pytest.approx(differences(*given, loss), abs=2e-7)


@pytest.mark.parametrize("loss", ["pairs", "list"])
def test_the_gradient_of_ranklib_differs(loss):
    given = case(4, True, twice=True)
    _, gradient = network_gradient(*given, loss)
    wanted = differences(*given, loss)
    assert np.abs(gradient - wanted).max() > 0.05 * np.abs(wanted).max()


@pytest.mark.parametrize(("hidden", "squashed"), SHAPES)
def test_scores_and_losses_equal_those_of_a_simple_network(hidden, squashed):
    shape, parameters, features, grades, offsets = case(hidden, squashed)
    x = features.astype(float)
    if hidden:
        first = parameters[: 5 * hidden].reshape(5, hidden)
        b1, w2, b2 = np.split(parameters[5 * hidden :], [hidden, 2 * hidden])
        s = 1 / (1 + np.exp(-(x @ first + b1))) @ w2 + b2
    else:
        s = x @ parameters[:5] + parameters[5]
    s = 1 / (1 + np.exp(-s)) if squashed else s
    assert network_scores(shape, parameters, features) == pytest.approx(s, rel=1e-12)
    pairs = lists = 0.0
    for low, high in pairwise(offsets):
        g, t = grades[low:high], s[low:high]
        pairs += sum(
            np.log1p(np.exp(t[j] - t[i]))
            for i in range(len(g))
            for j in range(len(g))
            if g[i] > g[j]
        )
        lists -= (np.exp(g) / np.exp(g).sum()) @ np.log(np.exp(t) / np.exp(t).sum())
    for loss, wanted in (("pairs", pairs), ("list", lists)):
        found, _ = network_gradient(shape, parameters, features, grades, offsets, loss)
        assert found == pytest.approx(wanted, rel=1e-12)


def test_distant_scores_do_not_overflow():
    shape, features = NetworkShape(0), np.array([[400.0], [-400], [0], [900]], np.float32)
    grades, offsets = np.array([0.0, 1, 1, 2]), np.array([0, 2, 4])
    loss, gradient = network_gradient(shape, np.array([1.0, 0]), features, grades, offsets, "pairs")
    assert loss == pytest.approx(800)  # the first query is turned round, the second in order
    assert gradient.tolist() == [800.0, 0.0]


def test_an_epoch_has_one_step_per_query():
    shape, parameters, features, grades, offsets = case(4, False)
    order = np.array([2, 0])
    total, found = network_epoch(shape, parameters, features, grades, offsets, order, 0.1, "pairs")
    wanted, losses = parameters, 0.0
    for q in order:
        rows = slice(offsets[q], offsets[q + 1])
        part = (features[rows], grades[rows], np.array([0, offsets[q + 1] - offsets[q]]))
        loss, gradient = network_gradient(shape, wanted, *part, "pairs")
        wanted, losses = wanted - 0.1 * gradient, losses + loss
    assert found == pytest.approx(wanted, rel=1e-12)
    assert total == pytest.approx(losses, rel=1e-12)


@pytest.mark.parametrize("kind", [rankers.RankNet, rankers.ListNet])
def test_the_loss_falls(kind):
    history = kind(epochs=60, rate=1e-3).fit(planted(noise=0.3)).history
    assert history[-1] < history[0]
    assert (np.diff(history) < 0).mean() > 0.9


def test_the_scale_of_features_does_not_matter():
    """The corrected mode standardises features; RankLib fails on values in the thousands."""
    letor = planted()
    wild = letor.features * np.array([1e6, 1e-3, 1e3, 1.0, 10.0], np.float32) + np.float32(7)
    scaled = type(letor)("wild", wild, letor.grades, letor.queries, letor.offsets)
    for kind in (rankers.RankNet, rankers.ListNet):
        one = kind(epochs=20, rate=1e-3).fit(letor).score(letor)
        two = kind(epochs=20, rate=1e-3).fit(scaled).score(scaled)
        assert np.corrcoef(one, two)[0, 1] > 0.999


@pytest.mark.parametrize("mode", ["corrected", "ranklib"])
@pytest.mark.parametrize("ranker", ["ListNet", "RankNet"])
def test_queries_without_documents_change_nothing(ranker, mode):
    features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    scored = []
    for queries, offsets in (
        (("q1", "q2"), [0, 2, 4]),
        (("a", "q1", "b", "q2", "c"), [0, 0, 2, 2, 4, 4]),
    ):
        letor = tare.Letor("made", features, [2, 0, 1, 0], queries, offsets)
        model = getattr(rankers, ranker)(epochs=3, mode=mode).fit(letor)
        scored.append(model.score(letor))
    if mode == "corrected":  # RankLib's mode draws one query per step, also those without documents
        assert np.array_equal(*scored)
    assert np.isfinite(scored).all()
