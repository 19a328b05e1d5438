"""Files that shrink or grow while they are read: an error, never a bus error nor half a file."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import tare
from tare import read_run
from tare._files.opening import blocks, read_all
from tare.engines import Local
from tare.errors import TareError, UnreadableError

LINE = b"q1 Q0 document 1 1 tag\n"


def read_while(path: Path, change) -> None:
    for number, _ in enumerate(blocks(path, block=64)):
        if number == 0:
            change()


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(LINE)


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize(
    "change", [grown, lambda path: os.truncate(path, 30), lambda path: os.truncate(path, 0)]
)
def test_a_change_is_told(tmp_path, suffix, change):
    from tare._files.opening import write_all

    path = tmp_path / f"a.run{suffix}"
    write_all(
        path, b"".join(b"q%d Q0 d%d 1 %d tag\n" % (i * 7919, i * 104729, i) for i in range(3000))
    )
    with pytest.raises(
        UnreadableError, match=r"a.run.*(changed while it was read|too early|damaged)"
    ):
        read_while(path, lambda: change(path))


def test_a_replaced_file_is_read_as_it_was(tmp_path):
    """A rename leaves the old file to those who read it."""
    path, other = tmp_path / "a.run", tmp_path / "b.run"
    path.write_bytes(LINE * 50)
    other.write_bytes(LINE)
    read_while(path, lambda: other.replace(path))


def test_what_does_not_change_is_read(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(LINE)
    assert read_all(path) == LINE


MADE = {f"q{q}": {f"d{d}": float(d) for d in range(40)} for q in range(30)}


@contextlib.contextmanager
def rewritten(path: Path) -> Iterator[None]:
    """Within it a file is cut and written again in place, without rest, as tare never does."""
    data = path.read_bytes()
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            for size in (0, len(data) // 2, len(data)):
                with path.open("r+b") as file:
                    file.truncate(size)
                    file.write(data[:size])

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("suffix", [".run", ".parquet", ".jsonl", ".csv"])
def test_a_file_that_is_rewritten_without_rest(tmp_path, suffix):
    """Whatever is found is told or whole, and the process lives."""
    path = tmp_path / f"a{suffix}"
    read_run(MADE, system="s").write(path)
    with rewritten(path):
        for _ in range(30):
            with contextlib.suppress(TareError):
                assert set(read_run(path, system="s").to_dict()) <= set(MADE)


@pytest.mark.parametrize("suffix", [".run", ".parquet"])
def test_an_engine_reads_a_file_that_is_rewritten_without_rest(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    read_run(MADE, system="s").write(path)
    qrels = {q: {"d3": 1} for q in MADE}
    expected = tare.evaluate(qrels, path, "RR").mean
    with rewritten(path):
        for _ in range(30):
            with contextlib.suppress(TareError):
                engine = Local(memory=20_000, threads=2)
                assert tare.evaluate(qrels, path, "RR", engine=engine).mean == expected
