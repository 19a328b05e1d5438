"""Qrels and runs given as lists, sets, tuples, rows and columns: what is read, and what is reported."""

from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tare
from tare.errors import FormatError, MismatchError, OptionError

QRELS = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"c": 1.0}}
RUN = {"q1": {"a": -1.0, "b": -2.0}, "q2": {"c": -1.0}}
Judgement = namedtuple("Judgement", "query_id doc_id relevance iteration")
Scored = namedtuple("Scored", "query_id doc_id score")


@dataclass
class Result:
    """As llama-index returns them."""

    query: str
    retrieved_ids: list
    expected_ids: list


def kinds(read):
    return [finding.kind for finding in read.findings]


@pytest.mark.parametrize(
    "source",
    [
        {"q1": ["a", "b"], "q2": ["c"]},
        {"q1": ("b", "a"), "q2": ("c",)},
        {"q1": {"a", "b"}, "q2": frozenset("c")},
        {"q1": np.array(["a", "b"]), "q2": np.array(["c"])},
        {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}},
        [("q1", "a", 1), ("q1", "b", 1), ("q2", "c", 1)],
        [Judgement("q1", "a", 1, "0"), Judgement("q1", "b", 1, "0"), Judgement("q2", "c", 1, "0")],
        [{"query_id": "q1", "expected_ids": ["a", "b"]}, {"query_id": "q2", "expected_ids": ["c"]}],
        [{"query": "q1", "expected_ids": ["a", "b"]}, {"query": "q2", "expected_ids": ["c"]}],
        [
            {"user_input": "q1", "reference_context_ids": ["a", "b"]},
            {"user_input": "q2", "reference_context_ids": ["c"]},
        ],
        [Result("q1", [], ["a", "b"]), Result("q2", [], ["c"])],
        {"query": ["q1", "q1", "q2"], "document": ["a", "b", "c"], "grade": [1, 1, 1]},
        pd.DataFrame(
            {"query-id": ["q1", "q1", "q2"], "corpus-id": ["a", "b", "c"], "score": [1, 1, 1]}
        ),
        pl.DataFrame({"qid": ["q1", "q2"], "relevant_ids": [["a", "b"], ["c"]]}),
    ],
)
def test_qrels_of_every_shape(source):
    assert tare.read_qrels(source).to_dict() == QRELS


@pytest.mark.parametrize(
    "source",
    [
        {"q1": ["a", "b"], "q2": ["c"]},
        {"q1": np.array(["a", "b"]), "q2": np.array(["c"])},
        [
            {"query_id": "q1", "retrieved_ids": ["a", "b"]},
            {"query_id": "q2", "retrieved_ids": ["c"]},
        ],
        [Result("q1", ["a", "b"], []), Result("q2", ["c"], [])],
        [
            SimpleNamespace(query_id="q1", doc_id="a", rank=1),
            SimpleNamespace(query_id="q1", doc_id="b", rank=2),
            SimpleNamespace(query_id="q2", doc_id="c", rank=1),
        ],
        pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "c"], "rank": [1, 2, 1]}),
        pl.DataFrame({"qid": ["q1", "q2"], "retrieved_context_ids": [["a", "b"], ["c"]]}),
    ],
)
def test_runs_without_scores(source):
    read = tare.read_run(source)
    assert read.to_dict() == RUN
    assert set(kinds(read)) & {"input", "columns"}


def test_runs_of_rows_with_scores():
    expected = {"q1": {"a": 2.5, "b": 1.0}, "q2": {"c": 0.0}}
    tuples = [("q1", "a", 2.5), ("q1", "b", 1), ("q2", "c", 0)]
    results = [
        {
            "query_id": "q1",
            "query": "x",
            "results": [{"corpus_id": "a", "score": 2.5}, {"corpus_id": "b", "score": 1}],
        },
        {"query_id": "q2", "query": "y", "results": [{"corpus_id": "c", "score": 0}]},
    ]
    for source in (tuples, iter(tuples), [Scored(*row) for row in tuples], results):
        assert tare.read_run(source).to_dict() == expected
    assert [run.to_dict() for run in tare.read_runs(tuples)] == [expected]
    rows = [
        {"model": m, "qid": q, "docno": d, "score": s} for m in ("A", "B") for q, d, s in tuples
    ]
    assert [run.system for run in tare.read_runs(rows)] == ["A", "B"]
    assert [run.to_dict() for run in tare.read_runs(rows)] == [expected, expected]


def test_numbers_are_ids_too():
    assert tare.read_run({1: [10, 20]}).to_dict() == {"1": {"10": -1.0, "20": -2.0}}
    assert tare.read_run([(1, 10, 0.5)]).to_dict() == {"1": {"10": 0.5}}


