"""The reader's notes: one line of JSON per query, in a file next to the data."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

from tare._tables.spreadsheet import marked
from tare._writing import write_text

__all__ = ["MAX_NOTE", "Notes"]

MAX_NOTE = 10_000  # letters


class Notes:
    """Notes by query id; the file is written at once, so that it is never half a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._notes: dict[str, dict[str, str]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    row = json.loads(line)
                    self._notes[str(row["query"])] = {
                        "note": str(row["note"]),
                        "time": str(row.get("time", "")),
                    }
                except (ValueError, KeyError, TypeError):
                    continue  # a line that someone else wrote

    def __len__(self) -> int:
        return len(self._notes)

    def of(self, query: str) -> str:
        """Return the note of a query, or an empty text."""
        return self._notes.get(query, {}).get("note", "")

    def keep(self, query: str, note: str) -> None:
        """Store the note of a query; an empty one is removed."""
        note = note.replace("\r\n", "\n").strip()[:MAX_NOTE]
        if note:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._notes[query] = {"note": note, "time": now}
        else:
            self._notes.pop(query, None)
        rows = [
            json.dumps({"query": q, **row}, ensure_ascii=False) for q, row in self._notes.items()
        ]
        write_text(self.path, "".join(f"{row}\n" for row in rows))

    def csv(self) -> str:
        """Return all notes as CSV with the columns query, note and time."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["query", "note", "time"])
        writer.writerows(
            (marked(q), marked(row["note"]), row["time"]) for q, row in sorted(self._notes.items())
        )
        return out.getvalue()
