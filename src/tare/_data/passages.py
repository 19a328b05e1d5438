"""Texts of queries and documents: JSON lines, lines "id<tab>text", a folder, or ir_datasets.

What assessors judge, what the explorer shows and what a report embeds is read here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from tare._data.formats.jsonl import json_object
from tare._files.addresses import is_folder
from tare._files.opening import blocks, name_of, read_text
from tare._plain_text import LONE_SURROGATE, plain
from tare.errors import FormatError, MissingExtraError, OptionError, UnreadableError

__all__ = [
    "Passage",
    "StoredTexts",
    "by_id",
    "duplicate",
    "folder_files",
    "folder_passages",
    "local_documents",
    "local_passage",
    "passages_by_id",
    "read_passages",
]

IDS = ("id", "_id", "doc_id", "docid", "docno", "query_id", "qid", "pid")
NOUNS = ("query", "topic", "item", "document", "doc", "passage")  # of a first column with ids
MARKUP = ("markdown", "html")
TEXTS = (
    "text",
    "contents",
    "content",
    "body",
    "query",
    "passage",
    "abstract",
    "description",
    *MARKUP,
)
SUFFIXES = {".txt": "text", ".md": "markdown", ".html": "html", ".htm": "html"}
MAX_LINE = 16_000_000  # bytes
NOT_BLANK = re.compile(rb"\S[^\n]*\n?")
BOM = b"\xef\xbb\xbf"  # some editors begin a file with it


@dataclass(frozen=True)
class Passage:
    """A text with its id.

    `format` is text, markdown or html. `line` is the number of its line, and `start` and `length` are its
    place in an uncompressed file; `file` is its name in a folder. `attributes` are the other fields of its
    line, such as a category.
    """

    id: str
    text: str
    title: str = ""
    start: int = 0
    length: int = 0
    attributes: dict[str, str] = field(default_factory=dict)
    format: str = "text"
    line: int = 0
    file: str = ""


def read_passages(path: Path) -> Iterator[Passage]:
    """Yield the texts of queries or documents in a file, line by line: JSON objects, or 'id<tab>text'.

    The first line of a file with tabs may name its columns, such as id, text and category. Whether an id
    occurs twice is for the caller to check, who knows which texts are kept; see `by_id`.
    """
    as_json = _is_json(path)
    columns: list[str] | None = None
    first = True
    for number, start, line in _lines(path):
        if not start and line.startswith(BOM):
            start, line = len(BOM), line.removeprefix(BOM)
            if not line.strip():
                continue
        if first and not as_json:
            first = False
            if columns := _header(line):
                continue
        where = f"{name_of(path)}, line {number}"
        passage = _of_json(line, where) if as_json else _of_tab(line, where, columns)
        if not passage.id:
            raise FormatError(f"{where}: the id is empty.")
        yield replace(passage, start=start, length=len(line), line=number)


def by_id(name: str, passages: Iterable[Passage]) -> dict[str, Passage]:
    """Return the texts of documents by id; raise if an id occurs twice, because one of the two texts would be lost."""
    found: dict[str, Passage] = {}
    for passage in passages:
        if (other := found.setdefault(passage.id, passage)) is not passage:
            raise duplicate(name, other, passage)
    return found


def duplicate(name: str, first: Passage, second: Passage) -> FormatError:
    """Return the error about two texts of queries or documents with one id."""
    if second.file:
        names = " and ".join(plain(one.file) for one in (first, second))
        return FormatError(f"{name}: {names} have the same id {second.id!r}. Rename one of them.")
    return FormatError(
        f"{name}, line {second.line}: duplicate id {second.id!r} (first on line {first.line}). An id stands for "
        "one text; remove or rename one of them."
    )


def _is_json(path: Path) -> bool:
    return any(part in path.name.lower() for part in (".jsonl", ".ndjson", ".json"))


def _header(line: bytes) -> list[str] | None:
    """Return the names of columns if a line of a file of texts contains names, one for the id and one for the text."""
    text = line.decode("utf-8", "replace").rstrip("\r\n")
    names = [name.strip() for name in text.split("\t")]
    lower = [name.lower() for name in names]
    named = _roles(lower) is not None and len(set(lower)) == len(lower)
    return names if named else None


def _roles(names: list[str]) -> tuple[str, str] | None:
    """Return which columns hold the id and the text of a document, by their names in lower case, or None."""
    of_id = next((name for name in IDS if name in names), None)
    if of_id is None and names[0] in NOUNS:
        of_id = names[0]
    of_text = next((name for name in TEXTS if name in names and name != of_id), None)
    return None if of_id is None or of_text is None else (of_id, of_text)


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, offset and bytes of every line of a file of texts that is not blank."""
    rest, number, offset = bytearray(), 1, 0
    for block in blocks(path):
        data = bytes(block)
        end = data.rfind(b"\n") + 1
        rest += data[:end]
        if end:
            text = bytes(rest)
            yield from _not_blank(text, number, offset)
            number, offset = number + text.count(b"\n"), offset + len(text)
            rest.clear()
        rest += data[end:]
        if len(rest) > MAX_LINE:
            raise FormatError(
                f"{name_of(path)}: a line is longer than {MAX_LINE:,} bytes. Is this a text file?"
            )
    yield from _not_blank(bytes(rest), number, offset)


