"""Laws of chance for texts: exact means, any order and thread count, bounds, fixed points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
import tare.chance  # makes E, V1, V2 and their kin known
from tare._kernels import expected_ngrams, random_rouge_counts, text_profile
from tare._measures import definitions
from tare._measures.text.evaluate_texts import evaluate_texts
from tests.reference.random_texts import expectation, overlap

words = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)
ROUGES = [
    d.name
    for d in definitions()
    if d.name.startswith("ROUGE")
    and d.name not in {"ROUGE-BE", *(f"ROUGE-{n}" for n in range(4, 10))}
]


@settings(max_examples=60)
@given(source=words, reference=words, length=st.integers(0, 5), n=st.integers(1, 4))
def test_expected_overlap_is_the_mean_over_all_texts(
    source: list[str], reference: list[str], length: int, n: int
) -> None:
    found = expected_ngrams(
        [" ".join(source)],
        [[" ".join(reference)]],
        np.array([length]),
        text_profile("google"),
        [n],
    )[0, 0]
    wanted = expectation(source, length, lambda text: overlap(text, reference, n))
    assert found[0] == pytest.approx(wanted, abs=1e-12)
    assert found[1:].tolist() == [max(length - n + 1, 0), max(len(reference) - n + 1, 0)]


@settings(max_examples=20)
@given(source=words, reference=words, other=words, n=st.integers(1, 3))
def test_expected_scores_are_means_over_all_texts(
    source: list[str], reference: list[str], other: list[str], n: int
) -> None:
    """F, several references by mean and micro: all linear, so all exact."""
    candidate = ["a", "b", "b", "c"]
    row = {"text": " ".join(candidate), "source": " ".join(source)}
    row["references"] = [" ".join(reference), " ".join(other)]  # type: ignore[assignment]
    names = [
        f"ROUGE-{n}{part}(refs={rule})" for part in ("", ".p", ".r") for rule in ("mean", "micro")
    ]
    found = tare.evaluate_texts(
        tare.read_summaries([row]), [f"E({name},length=candidate)" for name in names]
    )
    for m, name in enumerate(names):

        def value(text: tuple[str, ...], name: str = name) -> float:
            one = {"text": " ".join(text), "references": row["references"]}
            return float(tare.evaluate_texts(tare.read_summaries([one]), name).mean)

        few = expectation(source, 4, value) if len(set(source)) < 3 else None
        if few is not None:
            assert found.values[0, 0, m] == pytest.approx(few, abs=1e-12)
    assert found.errors is None


def rows() -> list[dict[str, Any]]:
    about = [
        ("the cat sat on the mat and the dog ran off", ["the cat sat there", "a dog ran far off"]),
        ("it rained in the north and it rained in the south", ["rain in the north", "it rained"]),
    ]
    texts = {"x": ["the cat sat", "it rained in it"], "y": ["a dog ran on the mat", "north"]}
    return [
        {
            "system": system,
            "item": str(i),
            "text": text,
            "source": about[i][0],
            "references": about[i][1],
        }
        for system, made in texts.items()
        for i, text in enumerate(made)
    ]


@pytest.mark.parametrize("name", ROUGES)
def test_order_and_threads_change_nothing(name: str) -> None:
    wanted = [f"{w}({name})" for w in ("E", "V1", "V2", "Z", "pValue", "U", "MinMax")]
    one = evaluate_texts(tare.read_summaries(rows()), wanted, threads=1, samples=50, seed=3)
    turned = tare.read_summaries(rows()[::-1])
    other = evaluate_texts(turned, wanted, threads=3, samples=50, seed=3)
    assert np.array_equal(one.values, other.select(systems=one.systems).values, equal_nan=True)
    assert one.signatures == other.signatures
    again = evaluate_texts(tare.read_summaries(rows()), wanted, samples=50, seed=4)
    assert not np.array_equal(one.values, again.values)


@pytest.mark.parametrize("name", ROUGES)
def test_chance_lies_within_the_bounds_and_means_what_it_says(name: str) -> None:
    names = [name, f"E({name},length=candidate)", f"U({name})", f"V1({name})", f"V2({name})"]
    scores = tare.evaluate_texts(tare.read_summaries(rows()), names, samples=200)
    a, e, u, v1, v2 = np.moveaxis(scores.values, 2, 0)
    assert ((e >= 0) & (e <= 1)).all()
    assert np.array_equal(u, a)
    assert v1 == pytest.approx(np.where(a > 0, a * a / np.where(a > 0, a + e, 1), 0))
    below = np.divide(a - e, e, out=np.zeros_like(a), where=e > 0)
    assert v2 == pytest.approx(np.where(a >= e, (a - e) / (1 - e), below))


def test_samples_come_from_the_source_alone_and_have_the_length_asked_for() -> None:
    counts = random_rouge_counts(
        ["a a b"],
        [["a a a a b b b b"]],
        np.array([5]),
        np.array([1], dtype=np.uint64),
        text_profile("google"),
        [("ngrams", 1, 1.0)],
        samples=4000,
        seed=1,
    )[0]
    assert (counts[:, 1] == 5).all()
    # Bin(5, 2/3) words a and the others b, clipped at 4 each
    assert counts[:, 0].min() == 4
    assert counts[:, 0].mean() == pytest.approx(5 - (2 / 3) ** 5 - (1 / 3) ** 5, abs=0.02)
