"""Ranks are read from tables, dictionaries and sequences; what is no rank is refused with its row."""

from __future__ import annotations

import polars as pl
import pytest

import tare
from tare._data.ranks import read_ranks

ROWS = {
    "query": ["a", "b", "a", "b"],
    "rank": [1, 3, 2, 10],
    "candidates": [10, 20, 10, 20],
    "system": ["x", "x", "y", "y"],
}


def written(tmp_path, suffix, frame):
    path = tmp_path / f"ranks{suffix}"
    match suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_every_kind_of_file_holds_the_same_ranks(tmp_path, suffix):
    table = read_ranks(written(tmp_path, suffix, pl.DataFrame(ROWS)))
    assert table.digest == read_ranks(pl.DataFrame(ROWS)).digest
    assert [one.system for one in table.systems] == ["x", "y"]
    assert table.systems[1].low.tolist() == [2, 10]
    assert table.systems[1].candidates.tolist() == [10, 20]


def test_dictionaries_and_sequences():
    one = read_ranks({"a": 1, "b": (2, 5)}, {"a": 10, "b": 20})
    assert one.queries == ("a", "b")
    assert one.systems[0].middle.tolist() == [1, 3.5]
    two = read_ranks({"x": {"a": 1, "b": 3}, "y": {"a": 2, "b": 10}}, {"a": 10, "b": 20})
    assert two.digest == read_ranks(pl.DataFrame(ROWS)).digest
    three = read_ranks([1, (2, 3)], 10)
    assert three.queries == ("1", "2")
    assert three.systems[0].candidates.tolist() == [10, 10]


def test_the_order_of_rows_does_not_change_the_digest():
    frame = pl.DataFrame(ROWS)
    assert read_ranks(frame).digest == read_ranks(frame.reverse()).digest
    other = frame.with_columns(candidates=pl.col("candidates") + 1)
    assert read_ranks(frame).digest != read_ranks(other).digest


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"rank": [1, 0, 2, 3]},
            "row 2: the rank 0 is not a rank; accepted: a whole number, 1 or more",
        ),
        ({"rank": [1, 2.3, 2, 3]}, "row 2: the rank 2.3 is not a rank"),
        ({"rank": [1, None, 2, 3]}, "row 2: the rank None is not a rank"),
        ({"rank": ["1", "two", "2", "3"]}, "row 2: the rank 'two' is not a rank"),
        ({"rank": [True, False, True, True]}, "row 1: the rank True is not a rank"),
        ({"candidates": [10, 2.5, 10, 10]}, "row 2: 2.5 is not a number of candidates"),
        ({"candidates": [10, 0, 10, 10]}, "row 2: 0 is not a number of candidates"),
        ({"candidates": [10, None, 10, 10]}, "row 2: None is not a number of candidates"),
        ({"query": ["a", None, "a", "b"]}, "row 2: the query is missing"),
        ({"system": ["x", None, "y", "y"]}, "row 2: the system is missing"),
        (
            {"query": ["a", "a", "a", "b"]},
            r"row 2: duplicate query 'a' of system 'x' \(first seen on row 1\)",
        ),
    ],
)
def test_what_is_no_rank_is_refused_with_its_row(changes, says):
    with pytest.raises(tare.TareError, match=says) as caught:
        read_ranks(pl.DataFrame({**ROWS, **changes}, strict=False))
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("renamed", "says"),
    [
        ({"query": "name"}, "no column 'query'; found 'name'"),
        ({"rank": "place"}, "no column 'rank'"),
        ({"rank": "rank_min"}, "no column 'rank_max'"),
        ({"candidates": "many"}, "no column 'candidates'.*--candidates FILE"),
    ],
)
def test_a_missing_column_is_named(renamed, says):
    with pytest.raises(tare.TareError, match=says):
        read_ranks(pl.DataFrame(ROWS).rename(renamed))


def test_other_things_that_are_no_ranks(tmp_path):
    frame = pl.DataFrame(ROWS)
    with pytest.raises(tare.TareError, match="rank_min 5 is greater than rank_max 2"):
        read_ranks({"a": (5, 2)}, 10)
    with pytest.raises(tare.TareError, match="give only one"):
        read_ranks(frame, 10)
    with pytest.raises(tare.TareError, match="2 ranks and 3 numbers of candidates"):
        read_ranks([1, 2], [10, 10, 10])
    with pytest.raises(tare.TareError, match=r"1 queries of dictionary have no candidates \(b\)"):
        read_ranks({"a": 1, "b": 2}, {"a": 10})
    with pytest.raises(tare.TareError, match="lists of documents were found"):
        read_ranks({"a": 1}, {"a": ["d1", "d2"]})
    with pytest.raises(tare.TareError, match="no ranks found"):
        read_ranks([], 10)
    with pytest.raises(tare.TareError, match="no ranks found"):
        read_ranks({}, 10)
    with pytest.raises(tare.TareError, match="not both"):
        read_ranks({"a": 1, "b": {"c": 1}}, 10)
    with pytest.raises(tare.TareError, match=r"\(1, 2, 3\) is not a rank"):
        read_ranks([(1, 2, 3)], 10)
    with pytest.raises(tare.TareError, match="cannot be read from a int"):
        read_ranks(3, 10)
    (tmp_path / "ranks.txt").write_text("q1 1\n")
    with pytest.raises(tare.TareError, match="are read from .csv, .tsv"):
        read_ranks(tmp_path / "ranks.txt", 10)
    with pytest.raises(tare.TareError, match="no such file"):
        read_ranks("nothing.csv", 10)
