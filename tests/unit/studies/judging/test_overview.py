"""Pace, growing agreement and current order, held against values computed another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tare._data.ratings import Ratings
from tare._judging import Dimension, Study, StudyDesign, Task, make_pairs
from tare._judging.quality import DAY, agreement_so_far, forecast, pace, quality, standings
from tare._web.judge.study import day_of, overview, places
from tare.studies import agreement
from tests.unit.studies.judging.test_quality import Play, better

NOW = 40 * DAY


def daily(counts: list[int]) -> list[float]:
    """Return times with these numbers of answers in the last days, the oldest day first."""
    days = len(counts)
    return [
        NOW - (days - k) * DAY + (n + 0.5) * DAY / max(counts)
        for k, count in enumerate(counts)
        for n in range(count)
    ]


def test_a_constant_pace_gives_the_day_without_a_range():
    found, problem = forecast([NOW - 20 * DAY, *daily([10] * 14)], 55, NOW)
    assert problem == ""
    assert (found.days, found.answers) == (14, 140)
    for time in (found.early, found.day, found.late):
        assert time == pytest.approx(NOW + 5.5 * DAY)


def test_the_range_is_that_of_the_number_of_days_needed():
    """Days with 0 or 10 answers: the days before the third ten are negative binomial."""
    found, _ = forecast([NOW - 15 * DAY, *daily([0, 10] * 7)], 30, NOW)
    exact = 3 + stats.nbinom(3, 0.5).ppf([0.05, 0.5, 0.95])
    days = [(t - NOW) / DAY for t in (found.early, found.day, found.late)]
    assert np.abs(np.array(days) - exact).max() <= 1
    assert days == sorted(days)


def test_days_that_cannot_be_forecast_have_a_reason():
    assert "after 3 full days" in forecast([], 5, NOW)[1]
    assert "after 3 full days" in forecast([NOW - 2.9 * DAY], 5, NOW)[1]
    assert "no answer in the last 14 days" in forecast([NOW - 30 * DAY], 5, NOW)[1]
    assert "more than 1,000 days" in forecast([NOW - 4 * DAY, *daily([0, 0, 1])], 10**6, NOW)[1]


def test_answers_over_time_count_what_the_study_counts():
    study = Study(
        StudyDesign("preference", overlap=2, repeats=0.3, gap=2, seed=1),
        tuple(make_pairs({"q": list("abcde")})),
    )
    play = Play(study, ["x", "y"])
    play.all_of("x", better, 100)
    found = quality(play.outcomes)
    seen = pace(play.outcomes, found.wanted, found.seconds, play.now)
    assert seen.counts[-1] == found.judged == 10
    assert seen.remaining == found.wanted - 10 == 10
    assert seen.hours == pytest.approx(10 * 100 / 3600)
    assert seen.times == tuple(sorted(seen.times))
    play.all_of("y", better, 100)
    done = quality(play.outcomes)
    assert pace(play.outcomes, done.wanted, done.seconds, play.now).remaining == 0


def test_the_last_point_of_the_agreement_is_the_agreement_of_all():
    study = Study(
        StudyDesign("preference", overlap=3, seed=1), tuple(make_pairs({"q": list("abcdefgh")}))
    )
    play = Play(study, ["x", "y", "z"])
    dice = np.random.default_rng(2)

    def unsure(task, shown):
        return (
            better(task, shown)
            if dice.random() < 0.8
            else {"choice": str(dice.choice(["left", "right"]))}
        )

    for name in "xyz":
        play.all_of(name, unsure, 5)
    (grown,) = agreement_so_far(play.outcomes)
    rows = [
        (r["unit"], r["coder"], r["value"]) for r in play.outcomes.rows() if r["role"] == "fresh"
    ]
    for count, alpha, low, high in zip(
        grown.answers, grown.alpha, grown.low, grown.high, strict=True
    ):
        expected = agreement(Ratings.of(rows[:count]), draws=500)
        assert (alpha, low, high) == pytest.approx((expected.alpha, expected.low, expected.high))
    assert grown.answers[-1] == len(rows)
    assert grown.alpha[-1] == pytest.approx(quality(play.outcomes).alpha[""])
    assert len(grown.answers) <= 11


def test_systems_are_ordered_by_means_with_t_intervals():
    design = StudyDesign("ratings", overlap=1, dimensions=(Dimension("clear"),))
    items = [f"i{k}" for k in range(6)]
    study = Study(design, tuple(Task(i, (s,)) for i in items for s in ("m", "n")))
    play = Play(study, ["x"])
    given = {"m": [5, 4, 4, 5, 3, 5], "n": [2, 1, 3, 2, 2, 1]}
    play.all_of(
        "x", lambda task, shown: {"ratings": {"clear": given[task.shown[0]][int(task.query[1:])]}}
    )
    (standing,) = standings(play.outcomes)
    assert [row.name for row in standing.rows] == ["m", "n"]
    for row in standing.rows:
        mean, error = np.mean(given[row.name]), stats.sem(given[row.name])
        low, high = stats.t.interval(0.95, 5, mean, error)
        assert (row.value, row.low, row.high, row.n) == pytest.approx((mean, low, high, 6))


def test_documents_are_ordered_by_wins_with_wilson_intervals():
    study = Study(
        StudyDesign("preference", overlap=2, seed=1), tuple(make_pairs({"q": list("abcd")}))
    )
    play = Play(study, ["x", "y"])
    for name in "xy":
        play.all_of(name, better)
    (standing,) = standings(play.outcomes)
    assert [row.name for row in standing.rows] == ["q: a", "q: b", "q: c", "q: d"]
    row = standing.rows[1]  # b beats c and d, and loses against a, each time twice
    assert (row.value, row.n) == (pytest.approx(4 / 6), 6)
    z, p, n = stats.norm.ppf(0.975), 4 / 6, 6
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert (row.low, row.high) == pytest.approx((middle - half, middle + half))


def test_graded_rankings_count_only_complete_queries():
    design = StudyDesign("grades", overlap=1, grades=((0, "no"), (1, "yes")), per_assessor=4)
    tasks = tuple(Task(q, (d,)) for q in ("p", "q") for d in ("a", "b", "c"))
    rankings = {q: {"up": ("a", "b", "c"), "down": ("c", "b", "a")} for q in ("p", "q")}
    play = Play(Study(design, tasks, rankings=rankings), ["x"])
    assert standings(play.outcomes) == []
    play.all_of("x", lambda task, shown: {"grade": int(shown[0] == "a")})
    judged = {play.study.by_id[j.lease.task].query for j in play.outcomes.judged}
    complete = [
        q
        for q in judged
        if sum(play.study.by_id[j.lease.task].query == q for j in play.outcomes.judged) == 3
    ]
    found = standings(play.outcomes)
    assert len(found) == len(complete) <= 1
    if complete:
        rows = {row.name: row.value for row in found[0].rows}
        assert rows == pytest.approx({"up": 1.0, "down": 1 / math.log2(4)})


def test_the_charts_stay_within_their_frames():
    study = Study(
        StudyDesign("preference", overlap=2, seed=1), tuple(make_pairs({"q": list("abcdef")}))
    )
    play = Play(study, ["x", "y"])
    play.all_of("x", better, 60)
    play.all_of("y", lambda task, shown: {"choice": "left"}, 10)
    found = quality(play.outcomes)
    seen = overview(play.outcomes, found, play.now)
    curves = [seen.progress()["line"], *(c["line"] for c in seen.agreements())]
    curves += [c["band"] for c in seen.agreements()]
    numbers = [float(v) for line in curves for point in line.split() for v in point.split(",")]
    numbers += [
        row[k] for order in seen.orders() for row in order["rows"] for k in ("at", "from", "to")
    ]
    strips = places(found.assessors)
    assert [place["title"] for place in strips][:2] == ["Median time", "Chose left"]
    numbers += [dot["at"] for place in strips for dot in place["dots"]]
    assert all(0 <= v <= 100 for v in numbers)
    assert day_of(NOW) == "10 Feb 1970"


def test_an_empty_study_has_no_charts():
    play = Play(Study(StudyDesign("preference"), tuple(make_pairs({"q": ["a", "b"]}))), ["x"])
    seen = overview(play.outcomes, quality(play.outcomes), NOW)
    assert seen.progress() is None
    assert seen.agreements() == seen.orders() == []
