"""The watch over a Ray cluster, with a stand-in for Ray that never finishes a task."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from types import SimpleNamespace

import pytest

from tare.engines import _ray_watch
from tare.engines._ray import Ray
from tare.engines._ray_failures import task_error
from tare.engines._ray_nodes import memory_of, processors_of
from tare.engines._ray_start import start_ray
from tare.engines._ray_watch import Head, Waiting, check_processors
from tare.errors import EngineError, OptionError


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


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Waits that end at once, as the stand-in does not wait."""
    monkeypatch.setattr(_ray_watch, "PATIENCE", 1e-9)
    monkeypatch.setattr(_ray_watch, "INTERVAL", 1e-3)


class Answering(socketserver.TCPServer):
    """A head that accepts what asks it: connections that nobody accepts would fill its queue."""

    request_queue_size = 1024


@pytest.fixture
def head():
    with Answering(("127.0.0.1", 0), socketserver.BaseRequestHandler) as listening:
        answering = threading.Thread(target=listening.serve_forever, args=(0.01,))
        answering.start()
        yield f"127.0.0.1:{listening.server_address[1]}"
        listening.shutdown()
        answering.join()


def test_a_head_answers_any_number_of_questions(head):
    watched = Head(head, lambda address: "one")
    for _ in range(2000):
        watched.ask(lambda: "nothing")
    assert not watched.close()


def engine_on(ray, identity=lambda address: "one"):
    engine = Ray.__new__(Ray)
    engine._ray, engine.workers, engine.on_progress, engine.on_wait = ray, 2, None, None
    engine._head = Head(ray.address, identity)
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
    assert len(told) >= 2
    assert told[0].startswith("a.run: no part finished for ")
    assert "Waiting for a free processor: a.run, bytes 0 to 9; a.run, bytes 9 to 20" in told[0]
    assert "1 node, and 4 of 4 processors are in use" in told[0]


def test_a_cluster_without_processors_is_an_error(head):
    with pytest.raises(
        EngineError, match=r"bytes 0 to 9.*no node of the cluster at .* has a processor"
    ):
        gathered(engine_on(Stuck(head, 0, waits=100)))


def test_a_head_that_is_gone_is_an_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        gone = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EngineError, match=r"the head of the cluster at .* does not respond"):
        gathered(engine_on(Stuck(gone, 4, waits=40)))


@pytest.mark.parametrize(("misses", "lost"), [(2, ""), (3, "does not respond")])
def test_a_busy_head_may_miss_a_question(head, misses, lost, monkeypatch):
    monkeypatch.setattr(_ray_watch, "INTERVAL", 3600.0)
    answers = iter(["one", *[TimeoutError("busy")] * misses])

    def identity(address):
        answer = next(answers, "one")
        if isinstance(answer, Exception):
            raise answer
        return answer

    watched = Head(head, identity)
    assert watched.close() == bool(lost)
    assert watched.lost == lost


def test_a_head_that_was_restarted_is_an_error_before_ray_is_called(head):
    """Ray ends this process if it asks a head that does not know it."""
    names = iter(["one", "one", "two"])
    stuck = Stuck(head, 4, waits=40)
    engine = engine_on(stuck, lambda address: next(names, "two"))
    stuck.cluster_resources = stuck.nodes = lambda: pytest.fail("Ray was asked")
    engine._head._thread.join()  # it has seen the other head
    with pytest.raises(
        EngineError, match=r"a.run: a.run, bytes 0 to 9.* was restarted\. Nothing was"
    ):
        gathered(engine)
    with pytest.raises(EngineError, match=r"the start of tasks: the head .* was restarted"):
        engine._remote(len)


def test_a_loss_that_a_call_of_ray_hides_is_told_by_another_thread(head, monkeypatch):
    monkeypatch.setattr(_ray_watch, "UNNOTICED", 0.0)
    told, heard = [], threading.Event()

    def lost(message):
        told.append(message)
        heard.set()

    names = iter(["one"])
    watched = Head(head, lambda address: next(names, "two"), lost)
    assert heard.wait(60)
    assert told == [f"the head of the cluster at {head} was restarted."]
    watched.close()


def test_nodes_that_join_get_tasks(head):
    """Two calls per processor run at once, also on those that were not there at first."""
    stuck = Stuck(head, 2, waits=6)
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


@pytest.mark.parametrize("kind", ["OutOfDiskError", "ObjectStoreFullError"])
def test_a_full_disk_of_a_node_is_named(kind):
    full = type(kind, (Exception,), {})("Local disk is full")
    of_task = Exception("a task failed")
    of_task.cause = full
    for error in (full, of_task):
        told = str(task_error("bucket 1 of 36", error))
        assert told.startswith("bucket 1 of 36: a node has no place for its rows")
        assert "Nothing was scored" in told


def test_a_worker_that_cannot_start_is_named(head):
    actor = SimpleNamespace(start=SimpleNamespace(remote=lambda: "start"))
    with pytest.raises(EngineError, match="the start of a worker"):
        engine_on(Stuck(head, 0, waits=100))._distribute([actor], ["text 1"], "BERTScore")


def test_a_long_list_is_cut(head):
    waiting = Waiting("", tuple(f"part {k}" for k in range(9)))
    assert str(waiting) == "tasks: part 0; part 1; part 2 and 6 more"
    check_processors(Stuck(head, 1, 0), head, waiting)


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


@pytest.mark.parametrize(
    ("options", "kind"), [({"memory": "many"}, OptionError), ({}, ConnectionError)]
)
def test_an_engine_that_cannot_be_made_leaves_no_ray_behind(monkeypatch, head, options, kind):
    running = []
    stand_in = Stuck(head, 2, 0)
    stand_in.is_initialized = lambda: bool(running)
    stand_in.init = lambda **_: running.append("ray")
    stand_in.shutdown = running.clear

    def lost(address):
        raise ConnectionError

    monkeypatch.setattr("tare.engines._ray.ray_module", lambda: stand_in)
    monkeypatch.setattr("tare.engines._ray.cluster_identity", lost)
    with pytest.raises(kind):
        Ray(**options)
    assert running == []
