"""Parts of the study of battles: ties, one pair, goodness of fit, both orders, next battles, judges."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import tare
from tare._data.battles import read_battles
from tare.studies._arena.design import design_of
from tare.studies._arena.fit import fit_ratings
from tare.studies._arena.goodness import _cyclic, cyclic_triads, goodness_of_fit, pair_counts
from tare.studies._arena.next_battles import (
    best_pairs,
    expected_width,
    pair_gains,
    pair_information,
)
from tare.studies._arena.position import both_orders
from tare.studies._arena.sign_flips import pair_test, sign_flip_p
from tare.studies._arena.spread import sandwich
from tare.studies._arena.ties import derivatives, log_likelihood, probabilities
from tare.studies._arena.win_rates import win_rate_rows
from tests.unit.studies.arena.test_arena import table
from tests.unit.studies.arena.worlds import PAIRS, design, drawn, world

RULES = [("davidson", -0.4), ("davidson", None), ("rao-kupper", 0.7), ("half", None)]


@pytest.mark.parametrize(("rule", "tau"), RULES)
def test_derivatives_equal_finite_differences(rule, tau):
    eta = np.tile(np.array([-3.0, -0.4, 0.0, 1.7]), 3)
    outcome = (
        np.repeat([1.0, -1.0, 0.0], 4)
        if tau is not None or rule == "half"
        else np.repeat([1.0, -1.0, 1.0], 4)
    )
    step = 1e-5

    def at(e=0.0, t=0.0):
        return log_likelihood(outcome, eta + e, None if tau is None else tau + t, rule)

    parts = derivatives(outcome, eta, tau, rule)
    np.testing.assert_allclose(parts.eta, (at(step) - at(-step)) / (2 * step), atol=1e-8)
    bend = (at(1e-4) + at(-1e-4) - 2 * at()) / 1e-8
    np.testing.assert_allclose(parts.eta_eta, -bend, atol=1e-6)
    if tau is not None:
        np.testing.assert_allclose(parts.tau, (at(0, step) - at(0, -step)) / (2 * step), atol=1e-8)
        mixed = (at(1e-4, 1e-4) - at(1e-4, -1e-4) - at(-1e-4, 1e-4) + at(-1e-4, -1e-4)) / 4e-8
        np.testing.assert_allclose(parts.eta_tau, -mixed, atol=1e-6)
        bend = (at(0, 1e-4) + at(0, -1e-4) - 2 * at()) / 1e-8
        np.testing.assert_allclose(parts.tau_tau, -bend, atol=1e-6)
    assert sum(probabilities(eta, tau, rule)) == pytest.approx(np.ones(12))


@pytest.mark.parametrize(
    "values", [[1, 1, -1, 1], [3, -1, 2], [5, 0, 0, 1, 1, 1], [2, 2, 2, 2, -1]]
)
def test_sign_flips_equal_all_flips(values):
    sums = [
        abs(sum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(values))
    ]
    assert sign_flip_p(values) == pytest.approx(np.mean([s >= abs(sum(values)) for s in sums]))


def test_one_pair_is_a_binomial_test_unless_prompts_repeat():
    from scipy.stats import binomtest

    rows = [(f"p{k}", "x", "y", "a" if k < 14 else "b" if k < 19 else "tie") for k in range(25)]
    found = pair_test(design_of(read_battles(rows)), "y", "x")
    assert (found.wins, found.ties, found.losses, found.test) == (5, 6, 14, "binomial")
    assert found.p_value == pytest.approx(binomtest(5, 19).pvalue)
    alone = pair_test(design_of(read_battles(rows), cluster="battle"), "y", "x")
    assert alone.p_value == pytest.approx(found.p_value)
    repeated = [(f"p{k // 4}", *row[1:]) for k, row in enumerate(rows)]
    found = pair_test(design_of(read_battles(repeated)), "x", "y")
    assert found.test == "sign flips of prompts"
    assert found.prompts == 7
    assert found.p_value == pytest.approx(sign_flip_p([4, 4, 4, 0, -3, 0, 0]))


def test_one_pair_keeps_its_level_where_prompts_decide():
    """20 battles per prompt with one winner per prompt: a binomial test would reject most worlds."""
    rng = np.random.default_rng(1)
    flips, naive = [], []
    for _ in range(100):
        lead = rng.normal(0, 1, 15)
        wins = rng.random((15, 20)) < 1 / (1 + np.exp(-2 * lead[:, None]))
        rows = [
            (f"p{p}", "x", "y", "a" if wins[p, k] else "b") for p in range(15) for k in range(20)
        ]
        battles = read_battles(rows)
        flips.append(pair_test(design_of(battles), "x", "y").p_value)
        naive.append(pair_test(design_of(battles, cluster="battle"), "x", "y").p_value)
    assert np.mean(np.array(flips) < 0.05) < 0.1
    assert np.mean(np.array(naive) < 0.05) > 0.3


def test_cyclic_triads_equal_a_count_by_hand():
    rng = np.random.default_rng(2)
    size = 7
    a, b = np.array(list(itertools.combinations(range(size), 2))).T
    outcome = rng.integers(-1, 2, len(a))
    fit = fit_ratings(design(size, a, b, outcome, np.arange(len(a)), cluster="battle"), prior=3.0)
    pairs = pair_counts(fit)
    beats = {(i, j): o for i, j, o in zip(a, b, outcome, strict=True)}
    beats |= {(j, i): -o for (i, j), o in beats.items()}
    triads = [
        t
        for t in itertools.combinations(range(size), 3)
        if all(beats[p] for p in itertools.combinations(t, 2))
    ]
    cyclic = [t for t in triads if len({sum(beats[i, j] > 0 for j in t if j != i) for i in t}) == 1]
    found = _cyclic(outcome[None].astype(float), pairs, size)
    assert (int(found[0][0]), int(found[1][0])) == (len(cyclic), len(triads))


def test_rock_paper_scissors_is_found():
    rows = [
        (f"p{k}", *pair, "a") for k in range(40) for pair in (("x", "y"), ("y", "z"), ("z", "x"))
    ]
    rows += [
        (f"p{k}", *pair, "b") for k in range(10) for pair in (("x", "y"), ("y", "z"), ("z", "x"))
    ]
    found = tare.studies.arena(rows, draws=100)
    assert found.goodness.p_value < 0.001
    assert (found.triads.cyclic, found.triads.triads) == (1, 1)
    assert found.triads.coin == 0.25
    assert abs(found.pairs[0]["residual"]) > 3


def test_goodness_of_fit_keeps_its_level():
    """Under the model, with copied votes that depend on each other, few worlds are rejected."""
    rng = np.random.default_rng(3)
    true = np.array([0.5, 0.2, -0.2, -0.5])
    for kind in ("independent", "copies"):
        p = []
        for _ in range(100):
            fit = fit_ratings(world(kind, 60, rng, true))
            p.append(goodness_of_fit(fit, pair_counts(fit), 1).p_value)
        assert np.mean(np.array(p) < 0.05) < 0.12, kind
        assert np.mean(p) > 0.35, kind


def test_sparse_pairs_are_simulated():
    rng = np.random.default_rng(4)
    p = []
    for k in range(40):
        a, b = np.sort(np.array([rng.choice(8, 2, replace=False) for _ in range(90)]), axis=1).T
        outcome = drawn(np.zeros(90), -0.5, rng)
        fit = fit_ratings(design(8, a, b, outcome, np.arange(90), cluster="battle"), prior=3.0)
        p.append(goodness_of_fit(fit, pair_counts(fit), k).p_value)
        assert 0 < cyclic_triads(fit, pair_counts(fit), k, 50).p_value <= 1
    assert 0.3 < np.mean(p) < 0.75


def test_both_orders():
    rows = []
    for k in range(12):
        rows += [(f"p{k}", "x", "y", "a"), (f"p{k}", "y", "x", "a" if k < 9 else "b")]
    found = both_orders(read_battles(rows, first="a"))
    assert (found.battles, found.same, found.first, found.second) == (12, 3, 9, 0)
    assert found.bias == pytest.approx(0.75)
    assert found.p_value == pytest.approx(2 / 2**9)
    assert both_orders(read_battles(rows)) is None  # nobody knows who was first
    assert both_orders(read_battles([("p", "x", "y", "a")], first="a")) is None


def test_gains_of_pairs_equal_differences_of_the_expected_width():
    fit = fit_ratings(design_of(read_battles(table(7))))
    covariance = sandwich(fit).covariance[:4, :4]
    information = 1e-4 * pair_information(fit)  # first order: a small part of a battle
    gains = pair_gains(fit.ratings, covariance, information)
    before = expected_width(fit.ratings, covariance)
    for a, b in PAIRS:
        column = covariance[:, a] - covariance[:, b]
        h = information[a, b]
        after = covariance - h / (1 + h * (column[a] - column[b])) * np.outer(column, column)
        assert gains[a, b] == pytest.approx(before - expected_width(fit.ratings, after), rel=1e-3)


def test_next_battles_are_better_than_uniform_ones():
    """Chosen battles decide more pairs than the same number of uniform ones."""
    true = np.array([2.2, 1.9, 0.2, -0.1, -1.9, -2.2])
    pairs = np.array(list(itertools.combinations(range(6), 2)))

    def width(active, seed):
        rng = np.random.default_rng(seed)
        a, b = np.tile(pairs, (3, 1)).T
        outcome = drawn(true[a] - true[b], -1.0, rng)
        for _ in range(12):
            made = design(6, a, b, outcome, np.arange(len(a)), cluster="battle")
            fit = fit_ratings(made, prior=3.0)
            if active:
                chosen = best_pairs(fit, np.linalg.inv(fit.hessian)[:6, :6], 25, seed=seed)
                more = np.array([(i, j) for i, j, _ in chosen])
            else:
                more = pairs[rng.integers(0, len(pairs), 25)]
            a, b = np.concatenate([a, more[:, 0]]), np.concatenate([b, more[:, 1]])
            outcome = np.concatenate(
                [outcome, drawn(true[more[:, 0]] - true[more[:, 1]], -1.0, rng)]
            )
        fit = fit_ratings(design(6, a, b, outcome, np.arange(len(a)), cluster="battle"), prior=3.0)
        return expected_width(true, sandwich(fit).covariance[:6, :6])

    chosen, uniform = ([width(active, seed) for seed in range(3)] for active in (True, False))
    assert max(chosen) < min(uniform)
    assert np.mean(chosen) < 0.95 * np.mean(uniform)


def test_equal_gains_are_drawn_with_a_seed():
    a, b = PAIRS.T
    both = np.concatenate([a, a]), np.concatenate([b, b])
    made = design(4, *both, np.repeat([1, -1], 6), np.arange(12), cluster="battle")
    fit = fit_ratings(made)
    picks = {best_pairs(fit, np.eye(4) - 0.25, seed=seed)[0][:2] for seed in range(30)}
    assert len(picks) > 3
    assert best_pairs(fit, np.eye(4) - 0.25, seed=7) == best_pairs(fit, np.eye(4) - 0.25, seed=7)


def test_judges_are_compared_with_people():
    rng = np.random.default_rng(8)
    frame = (
        table(8, prompts=60)
        .with_row_index("k")
        .unique(["prompt", "system_a", "system_b"], maintain_order=True)
    )
    copied = rng.random(frame.height) < 0.7
    words = np.where(
        copied, frame["winner"].to_numpy(), rng.choice(["a", "b", "tie"], frame.height)
    )
    judge = frame.with_columns(pl.Series("winner", words))
    found = tare.studies.arena(frame, {"llm": judge}, draws=200, first="a")
    row = found.judge_rows["judges"][0]
    assert row["judge"] == "llm"
    assert row["equal"] > 0.6
    assert row["kappa_low"] < row["kappa"] < row["kappa_high"]
    assert row["decisive"] < row["battles"]
    cells = found.judge_rows["conclusions"][0]
    assert sum(v for k, v in cells.items() if "_" in k) == cells["pairs"] == 6
    assert {r["judge"] for r in found.judge_rows["biases"]} == {"people", "llm"}
    same = tare.studies.arena(frame, {"twin": frame}, draws=200, first="a").judge_rows
    assert same["judges"][0]["equal"] == same["judges"][0]["decisive_equal"] == 1
    assert same["conclusions"][0]["better_worse"] == same["conclusions"][0]["better_none"] == 0
    wide = frame.rename({"winner": "human"}).with_columns(judge["winner"].alias("llm"))
    again = tare.studies.arena(wide, draws=200, first="a").judge_rows["judges"][0]
    assert again == row


def test_win_rates_use_further_battles_of_the_judge():
    rng = np.random.default_rng(9)
    rows = [(f"p{k:03}", "x", "y", "a" if rng.random() < 0.7 else "b") for k in range(200)]
    people = read_battles(rows[:40])
    judge = read_battles([(p, x, y, w if rng.random() < 0.9 else "b") for p, x, y, w in rows])
    found = win_rate_rows(people, judge, "llm", 0.95)[0]
    assert (found["prompts"], found["more"]) == (40, 160)
    assert found["people"] == pytest.approx(np.mean([w == "a" for *_, w in rows[:40]]))
    assert found["high"] - found["low"] < found["people_high"] - found["people_low"]
    assert win_rate_rows(people, people, "llm", 0.95) == []
