"""The index of a view: one SQLite file that answers one query, or one column, at a time.

SQLite is part of Python, reads one ranking in less than a millisecond, and keeps everything in one file
that can be replaced at once. A column of scores is one array of numbers, so that sorting 100,000 queries
by the difference of two systems reads two arrays and no row.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.passages import Passage, StoredTexts, folder_files, local_documents, local_passage
from tare._plain_text import plain
from tare._signature import tare_version

if TYPE_CHECKING:
    from tare._web.view.answers import AnswerFiles

__all__ = ["SCHEMA", "Content", "ViewIndex", "ViewInputs", "filled_attributes", "packed_ranking"]


# The files and options behind an index, and whether an index still describes them.


Content = Literal["rankings", "preferences", "texts", "answers"]
LAYOUT = 5  # of the index; a new layout makes older indexes stale


@dataclass(frozen=True)
class ViewInputs:
    """What a view shows: qrels, runs, and the texts of queries and documents.

    With `of_texts`, `qrels` is a file of generated texts with references, and there are no runs. With
    `answers`, it is the first file of assignments. With `of_preferences`, it contains preferences between
    documents.
    `options` are the settings that change the scores, such as measures and pool.
    """

    qrels: Path
    runs: tuple[Path, ...]
    queries: Path | None = None
    documents: str | None = None
    depth: int = 100
    options: tuple[tuple[str, str], ...] = ()
    of_texts: bool = False
    of_preferences: bool = False
    answers: AnswerFiles | None = None

    @property
    def content(self) -> Content:
        """What the pages show."""
        if self.answers is not None:
            return "answers"
        return "texts" if self.of_texts else "preferences" if self.of_preferences else "rankings"

    @property
    def files(self) -> list[Path]:
        """All files that a view reads; the files of a folder of documents are not listed."""
        first = [self.qrels] if self.answers is None else self.answers.files
        named = [*first, *self.runs, *([self.queries] if self.queries else [])]
        place = self.document_path
        return [*named, *([place] if place is not None else [])]

    @property
    def document_path(self) -> Path | None:
        """The file or folder of a view's documents, if they are not in ir_datasets."""
        if self.documents is None or self.documents.startswith("ir_datasets:"):
            return None
        return Path(self.documents)

    @property
    def index_folder(self) -> Path:
        """The folder of indexes next to the qrels."""
        return self.qrels.absolute().parent / ".tare-view"

    def index_path(self) -> Path:
        """Return the place of a view's index next to the qrels; other inputs get another index."""
        named = [str(p.absolute()) for p in self.files] + [str(self.documents), str(self.depth)]
        key = hashlib.sha256(json.dumps([named, self.options]).encode()).hexdigest()[:10]
        return self.index_folder / f"{self.qrels.name}-{key}.sqlite"

    def describe(self) -> dict[str, Any]:
        """Describe what identifies the inputs of a view: their paths, the digests of their contents, and the options."""
        return {
            "layout": LAYOUT,
            "tare": tare_version(),
            "files": [[str(path.absolute()), _digest(path)] for path in self.files],
            "documents": self.documents,
            "depth": self.depth,
            "options": [list(option) for option in self.options],
        }


