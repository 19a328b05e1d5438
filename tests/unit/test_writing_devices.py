"""Outputs that are no regular files: they are written to, and never replaced."""

from __future__ import annotations

import os
import stat
import tempfile
import threading
from pathlib import Path

import pytest

from tare._files.finished_parts import write_arrays
from tare._files.writing import write_bytes
from tare.errors import UnreadableError

NULL = (1, 3)  # accepts every byte


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A separate node of a device in a temporary folder."""
    path = tmp_path / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(*NULL))
        path.write_bytes(b"")
    except (AttributeError, OSError):
        pytest.skip("devices cannot be made here")
    return path


def names(device: Path) -> list[Path]:
    """The device, links to it, and a name through a folder that does not exist."""
    link, second = device.with_name("link"), device.with_name("second")
    link.symlink_to(device.name)
    second.symlink_to(link)
    return [device, link, second, device.parent / "missing" / ".." / "link"]


def test_a_device_is_never_replaced(device: Path) -> None:
    for path in names(device):
        write_bytes(path, b"text")
        assert stat.S_ISCHR(device.lstat().st_mode), path
    assert sorted(p.name for p in device.parent.iterdir()) == ["device", "link", "second"]


def test_a_part_is_not_written_to_a_device(device: Path) -> None:
    for path in names(device):
        with pytest.raises(UnreadableError, match="not a regular file. Remove it"):
            write_arrays(path, {}, {})
        assert stat.S_ISCHR(device.lstat().st_mode)


def test_a_link_to_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_bytes(link, b"text")
    reader.join(30)
    assert found == [b"text"]
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_folder_in_memory_holds_files_and_no_devices() -> None:
    place = Path("/dev/shm")
    if not place.is_dir():
        pytest.skip("there is no folder in memory here")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        path = Path(folder) / "file"
        write_bytes(path, b"one")
        write_bytes(path, b"two")
        assert path.read_bytes() == b"two"


def test_a_folder_behind_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_bytes(tmp_path / "missing" / ".." / "." / ".." / tmp_path.name, b"text")
