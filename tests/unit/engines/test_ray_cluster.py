"""Ray clusters of separate nodes: the same numbers or a clear error, whatever happens to nodes and head."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tare
from tests.clusters import PLAIN, STORE, Cluster, descendants, small_disk

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="finds nodes through /proc"),
]
MEASURES = ["AP", "V2(nDCG@10,pool=judged)"]


@pytest.fixture(scope="module", autouse=True)
def tasks_of_this_file():
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """One run, grouped as text and mixed as Parquet, and what one process makes of it."""
    import polars as pl

    folder = tmp_path_factory.mktemp("data")
    chance = random.Random(7)
    rows = [
        (f"q{q:03d}", f"document-{d}", round(chance.random(), 6))
        for q in range(400)
        for d in range(500)
    ]
    qrels = {
        f"q{q:03d}": {f"document-{d}": chance.choice([0, 1, 2]) for d in range(30)}
        for q in range(399)
    }
    tare.read_qrels(qrels).write(folder / "qrels.txt")
    text, table = folder / "made.run", folder / "made.parquet"
    text.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows))
    chance.shuffle(rows)
    pl.DataFrame(rows, schema=["query", "document", "score"], orient="row").write_parquet(table)
    expected = tare.evaluate(folder / "qrels.txt", table, MEASURES)
    return folder / "qrels.txt", text, table, expected.values


@pytest.fixture
def cluster():
    with Cluster(3) as made:
        yield made


def stores_of(pid: int) -> set[str]:
    """The folders of object stores that a process has in its memory."""
    try:
        maps = Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return set()
    return set(re.findall(r"(\S+)/store/plasma", maps))


def test_nodes_share_neither_memory_nor_folders(cluster, data, tmp_path):
    qrels, _, table, expected = data
    with tare.engines.Ray(address=cluster.address, memory="16MB", buckets=3) as engine:
        assert engine.workers == 3
        assert engine.memory == 3 * 16_000_000  # the head runs no tasks
        scores = tare.evaluate(qrels, table, MEASURES, engine=engine)
        assert np.array_equal(scores.values, expected, equal_nan=True)
        # On a busy machine, one node may have done all the work: let a worker of each node run.
        hosts = engine.map_partitions(_meet, str(tmp_path), list(range(3)))
        assert sorted(hosts) == sorted(node.host for node in cluster.nodes)
        seen = 0
        for node in [cluster.head, *cluster.nodes]:
            mapped = {pid: stores_of(pid) for pid in descendants(node.process.pid)}
            assert set().union(*mapped.values()) == {str(node.folder)}
            seen += len([pid for pid in mapped if mapped[pid]])
            assert (node.folder / "temporary" / "session_latest").exists()
        assert seen >= 7  # four daemons, and a worker of each node with processors


def test_a_node_that_is_killed_changes_nothing(cluster, data):
    """First while pieces are judged, then when the rows of all pieces are on three nodes."""
    qrels, text, table, expected = data
    killed = []

    def kill_at(phase, count):
        def told(what, done, total):
            if len(killed) < count and phase in what and done == (total if phase else 1):
                killed.append(cluster.nodes[len(killed)])
                killed[-1].kill()

        return told

    with tare.engines.Ray(address=cluster.address, memory="16MB", buckets=3) as engine:
        for run, phase, count in ((text, "", 1), (table, "to buckets", 2)):
            engine.on_progress = kill_at(phase, count)
            scores = tare.evaluate(qrels, run, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)
            assert len(killed) == count


def _meet(shared, part):
    """Wait until three tasks run at the same time."""
    folder = Path(shared)
    (folder / str(part)).touch()
    end = time.monotonic() + 200
    while len(list(folder.iterdir())) < 3:
        assert time.monotonic() < end, "no third task was started"
        time.sleep(0.05)
    return ray.util.get_node_ip_address()


def test_a_node_that_joins_late_works_at_once(tmp_path):
    with Cluster(1) as cluster:
        with tare.engines.Ray(address=cluster.address) as engine:
            assert engine.workers == 1
            late = [cluster.add(wait=False), cluster.add(wait=False)]
            hosts = engine.map_partitions(_meet, str(tmp_path), list(range(6)))
        assert {node.host for node in late} <= set(hosts)


def test_a_node_with_half_of_the_memory_determines_the_shares(data):
    qrels, _, table, expected = data
    with Cluster(0) as cluster:
        cluster.add("--memory=400000000", wait=False)
        cluster.add("--memory=200000000", wait=False, store=STORE)
        for node in cluster.nodes:
            node.wait()
        with tare.engines.Ray(address=cluster.address, buckets=3) as engine:
            assert (
                engine.memory == 2 * 100_000_000
            )  # half of the smaller memory, for each processor
            scores = tare.evaluate(qrels, table, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)


def command(*words: str) -> list[str]:
    return [str(Path(sys.executable).with_name("tare")), *words]


def mixed_run(folder: Path, rows: int) -> Path:
    """A run of which no query is together."""
    import polars as pl

    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "query": random.integers(0, 3000, rows),
            "document": np.arange(rows),
            "score": random.random(rows),
        }
    )
    path = folder / "mixed.parquet"
    frame.select(
        pl.format("q{}", "query").alias("query"),
        pl.format("document-{}", "document").alias("document"),
        "score",
    ).write_parquet(path, row_group_size=100_000)
    return path


def test_a_full_disk_on_one_node_is_a_clear_error(tmp_path, data):
    """The rows of three million lines are larger than the store and the disk of the only worker."""
    qrels, *_ = data
    path = mixed_run(tmp_path, 3_000_000)
    with Cluster(0) as cluster:
        try:
            disk = small_disk(cluster.folder / "disk", 8 << 20)
            place = disk.__enter__()
        except OSError as error:
            pytest.skip(f"no file system can be mounted here ({error})")
        try:
            cluster.add("--object-spilling-directory", str(place))
            done = subprocess.run(
                command(
                    "score",
                    str(qrels),
                    str(path),
                    "-m",
                    "AP",
                    "--engine",
                    "ray",
                    "--address",
                    cluster.address,
                    "--memory",
                    "100MB",
                    "--save",
                    str(tmp_path / "out.parquet"),
                ),
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
                env={**os.environ, **PLAIN},
            )
        finally:
            cluster.stop()
            disk.__exit__(None, None, None)
    assert done.returncode == 3
    assert "a node has no place for its rows" in done.stderr
    assert "--object-spilling-directory" in done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stdout, (tmp_path / "out.parquet").exists()) == ("", False)


# The command, which says that it waits, and stops after its first part until the file named by GO exists.
PAUSED = """
import os, pathlib, sys, time
from tare._cli import engines
from tare._cli.main import main
from tare.engines import _ray_watch

