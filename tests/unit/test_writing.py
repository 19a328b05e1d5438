"""A file is there in full, or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tare._files.writing import new_file, write_bytes, write_text

ENDLESS = """
import sys
from tare._files.writing import write_bytes
size = 300_000
print("go", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_bytes(sys.argv[1], letter * size)
"""


def test_new_and_replaced(tmp_path):
    path = tmp_path / "ö [x].txt"
    write_text(path, "one")
    path.chmod(0o640)
    write_bytes(path, b"two")
    assert path.read_text() == "two"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_long_names(tmp_path):
    for name in ("a" * 255, "ö" * 127, "漢" * 85):
        write_text(tmp_path / name, "one")
        write_text(tmp_path / name, "two")
        assert (tmp_path / name).read_text() == "two"
        assert [p.name for p in tmp_path.iterdir()] == [name]
        (tmp_path / name).unlink()


def test_a_failure_keeps_the_old_and_leaves_nothing(tmp_path):
    path = tmp_path / "file"
    write_text(path, "old")

    def interrupted():
        with new_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_link_stays_a_link(tmp_path):
    write_text(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_the_error_names_the_file(tmp_path):
    (tmp_path / "plain").write_text("not a folder")
    with pytest.raises(OSError, match="plain/file"):
        write_text(tmp_path / "plain" / "file", "x")
    with pytest.raises(IsADirectoryError):
        write_text(tmp_path, "x")


def test_folders_on_the_way_are_made(tmp_path):
    write_text(tmp_path / "some" / "where" / "file", "x")
    assert (tmp_path / "some" / "where" / "file").read_text() == "x"


def test_what_a_dead_process_left_is_removed(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    litter = tmp_path / f".file.{dead.pid}.0123abcd.new"
    litter.write_text("half")
    write_text(tmp_path / "file", "whole")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_killed_at_any_moment(tmp_path):
    path = tmp_path / "file"
    for trial in range(12):
        process = subprocess.Popen(
            [sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.003 * trial)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        if path.exists():
            data = path.read_bytes()
            assert len(data) == 300_000
            assert len(set(data)) == 1
    write_bytes(path, b"whole")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
