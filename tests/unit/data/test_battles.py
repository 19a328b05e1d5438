"""Battle files: columns, winners, positions, covariates, and what is refused."""

from __future__ import annotations

import polars as pl
import pytest

from tare._data.battles import read_battles
from tare.errors import FormatError, OptionError


def outcomes(source, **options):
    return read_battles(source, **options).frame["outcome"].to_list()


def test_words_for_winners():
    words = ["a", "model_b", "tie", "tie (bothbad)", "left", "RIGHT", "1", "2", "0", "x", "y"]
    found = read_battles([("p", "x", "y", w) for w in words])
    assert found.frame["outcome"].to_list() == [1, -1, 0, 0, 1, -1, 1, -1, 0, 1, -1]
    assert found.frame["bad"].sum() == 1
    numbers = pl.DataFrame({"model_1": ["x"] * 3, "model_2": ["y"] * 3, "winner": [1.0, 2.0, 0.0]})
    assert outcomes(numbers) == [1, -1, 0]


@pytest.mark.parametrize(
    "sides",
    [("system_a", "system_b"), ("model_a", "model_b"), ("left", "right"), ("model_1", "model_2")],
)
def test_names_of_columns(sides, tmp_path):
    path = tmp_path / "battles.csv"
    path.write_text(f"question_id,{sides[0]},{sides[1]},winner,worker\nq,x,y,a,w1\nq,y,x,tie,w2\n")
    found = read_battles(path)
    assert found.systems == ("x", "y")
    assert found.judges == ("w1", "w2")
    assert found.frame["first"].to_list() == [1, 1] if sides[0] == "left" else [0, 0]


def test_one_hot_winners_and_lengths_of_texts():
    frame = pl.DataFrame(
        {
            "model_a": ["x", "x", "y"],
            "model_b": ["y", "z", "z"],
            "winner_model_a": [1, 0, 0],
            "winner_model_b": [0, 1, 0],
            "winner_tie": [0, 0, 1],
            "response_a": ["four", "", "ab"],
            "response_b": ["one", "ab", "ab"],
        }
    )
    found = read_battles(frame)
    assert found.frame["outcome"].to_list() == [1, -1, 0]
    assert found.covariates == ("length",)
    assert found.frame["x:length"].to_list() == [1, -2, 0]


def test_one_column_per_judge():
    frame = pl.DataFrame(
        {
            "prompt": [1, 2, 3],
            "model_1": ["x"] * 3,
            "model_2": ["y"] * 3,
            "annotator1": [1, 2, 0],
            "gpt": ["1", "2", "Tie"],
            "len_1": [10, 20, 30],
            "len_2": [5, 5, 5],
            "note": ["u", "v", "w"],
        }
    )
    found = read_battles(frame)
    assert found.judges == ("annotator1", "gpt")
    assert found.frame["outcome"].to_list() == [1, -1, 0] * 2
    assert found.covariates == ("length",)
    assert read_battles(frame, winner="gpt").judges == ()
    with pytest.raises(OptionError, match="no such column"):
        read_battles(frame, winner="gtp")


def test_who_was_shown_first():
    frame = pl.DataFrame(
        {
            "system_a": ["x"] * 4,
            "system_b": ["y"] * 4,
            "winner": ["a"] * 4,
            "shown_first": ["x", "b", None, "a"],
        }
    )
    assert read_battles(frame).frame["first"].to_list() == [1, -1, 0, 1]
    assert read_battles(frame.drop("shown_first"), first="b").frame["first"].to_list() == [-1] * 4
    with pytest.raises(FormatError, match="row 1: 'z'"):
        read_battles(frame.with_columns(shown_first=pl.lit("z")))
    with pytest.raises(OptionError, match="no such column"):
        read_battles(frame, first="who")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("p", "x", "x", "a")], "row 1: the system 'x' battles itself"),
        ([("p", "x", "y", "nobody")], "the winner 'nobody' is neither 'x' nor 'y'"),
        ([("p", "x", "y", "")], "the winner is missing"),
        ([("p", "x", None, "a")], "the system is missing"),
        ([("", "x", "y", "a")], "the prompt is missing"),
        ([("p", "b", "a", "a")], "also a word for another outcome"),
        ([("p", "x", "y")], "expected"),
        ([], "empty"),
    ],
)
def test_bad_battles_are_refused(rows, message):
    with pytest.raises(FormatError, match=message):
        read_battles(rows)


def test_bad_files_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("prompt,winner\np,a\n")
    (tmp_path / "b.csv").write_text("system_a,system_b\nx,y\n")
    (tmp_path / "c.txt").write_text("x y a\n")
    for name, message in (("a", "no columns of two systems"), ("b", "b.csv"), ("c", "suffix")):
        path = next(tmp_path.glob(f"{name}.*"))
        with pytest.raises(FormatError, match=message):
            read_battles(path)
    with pytest.raises(FormatError, match="from a int"):
        read_battles(3)


def test_unknown_winners_are_dropped_on_request():
    rows = [("p", "x", "y", w) for w in ("a", "garbage", "", "b")]
    found = read_battles(rows, unknown="drop")
    assert len(found) == 2
    assert "2 winners could not be read" in str(found.findings[0])
    with pytest.raises(FormatError, match="no battle has a winner"):
        read_battles(rows[1:3], unknown="drop")
