"""The command as a person runs it: in a folder, in a process of its own."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

QRELS = "q1 0 a 2\nq1 0 b 0\nq1 0 c 1\nq2 0 a 1\nq2 0 d 0\nq3 0 e 1\n"
BM25 = "q1 Q0 a 1 3 bm25\nq1 Q0 b 2 2 bm25\nq1 Q0 c 3 1 bm25\nq2 Q0 d 1 2 bm25\nq2 Q0 a 2 1 bm25\n"
DENSE = "q1 Q0 c 1 .9 dense\nq1 Q0 a 2 .8 dense\nq2 Q0 d 1 .7 dense\nq2 Q0 a 2 .6 dense\nq3 Q0 e 1 .5 dense\n"


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

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "tare._cli.main", *arguments]

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Done:
        """Output goes into pipes."""
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
        with subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        ) as process:
            os.close(theirs)
            shown = b""
            while select.select([ours], [], [], 600)[0]:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                shown += part
            code = process.wait(timeout=600)
        os.close(ours)
        return code, shown.decode().replace("\r\n", "\n")


@pytest.fixture
def tare(tmp_path) -> Shell:
    """The command, in a folder with qrels and two runs."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(BM25)
    (tmp_path / "dense.run").write_text(DENSE)
    return Shell(tmp_path)
