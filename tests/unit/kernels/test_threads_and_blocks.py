"""The same bits for any number of threads and any size of blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict, fields, replace

import numpy as np
import pytest

import tare
from tare import _core
from tare import _kernels as kernels
from tare._data import Policies, judge
from tare._kernels.threads_and_blocks import SEAMS_VARIABLE, Seams, cut, drawn_seams, seams
from tare._measures.one_system import kernel_of
from tests.reference.catalogue import all_variants

# Sizes of blocks and shares: the usual ones, drawn ones, and those of other processes.


def test_the_usual_sizes_are_those_of_the_core():
    of_core = _core.seams()
    assert {name: asdict(Seams())[name] for name in of_core} == of_core


def test_drawn_sizes_are_tiny_and_the_same_for_a_seed():
    assert drawn_seams(7) == drawn_seams("7")
    assert len({drawn_seams(seed) for seed in range(50)}) == 50
    for seed in range(200):
        for each in fields(Seams):
            least, most = each.metadata["tiny"]
            size = getattr(drawn_seams(seed), each.name)
            assert least <= size <= most or size == each.default
    assert {drawn_seams(seed).deal for seed in range(20)} == {0, 1}


def test_sizes_are_set_for_a_while():
    usual = seams()
    with cut(replace(usual, judging_share=5, block=3)) as sizes:
        assert seams() is sizes
        assert _core.seams()["judging_share"] == 5
    assert seams() == usual
    assert _core.seams()["judging_share"] == usual.judging_share


def test_the_core_refuses_sizes_that_cannot_be():
    with pytest.raises(ValueError, match="1 or more"):
        _core.set_seam("judging_share", 0)
    with pytest.raises(ValueError, match="no such size"):
        _core.set_seam("bogus", 1)


def test_other_processes_draw_the_same_sizes():
    code = "from tare._kernels.threads_and_blocks import seams; print(seams())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, SEAMS_VARIABLE: "some seed"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == str(drawn_seams("some seed"))


THREADS = (1, 2, 5)


@pytest.fixture(scope="module")
def qrels():
    rng = np.random.default_rng(1)
    return tare.read_qrels(
        {
            f"q{q}": {f"document-{d}": int(g) for d, g in enumerate(rng.integers(-1, 4, 40))}
            for q in range(150)
        }
    )


@pytest.fixture(scope="module")
def text() -> bytes:
    """A run of some megabytes with ties, unjudged documents, a few bad lines and duplicates."""
    rng = np.random.default_rng(2)
    lines = []
    for q in range(160):
        documents = rng.permutation(400)
        scores = np.sort(rng.integers(0, 300, 400))[::-1]
        lines += [
            f"q{q} Q0 document-{d} {i} {s / 8} tag-{q}"
            for i, (d, s) in enumerate(zip(documents, scores, strict=True))
        ]
    return "\n".join(lines).encode()


def with_faults(text: bytes) -> bytes:
    lines = text.split(b"\n")
    for i in range(1000, len(lines), 2500):
        lines[i] = lines[i - 3]
        lines[i + 400] = b"q7 Q0"
    return b"\n".join(lines)


def pieces(data: bytes, size: int) -> list[np.ndarray]:
    return [np.frombuffer(data[i : i + size], np.uint8) for i in range(0, len(data), size)]


def cases():
    return [(threads, size) for threads in THREADS for size in (1 << 30, 1 << 20, 100_003)]


@pytest.mark.parametrize("faulty", [False, True])
def test_reading(text, faulty):
    data = with_faults(text) if faulty else text

    def read(threads, size):
        rows, reading = kernels.read_trec(pieces(data, size), "run", threads=threads)
        documents = [rows.documents(i) for i in range(0, len(rows.queries), 37)]
        plain = [(d, v.tolist()) for d, v in documents]
        twice = rows.duplicates(threads, 20, False), rows.duplicates(threads, 20, True)
        return rows.queries, rows.digest(threads), rows.counts().tolist(), plain, reading, twice

    first = read(1, 1 << 30)
    assert bool(first[4].problem_count) == faulty
    assert all(read(threads, size) == first for threads, size in cases())


@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("ties", ["trec", "order", "expected"])
def test_judging_while_reading(qrels, text, ties, faulty):
    data = with_faults(text) if faulty else text

    def judged(threads, size):
        done = kernels.judge_text(qrels.index, pieces(data, size), ties=ties, threads=threads)
        arrays = {k: v.tobytes() for k, v in vars(done.rankings).items()}
        return arrays, done.reading, done.rows, done.unknown

    first = judged(1, 1 << 30)
    assert all(judged(threads, size) == first for threads, size in cases())


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_judging_rows(qrels, text, ties):
    rows, _ = kernels.read_trec(pieces(text, 1 << 30), "run")
    whole = kernels.judge_text(qrels.index, pieces(text, 1 << 20), ties=ties).rankings
    for threads in THREADS:
        rankings = kernels.judge(qrels.index, rows, ties=ties, threads=threads)
        assert {k: v.tobytes() for k, v in vars(rankings).items()} == {
            k: v.tobytes() for k, v in vars(whole).items()
        }


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_measures(qrels, text, ties):
    rows, _ = kernels.read_trec(pieces(text[: len(text) // 8], 1 << 30), "run")
    arrays = kernels.judge(qrels.index, rows, ties=ties)
    streams = kernels.stream_ids(qrels.items)
    measures = [kernel_of(m, qrels.levels) for m in all_variants()]

    def values(threads):
        found = kernels.evaluate(
            *(arrays, qrels.pool_offsets, qrels.pool, streams, measures),
            samples=20,
            most_orders=100,
            seed=3,
            threads=threads,
        )
        return [part.tobytes() for part in found]

    first = values(1)
    assert all(values(threads) == first for threads in THREADS[1:])


def test_resampled_means():
    values = np.random.default_rng(5).random((7, 90))
    values[2, ::3] = np.nan
    first = kernels.bootstrap_means(values, 300, 9, threads=1)
    for threads in THREADS[1:]:
        assert kernels.bootstrap_means(values, 300, 9, threads=threads).tobytes() == first.tobytes()
    alone = kernels.bootstrap_means(values[4:5], 300, 9)
    assert alone.tobytes() == first[4:5].tobytes()


def test_a_run_is_scored_the_same_whole_or_in_parts(qrels, text, tmp_path):
    (tmp_path / "run").write_bytes(text)
    run = tare.read_run(tmp_path / "run")
    scores = tare.evaluate(qrels, tmp_path / "run", ["AP", "nDCG@10", "ERR@20"])
    again = tare.evaluate(qrels, run, ["AP", "nDCG@10", "ERR@20"])
    assert scores.values.tobytes() == again.values.tobytes()
    one = judge(tare.read_qrels({"q3": qrels.to_dict()["q3"]}), run, Policies())
    assert one.rankings.ranks.tolist() == sorted(one.rankings.ranks.tolist())
