"""`tare` in a process of its own that need not load its modules again.

A server loads tare and the packages that it uses, and forks for each command. The command gets the descriptors,
the folder and the environment that its caller gives it. What a command imports, and in which order, is tested
with fresh interpreters.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

__all__ = ["PACKAGES", "PreloadedServer"]

PACKAGES = (
    *("numpy", "cyclopts", "polars", "narwhals", "rich.console"),
    "scipy.special",
    *("jinja2", "altair", "vl_convert"),  # reports
    *("fastapi", "uvicorn", "sqlalchemy", "alembic.command"),  # judging
)
PROGRAM = "tare._cli.main"
NOT_LOADED = (PROGRAM, "tare.compat", "tare._cli.pytest_plugin")
MAX_REQUEST = 1 << 20


class PreloadedServer:
    """A process that forks; it ends with the process that started it."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="tare-")
        self.address = f"{self.folder.name}/server"
        ready, theirs = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.preloaded", self.address, str(theirs), str(os.getpid())],
            pass_fds=[theirs],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(theirs)
        self.works = os.read(ready, 1) == b"1"
        os.close(ready)
        atexit.register(self.stop)

    def stop(self) -> None:
        """End the server; commands that still run go on."""
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def run(
        self, arguments: list[str], folder: str, environment: dict[str, str], stdin: bytes = b""
    ) -> tuple[int, bytes, bytes]:
        """Return the exit code, negative for a signal, and what was written to two pipes."""
        given, feed = os.pipe()
        pipes = [os.pipe(), os.pipe()]
        taken: dict[int, bytes] = {}
        threads = [threading.Thread(target=_feed, args=(feed, stdin))]
        threads += [threading.Thread(target=_drain, args=(p[0], taken)) for p in pipes]
        for thread in threads:
            thread.start()
        theirs = (given, pipes[0][1], pipes[1][1])
        try:
            code = self.run_on(theirs, arguments, folder, environment)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
            for thread in threads:
                thread.join()
        return code, taken[pipes[0][0]], taken[pipes[1][0]]

    def run_on(
        self,
        descriptors: tuple[int, int, int],
        arguments: list[str],
        folder: str,
        environment: dict[str, str],
        seconds: float = 600,
    ) -> int:
        """Run a command on descriptors of the caller, and return its exit code."""
        return _ask(self.address, descriptors, arguments, folder, environment, seconds)

    def command(self, *arguments: str) -> list[str]:
        """Return a command that a shell can run instead of `tare` with these arguments."""
        return [sys.executable, "-S", "-E", __file__, "--ask", self.address, *arguments]


def _ask(
    address: str,
    descriptors: tuple[int, int, int],
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    seconds: float,
) -> int:
    asked = json.dumps([arguments, folder, environment]).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(seconds)
        connection.connect(address)
        socket.send_fds(connection, [len(asked).to_bytes(8, "little")], list(descriptors))
        connection.sendall(asked)
        with connection.makefile("rb") as reply:
            number = int(reply.readline())
            try:
                return int(reply.readline())
            except TimeoutError:
                os.kill(number, signal.SIGKILL)
                raise subprocess.TimeoutExpired(arguments, seconds) from None


def _feed(descriptor: int, text: bytes) -> None:
    with suppress(BrokenPipeError), open(descriptor, "wb") as file:
        file.write(text)


def _drain(descriptor: int, taken: dict[int, bytes]) -> None:
    with open(descriptor, "rb") as file:
        taken[descriptor] = file.read()


def serve(address: str, ready: int, parent: int) -> None:
    """Fork for each connection, until the parent is gone."""
    for name in (*PACKAGES, *_modules()):
        with suppress(ImportError):
            __import__(name)
    gc.freeze()  # the commands need not look through what is loaded
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        listener.settimeout(5)
        os.write(ready, b"1")
        os.close(ready)
        while os.getppid() == parent:
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listener.close()
                connection.settimeout(None)
                _attend(connection)
            connection.close()


def _modules() -> list[str]:
    """Return the modules that commands use, but for the one that each of them runs."""
    import tare

    found = pkgutil.walk_packages(tare.__path__, "tare.", onerror=lambda _: None)
    return [module.name for module in found if not module.name.startswith(NOT_LOADED)]


def _attend(connection: socket.socket) -> None:
    """Start the command of one connection, and report its number and its exit code."""
    head, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
    wanted = int.from_bytes(head, "little")
    assert wanted <= MAX_REQUEST
    asked = b""
    while len(asked) < wanted:
        asked += connection.recv(wanted - len(asked))
    number = os.fork()
    if number == 0:
        connection.close()
        arguments, folder, environment = json.loads(asked)
        _become(arguments, folder, environment, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    connection.sendall(f"{number}\n".encode())
    _, status = os.waitpid(number, 0)
    with suppress(OSError):
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(
    arguments: list[str], folder: str, environment: dict[str, str], descriptors: list[int]
) -> None:
    """Run the command as `python -m tare._cli.main` does, and end."""
    import runpy

    from tare._kernels.threads_and_blocks import SEAMS_VARIABLE, drawn_seams, set_seams

    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, place)
    os.closerange(3, 4096)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if seed := environment.get(SEAMS_VARIABLE):  # is read when that module is loaded
        set_seams(drawn_seams(seed))
    sys.argv = ["tare", *arguments]
    sys.path[0] = folder
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    sys.stdin = open(0, encoding=encoding, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding=encoding, errors="backslashreplace", closefd=False)  # noqa: SIM115
    code: Any = 0
    try:
        runpy.run_module(PROGRAM, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        code = 1
    if isinstance(code, str):
        sys.stderr.write(code + "\n")
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120
    os._exit(code or 0)


if __name__ == "__main__" and sys.argv[1] == "--ask":
    code = _ask(sys.argv[2], (0, 1, 2), sys.argv[3:], str(Path.cwd()), dict(os.environ), 600)
    sys.exit(code if code >= 0 else 128 - code)
elif __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
