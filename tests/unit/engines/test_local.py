"""The local engine: the same words for bad data, and runs that do not fit into memory."""

from __future__ import annotations

import gzip
import os
import random

import numpy as np
import polars as pl
import pytest

import tare
from tare import _kernels as kernels
from tare.engines import Local
from tare.errors import (
    EngineError,
    FormatError,
    MismatchError,
    OptionError,
    TareError,
    UnreadableError,
)

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
GOOD = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 2 t\nq3 Q0 a 1 2 t\n"
BAD = {
    "a short line": GOOD + "q4 Q0 a 1\n" + GOOD.replace("q", "p"),
    "no number": GOOD + "q4 Q0 a 1 x t\nq5 Q0 a 1 nan t\n",
    "twice in a query": GOOD + "q4 Q0 a 1 2 t\nq4 Q0 a 2 1 t\nq5 Q0 b 2 1 t\n",
    "twice in the file": GOOD + "q4 Q0 a 1 2 t\n" + GOOD,
    "interleaved, and wrong": "q1 Q0 a 1 3 t\nq2 Q0 c\nq1 Q0 b 2 2 t\n\n# x\nq2 Q0 c 1 2 t\n",
    "empty": "# nothing\n\n",
    "not a byte": "",
    "not utf-8": GOOD + "q4 Q0 \udcff 1 2 t\n",
}


def write(folder, text, name="made.run"):
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


@pytest.mark.parametrize("memory", [3_000, 10**9])
@pytest.mark.parametrize("kind", BAD)
def test_what_is_wrong_is_told_in_the_same_words(tmp_path, kind, memory):
    path = write(tmp_path, BAD[kind])
    with pytest.raises(TareError) as expected:
        tare.evaluate(QRELS, path, "AP")
    with pytest.raises(TareError) as found:
        tare.evaluate(QRELS, path, "AP", engine=Local(memory=memory, threads=2))
    assert str(found.value) == str(expected.value)
    assert type(found.value) is type(expected.value)


@pytest.mark.parametrize("value", ["score", "grade"])
def test_tables_without_rows_are_told_in_the_same_words(tmp_path, value):
    import polars as pl

    path = tmp_path / "made.parquet"
    types = {"query": pl.String, "document": pl.String, value: pl.Float64}
    pl.DataFrame(schema=types).write_parquet(path)
    given = (QRELS, path) if value == "score" else (path, {"q1": {"a": 1.0}})
    with pytest.raises(FormatError) as expected:
        tare.evaluate(*given, "AP")
    with pytest.raises(FormatError) as found:
        tare.evaluate(*given, "AP", engine=Local(memory=1, threads=2))
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("memory", [2_000, 10**9])
def test_tables_tell_rows(tmp_path, memory):
    import polars as pl

    rows = [("q1", "a", 1.0), ("q2", "c", 2.0), ("q1", "b", 2.0), ("q2", "c", 1.0)]
    path = tmp_path / "made.parquet"
    pl.DataFrame(rows, schema=["query", "document", "score"], orient="row").write_parquet(path)
    for bad in (rows, [*rows[:3], ("q3", "c", None)]):
        pl.DataFrame(bad, schema=["query", "document", "score"], orient="row").write_parquet(path)
        with pytest.raises(FormatError) as expected:
            tare.evaluate(QRELS, path, "AP")
        with pytest.raises(FormatError) as found:
            tare.evaluate(QRELS, path, "AP", engine=Local(memory=memory))
        assert str(found.value) == str(expected.value)


def test_a_document_that_stands_in_two_files_names_both(tmp_path):
    import polars as pl

    for name, row in (("a", ("q1", "a", 1.0)), ("b", ("q1", "a", 2.0))):
        frame = pl.DataFrame([row], schema=["query", "document", "score"], orient="row")
        frame.write_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(FormatError, match=r"b\.parquet, row 1: .* on row 1 of .*a\.parquet"):
        tare.evaluate(QRELS, tmp_path, "AP", engine="local")


def test_what_is_not_there(tmp_path):
    for name in ("nowhere.run", "nowhere.parquet"):
        with pytest.raises(UnreadableError, match="no such file"):
            tare.evaluate(QRELS, tmp_path / name, "AP", engine="local")
    with pytest.raises(UnreadableError, match="folder without Parquet files"):
        tare.evaluate(QRELS, tmp_path, "AP", engine="local")
    with pytest.raises(OptionError, match="engine='loca' is not known.*Did you mean 'local'"):
        tare.evaluate(QRELS, {}, "AP", engine="loca")


def test_a_damaged_table_is_named_with_its_rows(tmp_path):
    import polars as pl

    path = tmp_path / "made.parquet"
    n = 20_000
    columns = {
        "query": [f"q{k // 100:04d}" for k in range(n)],
        "document": [f"d{k}" for k in range(n)],
    }
    scores = np.random.default_rng(1).random(n)
    pl.DataFrame({**columns, "score": scores}).write_parquet(path, row_group_size=1000)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20_000] = b"\xff" * 20_000  # heads of pages and all
    path.write_bytes(bytes(data))
    with pytest.raises(TareError, match=r"made\.parquet, rows [\d,]+ to [\d,]+"):
        tare.evaluate(QRELS, path, "AP", engine=Local(memory=2_000_000, threads=2))


