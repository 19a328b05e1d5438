"""Ratings from files, frames, dictionaries and matrices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tare._data import read_ratings
from tare.errors import FormatError, OptionError

LONG = "unit,coder,value,genre\nu1,ann,1,news\nu1,bob,2,news\nu2,ann,3,mail\nu2,bob,NA,mail\n"


def test_long_tables_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(LONG)
    (tmp_path / "a.tsv").write_text(LONG.replace(",", "\t"))
    frame = pl.read_csv(LONG.encode(), null_values="NA")
    frame.write_ndjson(tmp_path / "a.jsonl")
    frame.write_parquet(tmp_path / "a.parquet")
    for source in (*tmp_path.iterdir(), frame):
        made = read_ratings(source)
        assert made.to_frame().rows() == [
            ("u1", "ann", 1.0),
            ("u1", "bob", 2.0),
            ("u2", "ann", 3.0),
        ]
        assert made.attributes["genre"] == ("news", "mail")


def test_wide_tables(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,bob\nu1,1,2\nu2,3,\n")
    expected = {("u1", "ann", 1.0), ("u1", "bob", 2.0), ("u2", "ann", 3.0)}
    assert set(read_ratings(path).to_frame().rows()) == expected
    path.write_text("ann,bob\n1,2\n3,\n")
    assert set(read_ratings(path).to_frame().rows()) == expected
    path.write_text("ann,bob\nyes,no\nno,no\n")
    assert read_ratings(path).labels == ("no", "yes")
    path.write_text("coder,u1,u2\nann,1,3\nbob,2,\n")
    assert set(read_ratings(path, coders="rows").to_frame().rows()) == expected


def test_matrices_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("1,2,\n1,3,4\n")
    made = read_ratings(path)
    assert (made.coders, made.units) == (("c1", "c2"), ("u1", "u2", "u3"))
    assert read_ratings(path, coders="columns").coders == ("c1", "c2", "c3")
    path.write_text("a,b,*\na,c,b\n")
    assert read_ratings(path).labels == ("a", "b", "c")
    same = read_ratings(np.array([[1, 2, np.nan], [1, 3, 4]]))
    assert same.matrix()[0].tolist()[:2] == [1, 2]


def test_dictionaries_and_choosing() -> None:
    made = read_ratings({"ann": {"u1": 1, "u2": 3}, "bob": {"u1": 2, "u2": None}})
    assert len(made) == 3
    assert len(made.select(coders=["ann"])) == 2
    assert len(made.select(units=["u1"])) == 2
    with pytest.raises(OptionError, match="Did you mean 'ann'"):
        made.select(coders=["anne"])
    with pytest.raises(OptionError, match="no attribute"):
        made.filter("genre", "news")


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("")
    with pytest.raises(FormatError, match="is empty"):
        read_ratings(path)
    path.write_text("1,2\n1\n")
    with pytest.raises(FormatError, match="line 2: expected 2 cells"):
        read_ratings(path)
    path.write_text("unit,coder,value\nu1,,3\n")
    with pytest.raises(FormatError, match="row 2: the coder is missing"):
        read_ratings(path)
    path.write_text("item,ann,bob\nu1,1,2\nu1,3,4\n")
    with pytest.raises(FormatError, match="duplicate"):
        read_ratings(path)
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(FormatError, match=r"\.csv"):
        read_ratings(tmp_path / "a.xlsx")


@pytest.mark.parametrize("name", ["prefs.csv", "prefs.tsv", "prefs.jsonl", "prefs.txt"])
def test_preferences_are_not_ratings(tmp_path: Path, name: str) -> None:
    rows = [("q1", "a", "b", "a", "ann"), ("q1", "a", "b", "b", "bob")]
    frame = pl.DataFrame(
        rows, schema=["query", "left", "right", "preferred", "assessor"], orient="row"
    )
    path = tmp_path / name
    if name.endswith("txt"):
        path.write_text("".join(" ".join(row) + "\n" for row in rows))
    elif name.endswith("jsonl"):
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="\t" if name.endswith("tsv") else ",")
    with pytest.raises(
        FormatError, match="holds preferences.*tare judge export STUDY.db --what ratings"
    ):
        read_ratings(path)
