"""Contributions and swaps, against rankings that are scored one by one."""

import itertools

import numpy as np
import pytest

import tare
from tare.report._rankings import contributions, score_of, swapped_score

GRADES = {"a": 2, "b": 0, "c": 1, "d": 1, "e": 0}
RANKING = ["b", "a", "x", "c", "d", "e"]


def scored(measure, ranking) -> float:
    run = {"q": {d: -float(k) for k, d in enumerate(ranking)}}
    return float(tare.evaluate({"q": GRADES}, run, measure).matrix(measure)[0, 0])


@pytest.mark.parametrize("measure", ["nDCG@10", "DCG@10", "nDCG@3"])
def test_the_contributions_of_sums_add_up_to_the_score(measure):
    added = contributions(measure, GRADES, RANKING)
    assert sum(added) == pytest.approx(scored(measure, RANKING))
    assert [a > 0 for a in added][:2] == [False, True]


@pytest.mark.parametrize("measure", ["AP", "RR", "P@3", "ERR@10", "nDCG@10"])
def test_a_contribution_is_what_the_score_loses(measure):
    whole = scored(measure, RANKING)
    assert score_of(measure, GRADES, RANKING) == pytest.approx(whole)
    for k, added in enumerate(contributions(measure, GRADES, RANKING)):
        other = [*RANKING[:k], "nobody", *RANKING[k + 1 :]]
        expected = whole - scored(measure, other) if GRADES.get(RANKING[k], 0) > 0 else 0
        assert added == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR"])
def test_a_swap_is_scored_as_the_swapped_ranking(measure):
    for first, second in itertools.combinations(range(1, 7), 2):
        other = list(RANKING)
        other[first - 1], other[second - 1] = other[second - 1], other[first - 1]
        before, after = swapped_score(measure, GRADES, RANKING, first, second)
        assert before == pytest.approx(scored(measure, RANKING))
        assert after == pytest.approx(scored(measure, other))


def test_empty_rankings_and_no_judgements():
    assert contributions("AP", GRADES, []) == []
    assert contributions("AP", {}, ["a", "b"]) == [0.0, 0.0]
    assert score_of("AP", {}, ["a"]) == 0.0
    assert np.isclose(score_of("AP", GRADES, []), 0.0)
