"""The watch over a Ray cluster, with a stand-in for Ray that never finishes a task."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import pytest

from tare.engines import _ray
from tare.engines._ray import Ray
from tare.engines._ray_watch import Waiting, check_cluster
from tare.errors import EngineError


class Stuck:
    """A cluster on which a task finishes after some waits."""

    def __init__(self, address, processors, waits):
        self.address, self.processors, self.waits = address, processors, waits
        self.timeouts = []

    def wait(self, references, num_returns, timeout=None):
        self.timeouts.append(timeout)
        assert timeout is not None, "a wait without an end"
        assert len(self.timeouts) < 50, "it waits forever"
        if len(self.timeouts) <= self.waits:
            return [], references
        return references[:1], references[1:]

    def get(self, reference):
        return reference

    def nodes(self):
        return [
            {"Alive": True, "Resources": {"CPU": self.processors}},
            {"Alive": False, "Resources": {"CPU": 8}},
        ]

    def cluster_resources(self):
        return {"CPU": self.processors}

    def available_resources(self):
        return {}

    def get_runtime_context(self):
        return SimpleNamespace(gcs_address=self.address)


@pytest.fixture
def head():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def engine_on(ray):
    engine = Ray.__new__(Ray)
    engine._ray, engine.workers, engine.on_progress, engine.on_wait = ray, 2, None, None
    return engine


def gathered(engine):
    calls = iter([lambda k=k: f"task {k}" for k in range(3)])
    return engine._gather(
        calls, ["a.run, bytes 0 to 9", "a.run, bytes 9 to 20", "a.run, bytes 20 to 31"], "a.run"
    )


def test_it_says_which_parts_wait_for_what(head):
    engine, told = engine_on(Stuck(head, 4, waits=2)), []
    engine.on_wait = told.append
    assert gathered(engine) == ["task 0", "task 1", "task 2"]
    assert len(told) == 2
    assert "a.run: a.run, bytes 0 to 9; a.run, bytes 9 to 20" in told[0]
    assert "waits for a free processor" in told[0]
    assert "1 nodes, and 4 of 4 processors are in use" in told[0]


def test_a_cluster_without_processors_is_an_error(head):
    with pytest.raises(
        EngineError, match=r"bytes 0 to 9.*no node of the cluster at .* has a processor"
    ):
        gathered(engine_on(Stuck(head, 0, waits=100)))


def test_a_head_that_is_gone_is_an_error(head):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gone = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EngineError, match=r"the head of the cluster at .* does not respond"):
        gathered(engine_on(Stuck(gone, 4, waits=100)))


def test_a_worker_that_cannot_start_is_named(head):
    actor = SimpleNamespace(start=SimpleNamespace(remote=lambda: "start"))
    with pytest.raises(EngineError, match="the start of a worker"):
        engine_on(Stuck(head, 0, waits=100))._distribute([actor], ["text 1"], "BERTScore")


def test_a_long_list_is_cut(head):
    waiting = Waiting("", tuple(f"part {k}" for k in range(9)))
    assert str(waiting) == "tasks: part 0; part 1; part 2 and 6 more"
    check_cluster(Stuck(head, 1, 0), waiting)
    assert _ray.PATIENCE > 0
