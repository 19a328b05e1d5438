"""Readers, writers and names of `tare.compat.ranx`."""

import gzip
import json

import pandas as pd
import polars as pl
import pytest

from tare.compat.ranx import Qrels, Run, compare, evaluate
from tare.compat.ranx._names import read_name
from tare.errors import FormatError, MeasureError, MismatchError, OptionError, UnreadableError

RUN = {"q1": {"a": 1.5, "b": 2.5}, "q2": {"a": 0.5}}
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}


@pytest.mark.parametrize("suffix", ["json", "trec", "txt", "parquet", "parq"])
def test_round_trips(tmp_path, suffix):
    for table, kind in ((Run(RUN, name="bm25"), Run), (Qrels(QRELS), Qrels)):
        path = tmp_path / f"{kind.__name__}.{suffix}"
        table.save(path)
        assert kind.from_file(path).to_dict() == table.to_dict()
    named = Run.from_file(tmp_path / f"Run.{suffix}", name="other")
    assert named.name == "other"


def test_files_of_ranx(tmp_path):
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"q1 Q0 a 1 2.5 tag\n"))
    assert Run.from_file(tmp_path / "run.gz").name == "tag"
    (tmp_path / "odd.dat").write_text(json.dumps(RUN))
    assert Run.from_file(tmp_path / "odd.dat", kind="json").to_dict() == Run(RUN).to_dict()
    frame = pytest.importorskip("lz4.frame", reason="lz4 is not installed")
    (tmp_path / "run.lz4").write_bytes(frame.compress(json.dumps(RUN).encode()))
    assert Run.from_file(tmp_path / "run.lz4").to_dict() == Run(RUN).to_dict()


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames(library):
    frame = library.DataFrame(
        {"query": ["q1", "q1", "q2"], "pid": ["a", "b", "a"], "s": [1.5, 2.5, 0.5]}
    )
    assert Run.from_df(frame, "query", "pid", "s", name="x").to_dict() == Run(RUN).to_dict()
    with pytest.raises(FormatError, match="no column 'q_id'. Columns: query, pid, s"):
        Run.from_df(frame)
    assert Run(RUN).to_dataframe().columns.tolist() == ["q_id", "doc_id", "score"]


def test_documents_are_added():
    run = Run(name="x")
    run.add_score("q1", "a", 1)
    run.add("q2", ["a", "b"], [1, 2])
    run.add_multi(["q3"], [["c"]], [[0.5]])
    assert run.to_dict() == {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"c": 0.5}}
    assert run.get_query_ids() == ["q1", "q2", "q3"]
    assert (len(run), run["q2"]) == (3, {"a": 1.0, "b": 2.0})


def test_wrong_files(tmp_path):
    with pytest.raises(OptionError, match="kind"):
        Run.from_file(tmp_path / "run.docx")
    with pytest.raises(UnreadableError, match="missing.json"):
        Run.from_file(tmp_path / "missing.json")
    for text in ("{", "[1]", '{"q": 1}'):
        (tmp_path / "wrong.json").write_text(text)
        with pytest.raises(FormatError, match="wrong.json"):
            Run.from_file(tmp_path / "wrong.json")


@pytest.mark.parametrize("name", ["ndgc@10", "ndcg@x", "rbp", "map@", "", "map-lx", "rbp.x"])
def test_unknown_names(name):
    with pytest.raises(MeasureError):
        read_name(name)


def test_queries_that_do_not_match():
    with pytest.raises(MismatchError, match="1 queries are only in the qrels, such as 'q2'"):
        evaluate(QRELS, {"q1": {"a": 1.0}}, "map")


def test_reports():
    runs = [Run({q: {"a": s, "b": 1.0} for q in QRELS}, name=f"s_{s}") for s in (2, 0)]
    report = compare(Qrels(QRELS), runs, ["map", "ndcg@5"], stat_test="fisher", max_p=0.9)
    assert r"s\_2 & \textbf{1.000}$^{b}$ & \textbf{1.000}$^{b}$ \\" in report.to_latex()
    assert report.to_dataframe()["model_names"].tolist() == ["s_2", "s_0"]
    with pytest.raises(OptionError, match="stat_test"):
        compare(Qrels(QRELS), runs, "map", stat_test="anova")
    with pytest.raises(OptionError, match="two runs have the name 's_2'"):
        compare(Qrels(QRELS), [runs[0], runs[0]], "map")


def test_results_are_saved_in_the_run():
    run = Run(RUN)
    both = evaluate(Qrels(QRELS), run, ["map", "mrr"], return_std=True)
    assert both["map"] == {"mean": 0.75, "std": 0.25}
    assert run.scores["map"] == {"q1": 0.5, "q2": 1.0}
    assert (run.mean_scores["mrr"], run.std_scores["mrr"]) == (0.75, 0.25)