def _digest(path: Path) -> str:
    """Return the SHA-256 digest of a file of a view, or of the names in a folder, whose texts are not in the index."""
    if path.is_dir():
        names = sorted(passage.file for passage in folder_files(path))
        return hashlib.sha256(json.dumps(names).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
    """Return a ranking as bytes for the index of a view: the number of documents, their scores, and their ids."""
    names, scores = zip(*documents, strict=True) if documents else ((), ())
    body = struct.pack(f"<I{len(scores)}d", len(scores), *scores)
    return zlib.compress(body + json.dumps(names).encode(), 1)


def _unpacked_ranking(body: bytes) -> list[tuple[str, float]]:
    plain = zlib.decompress(body)
    (count,) = struct.unpack_from("<I", plain)
    scores = struct.unpack_from(f"<{count}d", plain, 4)
    return list(zip(json.loads(plain[4 + 8 * count :]), scores, strict=True))


class ViewIndex:
    """The opened index of a view; nothing is loaded before it is asked for."""

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
        """What the rows of the table of a view are called: one, and several."""
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
        """Return the index's column of gross, tare or net of all queries by one measure and system; None if unknown."""
        return self._columns(column_name(kind, measure, system))

    def attribute(self, name: str) -> Array:
        """Return the value of an attribute of every query in the index, as a number in `attributes[name]`."""
        found = self._columns(column_name("attribute", name, ""))
        assert found is not None
        return found

    def attributes_of(self, place: int) -> dict[str, str]:
        """Return the attributes of one query."""
        codes = {name: float(self.attribute(name)[place]) for name in self.attributes}
        return {name: self.attributes[name][int(c)] for name, c in codes.items() if c == c}

    def kinds(self, measure: str) -> list[str] | None:
        """Return the kind of every query in the index by one measure; None without expected values."""
        found = self._rows("SELECT body FROM facts WHERE name = ?", [f"kinds {measure}"])
        return json.loads(found[0][0]) if found else None

    def queries(self, places: Sequence[int]) -> list[tuple[str, str]]:
        """Return id and text of some queries."""
        marks = ",".join("?" * len(places))
        found = self._rows(f"SELECT place, id, text FROM queries WHERE place IN ({marks})", places)
        by_place = {place: (key, text or "") for place, key, text in found}
        return [by_place[place] for place in places]

    def place_of(self, query: str) -> int | None:
        """Return the place of a query in the index of a view by its id."""
        found = self._rows("SELECT place FROM queries WHERE id = ? LIMIT 1", [query])
        return found[0][0] if found else None

    def matching(self, words: str) -> NDArray[np.bool_]:
        """Return which queries in the index contain a text in their id or words, ignoring case."""
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
        """Return what the index stored with one query: its grades, its preferences or its nuggets."""
        found = self._rows("SELECT grades FROM queries WHERE place = ?", [place])
        return json.loads(zlib.decompress(found[0][0]))

    def ranking(self, place: int, system: str) -> list[tuple[str, float]]:
        """Return the documents and scores that the index stored of one query by one system, best first."""
        row = self.systems.index(system) * self.count + place
        found = self._rows("SELECT body FROM rankings WHERE place = ?", [row])
        return _unpacked_ranking(found[0][0]) if found else []

    def texts(self, place: int, system: str) -> dict[str, Any] | None:
        """Return what the index stored of one item by one system, such as its text, or None."""
        row = self.systems.index(system) * self.count + place
        found = self._rows("SELECT body FROM rankings WHERE place = ?", [row])
        made: dict[str, Any] | None = json.loads(zlib.decompress(found[0][0])) if found else None
        return made

    def matches(self, row: int) -> bytes | None:
        """Return the matches of one text that the index stored, or None."""
        found = self._rows("SELECT body FROM matches WHERE place = ?", [row])
        return found[0][0] if found else None

    def document(self, name: str) -> Passage | None:
        """Return the text of a document of a view, or None if it is not known."""
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
    """Return the name under which a column of scores is stored in the index of a view."""
    return json.dumps([kind, measure, system])


# Attributes of queries, such as a category: columns of codes in the index, and filters of the
# table.


MAX_VALUES = 60  # of an attribute that is offered as a filter
MAX_ATTRIBUTES = 12
MAX_LETTERS = 200  # of a name or a value


def filled_attributes(
    base: sqlite3.Connection, given: Mapping[str, Mapping[int, str]], count: int
) -> tuple[dict[str, list[str]], list[str]]:
    """Store attributes of queries with 2 to 60 values in the index; return their values, and a sentence about each other one.

    given: {attribute: {place of a query: value}}. count: the number of queries.
    """
    kept: dict[str, list[str]] = {}
    left_out = []
    for name, own in given.items():
        values = sorted(set(own.values()))
        if len(values) < 2 or len(name) > MAX_LETTERS or max(map(len, values)) > MAX_LETTERS:
            continue
        if len(values) > MAX_VALUES or len(kept) == MAX_ATTRIBUTES:
            why = f"has {len(values):,} values; the table filters by attributes with at most {MAX_VALUES}"
            many = f"is one of more than {MAX_ATTRIBUTES} attributes"
            left_out.append(
                f"The attribute {plain(name)} {why if len(values) > MAX_VALUES else many}."
            )
            continue
        code = {value: k for k, value in enumerate(values)}
        column = np.full(count, np.nan)
        for place, value in own.items():
            column[place] = code[value]
        body = zlib.compress(column.astype("<f8").tobytes(), 1)
        base.execute(
            "INSERT INTO columns VALUES (?, ?)", (column_name("attribute", name, ""), body)
        )
        kept[name] = values
    return kept, left_out[:8]
