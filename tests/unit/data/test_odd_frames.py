"""Data frames with odd columns: read as they are meant, or refused with the column's name."""

import datetime
import decimal
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tare
from tare.errors import FormatError

Q, D = ["q1", "q1"], ["a", "b"]


def frame(**columns):
    return pd.DataFrame({"query": Q, "document": D, "score": [1.5, 2.0], **columns})


READ = {
    "big-endian scores": frame(score=np.array([1.5, 2], ">f8")),
    "scores of 16 bits": frame(score=np.array([1.5, 2], np.float16)),
    "extended precision": frame(score=np.array([1.5, 2], np.longdouble)),
    "scores as numbers and text": frame(score=np.array([1.5, "2"], object)),
    "decimals": frame(score=[decimal.Decimal("1.5"), decimal.Decimal(2)]),
    "a mixed column that nobody needs": frame(x=[1, "b"]),
    "objects that nobody needs": frame(x=[object(), {}]),
    "categories": frame(query=pd.Categorical(Q), document=pd.Categorical(D)),
    "categories of numbers": frame(score=pd.Categorical([1.5, 2.0], categories=[2.0, 1.5])),
    "bytes as ids": frame(query=[b"q1", b"q1"]),
}


@pytest.mark.parametrize("name", READ)
def test_what_can_be_meant_in_one_way_is_read(name):
    assert tare.read_run(READ[name]).to_dict() == {"q1": {"a": 1.5, "b": 2.0}}


def test_frames_of_pandas_need_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for name, given in READ.items():
        assert tare.read_run(given).to_dict() == {"q1": {"a": 1.5, "b": 2.0}}, name
    for given, said in REFUSED.values():
        with pytest.raises(FormatError, match=said):
            tare.read_run(given)


def test_ids_become_text_as_in_a_dictionary():
    mixed = tare.read_run(frame(query=[1, "b"]))
    assert mixed.to_dict() == {"1": {"a": 1.5}, "b": {"b": 2.0}}
    swapped = tare.read_run(frame(query=np.array([1, 2], ">i4")))
    assert swapped.queries == ("1", "2")


REFUSED = {
    "a column twice": (
        pd.DataFrame([["q1", "a", 1.0, 2.0]], columns=["query", "document", "score", "score"]),
        "data frame: the column 'score' appears 2 times",
    ),
    "another column twice": (
        pd.DataFrame([["q", "a", 1.0, 2, 3]], columns=["query", "document", "score", "x", "x"]),
        "data frame: the column 'x' appears 2 times",
    ),
    "scores of no number": (frame(score=[1, [2]]), "data frame: the columns hold"),
    "objects as ids": (frame(query=[object(), object()]), "data frame: the columns hold"),
    "complex scores": (frame(score=np.array([1j, 2])), "data frame: the columns hold"),
    "a missing id": (frame(query=[1, None]), "data frame, row 2: the query is missing"),
    "a missing id among mixed": (frame(query=["a", np.nan]), "row 2: the query is missing"),
    "mixed scores with a word": (
        frame(score=[1, "many"]),
        "row 2: the score 'many' is not a finite",
    ),
    "half a character": (
        frame(document=pd.Series(["a", "b\ud800"], dtype=object)),
        r"data frame, row 2, column 'document': 'b\\ud800' contains a lone surrogate",
    ),
    "half a character in a column's name": (
        frame(x=[1, "b"]).set_axis(pd.Index([*frame().columns, "x\ud800"], dtype=object), axis=1),
        r"data frame: the column name 'x\\ud800' contains a lone surrogate",
    ),
    "more columns than a message can name": (
        pd.DataFrame({f"c{k}": [1] for k in range(25)}),
        "found 'c0', .*, 'c19' and 5 more. Accepted names",
    ),
    "a span of time": (frame(score=pd.to_timedelta([1, 2], unit="s")), "'score' Duration"),
    "times": (frame(score=pd.to_datetime(["2024-01-01", "2024-01-02"])), "'score' Datetime"),
    "truths as ids": (frame(query=[True, False]), "'query' Boolean"),
    "days as ids": (
        frame(document=pd.to_datetime(["2024-01-01", "2024-01-02"])),
        "'document' Datetime",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_is_refused_by_name(name):
    given, said = REFUSED[name]
    with pytest.raises(FormatError, match=said):
        tare.read_run(given)


@pytest.mark.parametrize(
    ("mapping", "where"),
    [
        ({"q\ud800": {"d": 1}}, r"dictionary: the query 'q\\ud800'"),
        ({"q": {"d": 1, "d\ud800": 1}}, r"dictionary, query 'q': the document 'd\\ud800'"),
    ],
)
def test_half_a_character_in_a_dictionary_is_named(mapping, where):
    for reader in (tare.read_qrels, tare.read_run):
        with pytest.raises(FormatError, match=f"{where} contains a lone surrogate"):
            reader(mapping)
    with pytest.raises(FormatError, match="the grade nan is not a finite number"):
        tare.read_qrels({"q": {"d": float("nan")}})


TYPES = {
    "score": (
        [datetime.timedelta(seconds=1), datetime.date(2024, 1, 1), datetime.time(1), [1.0]],
        "the score a number",
    ),
    "query": (
        [True, datetime.date(2024, 1, 1), datetime.timedelta(1), ["a"]],
        "ids must be text or",
    ),
}


@pytest.mark.parametrize("column", TYPES)
@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("engine", [False, True])
def test_parquet_columns_of_another_kind_are_refused(column, place, engine, tmp_path):
    values, said = TYPES[column]
    row = {"query": "q1", "document": "a", "score": 1.0, column: values[place]}
    pl.DataFrame([row]).write_parquet(tmp_path / "r.parquet")
    if engine:
        with tare.engines.Local() as local, pytest.raises(FormatError, match="r.parquet"):
            tare.evaluate({"q1": {"a": 1}}, tmp_path / "r.parquet", ["AP"], engine=local)
    else:
        with pytest.raises(FormatError, match=f"r.parquet: the columns hold.*{said}"):
            tare.read_run(tmp_path / "r.parquet")


def test_other_tables_refuse_them_too(tmp_path):
    cells = {"query": ["q"], "subtopic": [True], "document": ["d"], "grade": [1]}
    with pytest.raises(FormatError, match="'subtopic' holds Boolean"):
        tare.read_subtopics(pl.DataFrame(cells))
    scores = {"system": ["s"], "item": [True], "measure": ["AP"], "value": [0.5]}
    with pytest.raises(FormatError, match="'item' Boolean"):
        tare.Scores.load(pl.DataFrame(scores))
    scores = {**scores, "item": ["i"], "value": [datetime.timedelta(1)]}
    with pytest.raises(FormatError, match="'value' Duration"):
        tare.Scores.load(pl.DataFrame(scores))


@pytest.mark.parametrize("read", [tare.read_run, tare.read_qrels, tare.read_runs])
def test_an_arrow_table_with_two_columns_of_one_name_is_refused(read):
    columns = [pa.array(["q"]), pa.array(["d"]), pa.array([1.0]), pa.array([2.0])]
    table = pa.Table.from_arrays(columns, names=["query", "document", "score", "score"])
    with pytest.raises(FormatError, match="the column 'score' appears 2 times"):
        read(table)


@pytest.mark.parametrize("read", [tare.read_run, tare.read_qrels, tare.read_runs])
def test_a_series_is_not_a_data_frame(read):
    series = pd.Series([1.0], index=["q"])
    with pytest.raises(
        FormatError, match="a Series is not a supported data frame. Accepted: pandas"
    ):
        read(series)
