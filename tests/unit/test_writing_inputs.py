"""Within a command, a file that was read is not replaced, under whatever name it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tare._files.opening import open_source
from tare._files.writing import keeping_inputs, replacing_input, write_bytes


@pytest.fixture
def read(tmp_path: Path) -> Path:
    path = tmp_path / "input"
    path.write_bytes(b"text")
    return path


@pytest.mark.parametrize("name", ["input", "missing/../input", "missing/deep/../../input", "link"])
def test_every_name_of_an_input_is_refused(read: Path, name: str) -> None:
    (read.parent / "link").symlink_to(read)
    with keeping_inputs():
        open_source(read).close()
        with pytest.raises(FileExistsError, match="also an input"):
            write_bytes(read.parent / name, b"other")
        assert read.read_bytes() == b"text"
        with replacing_input(read.parent / name):
            write_bytes(read.parent / name, b"other")
    assert read.read_bytes() == b"other"
