"""An undo removes the answer that the assessor's page meant, or nothing."""

from __future__ import annotations

import pytest

from tare._judging import Refusal, State, decisions
from tests.rooms import study_of

LEASE = 600.0


class Room:
    """A study with one assessor who works on several pages."""

    def __init__(self, **more):
        self.study = study_of(lease=LEASE, **more)
        self.state, self.now, self.count, self.events = State(self.study), 1000.0, 0, []
        self.events += decisions.invite(self.state, self.now, "a1", "t")
        self.events += decisions.join(self.state, self.now, "a1")

    def page(self):
        """What a page that is opened now sends with an undo, and the number of its task."""
        self.events += decisions.expire(self.state, self.now)
        events, turn = decisions.turn(self.state, self.now, "a1")
        self.events += events
        number = turn.lease.number if turn.lease else turn.shown
        return {"display": number, "done": turn.done}

    def judge(self, number, choice="left"):
        self.count += 1
        self.events += decisions.judge(
            self.state, self.now, "a1", f"s{self.count}", number, {"choice": choice}
        )

    def undo(self, **page):
        self.count += 1
        self.events += decisions.undo(self.state, self.now, "a1", f"u{self.count}", **page)

    @property
    def answers(self):
        return [made.submission for made in self.state.assessors["a1"].history]


def test_an_undo_of_an_earlier_answer_removes_nothing():
    room = Room()
    room.judge(room.page()["display"])
    stale = room.page()
    for _ in range(3):
        room.judge(room.page()["display"])
    events, before = len(room.events), room.answers
    with pytest.raises(Refusal, match="nothing was undone") as refused:
        room.undo(**stale)
    assert (refused.value.status, room.answers, len(room.events)) == (409, before, events)
    room.undo(**room.page())
    assert room.answers == before[:-1]


def test_another_answer_in_the_same_place_is_another_answer():
    """The page saw one answer; it was undone and given again elsewhere, so there is one again."""
    room = Room()
    room.judge(room.page()["display"])
    stale = room.page()
    room.undo(**stale)
    room.judge(room.page()["display"], "right")
    assert room.page()["done"] == stale["done"]
    with pytest.raises(Refusal, match="nothing was undone"):
        room.undo(**stale)
    assert room.answers == ["s3"]


def test_an_answer_that_came_late_is_not_the_one_that_the_page_meant():
    """Its task was shown before that of the page, but it was recorded afterwards."""
    room = Room()
    room.judge(room.page()["display"])
    lapsed = room.page()["display"]
    room.now += LEASE + 1
    stale = room.page()
    room.undo(**stale)
    room.page()
    assert stale["display"] > lapsed
    room.now += 1
    with pytest.raises(Refusal, match="no answer"):
        room.undo(**stale)
    room.judge(lapsed, "right")
    with pytest.raises(Refusal, match="nothing was undone"):
        room.undo(**stale)
    assert room.answers == ["s4"]


def test_the_page_at_the_end_undoes_the_last_answer_and_only_that():
    room = Room(per_assessor=2)
    for _ in range(2):
        room.judge(room.page()["display"])
    end = room.page()
    assert end["done"] == 2
    room.undo(**end)
    with pytest.raises(Refusal, match="nothing was undone"):
        room.undo(**end)
    assert room.answers == ["s1"]


def test_an_undo_works_while_the_task_of_its_page_has_lapsed():
    room = Room()
    room.judge(room.page()["display"])
    page = room.page()
    room.now += LEASE + 1
    room.page()  # another page has the next task
    room.undo(**page)
    assert room.answers == []


def test_a_script_that_names_no_page_undoes_the_last_answer():
    room = Room()
    for _ in range(2):
        room.judge(room.page()["display"])
    room.undo()
    assert room.answers == ["s1"]


def test_the_log_folds_to_the_same_state():
    room = Room()
    for _ in range(3):
        room.judge(room.page()["display"])
        room.undo(**room.page())
        room.judge(room.page()["display"])
    again = State(room.study, room.events).assessors["a1"]
    assert vars(again) == vars(room.state.assessors["a1"])
