"""Files in the folder of a job that cannot be its parts: they are refused before any part is judged."""

from __future__ import annotations

import os
import re
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import tare
from tare._files.finished_parts import read_arrays
from tare.engines import Local, Parts, judge_part
from tare.engines._batch_jobs import read_part
from tare.errors import FormatError, MismatchError

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
NOT_A_NAME = "this is not the name of a part"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "r.run"
    path.write_text("q1 Q0 a 1 2 t\nq2 Q0 b 1 2 t\n")
    monkeypatch.setattr(
        "tare.engines._resume.judged_pieces", lambda *_: pytest.fail("a part was judged")
    )
    return path


def resumed(run: Path, folder: Path) -> None:
    tare.evaluate(QRELS, run, "AP", engine=Local(resume=folder, threads=1))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("part-00000-of-200000000.npz", "a job has 1 to 100,000 parts"),
        ("part-00000-of-100001.npz", "a job has 1 to 100,000 parts"),
        ("part-00000-of-00000.npz", "one of 0 parts, and a job has 1 to 100,000"),
        ("part-00007-of-00003.npz", "0 to 2"),
        ("part-00003-of-00003.npz", "0 to 2"),
        ("part-0-of-3.npz", NOT_A_NAME),
        ("part-000000-of-00003.npz", NOT_A_NAME),
        ("part-0000\u0661-of-00003.npz", NOT_A_NAME),
        ("part-red\x1b[31m.npz", NOT_A_NAME),
        (f"part-00000-of-{'9' * 200}.npz", "a job has 1 to 100,000 parts"),
    ],
)
def test_names_that_no_part_has(run: Path, tmp_path: Path, name: str, words: str) -> None:
    folder = tmp_path / "kept\x1b[31m"
    folder.mkdir()
    (folder / name).touch()
    with pytest.raises(MismatchError, match=words) as error:
        resumed(run, folder)
    assert "Remove it, or name another folder" in str(error.value)
    assert "\x1b" not in str(error.value)
    assert "tare part" not in str(error.value)


@pytest.mark.parametrize("kind", ["pipe", "link", "folder", "missing", "device"])
def test_what_is_not_a_regular_file(run: Path, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    path = folder / "part-00000-of-00001.npz"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    elif kind == "folder":
        path.mkdir()
    elif kind == "missing":
        path.symlink_to(tmp_path / "missing")
    else:
        path.symlink_to(device(tmp_path))
    before = path.lstat()
    with pytest.raises(MismatchError, match="not a regular file. Remove it, or name another"):
        resumed(run, folder)
    assert path.lstat().st_mode == before.st_mode


def device(folder: Path) -> Path:
    """A separate node that delivers zeros without end."""
    path = folder / "zeros"
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        with path.open("rb") as file:
            file.read(1)
    except (AttributeError, OSError):
        pytest.skip("devices cannot be made here")
    return path


@pytest.mark.parametrize("kind", ["device", "pipe", "zeros", "text"])
def test_other_files_are_not_read_as_parts(run: Path, tmp_path: Path, kind: str) -> None:
    """Neither without an end nor in full."""
    path = tmp_path / "found.npz"
    if kind == "device":
        path = device(tmp_path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"PK\x03\x04" if kind == "zeros" else b"text")
        os.truncate(path, 1 << 40)  # a file with a hole
    program = "import sys, tare; tare.evaluate({'q': {'a': 1}}, [sys.argv[1]], 'AP', engine=tare.engines.Parts())"
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)),
    )
    said = done.stderr.splitlines()[-1]
    assert path.name in said
    assert re.search("not a regular file|damaged, incomplete or no part", said)


def made(run: Path, folder: Path) -> Path:
    return judge_part(QRELS, run, index=0, of=1, output=folder)


@pytest.mark.parametrize("place", ["numpy.load", "hashlib.blake2b"])
def test_a_part_that_does_not_fit_into_memory_is_not_damaged(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = made(run, tmp_path / "kept")
    sound = path.read_bytes()

    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(place, full)
    with pytest.raises(MemoryError):
        tare.evaluate(QRELS, [path], "AP", engine=Parts())
    with pytest.raises(MemoryError):
        resumed(run, path.parent)
    monkeypatch.undo()
    assert path.read_bytes() == sound


def test_a_part_that_is_damaged_meanwhile_is_not_for_another_verb(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(run, tmp_path / "kept")
    with pytest.raises(FormatError, match="damaged.* Run `tare part` again for this part"):
        read_part(__file__)
    reads = []

    def damaging(place: str) -> object:
        reads.append(place)
        found = read_part(place)
        path.write_bytes(b"")
        return found

    monkeypatch.setattr("tare.engines._resume.read_part", damaging)
    with pytest.raises(FormatError, match="damaged.* Repeat the command") as error:
        resumed(run, path.parent)
    assert reads == [str(path)]
    assert "tare part" not in str(error.value)


def test_names_of_a_forged_part_are_shown_without_control_characters(
    run: Path, tmp_path: Path
) -> None:
    from tare._files.finished_parts import write_arrays

    folder = tmp_path / "kept\x1b[31m"
    path = made(run, folder)
    found = read_arrays(path)
    assert found is not None
    facts, arrays = found
    for change in ({"qrels": "\x1b[31m"}, {"pieces": [facts["pieces"][0] | {"path": "\x1b[31m"}]}):
        write_arrays(path, facts | change, arrays)
        with pytest.raises(MismatchError) as error:
            resumed(run, folder)
        assert "\x1b" not in str(error.value)
    (folder / "part-00000-of-00002.npz").touch()
    with pytest.raises(MismatchError, match="several jobs") as several:
        resumed(run, folder)
    assert "\x1b" not in str(several.value)


def test_a_finished_part_of_texts_that_does_not_fit_into_memory_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"system": "a", "item": "x", "text": "the cat", "references": ["a cat"]}]

    def scored() -> object:
        return tare.evaluate_texts(rows, "ROUGE-1", engine=Local(resume=tmp_path, threads=1))

    scored()
    (path,) = tmp_path.iterdir()
    before = path.stat()

    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("numpy.load", full)
    with pytest.raises(MemoryError, match=r"texts-\w+\.npz: not enough memory to read"):
        scored()
    assert path.stat() == before
