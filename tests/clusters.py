"""Ray clusters of several nodes on this machine, started by `ray start` as a user does."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

__all__ = ["PLAIN", "STORE", "Cluster", "Node", "descendants", "quiet_port"]

STORE = 80_000_000  # Ray's least is 75 MB
PLAIN = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "disabled",  # a token in the home of this user would be asked for by the head
    "RAY_worker_niceness": "0",  # Ray's 15 leaves its workers next to nothing of a busy machine
}
TOO_LATE = "timed out during startup"
WITHIN = 240.0  # seconds; a node starts in five on an idle machine


def descendants(pid: int) -> set[int]:
    """The processes that one started, and those that they started."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def quiet_port() -> int:
    """A free port that neither the system nor Ray (10002 to 19999) gives to a process by itself."""
    while True:
        port = random.SystemRandom().randrange(20_000, 30_000)
        with socket.socket() as asked, contextlib.suppress(OSError):
            asked.bind(("0.0.0.0", port))
            return port


class Node:
    """One `ray start --block` with its own address, object store and temporary folder."""

    def __init__(
        self,
        folder: Path,
        host: str,
        *options: str,
        processors: int,
        store: int = STORE,
        in_memory: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.host = folder, host
        (folder / "store").mkdir(parents=True, exist_ok=True)
        place = () if in_memory else (f"--plasma-directory={folder / 'store'}",)
        command = [
            str(Path(sys.executable).with_name("ray")),
            "start",
            "--block",
            *options,
            f"--node-ip-address={host}",
            f"--num-cpus={processors}",
            f"--object-store-memory={store}",
            *place,
            f"--temp-dir={folder / 'temporary'}",
            "--disable-usage-stats",
            "--include-log-monitor=false",
        ]
        self.log = folder / "node.log"
        self._command = command
        self._environment = {**os.environ, **PLAIN, **(environment or {})}
        self._start()

    def _start(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
            )

    def wait(self) -> None:
        """Return when the node has joined the cluster."""
        end = time.monotonic() + WITHIN
        while "Ray runtime started" not in (said := self.log.read_text(errors="replace")):
            assert time.monotonic() < end, f"{self.host} did not start in {WITHIN:g} seconds"
            if (
                self.process.poll() is not None
            ):  # Ray gives itself 30 seconds, on a busy machine too
                assert TOO_LATE in said, said
                self.kill()
                self._start()
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill every process of the node (SIGKILL), as a power failure does."""
        gone = descendants(self.process.pid) | {self.process.pid}
        for pid in gone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


class Cluster:
    """A head without processors, and workers; each node has its own address, store and folder.

    Nodes talk by sockets only: a process of one node cannot map the store of another. Stores are files in the
    folders of the nodes, or in the shared memory of the system (`in_memory`), which is faster.
    """

    def __init__(
        self,
        workers: int = 3,
        *,
        processors: int = 1,
        store: int = STORE,
        in_memory: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        # Names of sockets are limited to 107 characters, so the folder has a short path.
        self.folder = Path(tempfile.mkdtemp(prefix="nodes-", dir="/tmp"))
        self.port = quiet_port()
        self.processors, self.store, self.in_memory = processors, store, in_memory
        self.environment = dict(environment or {})
        self.nodes: list[Node] = []
        try:
            self.head = self.start_head()
            for _ in range(workers):
                self.add(wait=False)
            for node in self.nodes:
                node.wait()
        except BaseException:
            self.stop()
            raise

    @property
    def address(self) -> str:
        """The address for `--address`."""
        return f"127.0.0.1:{self.port}"

    def start_head(self) -> Node:
        """Start the head, also again after it was killed."""
        folder = self.folder / f"head-{len(list(self.folder.glob('head-*')))}"
        node = Node(
            folder,
            "127.0.0.1",
            "--head",
            f"--port={self.port}",
            "--include-dashboard=false",
            processors=0,
            store=self.store,
            in_memory=self.in_memory,
            environment=self.environment,
        )
        self.head = node
        node.wait()
        return node

    def add(
        self,
        *options: str,
        wait: bool = True,
        store: int | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Node:
        """Start a worker."""
        number = len(self.nodes) + 1
        node = Node(
            self.folder / f"worker-{number}",
            f"127.0.0.{number + 1}",
            f"--address={self.address}",
            *options,
            processors=self.processors,
            store=store or self.store,
            in_memory=self.in_memory,
            environment={**self.environment, **(environment or {})},
        )
        self.nodes.append(node)
        if wait:
            node.wait()
        return node

    def stop(self) -> None:
        """Kill all nodes and remove their folders."""
        for node in [*self.nodes, *([self.head] if hasattr(self, "head") else [])]:
            node.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
