"""Ray clusters of separate nodes: the same numbers or nothing, whatever happens to nodes and head."""

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
from tests.clusters import PLAIN, STORE, Cluster, descendants

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
    """One run, as text and as Parquet, and what one process makes of it."""
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
    with tare.engines.Ray(address=cluster.address, memory="16MB") as engine:
        assert (engine.workers, engine.machines) == (3, 3)
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


def test_nodes_that_are_killed_change_nothing(cluster, data):
    qrels, text, table, expected = data
    killed = {}

    def kill_one(what, done, total):
        if what not in killed:
            killed[what] = cluster.nodes[len(killed)]
            killed[what].kill()

    with tare.engines.Ray(address=cluster.address, memory="16MB") as engine:
        engine.on_progress = kill_one
        for run in (text, table):
            scores = tare.evaluate(qrels, run, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)
    assert len(killed) == 2


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
        with tare.engines.Ray(address=cluster.address) as engine:
            assert (
                engine.memory == 2 * 100_000_000
            )  # half of the smaller memory, for each processor
            scores = tare.evaluate(qrels, table, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)


# The command, which stops after its first part until the file named by GO exists.
PAUSED = """
import os, pathlib, sys, time
from tare._cli import engines
from tare._cli.main import main

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
def test_a_head_that_is_lost_or_restarted_ends_the_command(tmp_path, data, what):
    """By Ray itself, which gives the head a minute; nothing is written."""
    qrels, text, _, _ = data
    go, saved, log = tmp_path / "go", tmp_path / "out.parquet", tmp_path / "log"
    place = ("--engine", "ray", "--memory", "1MB", "--save", str(saved))
    with Cluster(1) as cluster, log.open("w") as words_to:
        driver = subprocess.Popen(
            [
                *(sys.executable, "-c", PAUSED, "score", str(qrels), str(text), "-m", "AP"),
                *(*place, "--address", cluster.address),
            ],
            stdout=subprocess.PIPE,
            stderr=words_to,
            text=True,
            env={**os.environ, **PLAIN, "GO": str(go)},
        )
        try:
            while not re.search(r"^part 1 \d+", log.read_text(), re.MULTILINE):
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
    assert driver.returncode != 0, log.read_text()
    assert (out, saved.exists()) == ("", False)


def test_a_cluster_that_loses_all_workers_is_reported_and_not_waited_for():
    with Cluster(1) as cluster, tare.engines.Ray(address=cluster.address) as engine:
        engine.on_progress = lambda *_: cluster.nodes[0].kill()
        with pytest.raises(tare.errors.EngineError, match=r"^a.run: no node .* has a processor"):
            engine.map_partitions(_slow, None, [0, 600, 600], what="a.run")


def _slow(shared, part):
    time.sleep(part)
