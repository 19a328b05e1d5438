"""The index of a view: one SQLite file that answers one query, or one column, at a time.

SQLite is part of Python, reads one ranking in less than a millisecond, and keeps everything in one file
that can be replaced at once. A column of scores is one array of numbers, so that sorting 100,000 queries
by the difference of two systems reads two arrays and no row.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.passages import Passage, StoredTexts, local_documents, local_passage
from tare._view.inputs import Content, ViewInputs

__all__ = ["SCHEMA", "ViewIndex", "packed_ranking"]

SCHEMA = """
CREATE TABLE facts(name TEXT PRIMARY KEY, body TEXT);
CREATE TABLE columns(name TEXT PRIMARY KEY, body BLOB);
CREATE TABLE queries(place INTEGER PRIMARY KEY, id TEXT, text TEXT, grades BLOB);
CREATE TABLE rankings(place INTEGER PRIMARY KEY, body BLOB);
CREATE TABLE matches(place INTEGER PRIMARY KEY, body BLOB);
CREATE TABLE documents(id TEXT PRIMARY KEY, file TEXT, start INTEGER, length INTEGER, body BLOB) WITHOUT ROWID;
"""
Array = NDArray[np.float64]
QUERY = ("query", "queries")
NOUNS = {
    "rankings": QUERY,
    "preferences": QUERY,
    "texts": ("item", "items"),
    "answers": ("topic", "topics"),
}


def packed_ranking(documents: Sequence[tuple[str, float]]) -> bytes:
    """Return a ranking as bytes: the number of documents, their scores, and their ids."""
    names, scores = zip(*documents, strict=True) if documents else ((), ())
    body = struct.pack(f"<I{len(scores)}d", len(scores), *scores)
    return zlib.compress(body + json.dumps(names).encode(), 1)


def _unpacked_ranking(body: bytes) -> list[tuple[str, float]]:
    plain = zlib.decompress(body)
    (count,) = struct.unpack_from("<I", plain)
    scores = struct.unpack_from(f"<{count}d", plain, 4)
    return list(zip(json.loads(plain[4 + 8 * count :]), scores, strict=True))


class ViewIndex:
    """An opened index; nothing is loaded before it is asked for."""

    def __init__(self, path: Path, inputs: ViewInputs) -> None:
        self.path, self.inputs = path, inputs
        self._base = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
        )
        try:
            self._read_facts()
        except BaseException:  # not an index, or damaged
            self.close()
            raise
        self._columns = lru_cache(maxsize=64)(self._column)
        self._store: Any = None

    def _read_facts(self) -> None:
        facts = {
            name: json.loads(body) for name, body in self._rows("SELECT name, body FROM facts")
        }
        self.known: dict[str, Any] = facts["inputs"]
        self.systems: tuple[str, ...] = tuple(facts["systems"])
        self.measures: tuple[str, ...] = tuple(facts["measures"])
        self.count: int = facts["queries"]
        self.findings: tuple[str, ...] = tuple(facts["findings"])
        self.content: Content = facts["content"]
        self.attributes: dict[str, list[str]] = facts["attributes"]
        self.matched: dict[str, int] = facts["matched"]

    @property
    def noun(self) -> tuple[str, str]:
        """What the rows of the table are called: one, and several."""
        return NOUNS[self.content]

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _rows(self, statement: str, values: Iterable[Any] = ()) -> list[Any]:
        return self._base.execute(statement, tuple(values)).fetchall()

    def _column(self, name: str) -> Array | None:
        found = self._rows("SELECT body FROM columns WHERE name = ?", [name])
        return np.frombuffer(zlib.decompress(found[0][0]), dtype="<f8") if found else None

    def column(self, kind: str, measure: str, system: str) -> Array | None:
        """Return gross, tare or net of all queries by one measure and system; None if unknown."""
        return self._columns(column_name(kind, measure, system))

    def attribute(self, name: str) -> Array:
        """Return the value of an attribute of every query, as a number in `attributes[name]`."""
        found = self._columns(column_name("attribute", name, ""))
        assert found is not None
        return found

    def attributes_of(self, place: int) -> dict[str, str]:
        """Return the attributes of one query."""
        codes = {name: float(self.attribute(name)[place]) for name in self.attributes}
        return {name: self.attributes[name][int(c)] for name, c in codes.items() if c == c}

    def kinds(self, measure: str) -> list[str] | None:
        """Return the kind of every query by one measure; None without expected values."""
        found = self._rows("SELECT body FROM facts WHERE name = ?", [f"kinds {measure}"])
        return json.loads(found[0][0]) if found else None

    def queries(self, places: Sequence[int]) -> list[tuple[str, str]]:
        """Return id and text of some queries."""
        marks = ",".join("?" * len(places))
        found = self._rows(f"SELECT place, id, text FROM queries WHERE place IN ({marks})", places)
        by_place = {place: (key, text or "") for place, key, text in found}
        return [by_place[place] for place in places]

    def place_of(self, query: str) -> int | None:
        """Return the place of a query by its id."""
        found = self._rows("SELECT place FROM queries WHERE id = ? LIMIT 1", [query])
        return found[0][0] if found else None

    def matching(self, words: str) -> NDArray[np.bool_]:
        """Return which queries contain a text in their id or words, ignoring case."""
        sign = "\\"
        safe = words.replace(sign, sign * 2).replace("%", f"{sign}%").replace("_", f"{sign}_")
        found = self._rows(
            "SELECT place FROM queries WHERE id LIKE ? ESCAPE '\\' OR text LIKE ? ESCAPE '\\'",
            [f"%{safe}%"] * 2,
        )
        mask = np.zeros(self.count, dtype=bool)
        mask[[place for (place,) in found]] = True
        return mask

    def judged(self, place: int) -> Any:
        """Return what was stored with one query: its grades, its preferences or its nuggets."""
        found = self._rows("SELECT grades FROM queries WHERE place = ?", [place])
        return json.loads(zlib.decompress(found[0][0]))

    def ranking(self, place: int, system: str) -> list[tuple[str, float]]:
        """Return the documents and scores of one query by one system, best first."""
        row = self.systems.index(system) * self.count + place
        found = self._rows("SELECT body FROM rankings WHERE place = ?", [row])
        return _unpacked_ranking(found[0][0]) if found else []

    def texts(self, place: int, system: str) -> dict[str, Any] | None:
        """Return what was stored of one item by one system, such as its text, or None."""
        row = self.systems.index(system) * self.count + place
        found = self._rows("SELECT body FROM rankings WHERE place = ?", [row])
        made: dict[str, Any] | None = json.loads(zlib.decompress(found[0][0])) if found else None
        return made

    def matches(self, row: int) -> bytes | None:
        """Return the stored matches of one text, or None."""
        found = self._rows("SELECT body FROM matches WHERE place = ?", [row])
        return found[0][0] if found else None

    def document(self, name: str) -> Passage | None:
        """Return the text of a document, or None if it is not known."""
        source = self.inputs.documents
        if source is not None and source.startswith("ir_datasets:"):
            return self._local(source, name)
        found = self._rows("SELECT file, start, length, body FROM documents WHERE id = ?", [name])
        if not found:
            return None
        file, start, length, body = found[0]
        if body is not None:
            title, text = json.loads(zlib.decompress(body))
            return Passage(name, text, title)
        place = self.inputs.document_path
        stored = None if place is None else StoredTexts(place).at(file, start, length)
        # Another id: the file was replaced since it was indexed.
        return stored if stored is not None and stored.id == name else None

    def _local(self, source: str, name: str) -> Passage | None:
        if self._store is None:
            self._store = local_documents(source)
        return local_passage(self._store, name)


def column_name(kind: str, measure: str, system: str) -> str:
    """Return the name under which a column is stored."""
    return json.dumps([kind, measure, system])
