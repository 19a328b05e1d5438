"""Clocks that are set while a study goes on: no time is negative or absurd, and no task is held."""

from __future__ import annotations

import time

import pytest

from tare._judging import Outcomes, State, decisions
from tare._judging.quality import quality
from tare._web.judge.writer import Clock
from tests.rooms import study_of

YEAR = 365 * 86_400.0
BEGIN = 1_700_000_000.0


def played(jumps: list[float], *, seconds: float = 10.0) -> tuple[list, State]:
    """Six tasks by one assessor; the clock jumps during each."""
    study, events, now = study_of(lease=600.0), [], BEGIN
    state = State(study)
    events += decisions.invite(state, now, "a1", "t")
    events += decisions.join(state, now, "a1")
    for number, jump in enumerate(jumps, 1):
        more, turn = decisions.turn(state, now, "a1")
        events += more
        assert turn.lease is not None
        now += seconds + jump
        events += decisions.expire(state, now)
        events += decisions.judge(
            state, now, "a1", f"s{number}", turn.lease.number, {"choice": "left"}
        )
    return events, state


@pytest.mark.parametrize("jump", [-YEAR, -60.0, YEAR, 7200.0])
def test_times_are_left_out_where_the_clock_has_jumped(jump):
    events, state = played([0.0, jump, 0.0, jump, 0.0])
    outcomes = Outcomes.of(study_of(lease=600.0), events)
    assert [j.seconds for j in outcomes.judged] == pytest.approx([10.0, None, 10.0, None, 10.0])
    assert [row["seconds"] for row in outcomes.rows()] == [10.0, None, 10.0, None, 10.0]
    found = quality(outcomes)
    assert found.seconds == pytest.approx(10.0)
    assert found.assessors[0].seconds == pytest.approx(10.0)
    assert outcomes.frame()["seconds"].null_count() == 2
    _, turn = decisions.turn(state, events[-1].at, "a1")
    assert turn.seconds_left == pytest.approx(10.0 * turn.left)


def test_nothing_is_said_where_every_time_is_unknown():
    events, state = played([-YEAR] * 3)
    found = quality(Outcomes.of(study_of(lease=600.0), events))
    assert found.seconds is None
    assert found.assessors[0].seconds is None
    assert "median s" in str(found)
    assert decisions.turn(state, events[-1].at, "a1")[1].seconds_left is None


def test_answers_stay_in_the_order_of_the_log():
    events, _ = played([0.0, -YEAR, 0.0])
    judged = Outcomes.of(study_of(lease=600.0), events).judged
    assert [j.submission for j in judged] == ["s1", "s2", "s3"]


def test_a_task_is_free_again_though_the_clock_went_back():
    """A lease from next year would hold it until then."""
    study = study_of(lease=600.0)
    state = State(study)
    decisions.invite(state, BEGIN, "a1", "t")
    decisions.join(state, BEGIN, "a1")
    decisions.turn(state, BEGIN, "a1")
    assert decisions.expire(state, BEGIN - 30) == []  # clocks of two servers differ a little
    assert [e.kind for e in decisions.expire(state, BEGIN - YEAR)] == ["expired"]
    assert decisions.expire(state, BEGIN - YEAR) == []
    assert state.outstanding == 0
    assert decisions.turn(state, BEGIN - YEAR, "a1")[1].lease.since == BEGIN - YEAR


def test_a_server_does_not_see_its_clock_being_set(monkeypatch):
    clock = Clock()
    before = clock.now()
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real - YEAR)
    assert before <= clock.now() < before + 3600
