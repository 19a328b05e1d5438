"""A Ray cluster of two nodes: the same numbers, also when one of them is lost with what it holds."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tare

ray = pytest.importorskip("ray", reason="the extra ray is not installed")
pytestmark = pytest.mark.slow
STORE = 100 << 20


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
