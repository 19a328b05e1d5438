"""Blind slices: the draw, the complete part, labels of the model, estimates, and when a study stops."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import tare
from tare._decide.judge_corrected import Estimator, QuerySample
from tare._judging import State, Task, read_study
from tare._judging.decisions import invite, pause, stop, turn
from tare._judging.design import BlindSlice, draw_slice
from tare._judging.slices import SliceAnswers, answers_needed, look_at, slice_figures
from tare.errors import FormatError, TareError
from tests.conftest import ROOT
from tests.slices import answered, answers_of, grades_folder, pairs_file, plan, summaries_folder


@pytest.fixture
def folder(tmp_path):
    pairs_file(tmp_path)
    return summaries_folder(grades_folder(tmp_path))


TASKS = [Task(f"q{q}", (f"d{d}",)) for q in range(5) for d in range(4)]
MODEL = {task.id: {"grade": int(task.shown[0][1:]) % 2} for task in TASKS}


@pytest.mark.parametrize(
    ("draw", "size", "chance"),
    [("queries", 2, 2 / 5), ("documents", 3, 3 / 4), ("stratified", 3, None)],
)
def test_every_task_is_drawn_with_its_probability(draw, size, chance):
    counts = dict.fromkeys(MODEL, 0)
    rounds = 500
    for seed in range(rounds):
        tasks, drawn = draw_slice(TASKS, MODEL, draw=draw, size=size, seed=seed)
        for task in tasks:
            counts[task.id] += 1
    # In a stratified draw of 3, the upper grade gives 2 of 2 documents and the lower one 1 of 2.
    wanted = {t: chance or (1.0 if MODEL[t]["grade"] else 0.5) for t in counts}
    for task, count in counts.items():
        error = (wanted[task] * (1 - wanted[task]) / rounds) ** 0.5
        assert abs(count / rounds - wanted[task]) <= 4.5 * error, task
    inclusion = {t: len(s.units) / s.size for s in drawn.strata for unit in s.units for t in unit}
    assert all(inclusion[t.id] == pytest.approx(wanted[t.id]) for t in tasks)


@pytest.mark.parametrize("draw", ["queries", "documents"])
def test_the_draw_does_not_depend_on_labels_or_on_order(draw):
    one = draw_slice(TASKS, MODEL, draw=draw, size=2, seed=7)
    other = {t: {"grade": 9} for t in MODEL}
    for tasks, answers in ((TASKS, other), (TASKS[::-1], MODEL)):
        two = draw_slice(tasks, answers, draw=draw, size=2, seed=7)
        assert {(t.id, t.depth) for t in two[0]} == {(t.id, t.depth) for t in one[0]}
    assert BlindSlice.of(json.loads(json.dumps(one[1].to_dict()))) == one[1]


def test_the_complete_part_is_a_beginning_in_the_order_of_the_draw(folder):
    study = plan(folder)
    units = study.slice.strata[0].units
    assert (len(units), study.slice.strata[0].size) == (6, 12)
    answers = answers_of(study, folder)
    done = [task for place in (0, 1, 3) for task in units[place]] + [units[2][0]]
    found = SliceAnswers(answered(study, {t: answers[t] for t in done}))
    assert found.complete == (2,)
    assert found.n == 2
    assert set(found.inclusion) == {*units[0], *units[1]}
    assert set(found.inclusion.values()) == {2 / 12}
    cannot = {t: answers[t] for t in done} | {units[0][2]: {"choice": "cannot", "reason": "x"}}
    left = SliceAnswers(answered(study, cannot))
    assert (left.n, left.unjudged, set(left.inclusion.values())) == (1, 1, {1 / 12})
    assert set(left.table("people")["query"]) == {study.by_id[units[1][0]].query}


def test_documents_nobody_can_judge_lower_the_inclusion_probability(folder):
    study = plan(folder, draw="documents", slice=2, measure="DCG@5")
    answers = answers_of(study, folder)
    first, second = study.slice.strata[:2]
    answers[first.units[0][0]] = {"choice": "cannot", "reason": "broken"}
    for unit in second.units:
        answers[unit[0]] = {"choice": "cannot", "reason": "broken"}
    found = SliceAnswers(answered(study, answers))
    assert found.inclusion[first.units[1][0]] == 1 / 6
    assert found.dropped == {second.query}
    assert second.query not in set(found.table("model")["query"])
    assert slice_figures(found.outcomes).estimates is not None


@pytest.mark.parametrize(
    ("draw", "size", "measure"),
    [("queries", 6, "nDCG@5"), ("documents", 3, "DCG@5"), ("stratified", 4, "P(rel=2)@3")],
)
def test_estimates_of_grades_are_those_of_the_exported_tables(folder, draw, size, measure):
    study = plan(folder, draw=draw, slice=size, measure=measure)
    found = answered(study, answers_of(study, folder))
    tables = [SliceAnswers(found).table(who) for who in ("people", "model")]
    for name, table in zip(("slice", "model"), tables, strict=True):
        table.write_csv(folder / f"{name}.csv")
    figures = slice_figures(found)
    again = tare.estimate(
        str(folder / "slice.csv"),
        str(folder / "model.csv"),
        [str(folder / "good.run"), str(folder / "poor.run")],
        measure,
    )
    assert again.design == ("queries" if draw == "queries" else "documents")
    assert figures.estimates.rows() == again.rows()
    audit = tare.studies.judges(str(folder / "slice.csv"), str(folder / "model.csv")).rows()[0]
    assert all(
        figures.agreement[0][key] == audit[key]
        for key in ("pairs", "kappa", "kappa_low", "kappa_high", "leniency", "leniency_low")
    )


@pytest.mark.parametrize("draw", ["documents", "stratified"])
def test_the_estimate_is_unbiased_over_draws(folder, draw):
    """With λ = 1 the mean over draws is the value under the labels of people for everything."""
    truth = tare.evaluate(str(folder / "truth.qrels"), [str(folder / "good.run")], "DCG@5").mean
    found = []
    (folder / "poor.run").write_text((folder / "good.run").read_text())
    base = plan(folder, draw=draw, slice=4, measure="DCG@5")
    for seed in range(40):
        tasks, drawn = draw_slice(
            base.slice.frame, base.slice.answers, draw=draw, size=4, seed=seed, measure="DCG@5"
        )
        study = replace(base, tasks=tasks, slice=drawn)
        slice_ = SliceAnswers(answered(study, answers_of(study, folder)))
        made = tare.estimate(
            slice_.table("people"),
            slice_.table("model"),
            [str(folder / "good.run")],
            "DCG@5",
            weight=1,
        )
        found.append(made.rows()[0]["estimate"])
    error = np.std(found, ddof=1) / len(found) ** 0.5
    assert abs(np.mean(found) - truth) <= 4 * error


@pytest.mark.parametrize("kind", ["preference", "headtohead", "ratings", "scus"])
def test_estimates_of_other_kinds_are_those_of_the_exported_scores(folder, kind):
    study = plan(folder, kind)
    found = answered(study, answers_of(study, folder))
    answers, figures = SliceAnswers(found), slice_figures(found)
    for who in ("people", "model"):
        answers.scores(who).by_item.write_csv(folder / f"{who}-scores.csv")
        answers.table(who).write_csv(folder / f"{who}.csv")
    again = tare.estimate(str(folder / "people-scores.csv"), str(folder / "model-scores.csv"))
    assert figures.problem == ""
    assert figures.estimates.rows() == again.rows()
    assert figures.estimates.labelled == 6
    measures = {"ratings": {"fluency", "focus"}, "scus": {"present"}, "headtohead": {"preferred"}}
    assert set(again.measures) == measures.get(kind, {"nPrf@10"})
    if kind in ("headtohead", "scus", "preference"):
        audit = tare.studies.judges(str(folder / "people.csv"), str(folder / "model.csv")).rows()[0]
        assert figures.agreement[0]["kappa"] == pytest.approx(audit["kappa"], abs=1e-12)


def test_the_labels_of_the_model_are_matched_to_the_tasks(folder):
    study = plan(folder, "headtohead")
    given = {}
    for line in (folder / "preferences.csv").read_text().splitlines()[1:]:
        item, left, right, preferred = line.split(",")
        given[item, frozenset((left, right))] = preferred
    for task in study.slice.frame:
        wanted = given[task.query, frozenset(task.shown)]
        choice = study.slice.answers[task.id]["choice"]
        shown = {"left": task.shown[0], "right": task.shown[1]}.get(choice, "equal")
        assert shown == wanted
    ratings = {
        tuple(line.split(",")[:2]): line.split(",")[2:]
        for line in (folder / "ratings.csv").read_text().splitlines()[1:]
    }
    rated = plan(folder, "ratings", measure="focus").slice
    for task in rated.frame:
        fluency, focus = map(float, ratings[task.query, task.shown[0]])
        assert rated.answers[task.id] == {"ratings": {"fluency": fluency, "focus": focus}}


def test_a_model_that_contradicts_itself_says_equal(folder):
    text = (folder / "preferences.csv").read_text()
    lines = text.splitlines()
    item, left, right, _ = lines[1].split(",")
    both = [f"{item},{left},{right},left", f"{item},{right},{left},left"]
    (folder / "preferences.csv").write_text("\n".join([lines[0], *both, *lines[2:]]) + "\n")
    study = plan(folder, "headtohead")
    task = next(t for t in study.slice.frame if t.query == item and set(t.shown) == {left, right})
    assert study.slice.answers[task.id] == {"choice": "equal"}


@pytest.mark.parametrize(
    ("kind", "judge", "told"),
    [
        ("grades", {"draw": "some"}, "judge.draw"),
        ("grades", {"slice": 0}, "judge.slice = 0"),
        ("grades", {"slice": 13}, "there are 12 queries"),
        ("grades", {"slice": "6"}, "judge.slice: expected a whole number, found '6'"),
        ("grades", {"width": 0}, "judge.width = 0"),
        ("grades", {"measure": "AP"}, "expected a cutoff of at most 100"),
        ("grades", {"measure": "nDCG@5", "draw": "documents"}, "nDCG@5 cannot be estimated"),
        ("grades", {"draw": "stratified", "slice": 1}, "different grades"),
        ("grades", {"labels": "none.qrels"}, "none.qrels"),
        ("grades", {"labels": "presence.csv"}, "the labels are units"),
        ("grades", {"measures": "nDCG@5"}, "unknown key 'judge.measures'"),
        ("ratings", {"draw": "documents"}, "draws documents to be graded"),
        ("ratings", {"measure": "nDCG@5"}, "expected one of fluency, focus"),
        ("ratings", {"labels": "focus.csv"}, "no ratings of fluency"),
        ("scus", {"labels": "model.qrels"}, "the labels are grades"),
    ],
)
def test_impossible_slices_are_refused(folder, kind, judge, told):
    (folder / "focus.csv").write_text("item,system,focus\ni00,alpha,1\n")
    with pytest.raises(TareError, match=told):
        plan(folder, kind, **judge)


def test_labels_that_are_missing_or_failed_are_counted(folder):
    lines = (folder / "model.qrels").read_text().splitlines()
    lines[0] = lines[0].rsplit(" ", 1)[0] + " -1"
    (folder / "model.qrels").write_text("\n".join(lines[:-2]) + "\n")
    with pytest.raises(TareError, match=r"no complete label for 3 of 72 tasks.*-1 \(1\)"):
        plan(folder)


def test_a_slice_excludes_policies_and_budgets(folder):
    with pytest.raises(FormatError, match="policy and"):
        plan(folder, more='policy = "random"')
    with pytest.raises(FormatError, match="budget and"):
        plan(folder, more="budget = 10")


def stopping(tmp_path, **judge):
    folder = grades_folder(tmp_path, queries=60, documents=3)
    study = plan(folder, slice=50, measure="nDCG@3", **judge)
    return study, answers_of(study, folder)


def first(study, answers, n):
    units = study.slice.strata[0].units[:n]
    return answered(study, {t: answers[t] for unit in units for t in unit})


def test_the_interval_is_looked_at_from_thirty_queries_on_in_steps_of_ten(tmp_path):
    study, answers = stopping(tmp_path, width=10.0)
    assert look_at(first(study, answers, 29)) == (0, False)
    assert look_at(first(study, answers, 30)) == (30, True)
    assert look_at(first(study, answers, 39)) == (30, True)
    assert look_at(first(study, answers, 39), 30) == (30, False)
    assert look_at(first(study, answers, 41), 30) == (40, True)
    assert [answers_needed(study.slice, 2, after) for after in (0, 30, 40, 50)] == [
        180,
        240,
        300,
        None,
    ]
    narrow, _ = stopping(tmp_path, width=1e-6)
    assert look_at(first(narrow, answers, 30)) == (30, False)


def test_a_look_uses_exactly_its_queries(tmp_path):
    study, answers = stopping(tmp_path, width=1.0)
    at = {n: slice_figures(first(study, answers, n)).widest for n in (30, 34)}
    assert at[30] != at[34]
    between = (at[30] + at[34]) / 2
    again = replace(study, slice=replace(study.slice, width=between))
    assert look_at(first(again, answers, 34)) == (30, at[30] <= between)


def test_a_study_of_documents_is_looked_at_after_rounds(tmp_path):
    folder = grades_folder(tmp_path, queries=30, documents=5)
    study = plan(folder, slice=4, draw="documents", measure="DCG@3", width=10.0)
    answers = answers_of(study, folder)
    order = sorted(study.tasks, key=lambda t: t.depth)
    assert [t.depth for t in order] == [1] * 30 + [2] * 30 + [3] * 30 + [4] * 30
    looks = [
        look_at(answered(study, {t.id: answers[t.id] for t in order[:n]}))
        for n in (30, 59, 60, 120)
    ]
    assert looks == [(0, False), (0, False), (2, True), (4, True)]


def test_a_stopped_study_gives_no_further_tasks_until_it_continues(tmp_path):
    study, _ = stopping(tmp_path, width=0.1)
    state = State(study)
    invite(state, 0.0, "a1", "t")
    assert turn(state, 1.0, "a1")[1].step == "task"
    invite(state, 1.0, "a2", "u")
    assert [e.kind for e in stop(state, 2.0, 30)] == ["stopped"]
    assert stop(state, 2.0, 30) == []
    assert turn(state, 3.0, "a1")[1].step == "task"  # leased before; it can still be answered
    assert turn(state, 3.0, "a2")[1].step == "finished"
    assert [e.kind for e in pause(state, 4.0, False)] == ["resumed"]
    assert turn(state, 5.0, "a2")[1].step == "task"
    assert (state.stopped, state.looked) == (0, 30)
    assert stop(state, 6.0, 30) == []


def test_the_example_of_the_manual_is_a_study_with_a_slice(folder):
    manual = (ROOT / "docs" / "how-to" / "judge-first.md").read_text(encoding="utf-8")
    text = re.search(r"```toml\n(.*?)```", manual, re.DOTALL)[1]
    (folder / "runs").mkdir()
    (folder / "good.run").rename(folder / "runs" / "good.run")
    (folder / "model.qrels").rename(folder / "llm.qrels")
    assert "slice = 60 " in text
    (folder / "study.toml").write_text(text.replace("slice = 60 ", "slice = 6 "))
    study = read_study(folder / "study.toml")
    assert (study.slice.draw, study.slice.measure, study.slice.width) == (
        "queries",
        "nDCG@10",
        0.05,
    )
    assert len({task.query for task in study.tasks}) == 6


def stopped_coverage(worlds, looks, zeros):
    """Return how often the interval at the stop contains the truth; one system, 400 queries, a biased judge.

    The width at which the study stops is the median width at 40 queries. `zeros` is the share of scores of 0.
    """
    random = np.random.default_rng(1)
    shape = (worlds, 400)
    y = np.where(random.random(shape) < zeros, 0.0, random.beta(2, 2, shape))
    f = np.clip(y + (random.random(shape) < 0.3) * random.random(shape) * 0.5, 0, 1)
    truth = (1 - zeros) / 2

    def ends(k, n):
        sample = QuerySample(y[k, None, :n], f[k, None, :n], f[k, None, n:])
        _, low, high = Estimator("m", sample, bounds=(0.0, 1.0)).interval(None, 0.95, 2000, 0)
        return low[0], high[0]

    width = np.median([high - low for low, high in (ends(k, 40) for k in range(200))])
    hits = 0
    for k in range(worlds):
        for n in looks:
            low, high = ends(k, n)
            if high - low <= width:
                break
        hits += bool(low <= truth <= high)
    return hits / worlds


@pytest.mark.slow
@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_intervals_at_the_stop_contain_the_truth_as_often_as_stated(zeros, record_property):
    late = stopped_coverage(2000, range(30, 101, 10), zeros)
    early = stopped_coverage(2000, range(10, 101, 10), zeros)
    record_property("from 30", late)
    record_property("from 10", early)
    assert 0.93 <= late <= 0.97
    assert early < late
