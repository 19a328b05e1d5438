"""The rule-based splitter."""

from __future__ import annotations

import pytest

from tare._measures.text.sentences import split, split_all, unsplit


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left. She stayed!", ["He left.", "She stayed!"]),
        ("Mr. J. R. Smith paid 3.5 million. Why?", ["Mr. J. R. Smith paid 3.5 million.", "Why?"]),
        ("One\nTwo three.\n\nFour", ["One", "Two three.", "Four"]),
        ('"Stop." He did.', ['"Stop."', "He did."]),
        ("first . second", ["first .", "second"]),
        ("The cat sat. The dog ran home.", ["The cat sat.", "The dog ran home."]),
        ("He said no. They left.", ["He said no.", "They left."]),
        ("See No. 5 on Sat. at noon.", ["See No. 5 on Sat. at noon."]),
        (
            "Ask Gen. Lee. I did one more rep. Rest.",
            ["Ask Gen. Lee.", "I did one more rep.", "Rest."],
        ),
        (
            "In the U.S. Senate. In the U.S. He won.",
            ["In the U.S. Senate.", "In the U.S.", "He won."],
        ),
        ("the cat sat. the dog ran home.", ["the cat sat.", "the dog ran home."]),
        ("mr. j. smith won 2-1. he smiled.", ["mr. j. smith won 2-1.", "he smiled."]),
        ("Wow ! ! ! He ran ? ' . Then he sat .", ["Wow ! ! !", "He ran ? ' .", "Then he sat ."]),
        ('"Why?" he asked. "Now!"', ['"Why?" he asked.', '"Now!"']),
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


def test_texts_of_one_line_that_hold_several_sentences_are_found() -> None:
    texts = [
        "One line here. Two sentences.",
        "Alone.",
        "Split already.\nBy lines. Twice so.",
        ["A b. C."],
    ]
    finding = unsplit(texts).finding("abcd".__getitem__)
    assert finding is not None
    assert finding.kind == "unsplit sentences"
    assert (finding.count, finding.examples) == (1, ("a",))
    assert "sentences=rules" in finding.message
    assert unsplit(["Mr. Smith met Dr. Who.", "a 3.5 b", "Why?"]).finding(str) is None


def test_texts_come_before_references_and_are_named_once() -> None:
    several = "One line here. Two sentences."
    finding = unsplit(["Alone.", several, several], [[several, several], ["Alone."], [several]])
    found = finding.finding("abc".__getitem__)
    assert found is not None
    assert (found.count, found.examples) == (5, ("b", "c", "a"))
