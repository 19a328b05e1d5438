"""Seams: wherever text, rows, draws and tasks are cut, the numbers and the messages are the same."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._kernels.threads_and_blocks import Seams, cut, drawn_seams
from tare._measures.scores import Scores
from tare.errors import TareError
from tare.stats import exchange_test
from tare.stats._regression import robust_subsets
from tare.studies._learning import _correlated
from tests.laws.test_engines import (
    MEASURES,
    Collection,
    assert_same,
    assert_same_outcome,
    collections,
)

SEEDS = st.integers(0, 2**32)
TEN_LINES = "".join(f"q{i % 2} Q0 d{i} 1 {i} s\n" for i in range(10))
TEN_JUDGED = "".join(f"q{i % 2} 0 d{i} {i % 3}\n" for i in range(10))


def average_precision(qrels: str, run: str) -> dict[str, float]:
    """AP of each query, by the definition: nothing of tare is used."""
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    scores: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in qrels.splitlines():
        query, _, document, grade = line.split()
        grades[query][document] = int(grade)
    for line in run.splitlines():
        query, _, document, _, score, _ = line.split()
        scores[query].append((float(score), document))
    found = {}
    for query, judged in grades.items():
        hits, total = 0, 0.0
        for rank, (_, document) in enumerate(sorted(scores[query], reverse=True), 1):
            if judged.get(document, 0) > 0:
                hits += 1
                total += hits / rank
        found[query] = total / sum(grade > 0 for grade in judged.values())
    return found


@pytest.mark.parametrize("share", [1, 20, 40, 60, 80, 200])
def test_ten_interleaved_lines_in_tiny_shares(tmp_path, share):
    """Every query is in the middle of several shares: threads wrote its ranking together."""
    (tmp_path / "qrels").write_text(TEN_JUDGED)
    (tmp_path / "run").write_text(TEN_LINES)
    expected = average_precision(TEN_JUDGED, TEN_LINES)
    with cut(Seams(judging_share=share, threads=4, deal=1)):
        for _ in range(20):
            scores = tare.evaluate(tmp_path / "qrels", tmp_path / "run", ["AP"])
            found = dict(zip(scores.items, scores.values.ravel().tolist(), strict=True))
            assert found == pytest.approx(expected, abs=1e-15)


def test_a_larger_interleaved_run_in_tiny_shares(tmp_path):
    """In a process of its own, which ended in a crash nearly always; each share judges many queries."""
    run = "".join(f"q{i % 50} Q0 d{i} 1 {i} s\n" for i in range(20_000))
    qrels = "".join(f"q{i % 50} 0 d{i} {i % 3}\n" for i in range(20_000))
    (tmp_path / "qrels").write_text(qrels)
    (tmp_path / "run").write_text(run)
    code = """
