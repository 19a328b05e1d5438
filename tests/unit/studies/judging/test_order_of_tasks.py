"""The next slot and the next task are what the obvious definitions say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._judging import Study, StudyDesign, make_pairs
from tare._judging.design import stream_id
from tare._judging.order import Queue
from tare._judging.state import Slots


@given(
    st.sampled_from("abcdef"), st.lists(st.booleans(), min_size=1, max_size=7), st.integers(-3, 3)
)
def test_the_slot_on_the_side_that_was_shown_less(task, places, balance):
    slots = Slots(task, 1, len(places))
    for slot, taken in enumerate(places):
        if taken:
            slots.take(slot)
    shown = [
        sum(t for s, t in enumerate(places) if slots.swapped(s) is side) for side in (False, True)
    ]
    free = [
        (shown[side], balance if side else -balance, slot)
        for slot, taken in enumerate(places)
        if not taken
        for side in [slots.swapped(slot)]
    ]
    if free:
        assert slots.choose(balance) == min(free)[-1]
    else:
        with pytest.raises(ValueError, match="no slot is free"):
            slots.choose(balance)


@given(
    st.sampled_from(["random", "pooled"]),
    st.lists(st.tuples(st.integers(0, 14), st.integers(0, 3)), max_size=12),
    st.sets(st.integers(0, 14)),
)
def test_the_first_open_task_from_the_place_of_an_assessor(policy, moves, seen):
    tasks = tuple(make_pairs({"q": list("abcdef")}))
    queue = Queue(Study(StudyDesign("preference", policy=policy, overlap=3), tasks))
    taken = {task.id: 0 for task in tasks}
    for place, count in moves:
        task = queue.tasks[place]
        taken[task] = count
        queue.move(task, count, full=count >= 3)
    known = {queue.tasks[place] for place in seen}
    for who in ("a1", "a2", "a1"):
        start = stream_id(f"{queue.seed}\x1f{who}") % len(tasks) if policy == "random" else 0
        order = [
            (queue.stratum[task], taken[task], (queue.place[task] - start) % len(tasks), task)
            for task in queue.tasks
            if taken[task] < 3 and task not in known
        ]
        assert queue.first(who, known) == (min(order)[-1] if order else None)
