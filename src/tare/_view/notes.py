"""The reader's notes: lines of JSON in a file next to the data, to which several explorers may write.

A change of a note is one line at the end, and the last line of a query counts; so no window replaces
what another one wrote. A line is acknowledged when it is on disk. If a note was changed since a page was
shown, what is written on that page is added to it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tare._data.columns import json_object
from tare._files.addresses import exists, is_file
from tare._files.opening import name_of
from tare._files.writing import locked_file
from tare._tables.delimited import marked
from tare.errors import FormatError, UnreadableError

__all__ = ["MAX_NOTE", "Note", "Notes", "mark"]

MAX_NOTE = 10_000  # characters
KEYS = {"query", "note", "time"}
BEGINNING = b'{"query": "'


@dataclass(frozen=True)
class Note:
    """A note and the time at which it was written; the text of a removed note is empty."""

    text: str
    time: str


class Notes:
    """Notes by query id. The file is read whenever they are shown, because other windows write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.read()  # raises if the file holds something else

    def read(self) -> dict[str, str]:
        """Return the notes by query id."""
        return {query: note.text for query, note in self._notes().items()}

    def keep(self, query: str, note: str, shown: str | None = None) -> None:
        """Store the note of a query; an empty one removes it.

        shown: the mark of the note on the page that was sent; if the note is another one by now, both are kept.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked_file(self.path, "a file of notes", mode=0o600) as file:
            with os.fdopen(os.dup(file), "rb+") as opened:
                data = opened.read()
                whole = self._whole(data)
                now = self._rows(whole)[0].get(query, Note("", "")).text
                text = note.strip()
                if shown is not None and shown != mark(now):
                    text = _joined(now, text)
                if text == now:
                    return
                end = min(len(whole), len(data))
                opened.seek(end)
                opened.truncate()  # of a line that a killed process did not finish
                opened.write(whole[end:] + _line(query, text))
            os.fsync(file)

    def csv(self) -> str:
        """Return all notes as CSV with the columns query, note and time."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["query", "note", "time"])
        writer.writerows(
            (marked(q), marked(n.text), n.time) for q, n in sorted(self._notes().items())
        )
        return out.getvalue()

    def _notes(self) -> dict[str, Note]:
        if not is_file(self.path):
            if exists(self.path):  # such as a pipe that never ends
                raise UnreadableError(
                    f"{name_of(self.path)}: a file of notes must be a regular file."
                )
            return {}
        found, _ = self._rows(self._whole(self.path.read_bytes()))
        return {query: note for query, note in found.items() if note.text}

    def _whole(self, data: bytes) -> bytes:
        """Return the complete lines; raise if the file holds anything else than notes."""
        end = data.rfind(b"\n") + 1
        whole, rest = data[:end], data[end:]
        number = self._rows(whole)[1]
        if not (rest.startswith(BEGINNING) or BEGINNING.startswith(rest)):
            raise self._refused(number + 1, "it does not begin like a note")
        with suppress(FormatError):  # an editor may leave out the last line feed
            self._rows(rest)
            return data + b"\n" * bool(rest)
        return whole

    def _rows(self, data: bytes) -> tuple[dict[str, Note], int]:
        """Return the last note of each query, and the number of lines."""
        found, number = {}, 0
        for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else (), 1):
            try:
                row = json_object(line, "")
            except FormatError:
                raise self._refused(number, "it is not a JSON object") from None
            if set(row) != KEYS or not all(isinstance(value, str) for value in row.values()):
                raise self._refused(number, "it does not have the texts query, note and time")
            found[row["query"]] = Note(row["note"], row["time"])
        return found, number

    def _refused(self, number: int, why: str) -> FormatError:
        return FormatError(
            f"{name_of(self.path)}, line {number}: the line is not a note, because {why}. The file was left "
            "unchanged. Name a new file, or a file of notes, with --notes."
        )


def mark(note: str) -> str:
    """Return a mark of a note, by which its form tells which note it showed."""
    return hashlib.sha256(note.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _joined(now: str, text: str) -> str:
    """Return a note and what was written without having seen it; a form that is sent twice adds it once."""
    known = not text or f"\n\n{now}".endswith(f"\n\n{text}")
    return now if known else f"{now}\n\n{text}".strip()


def _line(query: str, note: str) -> bytes:
    time = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"query": query, "note": note, "time": time}
    # An id can contain a lone surrogate, which JSON writes as UTF-8 cannot: with a backslash.
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