def test_other_column_names():
    frame = pd.DataFrame({"q": ["1"], "pid": ["d"], "mark": [2], "sim_score": [0.5], "at": [3]})
    assert tare.read_qrels(frame, query="q", grade="mark").to_dict() == {"1": {"d": 2.0}}
    assert tare.read_run(frame, query="q", score="sim_score").to_dict() == {"1": {"d": 0.5}}
    assert tare.read_run(frame, query="q", rank="at").to_dict() == {"1": {"d": -3.0}}
    with pytest.raises(OptionError, match="grade='marks': data frame has no such column.*'mark'"):
        tare.read_qrels(frame, query="q", grade="marks")
    runs = tare.read_runs(frame.assign(who="A"), query="q", score="sim_score", system="who")
    assert [run.system for run in runs] == ["A"]


def test_columns_of_text_are_refused(tmp_path):
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 d 1\n")
    with pytest.raises(OptionError, match="grade='x'.*is not a table with columns"):
        tare.read_qrels(path, grade="x")


def test_of_duplicate_documents_the_first_counts():
    twice = tare.read_run({"q": ["a", "b", "a"]})
    assert twice.to_dict() == {"q": {"a": -1.0, "b": -2.0}}
    assert "duplicate documents" in kinds(twice)
    scores = tare.evaluate({"q": ["a", "b"]}, twice, ["AP", "nDCG", "Recall@3"])
    assert set(scores.means()["run"].values()) == {1.0}
    assert any("1 document appears again in the same list" in f.message for f in scores.findings)
    lists = tare.evaluate_lists([["a", "a", "a"]], [["a"]], ["AP", "nDCG", "P@1", "Recall@3"])
    assert set(lists.means()["run"].values()) == {1.0}


def test_a_set_has_no_order():
    with pytest.raises(FormatError, match="query 'q' holds a set, which has no order"):
        tare.read_run({"q": {"a", "b"}})


def test_rows_hold_both_sides():
    rows = [
        {"query": "what", "retrieved_ids": ["a", "b"], "expected_ids": ["b"]},
        {"query": "why", "retrieved_ids": ["c"], "expected_ids": ["c"]},
    ]
    for source in (rows, iter(rows), pd.DataFrame(rows), [SimpleNamespace(**row) for row in rows]):
        scores = tare.evaluate(source, measures="RR")
        assert scores.mean == 0.75
        assert scores.items == ("what", "why")
    with pytest.raises(OptionError, match="no runs given"):
        tare.evaluate([("q", "d", 1)], measures="RR")


def test_queries_without_ids_are_numbered():
    rows = [{"query": "same", "retrieved_ids": ["a"]}, {"query": "same", "retrieved_ids": ["b"]}]
    assert tare.read_run(rows).queries == ("1", "2")
    with pytest.raises(FormatError, match="row 2: the query 'x' already has a row"):
        tare.read_run([{"query_id": "x", "retrieved_ids": ["a"]}] * 2)


def test_lists_without_queries():
    scores = tare.evaluate_lists(
        {"A": [["a", "b"], ["c"]], "B": [["b", "a"], []]}, [["b"], {"c": 2, "d": 1}], ["RR", "AP"]
    )
    assert scores["RR"].means() == {"A": {"RR": 0.75}, "B": {"RR": 0.5}}
    with pytest.raises(MismatchError, match="run: 1 lists of retrieved ids, but 2 of relevant ids"):
        tare.evaluate_lists([["a"]], [["a"], ["b"]], "RR")
    with pytest.raises(FormatError, match="query 1: a str; expected a list of ids, best first"):
        tare.evaluate_lists(["a"], [["a"]], "RR")
    left_out = tare.evaluate_lists([["a"], ["b"]], [["a"], []], "RR")
    assert left_out.items == ("1",)
    assert "empty lists" in [f.kind for f in left_out.findings]


def test_arrays_equal_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(5)
    truth, scores = random.integers(0, 4, (20, 30)), random.random((20, 30))
    truth[:, 0] = 1
    ours = tare.evaluate_arrays(truth, scores, ["nDCG@10"])
    assert ours.mean == pytest.approx(metrics.ndcg_score(truth, scores, k=10), abs=1e-12)
    flat = tare.evaluate_arrays(
        truth.ravel(), scores.ravel(), ["nDCG@10"], indexes=np.repeat(np.arange(20), 30)
    )
    assert flat.mean == pytest.approx(ours.mean, abs=1e-12)
    with pytest.raises(MismatchError, match=r"y_true has the shape \(2,\), y_score \(1,\)"):
        tare.evaluate_arrays([1, 0], [0.5], "RR", indexes=[0, 0])
    with pytest.raises(FormatError, match="as indexes="):
        tare.evaluate_arrays([1, 0], [0.5, 0.1], "RR")


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (
            {"q": {1: 1, 2: 0}},
            {"q": {"d1": 1.0}},
            r"no document.*whole numbers \('1', '2'\).*text \('d1'\)",
        ),
        ({1: {"d": 1}}, {"q1": {"d": 1.0}}, r"no query.*whole numbers \('1'\).*text \('q1'\)"),
        ({1.0: {"d": 1}}, {1: {"d": 1.0}}, r"decimal numbers \('1.0'\).*whole numbers \('1'\)"),
        ({"q": {"007": 1}}, {"q": {7: 1.0}}, "numbers with leading zeros"),
    ],
)
def test_ids_of_different_types_are_an_error(qrels, run, message, tmp_path):
    with pytest.raises(MismatchError, match=message):
        tare.evaluate(qrels, run, "AP")
    path = tmp_path / "a.run"
    tare.read_run(run).write(path)
    with pytest.raises(MismatchError, match=message):
        tare.evaluate(qrels, path, "AP")


