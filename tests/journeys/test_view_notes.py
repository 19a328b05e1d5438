"""Notes of the explorer: several windows write to one file, and nothing that was saved is lost."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.journeys.conftest import BM25, Shell

VIEW = ("view", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "--notes", "notes.jsonl")
# Characters at which some programs end a line, although only a line feed does.
ENDS = ("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r")


@pytest.fixture
def files(tare: Shell) -> Path:
    """The folder, with an index."""
    assert tare(*VIEW, "--index-only").code == 0
    return tare.folder


class Window:
    """A server of its own, and a browser that opened its link."""

    def __init__(self, tare: Shell, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        link = process.stdout.readline().decode().strip()
        assert link, process.communicate()[1].decode()
        self.process = process
        self.client = httpx.Client(
            base_url=link.partition("/open/")[0], follow_redirects=True, timeout=600
        )
        page = self.client.get(link).text
        assert "q1" in page

    def form(self, place: int) -> dict[str, str]:
        """Open the page of a query; return the hidden fields of its form."""
        page = self.client.get(f"/query/{place}").text.partition('id="note"')[2]
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))

    def post(self, place: int, note: str) -> httpx.Response:
        return self.client.post("/note", data={**self.form(place), "note": note})

    def keep(self, place: int, note: str) -> None:
        """Save a note; the answer of the server acknowledges it."""
        assert self.post(place, note).status_code == 200

    def notes(self) -> dict[str, str]:
        rows = csv.DictReader(io.StringIO(self.client.get("/notes.csv").text, newline=""))
        return {row["query"]: row["note"] for row in rows}

    def kill(self) -> None:
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=600)


@contextmanager
def window(tare: Shell, *more: str) -> Iterator[Window]:
    """Open an explorer; `more` are further options."""
    process = subprocess.Popen(
        tare.command(*VIEW, *more),
        cwd=tare.folder,
        env=tare.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        made = Window(tare, process)
        with closing(made.client):
            yield made
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=600)


def test_two_windows_and_a_kill_lose_no_note(tare, files):
    with window(tare) as one, window(tare) as two:
        one.keep(0, "of one")
        two.keep(1, "of two")
        assert one.notes() == two.notes() == {"q1": "of one", "q2": "of two"}
        assert "of one" in two.client.get("/query/0").text

        def write(who: Window, place: int, name: str) -> None:
            for number in range(20):
                who.keep(place, f"{name} {number}")

        jobs = [(one, 0, "a"), (two, 1, "b")]
        threads = [threading.Thread(target=write, args=job) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        lines = (files / "notes.jsonl").read_text().split("\n")[:-1]
        kept = [json.loads(line)["note"] for line in lines]
        for name in "ab":
            written = [note for note in kept if note.startswith(f"{name} ")]
            assert written == [f"{name} {number}" for number in range(20)]
        one.keep(2, "the last word")
        one.kill()
        with (files / "notes.jsonl").open("ab") as cut:  # as if it was killed within a line
            cut.write(b'{"query": "q1", "note": "never acknowl')
        two.keep(1, "")
        assert two.notes() == {"q1": "a 19", "q3": "the last word"}
    with window(tare) as three:
        assert three.notes() == {"q1": "a 19", "q3": "the last word"}


def test_a_window_that_shows_an_older_note_does_not_replace_the_newer_one(tare, files):
    with window(tare) as one, window(tare) as two:
        before = two.form(0)
        one.keep(0, "of one")
        for text, kept in (
            ("", "of one"),  # two saw no note, and removes none
            ("of two", "of one\n\nof two"),
            ("of two", "of one\n\nof two"),  # sent twice
        ):
            assert two.client.post("/note", data={**before, "note": text}).status_code == 200
            assert one.notes() == {"q1": kept}
        one.keep(0, "")
        assert two.notes() == {}


def test_a_note_with_any_character_is_there_the_next_day(tare, files):
    notes = [f"before{c}after" for c in ENDS]
    with window(tare) as first:
        for note in notes:
            first.keep(0, note)
            assert first.notes() == {"q1": note}
        first.keep(1, "".join(notes))
        before = first.notes()
    with window(tare) as again:
        assert again.notes() == before == {"q1": notes[-1], "q2": "".join(notes)}


def test_a_note_that_is_too_long_is_not_cut(tare, files):
    with window(tare) as first:
        first.keep(0, "short")
        refused = first.post(0, "x" * 10_001)
        assert refused.status_code == 422
        assert "10,000" in refused.text
        assert first.notes() == {"q1": "short"}


OTHERS = {
    "a run": BM25,
    "other lines of JSON": '{"query": "q1", "text": "blue whales"}\n',
    "no line feed at the end": '{"id": "q1"}',
    "not UTF-8": b"\xff\xfe\n",
    "a list": "[]\n",
    "notes and something else": '{"query": "q1", "note": "x", "time": ""}\nmine\n',
}


@pytest.mark.parametrize("kind", OTHERS)
def test_a_file_that_holds_no_notes_is_refused_and_stays(tare, files, kind):
    body = OTHERS[kind]
    body = body if isinstance(body, bytes) else body.encode()
    (files / "notes.jsonl").write_bytes(body)
    process = subprocess.run(
        tare.command(*VIEW), cwd=files, env=tare.environment, capture_output=True, timeout=60
    )
    said = process.stderr.decode()
    assert process.returncode == 3
    assert "notes.jsonl, line" in said
    assert "--notes" in said
    assert (files / "notes.jsonl").read_bytes() == body


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_notes_are_a_regular_file(tare, files, kind):
    (files / "notes.jsonl").unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(files / "notes.jsonl")
    elif kind == "device":
        (files / "notes.jsonl").symlink_to("/dev/zero")
    else:
        (files / "notes.jsonl").mkdir()
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh", *tare.command(*VIEW)],
        cwd=files,
        env=tare.environment,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == (2 if kind == "folder" else 3)
    assert b"notes.jsonl" in done.stderr
    assert b"Traceback" not in done.stderr


def test_notes_belong_to_their_owner(tare, files):
    with window(tare) as first:
        first.keep(0, "mine")
    assert (files / "notes.jsonl").stat().st_mode & 0o777 == 0o600
