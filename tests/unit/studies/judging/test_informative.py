"""The informative policy, held against the same sums written out."""

from __future__ import annotations

import itertools

import pytest

from tare._judging import State, Study, StudyDesign, Task, make_pairs, make_triplets
from tare._judging import decisions as do
from tare._judging.order import InformativePolicy

RANKINGS = {"s": ("a", "b", "c", "d"), "t": ("b", "a", "c", "d"), "u": ("a", "b", "d", "c")}


def study_of(tasks, rankings=None, **more):
    design = StudyDesign("conditional", policy="informative", overlap=9, **more)
    return Study(design, tuple(tasks), rankings={"q": rankings} if rankings else {})


def utility(wins, shown):
    return (wins + 0.5) / (shown + 1)


def prf(ranking, known):
    """Σ_i w_i·u_i, w_i = (1−θ)^{i−1} − (1−θ)^K with θ = 0.2, u_i the mean of U(d_i | d_j), j < i."""
    total = 0.0
    for i, document in enumerate(ranking):
        weight = 0.8**i - 0.8 ** len(ranking)
        given = [(g,) for g in ranking[:i]] or [()]
        cells = [(document, g) if (document, g) in known else (document, ()) for g in given]
        total += weight * sum(known.get(cell, 0.0) for cell in cells) / len(given)
    return total


def worth(task, counts, rankings):
    """The value of a question: every outcome tried, every pair of systems compared."""

    def known(changed):
        return {cell: utility(*changed[cell]) for cell in changed}

    a, b = ((d, task.given) for d in task.shown)
    now = known(counts)
    chance = now[a] / (now[a] + now[b])
    outcomes = []
    for winner, probability in ((a, chance), (b, 1 - chance)):
        after = dict(counts)
        for cell in (a, b):
            wins, shown = counts[cell]
            after[cell] = (wins + (cell == winner), shown + 1)
        outcomes.append((known(after), probability))
    if not rankings:
        return sum(p * (abs(k[a] - now[a]) + abs(k[b] - now[b])) for k, p in outcomes)
    total = 0.0
    for s, t in itertools.combinations(rankings.values(), 2):
        gap = prf(s, now) - prf(t, now)
        moved = sum(p * abs(prf(s, k) - prf(t, k) - gap) for k, p in outcomes)
        total += moved**2 / (abs(gap) + moved) if moved else 0.0
    return total


@pytest.mark.parametrize("rankings", [RANKINGS, None], ids=["systems", "utilities"])
def test_values_are_those_of_the_sums_written_out(rankings):
    tasks = make_triplets({"q": ["a", "b", "c", "d"]})
    study = study_of(tasks, rankings)
    informed = InformativePolicy(study)
    counts = {(d, t.given): (0.0, 0) for t in tasks for d in t.shown}
    for step, task in enumerate(tasks * 2):
        choice, swapped = ("left", "right", "equal")[step % 3], step % 2 == 0
        informed.answered(task, swapped, {"choice": choice}, 1)
        share = {"left": 1.0, "right": 0.0, "equal": 0.5}[choice]
        share = 1 - share if swapped else share
        for cell, won in zip(
            ((d, task.given) for d in task.shown), (share, 1 - share), strict=True
        ):
            counts[cell] = (counts[cell][0] + won, counts[cell][1] + 1)
        query = informed.queries["q"]
        values = dict(zip(query.ids, query.values(), strict=True))
        if step % 5 == 0:
            for asked in tasks:
                assert values[asked.id] == pytest.approx(worth(asked, counts, rankings), abs=1e-12)


def test_an_answer_taken_back_leaves_no_trace():
    tasks = make_pairs({"q": ["a", "b", "c"]})
    informed = InformativePolicy(study_of(tasks))
    before = informed.queries["q"].values().tolist()
    informed.answered(tasks[0], False, {"choice": "left"}, 1)
    assert informed.queries["q"].values().tolist() != before
    informed.answered(tasks[0], False, {"choice": "left"}, -1)
    assert informed.queries["q"].values().tolist() == before
    informed.answered(tasks[0], False, {"choice": "cannot", "reason": "x"}, 1)
    assert informed.queries["q"].values().tolist() == before


def test_what_all_systems_rank_alike_is_asked_last():
    rankings = {"s": ("a", "b", "c", "d"), "t": ("b", "a", "c", "d")}
    tasks = [Task("q", pair) for pair in itertools.combinations("abcd", 2)]
    state = State(study_of(tasks, rankings, seed=3))
    do.invite(state, 0.0, "x", "token")
    order = []
    for number in range(1, len(tasks) + 1):
        _, turn = do.turn(state, float(number), "x")
        order.append(state.study.by_id[turn.lease.task].shown)
        do.judge(
            state, float(number), "x", f"submission-number-{number}", number, {"choice": "equal"}
        )
    assert order[0] == ("a", "b")
    assert order[-1] == ("c", "d")  # no system gains by it


def test_informative_questions_find_the_order_of_systems_sooner_than_random_ones():
    documents = [f"d{i}" for i in range(8)]
    worth_of = {d: 8 - i for i, d in enumerate(documents)}
    rankings = {
        "good": tuple(documents),
        "fair": ("d1", "d0", "d2", "d3", "d4", "d5", "d6", "d7"),
        "poor": ("d7", "d6", *documents[:6]),
    }
    found = {}
    for policy in ("informative", "random"):
        right = 0
        for seed in range(10):
            design = StudyDesign("preference", policy=policy, overlap=1, seed=seed)
            study = Study(design, tuple(make_pairs({"q": documents})), rankings={"q": rankings})
            state = State(study)
            informed = InformativePolicy(study)
            do.invite(state, 0.0, "x", "token")
            for number in range(1, 8):
                _, turn = do.turn(state, 0.0, "x")
                task = study.by_id[turn.lease.task]
                shown = task.shown[::-1] if turn.lease.swapped else task.shown
                choice = "left" if worth_of[shown[0]] > worth_of[shown[1]] else "right"
                do.judge(state, 0.0, "x", f"submission-number-{number}", number, {"choice": choice})
                informed.answered(task, turn.lease.swapped, {"choice": choice}, 1)
            query = informed.queries["q"]
            scores = query.weights @ ((query.wins + 0.5) / (query.shown + 1))
            right += scores[0] > scores[1] > scores[2]
        found[policy] = right
    assert found["informative"] > found["random"]
