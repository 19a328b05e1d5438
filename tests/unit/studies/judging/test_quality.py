"""Quality and outcomes of a study, held against the statistics of the rest of tare."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tare._judging import Dimension, Outcomes, State, Study, StudyDesign, Task, make_pairs
from tare._judging import decisions as do
from tare._judging.quality import quality
from tare.errors import MismatchError
from tare.studies import agreement, self_consistency


class Play:
    """Answers by a rule, one second each unless told."""

    def __init__(self, study, names):
        self.study, self.state, self.log, self.now = study, State(study), [], 0.0
        for name in names:
            self.log += do.invite(self.state, 0.0, name, f"token of {name}")
            self.log += do.join(self.state, 0.0, name)

    def all_of(self, name, rule, seconds=1.0):
        count = 0
        while True:
            events, turn = do.turn(self.state, self.now, name)
            self.log += events
            if turn.step != "task":
                return count
            count += 1
            self.now += seconds
            task = self.study.by_id[turn.lease.task]
            shown = task.shown[::-1] if turn.lease.swapped else task.shown
            submission = f"{name}-submission-{count:05d}"
            self.log += do.judge(
                self.state, self.now, name, submission, turn.lease.number, rule(task, shown)
            )

    @property
    def outcomes(self):
        return Outcomes.of(self.study, self.log)


def better(task, shown):
    """Prefers the id that comes first."""
    return {"choice": "left" if shown[0] < shown[1] else "right"}


def test_assessors_who_deserve_a_second_look():
    documents = [f"d{i}" for i in range(8)]
    gold = tuple(Task("q", (f"d{i}", f"d{i + 1}"), expected=f"d{i}") for i in range(4))
    design = StudyDesign("preference", overlap=5, repeats=0.3, gap=2, gold_every=5, seed=2)
    study = Study(design, tuple(make_pairs({"q": documents})), gold=gold)
    play = Play(study, ["good", "fine", "left", "hasty", "coin"])
    dice = np.random.default_rng(1)
    play.all_of("good", better, 10)
    play.all_of("fine", better, 12)
    play.all_of("left", lambda task, shown: {"choice": "left"}, 9)
    play.all_of("hasty", better, 1)
    play.all_of("coin", lambda task, shown: {"choice": dice.choice(["left", "right"])}, 11)
    found = quality(play.outcomes)
    flags = {a.assessor: a.flags for a in found.assessors}
    assert flags["good"] == flags["fine"] == ()
    assert flags["hasty"] == ("much faster than others",)
    assert any(
        re.fullmatch(r"chose left 4\d of 4\d times \(p (=|<) .*\)", f) for f in flags["left"]
    )
    assert (
        "inconsistent answers to repeated tasks" in flags["left"]
    )  # sides are changed when it is asked again
    assert any(flag.startswith("gold") for flag in flags["coin"])
    by_name = {a.assessor: a for a in found.assessors}
    assert by_name["good"].gold == (4, 4)
    assert by_name["good"].repeats == (8, 8)
    assert by_name["left"].repeats == (0, 8)
    assert (found.judged, found.wanted, found.complete) == (140, 140, 28)
    rows = [
        (r["unit"], r["coder"], r["value"]) for r in play.outcomes.rows() if r["role"] == "fresh"
    ]
    from tare._data.ratings import Ratings

    independent = agreement(Ratings.of(rows), draws=100)
    assert found.alpha[""] == pytest.approx(independent.alpha, abs=1e-12)
    for name, share in independent.by_coder.items():
        assert by_name[name].disagreement == pytest.approx(share, abs=1e-12)
    ratings = play.outcomes.ratings()
    assert self_consistency(ratings).same["left"] == 0.0
    assert "28 of 28 tasks complete" in found.table().notes[0]
    assert found.to_frame().height == 5
    assert found.to_dict()["judged"] == 140


def test_cannot_judge_is_no_value_and_grades_are_combined():
    design = StudyDesign("grades", overlap=4, grades=((0, "no"), (1, "some"), (2, "yes")))
    study = Study(design, tuple(Task("q", (d,)) for d in ("a", "b")))
    play = Play(study, ["w", "x", "y", "z"])
    grades = {"w": (0, 2), "x": (2, 2), "y": (1, 1), "z": (2, None)}
    for name, (a, b) in grades.items():

        def rule(task, shown, a=a, b=b):
            grade = a if task.shown == ("a",) else b
            return {"grade": grade} if grade is not None else {"choice": "cannot", "reason": "?"}

        play.all_of(name, rule)
    for combine, a, b in (("median", 1, 2), ("mean", 1.25, 5 / 3), ("max", 2, 2), ("min", 0, 1)):
        found = dict(
            play.outcomes.qrels(combine=combine).to_frame().select("document", "grade").iter_rows()
        )
        assert found == pytest.approx({"a": a, "b": b})
    assert len(play.outcomes.ratings()) == 7
    frame = play.outcomes.frame()
    assert frame.filter(frame["reason"].is_not_null()).height == 1
    with pytest.raises(MismatchError, match="does not produce preferences"):
        play.outcomes.preferences()


def test_ratings_become_scores_of_systems():
    design = StudyDesign("ratings", overlap=2, dimensions=(Dimension("clear"), Dimension("true")))
    study = Study(design, tuple(Task(i, (s,)) for i in ("i", "j") for s in ("m", "n")))
    play = Play(study, ["x", "y"])
    for name, more in (("x", 0), ("y", 1)):
        play.all_of(
            name,
            lambda task, shown, more=more: {
                "ratings": {"clear": 1 + more, "true": 4 if task.shown == ("m",) else 2}
            },
        )
    rows = {(s, i, m): v for s, i, m, v in play.outcomes.scores().iter_rows()}
    assert rows["m", "i", "clear"] == 1.5
    assert rows["n", "j", "true"] == 2.0
    assert len(rows) == 8
    assert (
        play.outcomes.ratings("true").values.tolist() == [4, 4, 2, 2] * 2
        or sorted(play.outcomes.ratings("true").values.tolist()) == [2] * 4 + [4] * 4
    )


@pytest.mark.parametrize(("answers", "flagged"), [(5, False), (6, True)])
def test_one_side_only_is_flagged_from_six_answers_on(answers, flagged):
    """The exact binomial test: 2 · 0.5⁵ = 0.0625 and 2 · 0.5⁶ = 0.03125."""
    pairs = tuple(make_pairs({"q": [f"d{i}" for i in range(4)]}))
    study = Study(StudyDesign("preference", overlap=1, seed=2, per_assessor=answers), pairs)
    play = Play(study, ["one", "two"])
    play.all_of("one", lambda task, shown: {"choice": "right"}, 9)
    (found,) = [a for a in quality(play.outcomes).assessors if a.assessor == "one"]
    assert found.judgements == answers
    assert found.flags == (("chose right 6 of 6 times (p = 0.0312)",) if flagged else ())
