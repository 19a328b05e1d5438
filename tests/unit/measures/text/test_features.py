"""The thirteen features and the descriptors of abstractiveness, by hand."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest

from tare._measures.text.descriptors import DESCRIPTORS, abstractiveness
from tare._measures.text.features import CONTENT, FEATURES, features

SUMMARY = "a b c\nb c d d\ne a"
REFERENCES = ["a b c d", "b c d e a b"]


def test_form() -> None:
    found = features([SUMMARY], [REFERENCES])
    x = np.array([[3, 2, 1], [2, 3, 0], [1, 0, 2]], dtype=float)
    squares = np.linalg.svd(x, compute_uv=False) ** 2
    assert found["sentences"][0] == -log2(3)
    assert found["cohesion-1"][0] == pytest.approx(squares[1:].sum())
    assert found["cohesion-2"][0] == pytest.approx(squares[2:].sum())
    terms = np.array([2, 2, 2, 2, 1]) / 9
    assert found["term-entropy"][0] == pytest.approx(-(terms * np.log2(terms)).sum())
    lengths = np.array([3, 4, 2]) / 9
    assert found["sentence-entropy"][0] == pytest.approx(-(lengths * np.log2(lengths)).sum())
    assert found["links"][0] == log2(1 + 2 + 0)
    assert found["links-normalised"][0] == pytest.approx(2 / (sqrt(3) * sqrt(3)))


def test_content() -> None:
    found = features([SUMMARY], [REFERENCES])
    # Bigrams: ab bc cb bc cd dd de ea; the references hold ab bc cd, and bc cd de ea ab.
    assert found["rouge-2"][0] == 1
    assert found["matches"][0] == 5
    assert found["coverage"][0] == (3 + 5) / 2
    assert found["coverage-best"][0] == 5
    assert found["matches-mean"][0] == (3 + 5) / 2
    assert 0 < found["rouge-su4"][0] <= 1


def test_update_tasks_have_both() -> None:
    found = features([SUMMARY], [REFERENCES], base=[["z"]])
    assert set(found) == {*FEATURES, *(f"base-{name}" for name in CONTENT)}
    assert found["base-matches"][0] == 0


def test_odd_summaries() -> None:
    found = features(["", "one", "one\n\n…"], [["a b"], [], ["one two"]])
    for name in FEATURES[:7]:
        assert found[name].tolist() == [0, 0, 0], name
    assert np.isnan(found["coverage"][1])
    assert np.isnan(found["matches"][1])


def test_abstractiveness() -> None:
    found = abstractiveness(["the cat sat there the cat"], ["a dog saw the cat sat down"])
    assert list(found) == list(DESCRIPTORS)
    assert found["compression"][0] == 7 / 6
    assert found["coverage"][0] == 5 / 6
    assert found["density"][0] == (9 + 4) / 6
    assert found["novel-1"][0] == 1 / 4
    assert found["novel-2"][0] == 2 / 4
    assert found["repetition-1"][0] == pytest.approx(2 / 6)
    assert found["repetition-2"][0] == pytest.approx(1 / 5)
    assert np.isnan(abstractiveness([""], ["a"])["density"][0])
