"""A file that is not a journal of the study is refused and stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tare._decide.journal import Journal
from tare.errors import FormatError, UnreadableError

ABOUT = {"study": "x", "data": "1a2b"}


def header(path: Path) -> bytes:
    Journal(path, ABOUT)
    return path.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"precious", b"{", b"\xff\x00", b" ", b'{"study": "y', b"\n", b"{}\nprecious", b"precious\n{"],
)
def test_it_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    if header(tmp_path / "other").startswith(content):  # as if a process was killed
        Journal(path, ABOUT)
        return
    with pytest.raises(FormatError, match=r"notes\.txt.* (not a journal|another study)"):
        Journal(path, ABOUT)
    assert path.read_bytes() == content


def test_a_header_that_was_cut_short_is_completed(tmp_path: Path) -> None:
    whole = header(tmp_path / "whole")
    path = tmp_path / "j"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        Journal(path, ABOUT).step("a", lambda: 1)
        assert path.read_bytes() == whole + Journal.line({"step": "a", "found": 1})
    cut = whole[:-1]
    path.write_bytes(cut)
    with pytest.raises(FormatError, match="was left unchanged. Name a new file"):
        Journal(path, {**ABOUT, "data": "other"})
    assert path.read_bytes() == cut


def test_names_are_shown_without_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "red\x1b[31m"
    for content in (
        b"precious",
        b"precious\n",
        b'{"study\x1b[31m": "x"}\n',
        header(tmp_path / "j"),
    ):
        path.write_bytes(content)
        with pytest.raises(FormatError) as error:
            Journal(path, {"study": "y"})
        assert r"red\x1b[31m" in str(error.value)
        assert "\x1b" not in str(error.value)
    pipe = tmp_path / "pipe\x1b[31m"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableError) as refused:
        Journal(pipe, ABOUT)
    assert "\x1b" not in str(refused.value)
