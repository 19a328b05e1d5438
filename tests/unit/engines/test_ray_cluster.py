"""Ray clusters of several nodes with separate stores: the same numbers, also when nodes come and go."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import numpy as np
import pytest

import tare

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
pytestmark = pytest.mark.slow
STORE = 160 << 20


def test_a_node_that_is_lost_changes_nothing(tmp_path):
    import polars as pl
    from ray.cluster_utils import Cluster

    chance = random.Random(6)
    rows = [(f"q{q}", f"document-{d}", chance.random()) for q in range(400) for d in range(500)]
    qrels = {f"q{q}": {f"document-{d}": chance.choice([0, 1, 2]) for d in range(30)} for q in range(399)}  # fmt: skip
    chance.shuffle(rows)
    path = tmp_path / "made.parquet"
    pl.DataFrame(rows, schema=["query", "document", "score"], orient="row").write_parquet(path)
    expected = tare.evaluate(qrels, path, ["AP", "V2(nDCG@10,pool=judged)"])

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    try:
        second = cluster.add_node(num_cpus=1, object_store_memory=STORE)
        lost = []

        def told(what, done, total):
            if "to buckets" in what and done == total:  # chunks of 250 kB wait on both nodes
                cluster.remove_node(second, allow_graceful=False)
                lost.append(total)

        with tare.engines.Ray(address=cluster.address, memory="16MB", buckets=3) as engine:
            assert engine.workers == 2
            for engine.on_progress in (None, told):
                scores = tare.evaluate(
                    qrels, path, ["AP", "V2(nDCG@10,pool=judged)"], engine=engine
                )
                assert np.array_equal(scores.values, expected.values, equal_nan=True)
        assert len(lost) == 1
    finally:
        cluster.shutdown()


MEASURES = ["AP", "V2(nDCG@10,pool=judged)"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """One run, grouped as text and mixed as Parquet, and what one process makes of it."""
    import polars as pl

    folder = tmp_path_factory.mktemp("data")
    chance = random.Random(7)
    rows = [
        (f"q{q:03d}", f"document-{d}", round(chance.random(), 6))
        for q in range(120)
        for d in range(200)
    ]
    qrels = {
        f"q{q:03d}": {f"document-{d}": chance.choice([0, 1, 2]) for d in range(30)}
        for q in range(119)
    }
    text, table = folder / "made.run", folder / "made.parquet"
    text.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows))
    chance.shuffle(rows)
    pl.DataFrame(rows, schema=["query", "document", "score"], orient="row").write_parquet(table)
    expected = tare.evaluate(qrels, table, MEASURES)
    return qrels, text, table, expected.values


@pytest.fixture
def cluster():
    """One head without processors, and three workers; each has its own store and processes."""
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        for _ in range(3):
            made.add_node(num_cpus=1, object_store_memory=STORE)
        yield made
    finally:
        made.shutdown()


def test_three_workers_give_the_bits_of_one_process_while_nodes_come_and_go(cluster, data):
    qrels, text, table, expected = data
    workers = sorted(cluster.worker_nodes, key=id)
    gone = []

    def killed(what, done, total):
        if not gone and done == 1:  # SIGKILL, in the middle of the work
            gone.append(workers[0])
            cluster.remove_node(workers[0], allow_graceful=False)

    def joined(what, done, total):
        if len(gone) == 1 and done == 1:
            gone.append(cluster.add_node(num_cpus=1, object_store_memory=STORE // 2))

    with tare.engines.Ray(address=cluster.address, memory="16MB", buckets=3) as engine:
        assert engine.workers == 3
        for run in (text, table):
            scores = tare.evaluate(qrels, run, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)
        for engine.on_progress in (killed, joined):
            scores = tare.evaluate(qrels, table, MEASURES, engine=engine)
            assert np.array_equal(scores.values, expected, equal_nan=True)
    assert len(gone) == 2


DRIVER = """
import sys, time
import tare
from tare.engines import _ray

_ray.PATIENCE = 2.0

def task(shared, part):
    time.sleep(600)

def waits(message):
    print(message, flush=True)

with tare.engines.Ray(address=sys.argv[1], on_wait=waits) as engine:
    try:
        engine.map_partitions(task, None, ["part one", "part two"], what="a.run")
    except tare.errors.EngineError as error:
        print(error, flush=True)
        import os
        os._exit(3)  # as the head is gone, Ray cannot say goodbye to it
"""


@pytest.mark.parametrize("lost", ["the head", "all workers"])
def test_a_cluster_that_is_lost_is_reported_and_not_waited_for(cluster, lost):
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.address],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
    )
    try:
        assert driver.stdout is not None
        assert driver.stdout.readline().startswith("a.run: part one; part two waits for")
        if lost == "the head":
            cluster.head_node.kill_gcs_server(check_alive=False)
        else:
            for node in list(cluster.worker_nodes):
                cluster.remove_node(node, allow_graceful=False)
        told, _ = driver.communicate(timeout=240)
    finally:
        driver.kill()
    assert driver.returncode == 3
    assert "a.run: part one; part two" in told
    assert ("does not respond" if lost == "the head" else "has a processor for tasks") in told
