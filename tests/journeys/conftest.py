"""The command as a person runs it: in a folder, in a process of its own."""

from __future__ import annotations

import functools
import os
import pty
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.preloaded import PreloadedServer

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq2 0 d 0\nq3 0 e 1\n"
BM25 = "q1 Q0 a 1 3 bm25\nq1 Q0 b 2 2 bm25\nq1 Q0 c 3 1 bm25\nq2 Q0 d 1 2 bm25\nq2 Q0 a 2 1 bm25\n"
DENSE = "q1 Q0 c 1 .9 dense\nq1 Q0 a 2 .8 dense\nq2 Q0 d 1 .7 dense\nq2 Q0 a 2 .6 dense\nq3 Q0 e 1 .5 dense\n"


@functools.cache
def preloaded() -> PreloadedServer:
    """The server of this process; it is started by the first command."""
    return PreloadedServer()


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Shell:
    """Runs `tare` in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "COLUMNS": "100",
            "PYTHONIOENCODING": "utf-8",
            "NO_COLOR": "1",
        }
        self.environment.pop("TARE_DEBUG", None)
        self.plain = dict(self.environment)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tare._cli.main", *arguments]

    def quick_command(self) -> list[str]:
        """The beginning of a command for a shell; it need not load the packages."""
        return preloaded().command() if preloaded().works else self.command()

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Done:
        """Output goes into pipes; packages that were loaded before are not loaded again."""
        if self.environment != self.plain or not preloaded().works:
            return self.started(*arguments, stdin=stdin)
        code, out, err = preloaded().run(
            list(arguments), str(self.folder), self.environment, stdin or b""
        )
        return Done(code, out.decode(), err.decode())

    def started(self, *arguments: str, stdin: bytes | None = None) -> Done:
        """Start a whole new interpreter; output goes into pipes."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            input=stdin if stdin is not None else b"",
            capture_output=True,
            timeout=600,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_a_terminal(self, *arguments: str) -> tuple[int, str]:
        """Output and messages go to a pseudo-terminal, as one text."""
        ours, theirs = pty.openpty()
        shown: list[bytes] = []
        reader = threading.Thread(target=_read_terminal, args=(ours, shown))
        reader.start()
        try:
            code = self._run_on((theirs, theirs, theirs), list(arguments))
        finally:
            os.close(theirs)  # ends the reader
            reader.join()
            os.close(ours)
        return code, b"".join(shown).decode().replace("\r\n", "\n")

    def _run_on(self, descriptors: tuple[int, int, int], arguments: list[str]) -> int:
        if self.environment == self.plain and preloaded().works:
            folder = str(self.folder)
            return preloaded().run_on(descriptors, arguments, folder, self.environment)
        given, out, err = descriptors
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=given,
            stdout=out,
            stderr=err,
            timeout=600,
            check=False,
        )
        return done.returncode


def _read_terminal(terminal: int, shown: list[bytes]) -> None:
    """Keep what is shown until the other end is closed."""
    with suppress(OSError):
        while part := os.read(terminal, 65536):
            shown.append(part)


@pytest.fixture
def tare(tmp_path) -> Shell:
    """The command, in a folder with qrels and two runs."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(BM25)
    (tmp_path / "dense.run").write_text(DENSE)
    return Shell(tmp_path)
