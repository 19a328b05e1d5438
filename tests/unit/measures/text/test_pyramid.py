"""Pyramid scores by hand."""

from __future__ import annotations

import math

import pytest

from tare._data.pyramids import Contributor, PeerAnnotation, Pyramid, Scu
from tare._measures.text.pyramid import (
    autopyramid,
    differences,
    lite_recall,
    modified_score,
    original_score,
)
from tare.errors import MismatchError

PYRAMID = Pyramid(
    "d1",
    (
        Scu("1", "quake", 4, (Contributor("an earthquake struck", ("an earthquake struck",)),)),
        Scu("2", "dead", 3, (Contributor("ten … died", ("ten", "died")),)),
        Scu("3", "night", 2),
        Scu("4", "coast", 1),
    ),
    4,
)


def test_original() -> None:
    assert original_score(PYRAMID, ["1", "3"]) == 6 / 7
    assert original_score(PYRAMID, ["1", "3"], size=3) == 6 / 9
    assert original_score(PYRAMID, []) == 0


def test_modified() -> None:
    # The mean reference holds 10 / 4 SCUs, rounded 3: at best 4 + 3 + 2.
    assert modified_score(PYRAMID, ["1", "3"]) == 6 / 9
    assert modified_score(PYRAMID, ["1", "2", "3", "4"]) == 10 / 9


def test_an_unknown_unit() -> None:
    with pytest.raises(MismatchError, match="no SCU '9'"):
        modified_score(PYRAMID, ["9"])


def test_lite_pyramid() -> None:
    votes = {"1": [True, True, False], "2": [True, False, False], "3": [True, False, True, False]}
    assert lite_recall(votes) == 1 / 3
    assert math.isnan(lite_recall({}))


def test_autopyramid_matches_by_the_letter() -> None:
    assert autopyramid("An earthquake struck; ten people died.", PYRAMID) == {"1", "2"}
    assert autopyramid("The earthquake struck. Often died.", PYRAMID) == set()
    other = PeerAnnotation("d1", "7", PYRAMID, {"3": (Contributor("by night", ("by night",)),)}, 0)
    assert autopyramid("It came by night.", PYRAMID, [other]) == {"3"}


def test_differences() -> None:
    found = differences({("s", "d1"): 0.5}, {("s", "d1"): 0.25}, {"d1": "A"})
    assert (found[0].assessor, found[0].difference) == ("A", 0.25)
    with pytest.raises(MismatchError, match="'d1'"):
        differences({("s", "d1"): 0.5}, {})
