"""`tare judge serve` as a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from typing import Any

__all__ = ["ServedProcess", "free_port"]


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class ServedProcess:
    """A server that is killed at the end; `said` is then what it wrote to standard error."""

    def __init__(self, shell: Any, database: str, *, descriptors: int | None = None) -> None:
        self.port, self.said = free_port(), b""
        self.url = f"http://127.0.0.1:{self.port}"
        command = shell.command("judge", "serve", database, "--port", str(self.port))
        if descriptors is not None:
            command = ["sh", "-c", f'ulimit -Sn {descriptors}; exec "$@"', "sh", *command]
        self.command, self.shell = command, shell

    def __enter__(self) -> ServedProcess:
        self.process = subprocess.Popen(
            self.command, cwd=self.shell.folder, env=self.shell.environment, stderr=subprocess.PIPE
        )
        end = time.monotonic() + 600
        while time.monotonic() < end:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            assert self.process.poll() is None, self.process.communicate()[1].decode()
            time.sleep(0.05)
        self.__exit__()
        raise AssertionError("the server did not start")

    def __exit__(self, *_: object) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.said = self.process.communicate(timeout=600)[1]
