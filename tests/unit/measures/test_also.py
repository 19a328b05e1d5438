"""More measures on the data behind a table: the same as if they had been asked for at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tare
from tare.errors import MeasureError

QRELS = {f"q{q}": {f"d{d}": int(d % 3 == q % 2) for d in range(6)} for q in range(4)}
RUNS = {
    name: {q: {f"d{d}": float((d * step + k) % 7) for d in range(6)} for k, q in enumerate(QRELS)}
    for name, step in (("a", 3), ("b", 5))
}
TEXTS = [
    {
        "system": system,
        "item": str(k),
        "text": f"the cat {word} on mat {k}",
        "references": f"a cat sat on the mat {k}",
        "source": f"the cat sat on a mat and ran to {k} dogs.",
    }
    for system, word in (("a", "sat"), ("b", "ran"))
    for k in range(4)
]
ANSWERS = [
    {
        "qid": f"q{q}",
        "run_id": run,
        "nuggets": [
            {"text": f"n{n}", "importance": ("vital", "okay")[n % 2], "assignment": given}
            for n, given in enumerate(assigned)
        ],
        **({} if about is None else {"answer_to": about}),
    }
    for q in range(3)
    for run, assigned, about in (
        ("a", ("support", "not_support", "support"), None),
        ("b", ("support", "partial_support", "not_support"), None),
        ("a", ("not_support", "not_support", "support"), f"q{(q + 1) % 3}"),
    )
]
RANKS = {"a": {"x": 1, "y": 7, "z": 3}, "b": {"x": 2, "y": 1, "z": 9}}


def rankings(measures: list[str]) -> tare.Scores:
    return tare.evaluate(QRELS, RUNS, measures, pool="judged")


def texts(measures: list[str]) -> tare.Scores:
    return tare.evaluate_texts(TEXTS, measures)


def answers(measures: list[str]) -> tare.Scores:
    return tare.evaluate_answers(ANSWERS, measures)


def ranks(measures: list[str]) -> tare.Scores:
    return tare.ranks(RANKS, 10, measures)


Score = Callable[[list[str]], tare.Scores]
MORE: dict[Score, list[str]] = {
    rankings: ["P@2", "Net(AP)", "Std(RR)", "Z(AP)"],
    texts: ["ROUGE-2", "Net(ROUGE-1)", "Std(ROUGE-1)", "TokenF1"],
    answers: ["NuggetVital", "Net(NuggetAll)", "Std(NuggetAll)"],
    ranks: ["MeanRank", "Net(Success@2)", "Net(GMR)", "Std(RR)"],
}
FIRST: dict[Score, str] = {rankings: "AP", texts: "ROUGE-1", answers: "NuggetAll", ranks: "RR"}


@pytest.mark.parametrize("score", MORE)
def test_measures_added_later_are_those_asked_for_at_once(score: Score) -> None:
    first, more = FIRST[score], MORE[score]
    added = score([first]).also(more)
    for measure in more:
        at_once = score([first, measure])
        assert added[measure].means() == at_once[measure].means()
        np.testing.assert_array_equal(added[measure].values, at_once[measure].values)
        assert added[measure].signatures == at_once[measure].signatures
        np.testing.assert_array_equal(added[measure].intervals(), at_once[measure].intervals())
    some = score([first]).select(items=score([first]).items[1:], systems=["b"])
    assert some.also(more).items == some.items


def test_net_scores_without_room_can_be_added() -> None:
    """Every query has one candidate: chance scores as high as the ideal."""
    added = tare.ranks([1, 1], 1, "RR").also("Net(MeanRank)")
    assert np.isnan(added["Net(MeanRank)"].values).all()


@pytest.mark.parametrize(
    ("score", "measure"),
    [(rankings, "ROUGE-1"), (texts, "AP"), (answers, "AP"), (ranks, "ROUGE-1")],
)
def test_measures_of_other_data_are_refused(score: Score, measure: str) -> None:
    with pytest.raises(MeasureError, match=measure):
        score([FIRST[score]]).also(measure)


def test_more_measures_of_texts_scored_on_an_engine() -> None:
    scores = tare.evaluate_texts(TEXTS, "ROUGE-1", engine="local")
    assert scores.also("ROUGE-2")["ROUGE-2"].means() == texts(["ROUGE-2"]).means()