import sys, tare
from tare._kernels.threads_and_blocks import Seams, cut
with cut(Seams(judging_share=20_000, threads=4, deal=1)):
    for _ in range(10):
        print(repr(tare.evaluate(sys.argv[1], sys.argv[2], ["AP"])["AP"].mean))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "qrels"), str(tmp_path / "run")],
        env={k: v for k, v in os.environ.items() if k != "TARE_SEAMS"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    expected = float(np.mean(list(average_precision(qrels, run).values())))
    assert [float(x) for x in done.stdout.split()] == pytest.approx([expected] * 10, abs=1e-14)


@settings(max_examples=60)
@given(
    seed=SEEDS,
    collection=collections(),
    form=st.sampled_from(["run", "run.gz", "run.zst", "parquet"]),
    judgements=st.sampled_from(["", "txt", "parquet"]),
    ties=st.sampled_from(["trec", "order", "expected"]),
    engine=st.sampled_from([None, "local"]),
)
def test_scores(tmp_path_factory, seed, collection, form, judgements, ties, engine):
    folder = tmp_path_factory.mktemp("seams")
    path = _written(collection, folder, form)
    qrels = collection.write_qrels(folder, judgements, seed)
    how = {"ties": ties, "samples": 50}

    def in_sizes(sizes: Seams, engine: str | None) -> Scores:
        with cut(sizes):
            return tare.evaluate(qrels, path, MEASURES, engine=engine, **how)

    assert_same_outcome(
        lambda: in_sizes(drawn_seams(seed), engine), lambda: in_sizes(Seams(threads=1), None)
    )


def _written(collection: Collection, folder: Path, form: str) -> Path:
    if form != "run.zst":
        return collection.write(folder, form)
    path = folder / "made.run.zst"
    packer = zstandard.ZstdCompressor()
    text = collection.write(folder, "run").read_bytes()
    half = len(text) // 2  # two frames
    path.write_bytes(packer.compress(text[:half]) + packer.compress(text[half:]))
    return path


PARTS = st.sampled_from(
    [
        "q1",
        "q2",
        "q3",
        " ",
        " ",
        " ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "a",
        "b",
        "1",
        "2.5",
        "nan",
        "#",
        "é",
        "\x00",
        "Q0 d 1 2 t\n",
        "qid:1 1:2 2:3\n",
    ]
)


@settings(max_examples=150)
@given(
    seed=SEEDS,
    parts=st.lists(PARTS, max_size=60),
    kind=st.sampled_from(["run", "qrels", "letor", "score", "engine"]),
)
def test_messages(tmp_path_factory, seed, parts, kind):
    """Broken text is read, or refused in the same words, with the same lines."""
    path = tmp_path_factory.mktemp("seams") / "input.txt"
    lines = {"letor": "1 qid:1 1:1\n", "qrels": "q1 0 a 1\n"}.get(kind, "q1 Q0 a 1 2 t\n")
    path.write_bytes((lines + "".join(parts)).encode())
    with cut(Seams(threads=1)):
        expected = _outcome(kind, path)
    with cut(drawn_seams(seed)):
        assert _outcome(kind, path) == expected


def _outcome(kind: str, path: Path) -> object:
    judged = {"q1": {"a": 1, "b": 2}, "q2": {"d": 1}}
    try:
        match kind:
            case "run":
                return tare.read_run(path).to_dict()
            case "qrels":
                return tare.read_qrels(path).to_dict()
            case "letor":
                found = tare.read_letor(path, documents=True)
                return found.queries, found.grades.tolist(), found.features.tolist()
            case _:
                engine = "local" if kind == "engine" else None
                scores = tare.evaluate(judged, path, ["AP", "NumRet"], engine=engine)
                return scores.systems, scores.values.tolist(), scores.findings
    except TareError as error:
        return type(error), str(error)


WORDS = ["the", "cat", "sat", "dogs", "ran", "quickly", "on", "mats", "été", "house."]


@settings(max_examples=25)
@given(seed=SEEDS, longest=st.sampled_from([5, 40, 300]))
def test_texts(seed, longest):
    """Longest common subsequences, pairs and words of texts of up to 300 words."""
    chance = random.Random(seed)

    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, longest)))

    rows = [
        {
            "item": f"i{i}",
            "text": text(),
            "references": [text() for _ in range(chance.randint(1, 2))],
            "source": text() + " " + text(),
        }
        for i in range(6)
    ]
    texts = tare.read_summaries(rows)
    names = [
        "ROUGE-1",
        "ROUGE-2",
        "ROUGE-L",
        "ROUGE-W",
        "ROUGE-S4",
        "ROUGE-SU4",
        "ROUGE-S",
        "E(ROUGE-2)",
        "E(ROUGE-L)",
    ]
    with cut(Seams(threads=1)):
        expected = tare.evaluate_texts(texts, names, samples=20)
    with cut(drawn_seams(seed)):
        assert_same(tare.evaluate_texts(texts, names, samples=20), expected)


