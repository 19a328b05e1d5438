"""Laws of exact match and token F1: equal to the obvious versions, and exact under chance."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tests.reference import answers
from tests.reference.random_texts import expectation

PARTS = ("TokenF1", "TokenF1.p", "TokenF1.r")
pieces = st.sampled_from(
    [
        "the",
        "The",
        "a",
        "an",
        "cat",
        "Cat,",
        "dog",
        "-",
        "U.S.",
        "a-n",
        "é",
        "’s",
        "\t",
        "the’s",
        "İ",
    ]
)
answer = st.lists(pieces, max_size=6).map(" ".join)
words = st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=5)


@settings(max_examples=200)
@given(
    st.lists(st.tuples(answer, st.lists(answer, min_size=1, max_size=3)), min_size=1, max_size=4)
)
def test_values_equal_the_obvious_versions(rows: list[tuple[str, list[str]]]) -> None:
    scores = tare.evaluate_texts(
        [text for text, _ in rows], [golds for _, golds in rows], ["ExactMatch", "TokenF1"]
    )
    for k, (text, golds) in enumerate(rows):
        assert scores.values[0, k].tolist() == list(answers.best(golds, text))


def value(name: str, text: str, references: list[str]) -> float:
    return float(tare.evaluate_texts([text], [references], name).mean)


def value_of_words(words: tuple[str, ...], name: str, golds: list[str]) -> float:
    return value(name, " ".join(words), golds)


@settings(max_examples=30)
@given(source=words, references=st.lists(words, min_size=1, max_size=2), length=st.integers(1, 3))
def test_exact_match_under_chance_is_the_mean_over_all_texts(
    source: list[str], references: list[list[str]], length: int
) -> None:
    golds = [" ".join(reference) for reference in references]
    for rule in ("max", "mean"):
        name = f"ExactMatch(refs={rule})"
        found = tare.evaluate_texts(
            ["x"], [golds], [f"E({name},length={length})"], sources=[" ".join(source)]
        )
        wanted = expectation(source, length, partial(value_of_words, name=name, golds=golds))
        assert found.mean == pytest.approx(wanted, abs=1e-12)
        assert found.errors is None


@settings(max_examples=30)
@given(source=words, references=st.lists(words, min_size=1, max_size=2), length=st.integers(1, 3))
def test_f1_under_chance_is_the_mean_over_all_texts(
    source: list[str], references: list[list[str]], length: int
) -> None:
    """Exact against one reference and with refs=mean."""
    cases = [([" ".join(references[0])], "max"), ([" ".join(r) for r in references], "mean")]
    for golds, rule in cases:
        names = [f"{part}(refs={rule})" for part in PARTS]
        wrapped = [f"E({name},length={length})" for name in names]
        found = tare.evaluate_texts(["x"], [golds], wrapped, sources=[" ".join(source)])
        assert found.errors is None
        for m, name in enumerate(names):
            wanted = expectation(source, length, partial(value_of_words, name=name, golds=golds))
            assert found.values[0, 0, m] == pytest.approx(wanted, abs=1e-12)


def test_the_best_of_several_references_is_sampled_with_an_honest_error() -> None:
    source, golds = "x y z x y", ["x y", "z z x"]
    wanted = expectation(source.split(), 2, lambda text: value("TokenF1", " ".join(text), golds))
    gaps = []
    for seed in range(20):
        found = tare.evaluate_texts(
            ["x"], [golds], "E(TokenF1,length=2)", sources=[source], seed=seed
        )
        assert found.errors is not None
        gaps.append((found.mean - wanted) / float(found.errors[0, 0, 0]))
    assert abs(np.mean(gaps)) < 3 / np.sqrt(20)
    assert 0.5 < np.std(gaps) < 1.6


def test_sampling_agrees_with_the_exact_values() -> None:
    names = ["ExactMatch", *PARTS]
    wrapped = [f"E({name},expected={how})" for how in ("exact", "sampled") for name in names]
    given_texts = (["x y"], ["x y z"], wrapped)
    found = tare.evaluate_texts(*given_texts, sources=["x x y z"], samples=20_000, seed=3)
    exact, sampled = found.values[0, 0, :4], found.values[0, 0, 4:]
    assert found.errors is not None
    assert (np.abs(exact - sampled) < 4 * found.errors[0, 0, 4:]).all()
    assert exact[0] == pytest.approx(0.5 * 0.25 * 0.25)


def test_p_and_z_of_exact_match_are_exact() -> None:
    scores = tare.evaluate_texts(
        ["x y", "z"], ["x y", "x y"], ["pValue(ExactMatch)", "Z(ExactMatch)"], sources=["x y"] * 2
    )
    assert scores.values[0, :, 0].tolist() == [0.25, 1.0]
    assert scores.values[0, :, 1].tolist() == pytest.approx(
        [0.75 / 0.1875**0.5, -0.25 / 0.1875**0.5]
    )


def test_net_is_0_at_chance() -> None:
    """The mean of Net over all random texts, weighted by their probability."""
    source, gold = ["x", "x", "y", "z"], "x y"
    shares = Counter(source)
    for name in ("ExactMatch", "TokenF1"):
        texts = [" ".join(text) for text in product(shares, repeat=2)]
        chances = [shares[a] * shares[b] / 16 for a, b in product(shares, repeat=2)]
        scores = tare.evaluate_texts(
            texts, [gold] * len(texts), f"Net({name})", sources=[" ".join(source)] * len(texts)
        )
        assert float(scores.values[0, :, 0] @ chances) == pytest.approx(0, abs=1e-12)
        assert tare.evaluate_texts([gold], [gold], f"Net({name})", sources=["x y z"]).mean == 1


def test_a_question_without_an_answer() -> None:
    scores = tare.evaluate_texts(
        ["", "Paris", "", "the"], ["", "", ["", "Paris"], "a"], ["ExactMatch", "TokenF1"]
    )
    assert scores.values[0].tolist() == [[1, 1], [0, 0], [0, 0], [1, 1]]
    chance = tare.evaluate_texts(["Paris"], [""], ["E(ExactMatch)", "E(TokenF1)"], sources=["x y"])
    assert chance.values[0, 0].tolist() == [1, 1]  # a random text as long as the reference is empty
    chance = tare.evaluate_texts(["x"], ["the"], ["E(ExactMatch,length=2)"], sources=["a the"])
    assert chance.mean == 1  # the source has no words