def test_other_sources_and_names(tmp_path):
    import polars as pl

    path = write(tmp_path, GOOD)
    expected = tare.evaluate(QRELS, path, "AP")
    frame = pl.DataFrame(
        [line.split() for line in GOOD.splitlines()],
        schema=["query", "x", "document", "rank", "score", "y"],
        orient="row",
    )
    frame.write_csv(tmp_path / "made.csv")
    frame.with_columns(pl.col("score").cast(pl.Float64)).write_parquet(tmp_path / "made.parquet")
    for given in (frame, str(tmp_path / "*.csv"), [path], {"t": path}, tare.read_run(path)):
        scores = tare.evaluate(QRELS, given, "AP", engine="local")
        assert np.array_equal(scores.values, expected.values)
    for source in (path, tmp_path / "made.parquet", tmp_path / "made.csv"):
        assert tare.evaluate(QRELS, {"mine": source}, "AP", engine="local").systems == ("mine",)
    assert tare.evaluate(QRELS, [path, path], "AP", engine="local").systems == ("made", "made#2")


def test_measures_of_diversity_too(tmp_path):
    run = write(tmp_path, GOOD)
    qrels = write(tmp_path, "q1 1 a 1\nq1 2 b 1\nq2 1 c 1\nq2 2 d 1\n", "subtopics.txt")
    expected = tare.evaluate(qrels, run, "alpha_nDCG@10")
    assert np.array_equal(
        tare.evaluate(qrels, run, "alpha_nDCG@10", engine=Local(memory=1)).values, expected.values
    )


def test_parts_that_are_done_are_told(tmp_path):
    told = []
    path = write(tmp_path, "".join(f"q{k} Q0 a 1 1 t\n" for k in range(100)))
    engine = Local(memory=5000, threads=1, on_progress=lambda *done: told.append(done))
    tare.evaluate(QRELS, path, "AP", engine=engine)
    total = told[0][2]
    assert total > 1
    assert told == [(str(path), k + 1, total) for k in range(total)]


def test_an_unexpected_failure_names_the_partition():
    def fail(shared, partition):
        if partition == "part 3":
            raise ZeroDivisionError("x")

    for threads in (1, 2):
        with pytest.raises(EngineError, match=r"part 3: .* \(ZeroDivisionError: x\)"):
            Local(threads=threads).map_partitions(fail, None, [f"part {k}" for k in range(5)])


def test_actors_and_blocks():
    made = []

    def make():
        made.append(1)
        return lambda part: 2 * part

    assert Local().map_actors(make, [1, 2, 3]) == [2, 4, 6]
    assert len(made) == 1
    assert Local().map_blocks(lambda shared, a, b: (shared, a, b), "x", 10) == [("x", 0, 10)]


# Runs that are not grouped by query


def interleaved(folder, rows=3000):
    chance = random.Random(3)
    lines = [f"q{k % 300} Q0 document-{k} 1 {chance.random()} t\n" for k in range(rows)]
    return write(folder, "".join(lines))


@pytest.mark.parametrize("form", ["run", "gz", "parquet", "folder"])
def test_a_run_that_is_not_grouped_must_fit_into_memory(tmp_path, form):
    path = interleaved(tmp_path)
    expected = tare.evaluate({"q7": {"document-7": 1}}, path, "AP")
    if form == "gz":
        packed = tmp_path / "made.run.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    elif form != "run":
        rows = [
            (q, d, float(s)) for q, _, d, _, s, _ in map(str.split, path.read_text().splitlines())
        ]
        path = tmp_path / "tables" if form == "folder" else tmp_path / "made.parquet"
        frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
        if form == "folder":
            path.mkdir()
            frame[:1000].write_parquet(path / "a.parquet")
            frame[1000:].write_parquet(path / "b.parquet")
        else:
            frame.write_parquet(path)
    engine = Local(memory=1_000_000, threads=2)
    made = tare.evaluate({"q7": {"document-7": 1}}, path, "AP", engine=engine)
    assert np.array_equal(made.values, expected.values)
    engine.memory = 200_000
    with pytest.raises(EngineError) as error:
        tare.evaluate({"q7": {"document-7": 1}}, path, "AP", engine=engine)
    words = (
        f"{path}: the rows of a query are not together, and its rows do not fit into 200.0 kB of"
    )
    assert str(error.value).startswith(words)
    assert "sort -s -k1,1" in str(error.value)


def test_compressed_ranks_must_fit_into_memory(tmp_path):
    path = tmp_path / "made.run.gz"
    path.write_bytes(gzip.compress(GOOD.encode()))
    expected = tare.evaluate(QRELS, path, "AP", order="rank")
    made = tare.evaluate(QRELS, path, "AP", order="rank", engine=Local(memory=1000))
    assert np.array_equal(made.values, expected.values)
    with pytest.raises(EngineError, match="ordered by rank is read as a whole, and its rows"):
        tare.evaluate(QRELS, path, "AP", order="rank", engine=Local(memory=100))


