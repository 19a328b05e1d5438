"""Answers to displays that have expired: they count while they are needed, and take nothing from others."""

from __future__ import annotations

import pytest

from tare._judging import Refusal, State, Study, StudyDesign, Task, decisions
from tests.rooms import study_of

LEASE = 2.0


class Room:
    """A study with assessors, whose clock the test sets."""

    def __init__(self, study, *names):
        self.study, self.state, self.now, self.events = study, State(study), 1000.0, []
        for name in names:
            self.events += decisions.invite(self.state, self.now, name, f"token of {name}")
            self.events += decisions.join(self.state, self.now, name)

    def turn(self, name):
        self.events += decisions.expire(self.state, self.now)
        events, turn = decisions.turn(self.state, self.now, name)
        self.events += events
        return turn.lease

    def judge(self, name, lease, submission, answer=None):
        self.events += decisions.expire(self.state, self.now)
        self.events += decisions.judge(
            self.state, self.now, name, submission, lease.number, answer or {"choice": "left"}
        )

    def wait(self):
        self.now += 2 * LEASE

    def history(self, name):
        return [
            (m.lease.task, m.lease.number, m.lease.swapped)
            for m in self.state.assessors[name].history
        ]

    def folds(self):
        again = State(self.study, self.events)
        for name, known in self.state.assessors.items():
            assert vars(again.assessors[name]) == vars(known)
        assert again.leased.keys() == self.state.leased.keys()
        assert again.queue.where == self.state.queue.where
        assert all(again.slots[t].places == s.places for t, s in self.state.slots.items())


def one_pair(overlap=1, **more):
    return Study(
        StudyDesign("preference", overlap=overlap, lease=LEASE, **more), (Task("q1", ("d1", "d2")),)
    )


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_an_answer_counts_although_its_task_was_leased_to_the_same_assessor_again(overlap):
    room = Room(one_pair(overlap), "a1")
    lapsed = room.turn("a1")
    room.wait()
    again = room.turn("a1")
    assert (again.task, again.number) == (lapsed.task, lapsed.number + 1)
    room.judge("a1", lapsed, "kept")
    assert room.history("a1") == [(lapsed.task, lapsed.number, lapsed.swapped)]
    assert room.state.assessors["a1"].lease is None
    assert room.state.slots[lapsed.task].taken == 1
    with pytest.raises(Refusal, match="no longer assigned"):
        room.judge("a1", again, "second")
    room.folds()


def test_the_sides_are_those_that_the_assessor_saw():
    """Somebody else has taken the place of the display, so that the new one has other sides."""
    room = Room(one_pair(3), "a1", "a2", "a3")
    lapsed = room.turn("a1")
    room.wait()
    other = room.turn("a2")
    assert (other.slot, other.swapped) == (lapsed.slot, lapsed.swapped)
    again = room.turn("a1")
    assert again.swapped is not lapsed.swapped
    room.judge("a1", lapsed, "kept")
    assert room.history("a1") == [(lapsed.task, lapsed.number, lapsed.swapped)]
    slots = {m.lease.slot for m in room.state.assessors["a1"].history}
    assert other.slot not in slots
    assert all(room.state.slots[lapsed.task].swapped(s) is lapsed.swapped for s in slots)
    room.judge("a2", other, "other")
    room.judge("a3", room.turn("a3"), "third")
    sides = [m.lease.swapped for a in room.state.assessors.values() for m in a.history]
    assert len(sides) == 3
    assert abs(2 * sum(sides) - 3) == 1
    room.folds()


def test_it_is_refused_where_both_orders_could_not_be_shown_equally_often():
    room = Room(one_pair(2), "a1", "a2")
    lapsed = room.turn("a1")
    room.wait()
    other = room.turn("a2")
    again = room.turn("a1")
    assert again.swapped is not lapsed.swapped
    with pytest.raises(Refusal, match="no longer assigned"):
        room.judge("a1", lapsed, "kept")
    room.judge("a1", again, "new")
    room.judge("a2", other, "other")
    assert sorted(s for n in ("a1", "a2") for *_, s in room.history(n)) == [False, True]
    room.folds()


def test_it_takes_no_task_that_somebody_else_has():
    room = Room(one_pair(1), "a1", "a2")
    lapsed = room.turn("a1")
    room.wait()
    other = room.turn("a2")
    assert room.turn("a1") is None
    with pytest.raises(Refusal, match="no longer assigned"):
        room.judge("a1", lapsed, "kept")
    room.judge("a2", other, "other")
    with pytest.raises(Refusal, match="no longer assigned"):
        room.judge("a1", lapsed, "kept")
    assert room.history("a1") == []
    room.folds()


def test_grades_have_no_sides_so_any_place_of_the_task_will_do():
    room = Room(study_of("grades", overlap=2, lease=LEASE), "a1", "a2")
    lapsed = room.turn("a1")
    room.wait()
    while (other := room.turn("a2")).task != lapsed.task:
        room.judge("a2", other, f"other-{other.number}", {"grade": 1})
    room.judge("a1", lapsed, "kept", {"grade": 2})
    assert room.history("a1") == [(lapsed.task, lapsed.number, False)]
    room.judge("a2", other, "other", {"grade": 1})
    room.folds()


def test_a_gold_task_that_was_leased_again_counts_too():
    gold = (Task("q1", ("d1", "d3"), expected="d1"),)
    tasks = (Task("q1", ("d1", "d2")), Task("q1", ("d2", "d3")))
    room = Room(Study(StudyDesign("preference", gold_every=1, lease=LEASE), tasks, gold=gold), "a1")
    room.judge("a1", room.turn("a1"), "first")
    lapsed = room.turn("a1")
    assert lapsed.role == "gold"
    room.wait()
    assert room.turn("a1").task == lapsed.task
    room.judge("a1", lapsed, "kept")
    assert room.history("a1")[1:] == [(lapsed.task, lapsed.number, lapsed.swapped)]
    room.folds()


def test_an_answer_of_an_earlier_display_counts_after_several_have_lapsed():
    room = Room(one_pair(1), "a1")
    lapsed = room.turn("a1")
    for _ in range(2):
        room.wait()
        room.turn("a1")
    room.judge("a1", lapsed, "kept")
    assert room.history("a1") == [(lapsed.task, lapsed.number, lapsed.swapped)]
    room.folds()


@pytest.mark.parametrize("limit", ["budget", "per_assessor"])
def test_limits_hold(limit):
    room = Room(study_of(lease=LEASE, **{limit: 1}), "a1")
    lapsed = room.turn("a1")
    room.wait()
    room.turn("a1")
    room.judge("a1", lapsed, "kept")
    assert room.turn("a1") is None
    assert room.state.judged == 1
    room.folds()


def test_an_answer_that_was_undone_is_not_reported_as_saved():
    room = Room(study_of(lease=LEASE), "a1")
    lease = room.turn("a1")
    room.judge("a1", lease, "first")
    room.events += decisions.undo(room.state, room.now, "a1", "undo")
    with pytest.raises(Refusal, match="was saved and later undone") as refused:
        room.judge("a1", lease, "first")
    assert refused.value.status == 409
    assert room.history("a1") == []


def test_an_answer_that_is_sent_again_after_later_ones_is_reported_as_saved():
    room = Room(study_of(lease=LEASE), "a1")
    lease = room.turn("a1")
    room.judge("a1", lease, "first")
    room.judge("a1", room.turn("a1"), "second")
    events = len(room.events)
    room.judge("a1", lease, "first")
    assert len(room.events) == events
