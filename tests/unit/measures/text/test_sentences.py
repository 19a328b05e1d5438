"""The rule-based splitter."""

from __future__ import annotations

import pytest

from tare.measures.text.sentences import split, split_all


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She stayed!", ["He left.", "She stayed!"]),
        ("Mr. J. R. Smith paid 3.5 million. Why?", ["Mr. J. R. Smith paid 3.5 million.", "Why?"]),
        ("One\nTwo three.\n\nFour", ["One", "Two three.", "Four"]),
        ('"Stop." He did.', ['"Stop."', "He did."]),
        ("first . second", ["first . second"]),
        ("今日は。明日は！", ["今日は。", "明日は！"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_split(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_given_lists_stay() -> None:
    assert split(["a. b", "c"]) == ["a. b", "c"]
    assert split_all(["A b. C d."], "given") == ["A b. C d."]
    assert split_all(["A b. C d."], "rules") == [["A b.", "C d."]]
