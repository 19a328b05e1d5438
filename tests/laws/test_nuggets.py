"""Laws of the measures of answers: definitions, bounds, order of rows, names, and chance by hand."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tare
from tare._measures.registry import definitions
from tests.reference import nuggets as reference

VARIANTS = {
    "NuggetVital": ["NuggetVital", "NuggetVital(empty=zero)"],
    "NuggetVitalStrict": ["NuggetVitalStrict", "NuggetVitalStrict(empty=zero)"],
    "NuggetAll": ["NuggetAll", "NuggetAll(empty=zero)"],
    "NuggetAllStrict": ["NuggetAllStrict"],
    "NuggetWeighted": [
        "NuggetWeighted",
        "NuggetWeighted(vital=3,okay=0)",
        "NuggetWeighted(okay=1)",
    ],
    "NuggetDensity": ["NuggetDensity"],
    "Support": ["Support", "Support(strict=true)"],
    "CitationPrecision": ["CitationPrecision", "CitationPrecision(strict=true)"],
    "CitationRecall": ["CitationRecall", "CitationRecall(strict=true)"],
    "Refusal": ["Refusal"],
    "Abstention": ["Abstention"],
}
ALL = [variant for variants in VARIANTS.values() for variant in variants]
NUGGETS = st.tuples(
    st.sampled_from(["vital", "okay"]),
    st.sampled_from(["support", "partial_support", "not_support"]),
)


def rows_of(answers: dict[tuple[str, str], list[tuple[str, str]]]) -> list[dict]:
    return [
        {
            "system": s,
            "item": i,
            "nugget": f"n{k}",
            "importance": importance,
            "assignment": assignment,
            "words": 50,
        }
        for (s, i), own in answers.items()
        for k, (importance, assignment) in enumerate(own)
    ]


def test_every_measure_of_answers_is_tried() -> None:
    assert {d.name for d in definitions() if d.family == "answers"} == set(VARIANTS)


@given(st.lists(NUGGETS, min_size=1, max_size=8))
def test_values_follow_the_definitions(own: list[tuple[str, str]]) -> None:
    rows = rows_of({("a", "q"): own})
    names = [f"{name}(empty=zero)" for name in reference.MEASURES]
    found = tare.evaluate_answers(rows, [*names, "NuggetDensity"]).values[0, 0].tolist()
    expected = [function(own) for function in reference.MEASURES.values()]
    assert found == pytest.approx([*expected, reference.density(own, 50)], abs=1e-12)


@pytest.fixture
def collection() -> tare.Answers:
    rng = random.Random(5)
    importance = {(t, k): rng.choice(["vital", "okay"]) for t in range(8) for k in range(5)}
    rows = [
        {
            "system": f"s{s}",
            "item": f"q{t}",
            "nugget": f"n{k}",
            "importance": importance[t, k],
            "words": 40 + s,
            "assignment": rng.choice(["support", "partial_support", "not_support"]),
            "refused": s == t,
        }
        for s in range(3)
        for t in range(8)
        for k in range(5)
    ]
    citations = [
        {
            "system": f"s{s}",
            "item": f"q{t}",
            "statement": k,
            "citation": c,
            "support": rng.choice(["FS", "PS", "NS"]),
        }
        for s in range(3)
        for t in range(8)
        for k in range(3)
        for c in range(rng.randint(1, 2))
    ]
    texts = [
        {"system": f"s{s}", "item": f"q{t}", "words": 40 + s, "answerable": t != 1}
        for s in range(3)
        for t in range(8)
    ]
    return tare.read_answers(rows, citations=citations, texts=texts)


@pytest.mark.parametrize("name", ALL)
def test_values_are_within_the_bounds(name: str, collection: tare.Answers) -> None:
    scores = tare.evaluate_answers(collection, name)
    low, high = scores.measures[0].definition.bounds
    values = scores.values[~np.isnan(scores.values)]
    assert len(values)
    assert (values >= (low or 0)).all()
    assert high is None or (values <= high).all()


@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rng: random.Random) -> None:
    rows = rows_of(
        {
            ("a", "1"): [("vital", "support"), ("okay", "not_support")],
            ("b", "1"): [("vital", "partial_support"), ("okay", "support")],
            ("a", "2"): [("okay", "partial_support")],
        }
    )
    mixed = rng.sample(rows, len(rows))
    one, other = (tare.evaluate_answers(x, ["NuggetAll", "NuggetWeighted"]) for x in (rows, mixed))
    assert one.means() == {s: other.means()[s] for s in one.systems}
    assert one.signatures == other.signatures


def test_chance_is_the_mean_over_answers_to_other_topics() -> None:
    """By hand: topic 1 is supported by 1/2 and 0 of two other answers, so chance is 1/4."""
    own = rows_of(
        {
            ("a", "1"): [("vital", "support"), ("okay", "not_support")],
            ("b", "1"): [("vital", "support"), ("okay", "support")],
            ("a", "2"): [("vital", "partial_support")],
            ("b", "2"): [("vital", "not_support")],
        }
    )
    other = [
        {**row, "answer_to": about}
        for about, credits in (
            ("2", ("support", "not_support")),
            ("3", ("not_support", "not_support")),
        )
        for row in rows_of({("a", "1"): [("vital", credits[0]), ("okay", credits[1])]})
    ] + [{**row, "answer_to": "1"} for row in rows_of({("b", "2"): [("vital", "not_support")]})]
    names = [
        "E(NuggetAll)",
        "Ideal(NuggetAll)",
        "Net(NuggetAll)",
        "Z(NuggetAll)",
        "pValue(NuggetAll)",
    ]
    scores = tare.evaluate_answers(own + other, names)
    assert scores.systems == ("a", "b")
    assert scores.matrix("E(NuggetAll)").tolist() == [[0.25, 0.0], [0.25, 0.0]]
    assert scores.matrix("Ideal(NuggetAll)").tolist() == [[1.0, 1.0], [1.0, 1.0]]
    # (mean A − mean E)/(mean U − mean E): a (.5 − .125)/(1 − .125), b the same
    assert scores.means()["a"]["Net(NuggetAll)"] == pytest.approx(0.375 / 0.875)
    assert scores.means()["b"]["Net(NuggetAll)"] == pytest.approx(0.375 / 0.875)
    assert scores.matrix("Z(NuggetAll)")[0, 0] == pytest.approx((0.5 - 0.25) / 0.25)
    assert scores.matrix("pValue(NuggetAll)")[:, 0].tolist() == [
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    ]


def test_answers_to_other_topics_are_at_chance() -> None:
    """Systems whose answers are drawn like those to other topics have a net score near 0."""
    rng = random.Random(1)

    def draw(system: str, topic: int, about: int) -> list[dict]:
        return [
            {
                "system": system,
                "item": f"q{topic}",
                "nugget": f"n{k}",
                "answer_to": f"q{about}",
                "assignment": "support"
                if rng.random() < 0.05 + 0.3 * (topic % 3 == 0)
                else "not_support",
            }
            for k in range(6)
        ]

    topics = range(60)
    own = [row for s in ("a", "b") for t in topics for row in draw(s, t, t)]
    other = [
        row
        for s in ("a", "b")
        for t in topics
        for d in range(1, 9)
        for row in draw(s, t, (t + d) % 60)
    ]
    net = tare.evaluate_answers(own + other, "Net(NuggetAll)")
    for system in net.systems:
        assert abs(net.means()[system]["Net(NuggetAll)"]) < 0.05
    assert not math.isnan(net.means()["a"]["Net(NuggetAll)"])
