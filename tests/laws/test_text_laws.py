"""Laws of ROUGE: equal to the obvious versions, bounded, symmetric, 1 for equals, order-free."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tare._kernels import rouge_counts, text_profile
from tare._measures.text import Rouge, TextParts, profile
from tare._measures.text.rouge import rouge
from tests.reference import rouge as plain

MEASURES = [
    Rouge("N", n=1),
    Rouge("N", n=2),
    Rouge("N", n=4),
    Rouge("L"),
    Rouge("Lsum"),
    Rouge("W", weight=1.2),
    Rouge("S", gap=4),
    Rouge("S"),
    Rouge("SU", gap=0),
    Rouge("SU"),
]
PROFILES = {name: profile(name) for name in ("google", "lin2004", "unicode")}

sentences = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=9)
texts = st.lists(sentences, min_size=1, max_size=4)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=6)


def told(text: list[list[str]]) -> str:
    return "\n".join(" ".join(sentence) for sentence in text)


def scores(
    given_pairs: list[tuple[list[list[str]], list[list[str]]]], name: str, **options: object
) -> list[TextParts]:
    candidates = [told(c) for c, _ in given_pairs]
    references = [[told(r)] for _, r in given_pairs]
    result = rouge(candidates, references, MEASURES, profile=PROFILES[name], **options)  # type: ignore[arg-type]
    return list(result.values)


@given(texts, texts)
def test_counts_equal_the_obvious_versions(
    candidate: list[list[str]], reference: list[list[str]]
) -> None:
    expected = {
        ("ngrams", 1, 1.0): plain.ngrams(candidate, reference, 1),
        ("ngrams", 3, 1.0): plain.ngrams(candidate, reference, 3),
        ("lcs", 1, 1.0): plain.lcs(candidate, reference),
        ("union_lcs", 1, 1.0): plain.union_lcs(candidate, reference),
        ("weighted_lcs", 1, 1.5): plain.weighted_lcs(candidate, reference, 1.5),
        ("skip_bigrams", -1, 1.0): plain.skip_bigrams(candidate, reference, None, "none"),
        ("skip_bigrams", 2, 1.0): plain.skip_bigrams(candidate, reference, 2, "none"),
        ("skip_unigrams", 4, 1.0): plain.skip_bigrams(candidate, reference, 4, "all"),
        ("skip_but_last", 0, 1.0): plain.skip_bigrams(candidate, reference, 0, "but-last"),
    }
    found = rouge_counts(
        [told(candidate)], [[told(reference)]], text_profile("google"), list(expected)
    )
    for row, counts in zip(found[:, 0], expected.values(), strict=True):
        assert row.tolist() == pytest.approx(counts, rel=1e-12)


@pytest.mark.parametrize("name", PROFILES)
@given(given_pairs=pairs)
def test_bounds(name: str, given_pairs: list[tuple[list[list[str]], list[list[str]]]]) -> None:
    for parts in scores(given_pairs, name):
        for values in (parts.precision, parts.recall, parts.f):
            assert ((values >= 0) & (values <= 1)).all()
        low, high = (
            np.minimum(parts.precision, parts.recall),
            np.maximum(parts.precision, parts.recall),
        )
        assert (parts.f >= low - 1e-5).all()
        assert (parts.f <= high + 1e-5).all()


@given(given_pairs=pairs)
def test_swapping_the_texts_swaps_precision_and_recall(
    given_pairs: list[tuple[list[list[str]], list[list[str]]]],
) -> None:
    turned = [(r, c) for c, r in given_pairs]
    for measure, there, back in zip(
        MEASURES, scores(given_pairs, "google"), scores(turned, "google"), strict=True
    ):
        if measure.kind == "Lsum":  # the union is taken over one side's sentences
            continue
        assert np.array_equal(there.precision, back.recall), measure
        assert np.array_equal(there.f, back.f), measure


@pytest.mark.parametrize("name", PROFILES)
@given(text=texts)
def test_a_text_scores_1_against_itself(name: str, text: list[list[str]]) -> None:
    length = sum(map(len, text))
    for measure, parts in zip(MEASURES, scores([(text, text)], name), strict=True):
        if measure.kind == "W" and name == "lin2004":  # its totals are uneven
            continue
        least = measure.n if measure.kind == "N" else 2 if measure.kind in ("S", "SU") else 1
        assert parts.f[0] == (
            1 if length >= least or (measure.kind == "SU" and name != "lin2004") else 0
        )


@pytest.mark.parametrize("name", PROFILES)
@given(given_pairs=pairs)
def test_order_and_threads_change_nothing(
    name: str, given_pairs: list[tuple[list[list[str]], list[list[str]]]]
) -> None:
    found = scores(given_pairs, name, threads=1)
    turned = scores(given_pairs[::-1], name, threads=3)
    for one, other in zip(found, turned, strict=True):
        assert np.array_equal(one.f, other.f[::-1])
        assert np.array_equal(one.precision, other.precision[::-1])


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), min_size=1, max_size=3))
def test_any_text_has_a_score(candidate: list[str], references: list[str]) -> None:
    kept = [t.encode("utf-8", "ignore").decode() for t in candidate]
    others = [t.encode("utf-8", "ignore").decode() for t in references]
    for one in PROFILES.values():
        for parts in rouge([kept], [others], MEASURES, profile=one).values:
            assert 0 <= parts.f[0] <= 1
