"""Simulated users: what they prefer, and the example that motivates nPrf."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare._data.preferences import Utilities
from tare._data.profiles import add_up, sample_profiles, simulate_all, simulate_triplets

NAMES = ["d1", "d2", "d3", "d4", "d5", "d6"]
OF = {"d1": "a", "d2": "b", "d3": "c", "d4": "c", "d5": "d", "d6": "e"}
COVERED = np.array([[OF[d] == s for s in "abcde"] for d in NAMES])
USERS = {"A": "de", "B": "c", "C": "ab"}


def ranking(*documents: str) -> dict[str, dict[str, float]]:
    return {"q": {d: -float(i) for i, d in enumerate(documents)}}


def served(*documents: str) -> int:
    seen = {OF[d] for d in documents}
    return sum(bool(seen & set(wants)) for wants in USERS.values())


@pytest.mark.parametrize(
    "measure", ["nPrf@3", "nPrf(stop=dcg)@3", "nPrf(stop=rr)@3", "nPrf(stop=uniform)@3"]
)
def test_equal_in_alpha_ndcg_but_the_one_that_serves_more_users_wins(measure: str):
    fewer, more = ("d1", "d2", "d3"), ("d1", "d3", "d5")
    assert (served(*fewer), served(*more)) == (2, 3)
    cells = [("q", OF[d], d, 1) for d in NAMES]
    alpha = [tare.evaluate(cells, ranking(*r), "alpha_nDCG@3").mean for r in (fewer, more)]
    assert alpha[0] == pytest.approx(alpha[1])
    users = [
        simulate_all(NAMES, COVERED, np.array([s in wants for s in "abcde"]), ties="half")
        for wants in USERS.values()
    ]
    utilities = Utilities.of([("q", add_up(users))])
    low, high = (tare.evaluate(utilities, ranking(*r), measure).mean for r in (fewer, more))
    assert high > low + 0.001


def test_what_is_new_wins_after_a_document_was_read():
    u = simulate_all(NAMES, COVERED, np.array([True] * 5))
    assert u.conditional[3, 2] == 0  # d4 has nothing that d3 has not
    assert (u.shown == 5).all()
    assert np.isnan(u.conditional.diagonal()).all()


def test_noise_turns_answers_round_and_seeds_repeat_them():
    covered = np.arange(20)[:, None] >= np.arange(20)[None, :]
    names = [f"d{i:02d}" for i in range(20)]
    clean = simulate_all(names, covered)
    assert clean.simple.tolist() == sorted(clean.simple.tolist())
    noisy = simulate_all(names, covered, noise=0.3, seed=4)
    again = simulate_all(names, covered, noise=0.3, seed=4)
    other = simulate_all(names, covered, noise=0.3, seed=5)
    np.testing.assert_array_equal(noisy.wins_given, again.wins_given)
    assert (noisy.wins_given != other.wins_given).any()
    assert noisy.simple[-1] < clean.simple[-1]


def test_profiles_are_never_empty_and_repeat():
    profiles = sample_profiles(3, 200, seed=1, stream=2)
    assert profiles.any(axis=1).all()
    np.testing.assert_array_equal(profiles, sample_profiles(3, 200, seed=1, stream=2))


def test_triplets_are_of_three_different_documents_and_approach_the_whole():
    profiles = np.ones((1, 5), dtype=bool)
    few = simulate_triplets(NAMES, COVERED, profiles, 40, judges=5, seed=2)
    assert few.shown_given.sum() == 2 * 40 * 5  # one answer of each judge, two documents shown
    assert few.shown.sum() == 0
    assert few.shown_given.diagonal().sum() == 0
    many = simulate_triplets(NAMES, COVERED, profiles, 20_000, judges=1, seed=2)
    whole = simulate_all(NAMES, COVERED, ties="half")
    np.testing.assert_allclose(many.conditional, whole.conditional, atol=0.05)
