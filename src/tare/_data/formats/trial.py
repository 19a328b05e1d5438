"""A trial reading of Parquet files in a process of its own, because damaged ones can abort it.

The decoder takes lengths from the file on trust; where one is absurd it ends the process, and no
exception is left to catch. So a file is first read by a helper process, which may die of it. The
helper starts with the first Parquet file, takes a fifth of a second once, and ends with us.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from typing import IO

__all__ = ["tried"]

MEMORY = 4 << 30
RATIO = 64

PROGRAM = """
import sys
try:
    import resource
except ImportError:
    resource = None
import polars as pl
out = sys.stdout.buffer
out.write(b"ready\\n")
out.flush()
given = sys.stdin.buffer
while line := given.readline():
    most, size = line.split()
    data = given.read(int(size))
    if resource is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    said = b"good"
    try:
        pl.read_parquet(data)
    except BaseException as error:
        words = (str(error).strip() or type(error).__name__).splitlines()[0]
        said = b"bad " + words[:300].encode("utf-8", "replace").hex().encode()
    out.write(said + b"\\n")
    out.flush()
"""


class _Helper:
    """The process, started when it is first needed and again after it died."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None
        self.owner = 0
        atexit.register(self.end)

    def start(self) -> tuple[IO[bytes], IO[bytes]] | None:
        if self.owner != os.getpid():  # a forked process must not share its parent's helper
            self.process, self.owner = None, os.getpid()
        if self.process is None or self.process.poll() is not None:
            self.end()
            try:
                self.process = subprocess.Popen(
                    [sys.executable, "-P", "-c", PROGRAM],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "POLARS_MAX_THREADS": "1", "RUST_BACKTRACE": "0"},
                )
            except OSError:  # where no process can be started the file is read without a trial
                return None
            if self.process.stdout is None or self.process.stdout.readline() != b"ready\n":
                return None
        if self.process.stdin is None or self.process.stdout is None:
            return None
        return self.process.stdin, self.process.stdout

    def ask(self, data: bytes) -> str | None:
        with self.lock:
            pipes = self.start()
            if pipes is None:
                return None
            most = MEMORY + RATIO * len(data)
            try:
                pipes[0].write(f"{most} {len(data)}\n".encode())
                pipes[0].write(data)
                pipes[0].flush()
                answer = pipes[1].readline().split()
            except OSError:
                answer = []
            if not answer:
                self.end()
                return "reading it ends the process that reads it"
            return None if answer[0] == b"good" else bytes.fromhex(answer[1].decode()).decode()

    def end(self) -> None:
        process, self.process = self.process, None
        if process is None or self.owner != os.getpid():
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()


_HELPER = _Helper()


def tried(data: bytes) -> str | None:
    """What is wrong with the bytes of a Parquet file, or None where they can be read."""
    return _HELPER.ask(data)
