"""The profile google against google's rouge-score 0.1.2, to the last bit."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tare._measures.text import Rouge, profile
from tare._measures.text.rouge import rouge
from tests.oracles.summaries import random_pairs, real_items

rouge_scorer = pytest.importorskip(
    "rouge_score.rouge_scorer", reason="rouge-score is not installed"
)

TYPES = {
    "rouge1": Rouge("N", n=1),
    "rouge2": Rouge("N", n=2),
    "rouge3": Rouge("N", n=3),
    "rougeL": Rouge("L"),
    "rougeLsum": Rouge("Lsum"),
}


def agree(items: list[tuple[str, list[str]]], stem: bool) -> None:
    scorer = rouge_scorer.RougeScorer(list(TYPES), use_stemmer=stem)
    found = rouge(
        [c for c, _ in items],
        [r for _, r in items],
        list(TYPES.values()),
        profile=profile("google", stem=stem),
    ).values
    for i, (candidate, references) in enumerate(items):
        expected = scorer.score_multi(references, candidate)
        for name, parts in zip(TYPES, found, strict=True):
            got = (parts.precision[i], parts.recall[i], parts.f[i])
            assert got == tuple(expected[name]), (name, candidate, references)


@pytest.mark.parametrize("stem", [False, True])
def test_random_pairs(stem: bool) -> None:
    agree([(c, [r]) for c, r in random_pairs(800)], stem)


@pytest.mark.parametrize("stem", [False, True])
def test_real_pairs(real_data: Path, stem: bool) -> None:
    items = [(c, r[:1]) for c, r in real_items(real_data)]
    agree(random.Random(1).sample(items, 250), stem)


def test_real_items_with_several_references(real_data: Path) -> None:
    items = [(c, r) for c, r in real_items(real_data) if len(r) > 1]
    agree(random.Random(2).sample(items, 40), stem=True)


def test_stems_of_odd_words() -> None:
    porter = pytest.importorskip("nltk.stem.porter", reason="NLTK is not installed").PorterStemmer()
    rng = random.Random(3)
    endings = ["s", "ed", "ing", "ies", "ied", "y", "ational", "alli", "fulli", "logi", "ement"]
    endings += ["ion", "e", "ll", "eed", "ization", "biliti", "sses"]
    words = {
        "".join(rng.choice("aeiouybstlzwx1") for _ in range(rng.randint(1, 8)))
        + rng.choice(endings)
        for _ in range(30_000)
    }
    ordered = sorted(words)
    found = profile("google", stem=True).kernel.tokens(" ".join(ordered))
    assert found == [porter.stem(w) if len(w) > 3 else w for w in ordered]
