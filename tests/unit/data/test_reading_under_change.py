"""Files that shrink or grow while they are read: an error, never a bus error nor half a file."""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import tare
from tare import read_run
from tare._data.source import blocks, read_all, whole
from tare._kernels import lost_pages
from tare.engines import Local
from tare.errors import TareError, UnreadableError
from tests.conftest import ROOT

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
    from tare._data.source import write_all

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
    assert read_all(path) == whole(path) == LINE


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


# Readers of others map files


def shrunk() -> mmap.mmap:
    """A file of 100,000 bytes that was mapped, and then cut to 5,000."""
    with tempfile.TemporaryFile() as file:
        file.write(b"x" * 100_000)
        file.flush()
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        os.ftruncate(file.fileno(), 5000)
    return found


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot shrink")
def test_pages_that_are_gone_are_told():
    data = shrunk()
    with lost_pages() as lost:
        assert (data[4000], lost()) == (ord("x"), False)
        with lost_pages() as again:
            assert (data[90_000], again()) == (0, True)
        assert lost()
        assert data[50_000] == 0  # the outer one still watches
    with lost_pages() as lost:
        assert (data[90_000], lost()) == (0, False)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot shrink")
def test_pages_that_are_gone_are_watched_by_all_threads():
    with lost_pages() as lost, ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: shrunk()[90_000], range(200))) == {0}
        assert lost()


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a mapped file cannot shrink")
def test_outside_the_system_decides():
    code = (
        "from tests.unit.data.test_reading_under_change import shrunk, lost_pages\n"
        "data = shrunk()\n"
        "with lost_pages():\n    data[50_000]\n"
        "print('within', flush=True)\n"
        "data[90_000]\n"
        "print('after')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (done.stdout, done.returncode) == ("within\n", -signal.SIGBUS), done.stderr
