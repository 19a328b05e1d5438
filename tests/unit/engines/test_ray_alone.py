"""The Ray engine with a stand-in for Ray: nodes that join or are missing, and a Ray that does not start."""

from __future__ import annotations

import socket
import time
from types import SimpleNamespace

import pytest

from tare.engines import _ray
from tare.engines._ray import Ray, memory_of, processors_of, start_ray, task_error
from tare.errors import EngineError, OptionError


class Stuck:
    """A cluster on which a task finishes after some waits."""

    def __init__(self, processors, waits):
        self.processors, self.waits = processors, waits
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


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Looks at the nodes that are due at once, as the stand-in does not wait."""
    monkeypatch.setattr(_ray, "JOINING", 1e-3)


def engine_on(ray):
    engine = Ray.__new__(Ray)
    engine._ray, engine.workers, engine.on_progress = ray, 2, None
    return engine


def test_a_cluster_without_processors_is_an_error():
    stuck = Stuck(0, waits=49)
    plain = stuck.wait

    def wait(*given, **options):
        time.sleep(0.002)  # longer than the interval at which processors are counted
        return plain(*given, **options)

    stuck.wait = wait
    calls = iter([lambda k=k: f"task {k}" for k in range(3)])
    with pytest.raises(EngineError, match=r"^a.run: no node of the cluster has a processor"):
        engine_on(stuck)._gather(
            calls, ["bytes 0 to 9", "bytes 9 to 20", "bytes 20 to 31"], "a.run"
        )


def test_nodes_that_join_get_tasks():
    """Two calls per processor run at once, also on those that were not there at first."""
    stuck = Stuck(2, waits=6)
    engine = engine_on(stuck)
    engine.workers = 1
    sizes = []
    plain = stuck.wait

    def wait(references, **options):
        sizes.append(len(references))
        if len(sizes) == 3:
            stuck.processors = 4
        time.sleep(0.002)  # longer than the interval at which processors are counted
        return plain(references, **options)

    stuck.wait, stuck.processors = wait, 1
    calls = iter([lambda k=k: f"task {k}" for k in range(20)])
    assert engine._gather(calls, list(range(20)), "a.run") == [f"task {k}" for k in range(20)]
    assert (sizes[0], max(sizes)) == (2, 8)


def test_the_smallest_node_determines_the_memory_of_all_tasks():
    def node(processors, memory):
        return {"Resources": {"CPU": processors, "memory": memory}}

    head, large, small = {"Resources": {"memory": 10**9}}, node(2, 8000), node(2, 4000)
    assert processors_of([head, large, small]) == 4
    assert memory_of([head, large, small]) == 4 * 1000
    assert memory_of([head, large, small], 500) == 4 * 250
    assert memory_of([head, node(4, 8000), node(1, 4000)]) == 5 * 1000
    assert memory_of([{"Resources": {"memory": 10}}, large, small]) == 4 * 1000  # runs no tasks
    assert processors_of([head]) == 1  # the first node that joins has at least one
    assert (memory_of([head], 700), memory_of([head])) == (700, 10**9 // 2)


def test_a_part_that_ray_gives_up_is_named():
    error = type("OutOfDiskError", (Exception,), {})("Local disk is full")
    told = str(task_error("a.run, bytes 0 to 9", error))
    assert told.startswith(
        "a.run, bytes 0 to 9: Ray gave this part up after at most 4 attempts (OutOf"
    )


def test_a_worker_that_cannot_start_is_named():
    actor = SimpleNamespace(start=SimpleNamespace(remote=lambda: "start"))
    with pytest.raises(EngineError, match="BERTScore: no node of the cluster has a processor"):
        engine_on(Stuck(0, waits=49))._distribute([actor], ["text 1"], "BERTScore")


@pytest.mark.parametrize("kind", [Exception, RuntimeError, ValueError, OSError])
def test_a_ray_that_does_not_start_is_an_error_of_tare(monkeypatch, kind):
    """Ray raises a plain Exception if its processes do not start in time."""
    begun, ended = [], []

    def init(**options):
        begun.append(options["address"])
        raise kind("The current node timed out during startup.")

    stand_in = SimpleNamespace(
        is_initialized=lambda: False, init=init, shutdown=lambda: ended.append(1)
    )
    monkeypatch.setattr("tare.engines._ray.ray_module", lambda: stand_in)
    with pytest.raises(EngineError, match=r"Ray did not start on this machine \(The current"):
        Ray()
    assert begun == ["local"] * 3
    assert len(ended) == 2


@pytest.mark.parametrize(("late", "starts"), [(0, 1), (1, 2), (2, 3)])
def test_a_ray_that_starts_late_on_a_busy_machine_is_started_again(late, starts):
    begun, ended = [], []

    def init(**options):
        begun.append(options)
        if len(begun) <= late:
            raise Exception("The current node timed out during startup.")

    stand_in = SimpleNamespace(init=init, shutdown=lambda: ended.append(1))
    start_ray(stand_in, None, {"num_cpus": 2})
    assert [options["num_cpus"] for options in begun] == [2] * starts
    assert len(ended) == late


def test_other_failures_and_clusters_are_not_tried_again():
    begun = []

    def init(**options):
        begun.append(options)
        raise RuntimeError("no such file" if len(begun) == 1 else "it timed out during startup")

    stand_in = SimpleNamespace(init=init)
    with pytest.raises(EngineError, match=r"did not start on this machine \(no such file\)"):
        start_ray(stand_in, None, {})
    with pytest.raises(EngineError, match="no Ray cluster responds at auto"):
        start_ray(stand_in, "auto", {"num_cpus": 2})
    assert len(begun) == 2
    assert "num_cpus" not in begun[1]


def test_an_address_at_which_nothing_listens_fails_at_once():
    """Ray itself would try for minutes."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gone = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EngineError, match=f"no Ray cluster responds at {gone} .*refused"):
        start_ray(SimpleNamespace(), gone, {})


def test_an_amount_of_memory_that_is_none_starts_no_ray(monkeypatch):
    monkeypatch.setattr("tare.engines._ray.ray_module", SimpleNamespace)
    with pytest.raises(OptionError, match="memory='many' is not an amount"):
        Ray(memory="many")
