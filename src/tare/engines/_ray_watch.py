"""A watch over a Ray cluster: what waiting parts wait for, and when no answer can come."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from tare.errors import EngineError

__all__ = ["Head", "Wait", "Waiting", "check_address", "check_processors", "cluster_identity"]

J = TypeVar("J")
SHOWN = 3
CONNECTING = 10.0  # seconds
PATIENCE = 30.0  # seconds without a finished task until it is reported
INTERVAL = 2.0  # seconds between two checks of the head
ATTEMPTS = 3  # a busy head may miss one question
UNNOTICED = 20.0  # seconds for the calling thread to notice that the head is lost; Ray gives it 60


@dataclass(frozen=True)
class Waiting:
    """Parts that were started and have not finished."""

    what: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what or 'tasks'}: {self._shown()}"

    def _shown(self) -> str:
        more = f" and {len(self.parts) - SHOWN} more" if len(self.parts) > SHOWN else ""
        return f"{'; '.join(self.parts[:SHOWN])}{more}"

    def report(self, ray: Any, seconds: float) -> str:
        """Return a message about what the parts wait for."""
        nodes = sum(bool(node.get("Alive")) for node in ray.nodes())
        free = float(ray.available_resources().get("CPU", 0))
        total = float(ray.cluster_resources().get("CPU", 0))
        state = "Waiting for a free processor" if free < 1 else "Still running"
        return (
            f"{self.what or 'tasks'}: no part finished for {seconds:g} seconds. {state}: {self._shown()}. The "
            f"cluster has {nodes} node{'s' * (nodes != 1)}, and {total - free:g} of {total:g} processors are in use."
        )


class Head:
    """The head of the cluster, checked by a thread.

    Ray waits for a lost head for 60 seconds and then ends this process. A head that was restarted does
    not know this process: most calls of Ray then end the process at once. So it is asked by a separate
    connection, and Ray is called only if it is the head that this process joined.

    Parameters
    ----------
    address
        The host and port of the head.
    identity
        A function that returns the identity of the cluster at an address.
    on_lost
        A function that is called with the message if the calling thread does not notice the loss,
        because a call of Ray does not return.
    """

    def __init__(
        self,
        address: str,
        identity: Callable[[str], str],
        on_lost: Callable[[str], None] | None = None,
    ) -> None:
        self.address = address
        self.lost = ""
        self._identity = identity
        self._on_lost = on_lost
        self._joined = identity(address)
        self._closed = threading.Event()
        self._noticed = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def ask(self, waiting: Callable[[], object]) -> None:
        """Ask the head now, before a call of Ray that ends this process if the head was restarted."""
        self.lost = self.lost or self._loss()
        if self.lost:
            self.check(waiting())

    def check(self, waiting: object) -> None:
        """Raise an error if the head was lost."""
        if self.lost:
            self._noticed.set()
            raise EngineError(
                f"{waiting}: the head of the cluster at {self.address} {self.lost}. Nothing was scored; "
                "start the cluster again with `ray start` on every node, and run the command again."
            )

    def close(self) -> bool:
        """End the watch; return whether the head is lost."""
        self._noticed.set()
        self._closed.set()
        self._thread.join()
        self.lost = self.lost or self._loss()
        return bool(self.lost)

    def _watch(self) -> None:
        while not self._closed.wait(INTERVAL):
            self.lost = self.lost or self._loss()
            if self.lost:
                break
        if not self.lost or self._on_lost is None:
            return
        end = time.monotonic() + UNNOTICED
        while time.monotonic() < end and not self._noticed.is_set():
            if self._closed.wait(0.1):
                return
        if not self._noticed.is_set():
            self._on_lost(f"the head of the cluster at {self.address} {self.lost}.")

    def _loss(self) -> str:
        host, _, port = self.address.rpartition(":")
        for _ in range(ATTEMPTS):
            try:
                socket.create_connection((host, int(port)), timeout=CONNECTING).close()
                found = self._identity(self.address)
            except ConnectionRefusedError:
                break
            except Exception:  # Ray has its own errors for a head that ends during the call
                continue
            return "" if found == self._joined else "was restarted"
        return "does not respond"


def cluster_identity(address: str) -> str:
    """Return the identity of the cluster at an address, asked by a new connection."""
    from ray._raylet import GcsClient  # type: ignore[attr-defined]  # as Ray's own libraries do

    return str(GcsClient(address=address).cluster_id.hex())


class Wait:
    """The wait for the tasks of one call.

    Attributes
    ----------
    processors
        The number of processors of the cluster, which grows if nodes join.
    """

    def __init__(
        self, ray: Any, head: Head, what: str, on_wait: Callable[[str], None] | None
    ) -> None:
        self._ray, self._head, self._what, self._on_wait = ray, head, what, on_wait
        self._counted = self._finished = time.monotonic()
        self.processors = 0

    def next(self, pending: Mapping[Any, J], name: Callable[[J], Any]) -> Any:
        """Return a finished task, or None after two seconds; check the cluster meanwhile."""
        ready, _ = self._ray.wait(list(pending), num_returns=1, timeout=min(INTERVAL, PATIENCE))
        now = time.monotonic()

        def waiting() -> Waiting:
            return Waiting(self._what, tuple(str(name(job)) for job in pending.values()))

        if self._head.lost:
            self._head.check(waiting())
        if now - self._counted >= INTERVAL:
            self._counted = now
            self._head.ask(waiting)
            self.processors = int(self._ray.cluster_resources().get("CPU", 0))
        if ready:
            self._finished = now
            return ready[0]
        if now - self._finished >= PATIENCE:
            self._finished = now
            self._head.ask(waiting)
            check_processors(self._ray, self._head.address, waiting())
            if self._on_wait is not None:
                self._on_wait(waiting().report(self._ray, PATIENCE))
        return None


def check_processors(ray: Any, address: str, waiting: Waiting) -> None:
    """Raise an error if no node can run tasks; Ray itself waits for nodes forever."""
    alive = [node for node in ray.nodes() if node.get("Alive")]
    if not any(node.get("Resources", {}).get("CPU", 0) >= 1 for node in alive):
        raise EngineError(
            f"{waiting}: no node of the cluster at {address} has a processor for tasks. Nothing was "
            "scored; add nodes with `ray start --address`, and run the command again."
        )


def check_address(address: str | None) -> None:
    """Fail at once if nothing listens at host:port; Ray would retry for minutes."""
    if address is not None and re.fullmatch(r"[\w.-]+:\d+", address):
        host, _, port = address.rpartition(":")
        socket.create_connection((host, int(port)), timeout=CONNECTING).close()
