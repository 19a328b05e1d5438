"""Laws of assignment: whatever happens in whatever order, nobody is asked too much or too little."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tare._judging import Refusal, State, Study, StudyDesign, Task, make_pairs, make_triplets
from tare._judging import decisions as do
from tests.reference.judging import leases, standing, taken

LEASE = 100.0


def study_of(policy, overlap, kind, documents, **more):
    pools = {"q1": [f"d{i}" for i in range(documents)]}
    made = make_triplets(pools, count=3) if kind == "conditional" else make_pairs(pools)
    rankings = {"q1": {"s": ("d0", "d1", "d2"), "t": ("d2", "d1", "d0")}}
    gold = (Task("q1", ("d0", "d1"), expected="d0"),) if more.pop("gold", False) else ()
    design = StudyDesign(kind, overlap=overlap, policy=policy, lease=LEASE, gold_every=3, **more)
    return Study(design, tuple(made), gold=gold, rankings=rankings)


class Play:
    """A study that is played, with a log of its own beside the state."""

    def __init__(self, study, assessors):
        self.study, self.state, self.log = study, State(study), []
        self.now, self.count, self.overlap = 0.0, 0, study.design.overlap
        self.names = [f"a{i}" for i in range(assessors)]
        for name in self.names:
            self.log += do.invite(self.state, self.now, name, f"token of {name}")
            self.log += do.join(self.state, self.now, name)

    def expire(self):
        self.log += do.expire(self.state, self.now)

    def turn(self, name):
        self.expire()
        before = taken(self.log)
        held = leases(self.log)
        events, turn = do.turn(self.state, self.now, name)
        self.log += events
        if turn.step in ("finished", "later"):
            self.nothing_was_kept_back(name, turn)
        elif name not in held and turn.step == "task" and turn.lease.role == "fresh":
            self.the_least_answered_comes_first(name, turn.lease.task, before)
        return turn

    def nothing_was_kept_back(self, name, turn):
        design = self.study.design
        answers = standing(self.log)
        mine = [a for a in answers if a[0] == name and a[2] == "fresh"]
        if design.per_assessor is not None and len(mine) >= design.per_assessor:
            return
        counts = taken(self.log)
        if design.budget is not None and sum(counts.values()) >= design.budget:
            return
        met = {a[1] for a in mine}
        wanting = [t.id for t in self.study.tasks if counts.get(t.id, 0) < self.overlap]
        assert set(wanting) <= met

    def the_least_answered_comes_first(self, name, task, before):
        if self.study.design.policy != "random":
            return
        met = {a[1] for a in standing(self.log) if a[0] == name and a[2] == "fresh"}
        open_ = [
            before.get(t.id, 0)
            for t in self.study.tasks
            if t.id not in met and before.get(t.id, 0) < self.overlap
        ]
        assert before.get(task, 0) == min(open_)

    def judge(self, name, choice, number=None):
        lease = self.state.assessors[name].lease
        if number is None:
            number = lease.number if lease is not None else 1
        self.count += 1
        submission = f"{name}-submission-{self.count:06d}"
        self.expire()
        status = self.tried(do.judge, name, submission, number, {"choice": choice})
        assert status in (None, 403, 409, 423)
        if status is not None:
            return
        again = do.judge(self.state, self.now, name, submission, number, {"choice": choice})
        assert again == []
        for other in self.names:
            if other != name and not self.state.assessors[other].revoked:
                with pytest.raises(Refusal) as refused:
                    do.judge(self.state, self.now, other, submission, 1, {"choice": choice})
                assert refused.value.status == 409

    def undo(self, name):
        self.count += 1
        self.expire()
        status = self.tried(do.undo, name, f"{name}-undo-{self.count:06d}")
        assert status in (None, 403, 409, 423)

    def tried(self, decision, name, *more):
        """Why it was refused, or None."""
        try:
            self.log += decision(self.state, self.now, name, *more)
        except Refusal as refusal:
            return refusal.status
        return None

    def check(self):
        counts, answers = taken(self.log), standing(self.log)
        assert max(counts.values(), default=0) <= self.overlap
        budget = self.study.design.budget
        assert budget is None or sum(counts.values()) <= budget
        fresh = Counter((a[0], a[1]) for a in answers if a[2] == "fresh")
        assert max(fresh.values(), default=0) <= 1
        repeats = Counter((a[0], a[1]) for a in answers if a[2] == "repeat")
        assert set(repeats) <= set(fresh)
        assert max(repeats.values(), default=0) <= 1
        places = Counter((a[1], a[3]) for a in answers if a[2] == "fresh")
        assert max(places.values(), default=0) <= 1
        limit = self.study.design.per_assessor
        each = Counter(a[0] for a in answers if a[2] == "fresh")
        assert limit is None or max(each.values(), default=0) <= limit
        for task in self.study.tasks:
            sides = [a[4] for a in answers if a[1] == task.id and a[2] == "fresh"]
            if len(sides) == self.overlap:
                assert abs(2 * sum(sides) - len(sides)) <= 1

    def folded(self):
        """The log, folded anew, is the state."""
        again = State(self.study, self.log)
        for name in self.names:
            mine, other = self.state.assessors[name], again.assessors[name]
            assert vars(mine) == vars(other)
        assert again.judged == self.state.judged
        assert again.queue.where == self.state.queue.where
        assert again.leased.keys() == self.state.leased.keys()


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["work"] * 9
            + ["turn"] * 4
            + ["late", "night", "night", "away", "undo", "undo", "kept"]
            + ["revoke", "discard", "extend", "pause", "resume", "resume"]
        ),
        st.integers(0, 5),
        st.sampled_from(["left", "right", "equal"]),
    ),
    min_size=40,
    max_size=90,
)


WHATEVER = {
    "policy": st.sampled_from(["random", "pooled", "informative"]),
    "overlap": st.integers(1, 3),
    "kind": st.sampled_from(["preference", "conditional"]),
    "documents": st.integers(3, 4),
    "budget": st.none() | st.integers(1, 15),
    "per_assessor": st.none() | st.integers(1, 9),
    "repeats": st.sampled_from([0.0, 0.3, 1.0]),
    "gold": st.booleans(),
    "seed": st.integers(0, 9),
    "assessors": st.integers(1, 5),
    "steps": STEPS,
}


def played_through(
    policy, overlap, kind, documents, budget, per_assessor, repeats, gold, seed, assessors, steps
):
    study = study_of(
        policy,
        overlap,
        kind,
        documents,
        budget=budget,
        per_assessor=per_assessor,
        repeats=repeats,
        gap=2,
        gold=gold,
        seed=seed,
    )
    play = Play(study, assessors)
    for what, number, choice in steps:
        name = play.names[number % assessors]
        play.now += 1
        if what in ("work", "turn"):
            if play.state.assessors[name].revoked:
                with pytest.raises(Refusal, match="withdrawn"):
                    play.turn(name)
                continue
            turn = play.turn(name)
            if what == "work" and turn.step == "task":
                play.judge(name, choice)
        elif what == "undo":
            play.undo(name)
        elif what in ("late", "night"):  # whatever is before anybody runs out
            play.now += LEASE
            if what == "late":
                play.judge(name, choice)
        elif (
            what == "kept"
        ):  # an answer that a browser has kept, perhaps to a task that is leased again
            lapsed = list(play.state.assessors[name].lapsed)
            if lapsed and not play.state.assessors[name].revoked:
                play.turn(name)
                play.judge(name, choice, lapsed[-1 - number % len(lapsed)])
        elif what == "away":
            play.now += LEASE / 2
        elif what in ("revoke", "discard"):
            if number == 5:
                play.log += do.revoke(play.state, play.now, name, discard=what == "discard")
        elif what == "extend":
            if number == 4:
                play.log += do.extend(play.state, play.now, overlap=1)
                play.overlap += 1
        else:
            play.log += do.pause(play.state, play.now, what == "pause")
        play.check()
    play.folded()


@settings(max_examples=150)
@given(**WHATEVER)
def test_whatever_happens(**drawn):
    played_through(**drawn)


@pytest.mark.slow
@settings(max_examples=5000)
@given(**WHATEVER)
def test_whatever_happens_thousands_of_times(**drawn):
    played_through(**drawn)


@settings(max_examples=60)
@given(
    policy=st.sampled_from(["random", "pooled", "informative"]),
    overlap=st.integers(1, 4),
    order=st.lists(st.integers(0, 3), min_size=150, max_size=150),
    seed=st.integers(0, 99),
)
def test_without_trouble_a_study_is_completed_and_balanced_at_every_moment(
    policy, overlap, order, seed
):
    study = study_of(policy, overlap, "preference", 5, seed=seed)
    play = Play(study, 4)
    rest = [place for _ in range(13) for place in range(4)]
    for place in [*order, *rest]:
        name = play.names[place]
        if play.turn(name).step != "task":
            continue
        play.judge(name, "left")
        for task in study.tasks:
            sides = [a[4] for a in standing(play.log) if a[1] == task.id]
            assert abs(2 * sum(sides) - len(sides)) <= 1
    assert set(taken(play.log).values()) == {overlap}
    assert play.state.judged == overlap * len(study.tasks)


def test_an_answer_that_comes_late_counts_only_while_it_is_wanted():
    study = study_of("random", 1, "preference", 3)
    play = Play(study, 2)
    lease = play.turn("a0").lease
    play.now += LEASE + 1
    play.expire()
    assert play.state.assessors["a0"].lease is None
    play.log += do.judge(
        play.state, play.now, "a0", "a-late-answer-0001", lease.number, {"choice": "left"}
    )
    assert [a[1] for a in standing(play.log)] == [lease.task]
    lost = play.turn("a0").lease
    play.now += LEASE + 1
    for _ in range(len(study.tasks)):
        if play.turn("a1").step == "task":
            play.judge("a1", "right")
    with pytest.raises(Refusal, match="no longer assigned to you"):
        do.judge(play.state, play.now, "a0", "a-late-answer-0002", lost.number, {"choice": "left"})
    play.check()


def test_repeats_come_after_their_gap_with_sides_changed():
    study = study_of("random", 2, "preference", 5, repeats=0.5, gap=3)
    play = Play(study, 1)
    while play.turn("a0").step == "task":
        play.judge("a0", "left")
    history = play.state.assessors["a0"].history
    repeated = [j for j in history if j.lease.role == "repeat"]
    assert len(repeated) == len(study.tasks) // 2
    for made in repeated:
        place = history.index(made)
        first = next(j for j in history if j.lease.task == made.lease.task)
        assert place - history.index(first) >= 3
        assert first.lease.swapped is not made.lease.swapped
