"""The policy battles: which two systems an assessor compares next."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import ndtr

from tare._judging import State, Study, StudyDesign, Task
from tare._judging import decisions as do
from tare._judging.order import CRITICAL, BattlePolicy, pair_gains
from tare.errors import OptionError

SYSTEMS = ("alpha", "beta", "gamma", "delta")
TRUE = {"alpha": 2.5, "beta": 1.7, "gamma": -1.7, "delta": -2.5}


def study_of(items=12, **more):
    tasks = [
        Task(f"i{k}", pair) for k in range(items) for pair in itertools.combinations(SYSTEMS, 2)
    ]
    return Study(StudyDesign("headtohead", policy="battles", **more), tuple(tasks))


def played(study, steps, seed=0):
    """Answer tasks by the true strengths; return the tasks that were asked."""
    rng = np.random.default_rng(seed)
    state = State(study)
    do.invite(state, 0.0, "x", "token")
    asked = []
    for number in range(1, steps + 1):
        _, turn = do.turn(state, 0.0, "x")
        if turn.step != "task":
            break
        task = study.by_id[turn.lease.task]
        shown = task.shown[::-1] if turn.lease.swapped else task.shown
        wins = rng.random() < 1 / (1 + np.exp(TRUE[shown[1]] - TRUE[shown[0]]))
        choice = {"choice": "left" if wins else "right"}
        do.judge(state, 0.0, "x", f"submission-number-{number}", number, choice)
        asked.append(task)
    return asked, state


def test_systems_are_connected_first_and_every_task_comes_once():
    study = study_of(items=3)
    asked, _ = played(study, 100)
    assert len(asked) == len(set(asked)) == len(study.tasks)
    assert {s for task in asked[:3] for s in task.shown} == set(SYSTEMS)
    again, _ = played(study, 100)
    assert asked == again


def test_pairs_that_are_decided_are_left_alone():
    study = study_of(items=60)
    asked, _ = played(study, 120)
    near = [set(pair) for pair in itertools.pairwise(SYSTEMS)]
    assert sum(set(t.shown) in near for t in asked[60:]) > 48  # of 60; a half by chance
    items = {t.query for t in asked if set(t.shown) == near[0]}
    assert len(items) == sum(set(t.shown) == near[0] for t in asked)


def expected_width(ratings, covariance):
    """The expected mean width of the rank intervals: 0 if every pair is decided."""
    own = np.diag(covariance)
    variances = own[:, None] + own[None, :] - 2 * covariance
    z = (ratings[:, None] - ratings[None, :]) / np.sqrt(np.maximum(variances, 1e-12))
    undecided = ndtr(CRITICAL - z) - ndtr(-CRITICAL - z)
    np.fill_diagonal(undecided, 0.0)
    return undecided.sum() / len(ratings)


def test_gains_of_pairs_equal_differences_of_the_expected_width():
    rng = np.random.default_rng(7)
    ratings = np.array([0.8, 0.2, 0.0, -1.0])
    root = rng.normal(0, 0.2, (4, 4))
    covariance = root @ root.T
    information = np.full((4, 4), 1e-4)  # first order: a small part of a battle
    gains = pair_gains(ratings, covariance, information, np.zeros(4, dtype=np.int64))
    before = expected_width(ratings, covariance)
    for a, b in itertools.combinations(range(4), 2):
        column = covariance[:, a] - covariance[:, b]
        h = information[a, b]
        after = covariance - h / (1 + h * (column[a] - column[b])) * np.outer(column, column)
        gain = before - expected_width(ratings, after)
        assert max(gains[a, b], 0) == pytest.approx(max(gain, 0), rel=1e-3, abs=1e-12)


def test_a_withdrawn_answer_is_forgotten():
    study = study_of()
    policy = BattlePolicy(study)
    task = study.tasks[0]
    before = policy.gains()
    policy.answered(task, False, {"choice": "left"}, 1)
    policy.answered(study.tasks[7], True, {"choice": "right"}, 1)
    assert (policy.gains() != before).any()
    policy.answered(task, False, {"choice": "left"}, -1)
    policy.answered(study.tasks[7], True, {"choice": "right"}, -1)
    assert (policy.gains() == before).all()
    policy.answered(task, False, {"choice": "cannot"}, 1)
    assert (policy.gains() == before).all()


def test_the_policy_needs_systems():
    with pytest.raises(OptionError, match="headtohead"):
        StudyDesign("preference", policy="battles")
