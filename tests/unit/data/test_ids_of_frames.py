"""Ids of data frames and Python objects: missing ones are named, whole floats are integers, no raw error."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tare
from tare._data.pools import read_candidates
from tare.errors import FormatError

NAN = float("nan")
FRAMES = pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
RUN = {"qid": ["1", "2"], "docno": ["a", "b"], "score": [2.0, 1.0]}


@FRAMES
@pytest.mark.parametrize(
    "read",
    [
        tare.read_run,
        tare.read_qrels,
        tare.read_runs,
        tare.read_subtopics,
        tare.read_preferences,
        tare.read_ratings,
        tare.read_assessor_groups,
        tare.read_summaries,
        read_candidates,
        lambda frame: tare.evaluate({"q": {"a": 1}}, frame, "AP"),
        lambda frame: tare.evaluate(frame, {"q": {"a": 1.0}}, "AP"),
        lambda frame: tare.evaluate({"q": {"a": 1}}, {"x": frame}, "AP"),
    ],
)
def test_a_frame_without_columns_or_rows_is_told(made, read):
    columns = (
        "query",
        "document",
        "subtopic",
        "left",
        "right",
        "preferred",
        "unit",
        "coder",
        "value",
    )
    columns += ("item", "text", "reference")
    for empty in ({}, {name: [] for name in (*columns, "score", "grade")}):
        with pytest.raises(FormatError, match="no .* found|found no columns"):
            read(made(empty))


@FRAMES
@pytest.mark.parametrize("column", ["qid", "docno"])
def test_a_missing_id_is_told_with_its_row(made, column):
    what = {"qid": "query", "docno": "document"}[column]
    for ids in ([1.0, NAN], ["a", None]):
        with pytest.raises(FormatError, match=f"data frame, row 2: the {what} is missing"):
            tare.read_run(made({**RUN, column: ids}))


@FRAMES
def test_whole_floats_are_the_ids_that_a_column_with_gaps_held(made):
    given = made({**RUN, "qid": [1.0, 1.0], "docno": [3.0, 40.0]})
    assert tare.read_run(given).to_dict() == {"1": {"3": 2.0, "40": 1.0}}
    other = made({**RUN, "docno": [3.0, 4.5]})
    assert tare.read_run(other).to_dict() == {"1": {"3.0": 2.0}, "2": {"4.5": 1.0}}


def test_an_object_column_holds_the_same_ids_as_a_column_of_numbers():
    given = pd.DataFrame({**RUN, "qid": pd.Series([1, "x"], dtype=object)})
    given["docno"] = pd.Series([3.0, 4], dtype=object)
    assert tare.read_run(given).to_dict() == {"1": {"3": 2.0}, "x": {"4": 1.0}}
    texts = pd.DataFrame({**RUN, "docno": ["3.0", "4"]})  # as they are written
    assert tare.read_run(texts).to_dict() == {"1": {"3.0": 2.0}, "2": {"4": 1.0}}
    table = {"system": ["a", "b"], "measure": ["m", "m"], "value": [1.0, 2.0]}
    scores = tare.Scores.load(pd.DataFrame({**table, "item": pd.Series([3.0, "3"], dtype=object)}))
    assert scores.items == ("3",)
    rows = [("q", 3.0, 1.0), ("q", "b", 0.5)]
    assert tare.read_run(rows).to_dict() == {"q": {"3": 1.0, "b": 0.5}}


@pytest.mark.parametrize("id_", [None, NAN, np.nan])
@pytest.mark.parametrize(
    "made",
    [
        lambda id_: tare.read_run({id_: {"a": 1.0}}),
        lambda id_: tare.read_run({"q": {id_: 1.0}}),
        lambda id_: tare.read_run({"q": ["a", id_]}),
        lambda id_: tare.read_run([("q", id_, 1.0)]),
        lambda id_: tare.read_qrels({"q": {"a": 1, id_: 1}}),
        lambda id_: tare.read_qrels({"q": {"a", id_}}),
        lambda id_: tare.read_subtopics([("q", "1", id_, 1)]),
        lambda id_: tare.read_subtopics({"q": {id_: {"a": 1}}}),
        lambda id_: read_candidates({"q": ["a", id_]}),
        lambda id_: read_candidates(pd.DataFrame({"query": ["q"], "document": [id_]})),
    ],
)
def test_a_missing_id_is_no_id_called_nan(made, id_):
    with pytest.raises(FormatError, match=r"missing|is None|is nan"):
        made(id_)


@pytest.mark.parametrize("given", [None, 5, b"x", object()])
def test_an_object_of_another_type_is_told(given):
    reads = [tare.read_run, tare.read_qrels, tare.read_runs, tare.read_subtopics, tare.read_letor]
    reads += [
        tare.read_preferences,
        tare.read_assessor_groups,
        tare.read_summaries,
        read_candidates,
    ]
    reads += [lambda x: tare.read_preferences([x]), lambda x: tare.read_assessor_groups([x])]
    reads += [lambda x: tare.read_subtopics([x])]
    for read in reads:
        if read is read_candidates and given == 5:
            continue  # a number of candidates
        with pytest.raises(FormatError):
            read(given)