class Wait(_ray_watch.Wait):
    def next(self, *pending):
        found = super().next(*pending)
        if found is None:
            print("waiting", file=sys.stderr, flush=True)
        return found

_ray_watch.Wait = Wait  # before the engine is loaded

class Paused:
    def __init__(self, **_):
        pass
    def __call__(self, what, done, total):
        print("part", done, total, file=sys.stderr, flush=True)
        while not pathlib.Path(os.environ["GO"]).exists():
            time.sleep(0.05)

engines.Progress = Paused
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("what", ["lost", "restarted"])
@pytest.mark.parametrize("while_", ["waiting", "submitting"])
def test_a_head_that_is_lost_or_restarted_ends_the_command(tmp_path, data, what, while_):
    """While the only part waits for a processor, or between two parts."""
    qrels, text, _, _ = data
    go, saved, log = tmp_path / "go", tmp_path / "out.parquet", tmp_path / "log"
    with Cluster(1 if while_ == "submitting" else 0) as cluster, log.open("w") as words_to:
        driver = subprocess.Popen(
            [
                sys.executable,
                "-c",
                PAUSED,
                "score",
                str(qrels),
                str(text),
                "-m",
                "AP",
                "--engine",
                "ray",
                "--address",
                cluster.address,
                "--memory",
                "1MB",
                "--save",
                str(saved),
            ],
            stdout=subprocess.PIPE,
            stderr=words_to,
            text=True,
            env={**os.environ, **PLAIN, "GO": str(go)},
        )
        try:
            said = r"^part 1 \d+" if while_ == "submitting" else "^waiting"
            while not re.search(said, log.read_text(), re.MULTILINE):
                assert driver.poll() is None, log.read_text()
                time.sleep(0.1)
            cluster.head.kill()
            if what == "restarted":
                cluster.start_head()
            go.touch()
            out, _ = driver.communicate(timeout=240)
        finally:
            driver.kill()
            driver.wait()
    words = log.read_text()
    assert driver.returncode == 3, words
    assert re.search(
        r"the head of the cluster (at \S+ (does not respond|was restarted)|was lost)", words
    )
    assert "Nothing was" in words
    assert "Traceback" not in words
    assert "StackTrace" not in words  # of Ray, which gives up after a minute
    assert (out, saved.exists()) == ("", False)


def test_a_cluster_that_loses_all_workers_is_reported_and_not_waited_for(
    tmp_path, data, monkeypatch
):
    monkeypatch.setattr("tare.engines._ray_watch.PATIENCE", 4.0)
    told = []
    with Cluster(1) as cluster, tare.engines.Ray(address=cluster.address) as engine:

        def waits(message):
            told.append(message)
            if len(told) == 1:
                cluster.nodes[0].kill()

        engine.on_wait = waits
        with pytest.raises(
            tare.errors.EngineError, match=r"a.run: part one; part two: no node .* has a processor"
        ):
            engine.map_partitions(_sleep, None, ["part one", "part two"], what="a.run")
    # Whether Ray has already given the processor to a part depends on how busy the machine is.
    states = "Still running|Waiting for a free processor"
    assert re.match(rf"a\.run: no part finished for 4 seconds\. ({states}): part one", told[0]), (
        told
    )


def _sleep(shared, part):
    time.sleep(600)
