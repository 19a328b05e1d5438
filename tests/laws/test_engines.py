"""Engines: the same scores, to the last bit, wherever and in however many pieces they are made."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tare
from tare._kernels.threads_and_blocks import SEAMS_VARIABLE
from tare._measures.scores import Scores
from tare.engines import Engine, Local
from tare.errors import EngineError, MismatchError
from tests.clusters import Cluster

MEASURES = [
    "AP",
    "nDCG@10",
    "RR",
    "V2(nDCG@5,pool=judged)",
    "ERR@10",
    "NumRet",
    "RBP",
    "E(AP,pool=corpus=1000)",
    "Net(RR,pool=judged)",
]


@dataclass(frozen=True)
class Collection:
    """Judgements and the rows of a run, in some order; queries may be missing on either side."""

    qrels: dict[str, dict[str, float]]
    rows: tuple[tuple[str, str, float], ...]

    @property
    def grouped(self) -> bool:
        """Whether the rows of every query are together."""
        queries = [query for query, *_ in self.rows]
        return 1 + sum(a != b for a, b in pairwise(queries)) == len(set(queries))

    def write(self, folder: Path, form: str) -> Path:
        """The run as a file."""
        path = folder / f"made.{form}"
        lines = [f"{q} Q0 {d} {k} {s!r} made\n" for k, (q, d, s) in enumerate(self.rows)]
        if form == "run":
            path.write_text("".join(lines))
        elif form == "run.gz":
            path.write_bytes(gzip.compress("".join(lines).encode()))
        else:
            self.frame().write_parquet(path, row_group_size=7)
        return path

    def write_qrels(self, folder: Path, form: str, seed: int) -> Path | dict[str, dict[str, float]]:
        """The judgements as a file, in any order; as a dictionary where no form is named."""
        rows = [
            (q, d, float(g)) for q, documents in self.qrels.items() for d, g in documents.items()
        ]
        rows += rows[::5]  # some stand twice with the same grade
        random.Random(seed).shuffle(rows)
        path = folder / f"judgements.{form}"
        if form == "txt":
            path.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
        elif form == "parquet":
            import polars as pl

            table = pl.DataFrame(rows, schema=["qid", "docno", "label"], orient="row")
            table.write_parquet(path, row_group_size=5)
        return path if form else self.qrels

    def frame(self):
        """The rows as a polars frame."""
        import polars as pl

        queries, documents, scores = zip(*self.rows, strict=True)
        columns = {"query": queries, "document": documents, "score": scores}
        return pl.DataFrame(columns, schema_overrides={"score": pl.Float64})


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    """Random collections with ties, unjudged documents and queries that one side lacks."""
    seed = draw(st.integers(0, 2**32))
    order = draw(st.sampled_from(["grouped", "grouped", "shuffled", "rounds"]))
    chance = random.Random(seed)
    queries = [f"q{k}" for k in range(draw(st.integers(1, 12)))]
    qrels, rows = {}, []
    for query in queries:
        documents = [f"d{k}é" if k % 5 == 0 else f"d{k}" for k in range(chance.randint(1, 15))]
        judged = [d for d in documents if chance.random() < 0.7]
        if judged and chance.random() < 0.9:
            qrels[query] = {d: chance.choice([0, 0, 1, 2, 0.5, -1]) for d in judged}
        if chance.random() < 0.8:
            retrieved = chance.sample(documents, chance.randint(1, len(documents)))
            rows += [(query, d, chance.choice([1.0, 2.0, 2.5, 1e-3])) for d in retrieved]
    qrels = qrels or {"q0": {"d1": 1}}
    rows = rows or [("q0", "d1", 1.0)]
    if order == "shuffled":
        chance.shuffle(rows)
    elif order == "rounds":
        place: dict[str, int] = {}
        rows.sort(key=lambda row: place.setdefault(row[0], 0) + len(row[1]))
    return Collection(qrels, tuple(rows))


def assert_same(scores: Scores, expected: Scores) -> None:
    """Everything but the time it took."""
    assert scores.systems == expected.systems
    assert scores.items == expected.items
    assert scores.measures == expected.measures
    assert scores.signatures == expected.signatures
    assert np.array_equal(scores.values, expected.values, equal_nan=True)
    assert scores.findings == expected.findings


def assert_same_outcome(made: Callable[[], Scores], usual: Callable[[], Scores]) -> None:
    """The same scores, or the same refusal: Net is undefined where all documents are equally good."""
    try:
        expected = usual()
    except MismatchError as error:
        with pytest.raises(MismatchError, match=re.escape(str(error))):
            made()
        return
    assert_same(made(), expected)


class OnCluster:
    """Engines on nodes that share nothing, each with other sizes of blocks and shares."""

    def __init__(self) -> None:
        from tare.engines import Ray

        self.cluster = Cluster(0)
        for k in range(3):
            self.cluster.add(wait=False, environment={SEAMS_VARIABLE: f"node {k}"})
        for node in self.cluster.nodes:
            node.wait()
        self.engine = Ray(address=self.cluster.address)

    def __call__(self, memory: int, threads: int = 2) -> Engine:
        self.engine.memory = memory * self.engine.machines
        return self.engine

    def stop(self) -> None:
        self.engine.close()
        self.cluster.stop()


@pytest.fixture(scope="module", params=["local", pytest.param("cluster", marks=pytest.mark.slow)])
def engine_of(request) -> Iterator[Callable[..., Engine]]:
    """Make engines with a memory limit and threads: on this machine, and on a cluster."""
    if request.param == "local":
        yield lambda memory, threads=2: Local(memory=memory, threads=threads)
        return
    pytest.importorskip("ray", reason="the extra ray is not installed")
    made = OnCluster()
    try:
        yield made
    finally:
        made.stop()


@settings(max_examples=60)
@given(
    collection=collections(),
    form=st.sampled_from(["run", "run.gz", "parquet"]),
    ties=st.sampled_from(["trec", "order", "expected"]),
    memory=st.sampled_from([1, 40_000, 10**6, 10**9]),
    threads=st.integers(1, 4),
    judgements=st.sampled_from(["", "txt", "parquet"]),
)
def test_an_engine_gives_the_same_scores(
    engine_of, tmp_path_factory, collection, form, ties, memory, threads, judgements
):
    folder = tmp_path_factory.mktemp("engines")
    path = collection.write(folder, form)
    qrels = collection.write_qrels(folder, judgements, threads)
    how = {"ties": ties, "samples": 50}
    engine = engine_of(memory, threads)

    def made() -> Scores:
        return tare.evaluate(qrels, path, MEASURES, engine=engine, **how)

    if memory == 1 and not collection.grouped:
        with pytest.raises(EngineError, match="do not fit into 1 bytes of .*sort -s -k1,1"):
            made()
    else:
        assert_same_outcome(made, lambda: tare.evaluate(qrels, path, MEASURES, **how))


@pytest.mark.parametrize("form", ["run", "parquet"])
@pytest.mark.parametrize("memory", [1, 5_000, 10**9])
@pytest.mark.parametrize(
    "options",
    [
        {"order": "rank"},
        {"unjudged": "condensed"},
        {"depth": 3},
        {"precision": 32},
        {"missing": "skip"},
    ],
    ids=str,
)
def test_policies_are_those_of_one_process(engine_of, tmp_path, form, memory, options):
    chance = random.Random(5)
    rows = [(f"q{q}", f"d{d}", chance.choice([1.0, 2.0])) for q in range(4) for d in range(6)]
    if memory > 1:
        chance.shuffle(rows)
    qrels = {f"q{q}": {f"d{d}": chance.choice([0, 1, 2]) for d in range(5)} for q in range(1, 6)}
    collection = Collection(qrels, tuple(rows))
    if form == "parquet":
        path = tmp_path / "made.parquet"
        collection.frame().with_row_index("rank").write_parquet(path)
    else:
        path = collection.write(tmp_path, form)
    expected = tare.evaluate(qrels, path, MEASURES, **options)
    engine = engine_of(memory)
    assert_same(tare.evaluate(qrels, path, MEASURES, engine=engine, **options), expected)


@pytest.mark.parametrize("memory", [1, 8_000, 10**9])
def test_systems_of_one_table(engine_of, tmp_path, memory):
    import polars as pl

    chance = random.Random(8)
    rows = [
        (system, f"q{q}", f"d{d}", chance.random())
        for system in ("b", "a", "c")
        for q in range(3)
        for d in range(4)
    ]
    qrels = {f"q{q}": {f"d{d}": chance.choice([0, 1, 2]) for d in range(3)} for q in range(3)}
    for shuffled in (False, memory > 1):
        if shuffled:
            chance.shuffle(rows)
        table = pl.DataFrame(rows, schema=["system", "qid", "docno", "score"], orient="row")
        path = tmp_path / "systems.parquet"
        table.write_parquet(path)
        expected = tare.evaluate(qrels, path, MEASURES)
        engine = engine_of(memory)
        assert_same(tare.evaluate(qrels, path, MEASURES, engine=engine), expected)


def test_a_folder_of_parts_is_one_run(engine_of, tmp_path):
    chance = random.Random(2)
    rows = [(f"q{q}", f"d{d}", chance.choice([1.0, 2.0])) for q in range(9) for d in range(12)]
    qrels = {f"q{q}": {f"d{d}": chance.choice([0, 1, 2]) for d in range(8)} for q in range(9)}
    whole = Collection(qrels, tuple(rows))
    for name, cut in (("grouped", 36), ("split", 40)):  # the second cuts a query in two
        folder = tmp_path / name
        folder.mkdir()
        for k, part in enumerate((rows[:cut], rows[cut:])):
            Collection({}, tuple(part)).frame().write_parquet(folder / f"part-{k}.parquet")
        expected = tare.evaluate(qrels, whole.frame(), MEASURES)
        scores = tare.evaluate(qrels, folder, MEASURES, engine=engine_of(10**9))
        assert scores.systems == (name,)
        assert np.array_equal(scores.values, expected.values, equal_nan=True)
