"""Journals: what was damaged, shared or written by another version."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tare._decide import journal as _journal
from tare._decide.journal import Journal
from tare._signature import tare_version
from tare.errors import FormatError

ABOUT = {"study": "x", "data": "1a2b"}


def journal(path, steps=("a", "b", "c")):
    book = Journal(path, ABOUT)
    for number, name in enumerate(steps):
        book.step(name, lambda number=number: [number, 0.5])
    return path.read_bytes().splitlines(keepends=True)


def test_every_line_has_a_checksum_and_every_change_is_found(tmp_path):
    path = tmp_path / "j"
    lines = journal(path)
    whole = b"".join(lines)
    assert Journal(path, ABOUT).done == {"a": [0, 0.5], "b": [1, 0.5], "c": [2, 0.5]}
    for place in range(len(whole) - 1):
        changed = bytearray(whole)
        changed[place] = ord("7") if changed[place] != ord("7") else ord("8")
        path.write_bytes(bytes(changed))
        with pytest.raises(FormatError, match="not a journal of a study|belongs to another study"):
            Journal(path, ABOUT)
        assert path.read_bytes() == bytes(changed)  # and nothing is lost by looking


def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "j"
    lines = journal(path)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"0.5", b"0.6"), lines[3]]))
    with pytest.raises(FormatError, match=r"j, line 3: .*checksum"):
        Journal(path, ABOUT)


@pytest.mark.parametrize(
    "line",
    [
        '{"step": "d"}',
        '{"found": 1}',
        '{"step": 1, "found": 1}',
        "[]",
        "7",
        "null",
        '"step"',
        '{"step": "d", "found": 1, "more": 2}',
        '{"step": "d", "found": 1, "sum": 5}',
        '{"step": "d", "found": 1}',
    ],
)
def test_lines_of_another_shape_are_refused(line, tmp_path):
    path = tmp_path / "j"
    journal(path)
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FormatError, match=r"line 5: "):
        Journal(path, ABOUT)


@pytest.mark.parametrize("header", ["[]", '{"study": 1}', '{"study": {"a": "b"}}', "null", "x"])
def test_a_header_of_another_shape_is_refused(header, tmp_path):
    path = tmp_path / "j"
    path.write_text(header + "\n")
    with pytest.raises(FormatError, match=r"line 1: "):
        Journal(path, ABOUT)


def test_the_journal_of_another_version_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "j"
    monkeypatch.setattr(_journal, "tare_version", lambda: "0.0.9")
    lines = journal(path)
    monkeypatch.undo()
    told = f"written by tare 0.0.9, and this is tare {tare_version()}. Finish the study with"
    with pytest.raises(FormatError, match=re.escape(told)):
        Journal(path, ABOUT)
    assert path.read_bytes() == b"".join(lines)


def test_a_step_that_is_there_twice(tmp_path):
    path = tmp_path / "j"
    lines = journal(path)
    path.write_bytes(b"".join([*lines, lines[1]]))
    with pytest.raises(FormatError, match="line 5: the step 'a' occurs twice"):
        Journal(path, ABOUT)


def test_two_at_once_share_a_journal(tmp_path):
    """What one has done the other takes, and no line is torn."""
    path = tmp_path / "j"
    one, other = Journal(path, ABOUT), Journal(path, ABOUT)
    one.step("a", lambda: 1)
    other.step("b", lambda: 2)
    one.step("c", lambda: 3)
    assert other.step("a", lambda: pytest.fail("it is done")) == 1
    assert one.step("b", lambda: pytest.fail("it is done")) == 2
    assert Journal(path, ABOUT).done == {"a": 1, "c": 3, "b": 2}
    assert len(path.read_bytes().splitlines()) == 4


def test_many_processes_share_a_journal(tmp_path):
    path = tmp_path / "j"
    program = (
        "import sys\n"
        "from tare._decide.journal import Journal\n"
        f"book = Journal(sys.argv[1], {ABOUT!r})\n"
        "for step in range(40):\n"
        "    assert book.step(f'step {step}', lambda: [step] * 3000) == [step] * 3000\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(4)]
    assert [process.wait(timeout=600) for process in started] == [0] * 4
    assert Journal(path, ABOUT).done == {f"step {n}": [n] * 3000 for n in range(40)}
    assert len(path.read_bytes().splitlines()) == 41


def test_a_line_cut_short_is_dropped_by_whoever_writes_next(tmp_path):
    path = tmp_path / "j"
    lines = journal(path)
    book = Journal(path, ABOUT)
    with path.open("ab") as file:  # another process is killed while it writes
        file.write(lines[1][:10])
    book.step("d", lambda: 4)
    assert list(Journal(path, ABOUT).done) == ["a", "b", "c", "d"]


def test_a_journal_that_was_cut_or_taken_away_meanwhile_is_told(tmp_path):
    path = tmp_path / "j"
    lines = journal(path)
    book = Journal(path, ABOUT)
    path.write_bytes(lines[0])
    with pytest.raises(FormatError, match="changed by another program"):
        book.step("d", lambda: 4)
    path.unlink()
    with pytest.raises(FormatError, match="changed by another program"):
        book.step("e", lambda: 4)
    assert not path.exists()


def test_a_journal_is_not_made_by_a_study_that_cannot_write_it(tmp_path):
    if os.getuid() == 0:
        target = tmp_path / "folder"
        target.mkdir()
    else:
        target = tmp_path / "j"
        target.touch(mode=0o400)
    with pytest.raises(OSError, match=str(target)):
        Journal(target, ABOUT)
