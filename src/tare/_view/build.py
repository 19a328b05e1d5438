"""Build the index of a view in one pass over its files, and reuse it while they are unchanged."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tare._data.passages import (
    Passage,
    duplicate,
    folder_files,
    local_documents,
    read_passages,
)
from tare._files.addresses import exists, is_file, written_at
from tare._files.opening import is_compressed, name_of
from tare._files.writing import temporary_path
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._view.contents import fill_contents
from tare._view.index import SCHEMA, ViewIndex, column_name
from tare._view.inputs import ViewInputs
from tare._view.stored_matches import fill_matches
from tare.errors import OptionError, UnreadableError
from tare.report._context import kinds_of_scores, reported_measures

__all__ = ["opened_index"]

Say = Callable[[str], None]


def opened_index(
    inputs: ViewInputs,
    scored: Callable[[], Scores],
    *,
    path: Path | None = None,
    say: Say = print,
    resources: dict[Any, Any] | None = None,
) -> ViewIndex:
    """Return the index of some files; it is built if there is none or if the files have changed.

    scored: computes the scores of the runs; it is called only if the index is built.
    resources: models that `scored` has loaded, for the nearest tokens of BERTScore.
    """
    place = path or inputs.index_path()
    described = inputs.describe()  # before anything is read, as files can change meanwhile
    if is_file(place):
        found = _opened(place, inputs)
        if found is not None and found.known == described:
            return found
        # In its own folder, a damaged index is built again.
        if found is None and path is not None and place.stat().st_size:
            raise OptionError(
                f"{plain(str(place))} is not an index of tare view, and was left unchanged. Name another file with "
                "--index."
            )
        if found is not None:
            found.close()
        say("The files have changed since they were indexed.")
    elif exists(place):
        raise OptionError(
            f"{plain(str(place))} cannot be written: it is not a regular file. Name another file with --index."
        )
    say("Indexing …")
    target = Path(written_at(place))  # a link stays a link
    temporary = temporary_path(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if place.parent == inputs.index_folder:
            place.parent.chmod(0o700)
        temporary.touch(0o600, exist_ok=False)  # it holds the texts of files that may be private
        with closing(sqlite3.connect(temporary, isolation_level=None)) as base:
            base.executescript(
                "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;"
                + SCHEMA
            )
            base.execute("BEGIN")
            _fill(base, inputs, described, scored(), {} if resources is None else resources)
            base.execute("COMMIT")
        temporary.replace(target)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, UnreadableError):
            raise
        raise OptionError(
            f"the index {plain(str(place))} cannot be written ({error}). Name another file with --index."
        ) from None
    finally:
        temporary.unlink(missing_ok=True)
    return ViewIndex(place, inputs)


def _opened(place: Path, inputs: ViewInputs) -> ViewIndex | None:
    """Return an index; None if the file is not an index, or damaged."""
    try:
        return ViewIndex(place, inputs)
    except (sqlite3.Error, KeyError, ValueError):
        return None


def _fill(
    base: sqlite3.Connection,
    inputs: ViewInputs,
    described: dict[str, Any],
    scores: Scores,
    resources: dict[Any, Any],
) -> None:
    place = {item: k for k, item in enumerate(scores.items)}
    attributes, left_out = fill_contents(base, inputs, scores.systems, place)
    _fill_documents(base, inputs)
    matched, unmatched = fill_matches(base, inputs, scores, resources)
    measures = reported_measures(scores)
    for reported in measures:
        for kind, name in (
            ("gross", reported.name),
            ("tare", reported.expected),
            ("net", reported.net),
        ):
            if name is not None:
                _fill_columns(base, scores, kind, reported.name, name)
        kinds = kinds_of_scores(scores, reported)
        if kinds is not None:
            by_query = kinds.kind_by_query()
            listed = json.dumps([by_query.get(item, "undefined") for item in scores.items])
            base.execute("INSERT INTO facts VALUES (?, ?)", (f"kinds {reported.name}", listed))
    facts = {
        "inputs": described,
        "systems": scores.systems,
        "measures": [reported.name for reported in measures],
        "queries": len(place),
        "findings": [str(f) for f in scores.findings if f.severity != "note"][:8]
        + left_out
        + unmatched,
        "matched": matched,
        "attributes": attributes,
        "content": inputs.content,
    }
    listed_facts = [(name, json.dumps(body)) for name, body in facts.items()]
    base.executemany("INSERT INTO facts VALUES (?, ?)", listed_facts)


def _fill_columns(
    base: sqlite3.Connection, scores: Scores, kind: str, measure: str, name: str
) -> None:
    matrix = scores.matrix(name)
    rows = [
        (
            column_name(kind, measure, system),
            zlib.compress(np.ascontiguousarray(line, dtype="<f8").tobytes(), 1),
        )
        for system, line in zip(scores.systems, matrix, strict=True)
    ]
    base.executemany("INSERT INTO columns VALUES (?, ?)", rows)


def _fill_documents(base: sqlite3.Connection, inputs: ViewInputs) -> None:
    """Store where the text of each document is, or the texts of a compressed file."""
    if inputs.documents is None:
        return
    place = inputs.document_path
    if place is None:
        local_documents(inputs.documents)  # raises if it is not in the cache
        return
    in_folder = place.is_dir()
    compressed = not in_folder and is_compressed(place)
    last = None

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal last
        for last in folder_files(place) if in_folder else read_passages(place):
            yield _document(last, compressed)

    try:
        base.executemany("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", rows())
    except (
        sqlite3.IntegrityError
    ):  # an id twice: the ids of millions of documents are only in the index
        assert last is not None
        again = folder_files(place) if in_folder else read_passages(place)
        first = next(passage for passage in again if passage.id == last.id)
        raise duplicate(name_of(place), first, last) from None


def _document(passage: Passage, compressed: bool) -> tuple[Any, ...]:
    body = None
    if compressed:
        body = zlib.compress(json.dumps([passage.title, passage.text]).encode(), 1)
    return passage.id, passage.file, passage.start, passage.length, body