@settings(max_examples=15)
@given(
    seed=SEEDS,
    test=st.sampled_from(["permutation", "bootstrap", "wilcoxon", "tukey-randomised", "t"]),
    interval=st.sampled_from(["percentile", "bca", "studentised"]),
    engine=st.sampled_from([None, "local"]),
)
def test_statistics(seed, test, interval, engine):
    values = np.round(np.random.default_rng(seed).random((3, 20, 1)), 1)
    cells = {
        s: {f"i{i}": {"AP": float(v)} for i, (v,) in enumerate(values[k])}
        for k, s in enumerate("abc")
    }
    rows = [
        (s, i, m, v) for s, items in cells.items() for i, x in items.items() for m, v in x.items()
    ]
    import polars as pl

    scores = tare.Scores.load(
        pl.DataFrame(rows, ["system", "item", "measure", "value"], orient="row")
    )
    how = {"test": test, "interval": interval, "draws": 200, "seed": 3}
    with cut(Seams(threads=1)):
        expected = tare.compare(scores, **how).to_json()
    with cut(drawn_seams(seed)):
        assert tare.compare(scores, engine=engine, **how).to_json() == expected


@settings(max_examples=15)
@given(seed=SEEDS)
def test_regression_on_subsets(seed):
    rng = np.random.default_rng(seed)
    x, masks = rng.random((12, 4)), np.arange(1, 16)
    y = x @ [1.0, 2.0, 0.0, -1.0] + 0.1 * rng.random(12)
    with cut(Seams(threads=1)):
        expected = robust_subsets(x, y, masks)
    with cut(drawn_seams(seed)):
        for found, usual in zip(robust_subsets(x, y, masks), expected, strict=True):
            assert np.array_equal(found, usual, equal_nan=True)


@pytest.mark.parametrize("seed", range(3))
def test_verbs(tmp_path, seed):
    """Whole commands, in a process whose sizes come from TARE_SEAMS."""
    (tmp_path / "qrels").write_text(TEN_JUDGED)
    (tmp_path / "run").write_text(TEN_LINES)
    (tmp_path / "run.gz").write_bytes(gzip.compress(TEN_LINES.encode()))
    (tmp_path / "letor").write_text(
        "".join(f"{i % 3} qid:{i % 4} 1:{i % 5} 2:{i % 7}\n" for i in range(16))
    )
    calls = [
        "score qrels run run.gz -m nDCG@10 AP --by-query",
        "score qrels run -m AP --engine local",
        "trec_eval -q -m all_trec qrels run",
        "check qrels run",
        "score letor --feature 1 -m nDCG@5",
    ]
    for call in calls:
        usual, tiny = (_told(call, tmp_path, each) for each in ("", str(seed)))
        assert usual.returncode == 0, usual.stderr
        assert (tiny.returncode, tiny.stdout) == (0, usual.stdout), tiny.stderr


def _told(call: str, folder: Path, seed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tare._cli.main", *call.split()],
        cwd=folder,
        env={**os.environ, "TARE_SEAMS": seed},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("level", ["system", "item"])
@pytest.mark.parametrize("kind", ["spearman", "tau_b", "pearson"])
def test_exchanges_of_measures(level, kind):
    """Exchanges are tried in blocks, which must not matter."""
    rng = np.random.default_rng(2)
    first, second, people = (rng.random((12, 12)) for _ in range(3))
    first[0, 0] = 1e9  # in some draws it belongs to the other measure
    how = {"level": level, "kind": kind, "draws": 300, "seed": 4}
    with cut(Seams(threads=1)):
        expected = exchange_test(first, second, people, **how)
    for cells in (1, 300, 3_000):
        with cut(Seams(threads=2, resampled_cells=cells)):
            assert exchange_test(first, second, people, **how) == expected


@pytest.mark.parametrize("kind", ["spearman", "tau_b", "pearson"])
def test_correlations_of_predictions(kind):
    """Predictions of one subset of features do not depend on those of the next."""
    rng = np.random.default_rng(2)
    predicted, y = rng.random((12, 9)), rng.random(12)
    predicted[:, 4] *= 1e13
    alone = [_correlated(predicted[:, [k]], y, kind)[0] for k in range(9)]
    for cells in (1, 30, 400_000):
        with cut(Seams(resampled_cells=cells)):
            assert _correlated(predicted, y, kind) == pytest.approx(alone, abs=1e-12)