def test_ids_of_different_kinds_name_both_sides(tmp_path):
    (tmp_path / "labels.qrels").write_text("0 0 d 3\n")
    with pytest.raises(
        MismatchError, match=r"^run: no query of the run is in the qrels .*labels\.qrels, and"
    ):
        tare.evaluate(tmp_path / "labels.qrels", {"q1": {"d": 1.0}}, ["AP"])


def test_a_run_that_found_nothing_is_not_an_error():
    assert tare.evaluate({"q": {"d1": 1}}, {"q": {"d2": 1.0}}, "AP").mean == 0
    assert tare.evaluate({1: {"d1": 1}}, {"1": {"d1": 1.0}}, "AP").mean == 1


def test_fractional_grades_name_the_parameter():
    qrels, run = {"q": {"a": 0.5, "b": 0.25, "c": 0}}, {"q": {"a": 1.0, "b": 0.5}}
    scores = tare.evaluate(qrels, run, ["AP", "nDCG"])
    (found,) = [f for f in scores.findings if f.kind == "fractional grades"]
    assert "2 judgements" in found.message
    assert "AP(rel=0.25)" in found.message
    assert "nDCG" not in found.message
    fixed = tare.evaluate(qrels, run, ["AP(rel=0.25)", "nDCG"])
    assert fixed["AP(rel=0.25)"].mean == 1
    assert "fractional grades" not in [f.kind for f in fixed.findings]


def test_plain_and_other_dictionaries_are_read_alike():
    class Text(str):
        __slots__ = ()

    plain = {"q1": {"a": 1.5, "b": 2}, "q2": {"é": -1}}
    other = {
        Text("q1"): {Text("a"): np.float32(1.5), "b": np.int64(2)},
        "q2": {"é": np.float64(-1)},
    }
    assert tare.read_run(plain).to_dict() == tare.read_run(other).to_dict()
    for bad in (float("nan"), float("inf"), 10**400, "1", None):
        with pytest.raises(FormatError, match="query 'q', document 'b'.*is not a finite number"):
            tare.read_run({"q": {"a": 1.0, "b": bad}})
    with pytest.raises(FormatError, match="lone surrogate"):
        tare.read_run({"q": {"a\ud800": 1.0}})


def test_order_of_entries_changes_nothing():
    random = np.random.default_rng(3)
    for _ in range(50):
        documents = [f"d{i}" for i in random.permutation(60)]
        ranking = {d: float(random.integers(0, 40)) for d in documents}
        qrels = {
            "q": {d: int(random.integers(0, 3)) for d in documents[:: int(random.integers(1, 9))]}
        }
        qrels["q"]["d0"] = 1
        best_first = dict(sorted(ranking.items(), key=lambda pair: -pair[1]))
        for depth in (None, 10):
            ours, theirs = (
                tare.evaluate(qrels, {"q": run}, ["AP", "nDCG", "P@5", "RR"], depth=depth)
                for run in (ranking, best_first)
            )
            assert np.array_equal(ours.values, theirs.values)
            assert [f.message for f in ours.findings] == [f.message for f in theirs.findings]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([["a", "b"], ["c"]], "tare.evaluate_lists"),
        ([], "no rows found"),
        ([("q", "d", 1), ("q", "d")], "row 2: 2 values; expected 3"),
        ([("q", "d", 1), {"q": 1}], "row 2: a dict, but row 1 is a tuple"),
        ({"q": ["a"], "r": "b"}, "query 'r' holds a str"),
        ({"q": [["a"]]}, "an id is a list"),
        ({"q": [None]}, "a document in 'retrieved_ids' is missing"),
        ([{"query_id": "q", "retrieved_ids": "abc"}], "expected a list of document ids"),
        ([{"query_id": "q", "results": [{"name": "x"}]}], "expected a document and a score"),
        ({"query": ["q"], "document": ["a", "b"], "score": [1, 2]}, "different lengths"),
    ],
)
def test_bad_shapes(source, message):
    with pytest.raises(FormatError, match=message):
        tare.read_run(source)
