"""Readers of the formats of other programs and of Python values: JSON pairs, predictions, lists, tuples, samples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.fuzz.mutators import objects
from tests.fuzz.targets import Target, _finite, _qrels, _run, _scores

PAIRS = {"q1": {"a": 2.5, "b": 1, "é\n": -3e-2}, "q2": {"c": 0}}
PREDICTIONS = {
    "mteb_model_meta": {"model_name": "org/model", "revision": None},
    "default": {"test": PAIRS},
}
LISTS = {"q1": ["a", "b", "a"], "q2": [7, 8]}
ROWS = [
    {"query_id": f"q{i}", "query": "x", "retrieved_ids": ["a", "b"], "expected_ids": ["b"]}
    for i in range(3)
]
RESULTS = [
    {"query_id": f"q{i}", "query": "x", "results": [{"corpus_id": "a", "score": 0.5}]}
    for i in range(3)
]
BEIR = b"query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t0\nq2\tc\t1\n"
PERQUERY = b"name,qid,measure,value\nBM25,q1,map,0.5\nBM25,q2,map,0.25\ndense,q1,map,0.75\n"
SAMPLES = [
    {
        "doc_id": i,
        "doc": {"n": i},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": f"f{i % 2}",
        "metrics": ["acc"],
        "acc": 0.5,
    }
    for i in range(4)
]


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _jsonl(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


def _as_json(path: Path, result: Any) -> str | None:
    """Check that plain pairs are read as json.loads reads them."""
    if path.suffix != ".json":
        return None
    try:
        found = json.loads(path.read_bytes().decode("utf-8-sig"))
        expected = {q: {d: float(v) for d, v in ds.items()} for q, ds in found.items() if ds}
    except (ValueError, AttributeError, TypeError):
        return None  # another shape
    return (
        None if result.to_dict() == expected else f"{result.to_dict()}, json.loads gives {expected}"
    )


def _object(path: Path) -> Any:
    from tare import read_qrels, read_run, read_runs
    from tare.errors import FormatError, TareError

    try:
        given = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: not valid JSON.") from None
    if isinstance(given, str):
        raise FormatError(f"{path}: a text, which would be a path.")
    try:  # objects have no file that a message could name
        try:
            read_qrels(given)
        except FormatError:
            return read_runs(given)
        return read_run(given)
    except TareError as error:
        raise FormatError(f"{path}: {error}") from None


def _both(path: Path) -> Any:
    from tare import evaluate
    from tare._data.formats import jsonl
    from tare.errors import FormatError, TareError

    frame = jsonl.read(path)
    try:
        return evaluate(frame, measures=["nDCG@10", "AP", "Recall@5"])
    except TareError as error:
        raise FormatError(f"{path}: {error}") from None


def native_targets() -> tuple[Target, ...]:
    """Return the readers of these formats."""
    pairs = ((".json", _json(PAIRS)), (".json", json.dumps(PAIRS, indent=1).encode()))
    tuples = [["q1", "a", 1], ["q1", "b", 0]]
    return (
        Target("run, JSON of pairs", pairs, _run, _as_json, suits=(objects,)),
        Target("qrels, JSON of pairs", (*pairs, (".json", _json(LISTS))), _qrels, suits=(objects,)),
        Target("run, MTEB predictions", ((".json", _json(PREDICTIONS)),), _run, suits=(objects,)),
        Target(
            "run, JSON of lists and rows",
            ((".json", _json(LISTS)), (".json", _json(ROWS))),
            _run,
            suits=(objects,),
        ),
        Target(
            "run, sentence-transformers predictions",
            ((".jsonl", _jsonl(RESULTS)), (".jsonl", _jsonl(ROWS))),
            _run,
        ),
        Target("rows with both sides", ((".jsonl", _jsonl(ROWS)),), _both, _finite),
        Target("qrels, BEIR", ((".tsv", BEIR),), _qrels),
        Target(
            "Python objects",
            tuple((".json", _json(x)) for x in (PAIRS, LISTS, ROWS, RESULTS, tuples)),
            _object,
            suits=(objects,),
            packs=False,
        ),
        Target("score table, perquery.csv", ((".csv", PERQUERY),), _scores),
        Target("score table, samples of lm-eval", ((".jsonl", _jsonl(SAMPLES)),), _scores),
    )
