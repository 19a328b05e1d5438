"""Runs, qrels, tables and outputs in S3 give what files give, and are read in ranges by the engines."""

from __future__ import annotations

import gzip
import io
import random

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare._kernels.threads_and_blocks import Seams, cut
from tare.errors import OptionError, UnreadableError
from tests.unit.stores.conftest import BUCKET, SECRET

MEASURES = ["AP", "nDCG@10", "Net(nDCG@10)"]
SMALL = Seams(
    block=3000, text_piece=5000, least_piece=1000, table_rows=60, row_window=20, line_window=500
)


@pytest.fixture(scope="module")
def made():
    chance = random.Random(8)
    rows = [(f"q{q:02d}", f"d{d}", round(chance.random(), 4)) for q in range(40) for d in range(20)]
    run = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows).encode()
    qrels = "".join(
        f"q{q:02d} 0 d{d} {chance.choice([0, 1, 2])}\n" for q in range(40) for d in range(12)
    )
    table = io.BytesIO()
    frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
    frame.write_parquet(table, row_group_size=100)
    return run, qrels.encode(), table.getvalue()


def scored(qrels, runs, **options):
    return tare.evaluate(qrels, runs, MEASURES, pool="judged", **options)


@pytest.fixture
def expected(made, tmp_path):
    for name, data in zip(("a.run", "qrels.txt"), made, strict=False):
        (tmp_path / name).write_bytes(data)
    return scored(tmp_path / "qrels.txt", tmp_path / "a.run")


@pytest.mark.parametrize("engine", [None, "local"])
@pytest.mark.parametrize("kind", ["text", "gzip", "parquet"])
def test_an_object_gives_what_a_file_gives(store, made, expected, kind, engine):
    run, qrels, table = made
    judged = store.put("qrels.txt", qrels)
    key, data = {
        "text": ("a.run", run),
        "gzip": ("a.run.gz", gzip.compress(run)),
        "parquet": ("a.parquet", table),
    }[kind]
    address = store.put(key, data)
    with cut(SMALL):
        found = scored(judged, address, engine=engine)
    assert np.array_equal(found.values, expected.values)
    assert found.systems == ("a",)


@pytest.mark.parametrize("kind", ["text", "parquet"])
def test_engines_read_ranges_and_never_the_whole_object(store, kind):
    chance = random.Random(9)
    rows = [
        (f"q{q}", chance.randbytes(8).hex(), chance.random()) for q in range(100) for _ in range(80)
    ]
    if kind == "text":
        data = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows).encode()
    else:
        memory = io.BytesIO()
        frame = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
        frame.write_parquet(memory, row_group_size=1000)
        data = memory.getvalue()
    address = store.put("large.run" if kind == "text" else "large.parquet", data)
    store.reset()
    with cut(
        Seams(block=30_000, text_piece=60_000, line_window=1000, table_rows=1000, row_window=200)
    ):
        found = tare.evaluate({"q0": {"d": 1}}, address, "AP", engine=tare.engines.Local(threads=2))
    assert found.systems == ("large",)
    reads = [r for r in store.requests if r.method == "GET"]
    assert len(reads) > 8
    assert all(r.range is not None for r in reads)
    assert max(r.range[1] - r.range[0] for r in reads) < len(data) / 2


def test_patterns_and_folders_of_objects(store, made, expected):
    run, qrels, table = made
    judged = store.put("set/qrels.txt", qrels)
    for key in ("set/runs/x.run", "set/runs/y.run", "set/runs/deep/z.run"):
        store.put(key, run)
    store.put("set/parts/1.parquet", table)
    assert scored(judged, f"s3://{BUCKET}/set/runs/*.run").systems == ("x", "y")
    assert scored(judged, f"s3://{BUCKET}/set/**/z.run").systems == ("z",)
    folder = scored(judged, f"s3://{BUCKET}/set/parts/", engine="local")
    assert np.array_equal(folder.values, expected.values)
    with pytest.raises(UnreadableError, match="no file matches"):
        scored(judged, f"s3://{BUCKET}/set/runs/*.txt")
    with pytest.raises(UnreadableError, match="no Parquet objects"):
        scored(judged, f"s3://{BUCKET}/set/runs/", engine="local")


def test_qrels_larger_than_memory_are_read_from_the_store(store, made, expected):
    run, qrels, _ = made
    judged, address = store.put("qrels.txt", qrels), store.put("a.run", run)
    with cut(SMALL):
        found = scored(judged, address, engine=tare.engines.Local(memory=20_000, threads=2))
    assert np.array_equal(found.values, expected.values)


def test_outputs_are_objects(store, made, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run, qrels, _ = made
    judged, address = store.put("qrels.txt", qrels), store.put("a.run", run)
    bucket = f"s3://{BUCKET}/out"
    words = ["-m", "AP", "--save", f"{bucket}/scores.parquet", f"--report={bucket}/report.html"]
    assert main(["score", judged, address, *words]) == 0
    assert tare.Scores.load(f"{bucket}/scores.parquet")["AP"].mean == expected["AP"].mean
    assert b"<html" in store.get("out/report.html")
    for index in range(3):
        part = ["--index", str(index), "--of", "3", "--output", f"{bucket}/parts"]
        assert main(["part", judged, address, *part]) == 0
    capsys.readouterr()
    assert main(["join", judged, f"{bucket}/parts", "-m", "AP", "--format", "json"]) == 0
    assert repr(expected["AP"].mean)[:12] in capsys.readouterr().out
    tare.read_run(address).write(f"{bucket}/copy.run")
    assert tare.read_run(f"{bucket}/copy.run").digest == tare.read_run(address).digest
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "qrels.txt"]  # no folder s3:


def test_an_input_is_not_overwritten(store, made, capsys):
    judged, address = store.put("qrels.txt", made[1]), store.put("a.parquet", made[2])
    assert main(["score", judged, address, "-m", "AP", "--save", address]) == 2
    assert "is also an input" in capsys.readouterr().err
    assert store.get("a.parquet") == made[2]


def test_the_address_of_a_web_server_is_read_only(store, made, capsys):
    judged, address = store.put("qrels.txt", made[1]), store.put("a.run", made[0])
    assert main(["score", judged, address, "-m", "AP", "--save", "https://host/a.parquet"]) == 2
    assert "read only" in capsys.readouterr().err


def test_other_schemes_and_folders_keep_their_meaning(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "s3:" / "bucket"
    folder.mkdir(parents=True)
    (folder / "a.run").write_text("q1 Q0 a 1 1 t\n")
    assert tare.read_run("s3:/bucket/a.run").system == "a"
    with pytest.raises(UnreadableError, match=r"ftp://host/a\.run: no such file\. Addresses begin"):
        tare.read_run("ftp://host/a.run")


def test_an_address_does_not_carry_credentials(capsys):
    with pytest.raises(OptionError, match="must not contain credentials") as raised:
        tare.read_run("s3://key:swordfish@bucket/a.run")
    assert "swordfish" not in str(raised.value)


def test_secrets_are_never_printed(store, made, capsys):
    judged = store.put("qrels.txt", made[1])
    for words in (
        ["score", judged, f"s3://{BUCKET}/absent.run"],
        ["score", judged, "s3://absent-bucket/a"],
    ):
        assert main(words) == 3
        told = capsys.readouterr()
        assert SECRET not in told.out + told.err
        assert "AKIA" not in told.out + told.err
        assert "no such" in told.err


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    with pytest.raises(tare.errors.MissingExtraError, match=r"tare-eval\[cloud\]"):
        tare.read_run("s3://bucket/a.run")