def _not_blank(text: bytes, number: int, offset: int) -> Iterator[tuple[int, int, bytes]]:
    """Skip blank lines of a file of texts without a loop over them: a file may consist of millions."""
    counted = 0
    for found in NOT_BLANK.finditer(text):
        start = text.rfind(b"\n", counted, found.start()) + 1 or counted
        number += text.count(b"\n", counted, start)
        counted = start
        yield number, offset + start, text[start : found.end()]


def _of_json(line: bytes, where: str) -> Passage:
    given = json_object(line, where)
    row = {name: value for name, value in given.items() if value is not None}
    key = next((name for name in IDS if name in row), None)
    field = next((name for name in TEXTS if name in row), None)
    if key is None or (field is None and "title" not in row):
        names = IDS if key is None else TEXTS
        null = next((f"{name} is missing (null); " for name in names if name in given), "")
        raise FormatError(
            f"{where}: {null}expected an id ({', '.join(IDS[:4])} …) and a text ({', '.join(TEXTS[:4])} …)."
        )
    known = {key, field, "title", "metadata"}
    more = row.get("metadata")
    others = {**(more if isinstance(more, dict) else {}), **row}
    attributes = {str(n): _shown(v) for n, v in others.items() if n not in known and _is_value(v)}
    title = _word(row, "title", where) if "title" in row else ""
    text = _word(row, field, where) if field else title
    return Passage(
        _word(row, key, where), text, title, attributes=attributes, format=_format(field)
    )


def _word(row: dict[str, Any], name: str, where: str) -> str:
    """Return a field of a document, such as its id, as text; a whole number counts as the text of its digits."""
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise FormatError(f"{where}: {name}: expected text, found {str(value)[:60]!r}.")
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise FormatError(f"{where}: {name} {LONE_SURROGATE}") from None
    return text


def _format(field: str | None) -> str:
    return field if field in MARKUP else "text"