# Judgements

BAD_QRELS = {
    "a bad grade": "q1 0 a 1\nq2 0 c x\n",
    "another grade": "q1 0 a 1\nq2 0 c 2\nq1 0 a 0\n",
    "empty": "# nothing\n",
    "not a byte": "",
}


@pytest.mark.parametrize("kind", BAD_QRELS)
def test_bad_judgements_are_told_in_the_same_words(tmp_path, kind):
    run, qrels = write(tmp_path, GOOD), write(tmp_path, BAD_QRELS[kind], "qrels")
    with pytest.raises(FormatError) as expected:
        tare.evaluate(qrels, run, "AP")
    with pytest.raises(FormatError) as found:
        tare.evaluate(qrels, run, "AP", engine=Local(memory=50, threads=2))
    assert str(found.value) == str(expected.value)


def test_qrels_can_be_sent_elsewhere(tmp_path):
    import pickle

    qrels = tare.read_qrels(write(tmp_path, "q2 0 c 2\nq1 0 a 1\nq2 0 c 2\nq1 0 é 0.5\n", "qrels"))
    again = pickle.loads(pickle.dumps(qrels))
    assert again.to_dict() == qrels.to_dict()
    assert (again.digest, again.findings, again.items) == (
        qrels.digest,
        qrels.findings,
        qrels.items,
    )


def test_judgements_are_shared_as_flat_arrays(tmp_path):
    import pickle

    text = "".join(f"q{i % 7} 0 d{i} {i % 3 - 0.5}\n" for i in range(300)) + "q0 0 é -1\n"
    index = tare.read_qrels(write(tmp_path, text, "qrels")).index
    outside: list[pickle.PickleBuffer] = []
    data = pickle.dumps(index, protocol=5, buffer_callback=outside.append)
    assert len(outside) == 8  # nothing but the ids of queries is copied
    again = pickle.loads(data, buffers=outside)
    assert again.queries == index.queries
    for first, second in zip(index.columns(), again.columns(), strict=True):
        assert np.array_equal(first, second)
        assert np.shares_memory(first, second)
        assert not second.flags.writeable
    run = tare.read_run({"q0": {"é": 1.0, "d7": 2.0, "x": 3.0}, "q9": {"a": 1.0}})
    for name, found in vars(kernels.judge(index, run.rows)).items():
        assert np.array_equal(found, getattr(kernels.judge(again, run.rows), name)), name


def test_columns_that_do_not_fit_together_are_refused(tmp_path):
    index = tare.read_qrels({"q": {"a": 1, "b": 0}}).index
    columns = list(index.columns())
    columns[3] = columns[3][:-1]
    with pytest.raises(ValueError, match="do not fit together"):
        kernels.QrelsIndex.of_columns(index.queries, *columns)


@pytest.mark.parametrize("form", ["run", "parquet"])
@pytest.mark.parametrize("mixed", [False, True])
def test_a_file_that_changes_between_its_pieces_is_told(tmp_path, form, mixed):
    rows = [(f"q{q}", f"d{d}", 10.0 - d) for q in range(200) for d in range(20)]
    if mixed:
        random.Random(1).shuffle(rows)
    path = tmp_path / f"a.{form}"
    if form == "run":
        path.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    else:
        pl.DataFrame(rows, ["query", "document", "score"], orient="row").write_parquet(path)
    before = path.stat()

    def told(what: str, done: int, total: int) -> None:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + done * 1_000_000_000))

    qrels = {f"q{q}": {"d3": 1} for q in range(200)}
    assert tare.evaluate(qrels, path, "AP", engine=Local(memory="1MB")).values.size == 200
    with pytest.raises(UnreadableError, match=f"a.{form}: the file changed while it was read"):
        tare.evaluate(qrels, path, "AP", engine=Local(memory="1MB", on_progress=told))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_documents_of_another_kind_are_refused_as_in_one_process(tmp_path, suffix):
    frame = pl.DataFrame(
        {
            "system": ["a", "b", "b"],
            "query": ["q1", "q1", "q1"],
            "document": ["d1", "7", "8"],
            "score": [3.0, 2.0, 1.0],
        }
    )
    path = tmp_path / f"runs{suffix}"
    if suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    qrels = {"q1": {"d1": 1, "d2": 0}}
    for engine in (None, "local"):
        with pytest.raises(
            MismatchError, match=r"no document of the run is in the qrels.*\('7', '8'\)"
        ):
            tare.evaluate(qrels, path, "AP", engine=engine)


@pytest.mark.parametrize("memory", [1, 10**9])
def test_ids_that_never_meet_are_told(tmp_path, memory):
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("".join(f"q{k} 0 d{k} 1\n" for k in range(40)))
    run.write_text("".join(f"q{k} Q0 {k} 1 {40 - k} x\n" for k in range(40)))
    with pytest.raises(MismatchError, match="in the qrels text .'d.*in the run whole numbers"):
        tare.evaluate(qrels, run, "AP", engine=Local(memory=memory, threads=2))
