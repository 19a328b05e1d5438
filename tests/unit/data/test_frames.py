"""Data frames and dictionaries as qrels and runs."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tare
from tare.errors import FormatError

COLUMNS = {"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 3.0}}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_frames_of_every_kind(make):
    given = make(COLUMNS)
    run = tare.read_run(given)
    assert run.to_dict() == RUN
    assert run.system == "run"
    assert tare.evaluate({"q1": {"a": 1}}, given, "RR").mean == 1.0


def test_what_was_recognised_is_said():
    note = tare.read_run(pl.DataFrame(COLUMNS)).findings[0]
    assert note.severity == "note"
    assert str(note) == (
        "data frame: columns recognised: query = 'qid', document = 'docno', score = 'score'."
    )


@pytest.mark.parametrize(
    ("query", "document", "grade"),
    [
        ("query", "document", "grade"),
        ("query_id", "doc_id", "relevance"),
        ("topic", "did", "label"),
        ("QID", " DocNo ", "Rel"),
        ("query-id", "corpus-id", "grade"),
    ],
)
def test_columns_by_their_usual_names(query, document, grade):
    frame = pl.DataFrame({grade: [1, 0], "other": ["x", "y"], document: ["a", "b"], query: [7, 7]})
    assert tare.read_qrels(frame).to_dict() == {"7": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("ids", "others"),
    [("qid", "query"), ("query_id", "query"), ("query-id", "topic"), ("q_id", "query")],
)
@pytest.mark.parametrize(
    ("documents", "texts"),
    [("docno", "docid"), ("docid", "doc"), ("doc_id", "document"), ("corpus-id", "document")],
)
def test_the_names_of_ids_win_over_those_of_texts(ids, others, documents, texts):
    given = {others: ["who?", "who?"], texts: ["long", "longer"], "sim": [9, 9], "score": [2, 1]}
    frame = pl.DataFrame({**given, ids: ["q1", "q1"], documents: ["a", "b"]})
    for order in (frame.columns, frame.columns[::-1]):
        assert tare.read_run(frame.select(order)).to_dict() == {"q1": {"a": 2, "b": 1}}


def test_two_columns_of_the_same_rank_must_agree(tmp_path):
    frame = pl.DataFrame(
        {"qid": [1, 1], "query_id": ["1", "1"], "docno": ["a", "b"], "score": [2, 1]}
    )
    assert tare.read_run(frame).to_dict() == {"1": {"a": 2, "b": 1}}
    other = frame.with_columns(query_id=pl.Series(["1", "7"]))
    other.write_csv(tmp_path / "a.csv")
    for source in (other, tmp_path / "a.csv"):
        with pytest.raises(
            FormatError,
            match=r"'qid' and 'query_id' can both be the query, and differ .'1' and '7'",
        ):
            tare.read_run(source)
    assert tare.read_run(other, query="qid").to_dict() == {"1": {"a": 2, "b": 1}}


def test_a_column_that_is_missing_is_told():
    with pytest.raises(FormatError, match="no column for the grade; found 'qid', 'docno', 'score'"):
        tare.read_qrels(pl.DataFrame(COLUMNS))
    with pytest.raises(FormatError, match="Accepted names: score, sim"):
        tare.read_run(pl.DataFrame({"qid": ["q"], "docno": ["a"]}))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("score", None, "row 2: the score None is not a finite number .column 'score'."),
        ("score", float("nan"), "row 2: the score nan is not a finite number"),
        ("score", float("inf"), "row 2: the score inf is not a finite number"),
        ("qid", None, "row 2: the query is missing"),
        ("docno", None, "row 2: the document is missing"),
    ],
)
def test_bad_cells_are_told_by_their_row(column, value, message):
    bad = {**COLUMNS, column: [COLUMNS[column][0], value, COLUMNS[column][2]]}
    with pytest.raises(FormatError, match=f"data frame, {message}"):
        tare.read_run(pl.DataFrame(bad))


def test_columns_that_hold_lists_are_refused():
    with pytest.raises(FormatError, match=r"the columns hold .*List"):
        tare.read_run(pl.DataFrame({**COLUMNS, "score": [[1.0], [2.0], [3.0]]}))


def test_three_bad_rows_of_a_kind_are_shown_and_all_are_counted():
    frame = pl.DataFrame({"qid": ["q"] * 30, "docno": ["a"] * 30, "score": [None] * 30})
    with pytest.raises(FormatError) as error:
        tare.read_run(frame)
    assert str(error.value).count("\n") == 3
    assert str(error.value).endswith("… 30 problems in total; at most 3 of a kind are shown.")


def test_documents_that_stand_twice_are_told_by_their_row():
    frame = pl.DataFrame(
        {"qid": ["q", "q", "q"], "docno": ["my doc", "b", "my doc"], "score": [3, 2, 1]}
    )
    with pytest.raises(
        FormatError, match="row 3: duplicate document 'my doc' of query 'q' .first seen on row 1"
    ):
        tare.read_run(frame)
    in_chunks = pl.concat([frame[:2], frame[2:]], rechunk=False)
    with pytest.raises(
        FormatError, match="row 3: duplicate document 'my doc' of query 'q' .first seen on row 1"
    ):
        tare.read_run(in_chunks)


def test_nothing_that_was_passed_in_changes():
    frame = pd.DataFrame(COLUMNS)
    nested = {"q1": {"a": np.float32(2), "b": 1}}
    copy, other = frame.copy(), {q: dict(d) for q, d in nested.items()}
    tare.evaluate({"q1": {"a": 1}}, frame, "AP")
    tare.evaluate(nested, nested, "AP")
    pd.testing.assert_frame_equal(frame, copy)
    assert nested == other


def test_dictionaries_take_any_numbers_and_ids():
    numbers = [np.float32(1.5), np.int64(2), 3, True]
    given = {7: dict(enumerate(numbers))}
    assert tare.read_run(given).to_dict() == {"7": {"0": 1.5, "1": 2.0, "2": 3.0, "3": 1.0}}


@pytest.mark.parametrize("value", ["2", None, float("nan"), float("-inf"), [1], 1j])
def test_dictionaries_with_other_values_are_refused(value):
    with pytest.raises(
        FormatError, match="dictionary, query 'q', document 'b': the score .* is not"
    ):
        tare.read_run({"q": {"a": 1.0, "b": value}})


def test_dictionaries_of_another_shape_are_refused():
    with pytest.raises(FormatError, match="query 'r' holds a list; expected {document: grade}"):
        tare.read_qrels({"q": {"a": 1}, "r": ["a"]})
    with pytest.raises(FormatError, match="query 'r' holds a dict, but the first query a list"):
        tare.read_qrels({"q": ["a"], "r": {"a": 1}})
    with pytest.raises(FormatError, match="the dictionary is empty"):
        tare.read_qrels({})
    with pytest.raises(
        FormatError, match="entry 2: duplicate document '1' of query 'q' .first seen on entry 1"
    ):
        tare.read_run({"q": {1: 2.0, "1": 1.0}})


@pytest.mark.parametrize("other", [7, None, object(), 1.5])
def test_other_things_are_refused(other):
    with pytest.raises(FormatError, match="cannot be read from a"):
        tare.read_qrels(other)
    with pytest.raises(FormatError, match="cannot be read from a"):
        tare.read_run(other)
    with pytest.raises(FormatError, match="cannot be read from a"):
        tare.read_runs(other)


def test_what_only_looks_like_a_frame_is_refused():
    class Odd:
        columns = ("qid",)

    with pytest.raises(FormatError, match="a Odd is not a supported data frame"):
        tare.read_run(Odd())