def _is_value(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _shown(value: Any) -> str:
    """Return the value of an attribute as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _of_tab(line: bytes, where: str, columns: list[str] | None = None) -> Passage:
    try:
        text = line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise FormatError(
            f"{where}: the text is not valid UTF-8. Convert the file, e.g. with iconv."
        ) from None
    key, tab, body = text.partition("\t")
    if not tab:
        raise FormatError(f"{where}: expected 'id<tab>text', or a .jsonl file with id and text.")
    if columns is None:
        return Passage(key, body)
    cells = text.split("\t")
    if len(cells) != len(columns):
        raise FormatError(
            f"{where}: expected {len(columns)} columns as in the first line, found {len(cells)}."
        )
    row = dict(zip(columns, cells, strict=True))
    lower = {name.lower(): name for name in columns}
    roles = _roles(list(lower))
    assert roles is not None  # the first line was recognised by them
    id_of, text_of = (lower[name] for name in roles)
    title = row.get(lower.get("title", ""), "")
    known = {id_of, text_of, lower.get("title")}
    attributes = {name: cell for name, cell in row.items() if name not in known and cell}
    form = _format(text_of.lower())
    return Passage(row[id_of], row[text_of], title, attributes=attributes, format=form)


@dataclass(frozen=True)
class StoredTexts:
    """A file or folder of documents in which their texts are found by their place."""

    path: Path

    def at(self, place: str, start: int, length: int) -> Passage | None:
        """Return the text of a document at a place: a line of the file, or a file of the folder."""
        try:
            if self.path.is_dir():
                body = (self.path / place).read_text(encoding="utf-8", errors="replace")
                return Passage(_id_of(place), body, file=place)
            with self.path.open("rb") as file:
                first = b"" if _is_json(self.path) else _first_line(file)
                file.seek(start)
                line = file.read(length)
        except OSError:
            return None
        where = str(self.path)
        try:
            return _of_json(line, where) if not first else _of_tab(line, where, _header(first))
        except FormatError:  # the file has changed since it was indexed
            return None


def _first_line(file: BinaryIO) -> bytes:
    """Return the first line of a file of texts that is not blank, which may name columns."""
    lines = (line.removeprefix(BOM) for line in iter(lambda: file.readline(MAX_LINE), b""))
    return next((line for line in lines if line.strip()), b" ")


def _id_of(name: str) -> str:
    """Return the id of a document by the name of its file: the name without its suffix."""
    return name.rpartition(".")[0] or name


def folder_files(folder: Path) -> Iterator[Passage]:
    """Yield the documents of a folder by their place, without reading their texts."""
    with os.scandir(folder) as found:
        names = sorted(entry.name for entry in found if entry.is_file())
    yield from (Passage(_id_of(name), "", file=name) for name in names)


def folder_passages(folder: Path) -> Iterator[Passage]:
    """Yield the texts of documents in a folder: its files .txt, .md and .html."""
    for named in folder_files(folder):
        form = SUFFIXES.get(Path(named.file).suffix.lower())
        if form is not None:
            yield replace(named, text=read_text(folder / named.file), format=form)


def local_documents(name: str) -> Any:
    """Return the documents of an ir_datasets collection; only its local cache is used."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir-datasets", None, "--documents ir_datasets:…") from None
    key = name.removeprefix("ir_datasets:")
    try:
        collection = ir_datasets.load(key)
    except KeyError:
        raise OptionError(f"--documents {name}: ir_datasets has no collection {key!r}.") from None
    try:
        with without_network():
            store = collection.docs_store()
            with suppress(KeyError):  # asks for a document, because stores are opened late
                store.get("")
        return store
    except Exception as error:
        raise UnreadableError(
            f"--documents {name}: the collection is not in the local cache of ir_datasets "
            f"({type(error).__name__}). Download it with ir_datasets first, or name a file."
        ) from None


def local_passage(store: Any, name: str) -> Passage | None:
    """Return a document of an ir_datasets collection without downloading, or None."""
    try:
        with without_network():
            found = store.get(name)
    except (KeyError, OSError, ValueError):
        return None
    return Passage(name, str(found.default_text()), str(getattr(found, "title", "") or ""))


def passages_by_id(source: str, wanted: Collection[str]) -> dict[str, Passage]:
    """Return the texts of some documents of a file, a folder or ir_datasets:ID by their ids."""
    if source.startswith("ir_datasets:"):
        store = local_documents(source)
        made = {name: local_passage(store, name) for name in sorted(wanted)}
        return {name: passage for name, passage in made.items() if passage is not None}
    path = Path(source)
    if not is_folder(path):
        return by_id(name_of(path), (p for p in read_passages(path) if p.id in wanted))
    named = by_id(name_of(path), (p for p in folder_files(path) if p.id in wanted))
    stored = StoredTexts(path)
    read = {key: stored.at(passage.file, 0, 0) for key, passage in named.items()}
    return {key: passage for key, passage in read.items() if passage is not None}


@contextmanager
def without_network() -> Iterator[None]:
    """Within this context, ir_datasets cannot download."""
    from ir_datasets.util import download

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise OSError("downloads are disabled")

    kept = download.RequestsDownload.stream
    download.RequestsDownload.stream = refuse
    try:
        yield
    finally:
        download.RequestsDownload.stream = kept
