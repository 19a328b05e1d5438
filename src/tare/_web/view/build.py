"""Build the index of a view in one pass over its files, and reuse it while they are unchanged."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from tare._data.passages import (
    Passage,
    duplicate,
    folder_files,
    local_documents,
    passages_by_id,
    read_passages,
)
from tare._data.preferences import read_preferences
from tare._data.qrels import read_qrels
from tare._data.summaries import read_summaries
from tare._files.addresses import exists, is_file, written_at
from tare._files.opening import is_compressed, name_of
from tare._files.writing import temporary_path
from tare._measures.scores import Scores
from tare._plain_text import plain
from tare._web.view.answers import fill_answers
from tare._web.view.index import (
    SCHEMA,
    ViewIndex,
    ViewInputs,
    column_name,
    filled_attributes,
    packed_ranking,
)
from tare._web.view.texts import fill_matches
from tare.errors import OptionError, UnreadableError
from tare.report._context import kinds_of_scores, reported_measures
from tare.report._rankings import ranked, runs_of_systems

__all__ = ["fill_contents", "opened_index"]


# What an index stores per query and system: rankings, generated texts, or answers.


HEAD = 160  # letters of an item in the table


def fill_contents(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: dict[str, int]
) -> tuple[dict[str, list[str]], list[str]]:
    """Store queries and what the systems made of them in the index of a view.

    Returns the values of the attributes, and which attributes are left out.
    """
    texts, attributes = _query_texts(inputs, place)
    judged: Iterable[tuple[str, Any]]
    if inputs.of_texts:
        texts = _fill_texts(base, inputs, systems, place)
        judged = ((item, {}) for item in place)
    elif inputs.answers is not None:
        texts = inputs.answers.topic_texts() | texts
        judged = fill_answers(base, inputs.answers, systems, place)
    else:
        _fill_rankings(base, inputs, systems, place)
        judged = _judgements(inputs)
    rows = (
        (place[query], query, texts.get(query), zlib.compress(json.dumps(own).encode(), 1))
        for query, own in judged
        if query in place
    )
    base.executemany("INSERT INTO queries VALUES (?, ?, ?, ?)", rows)
    base.execute("CREATE INDEX query_ids ON queries(id)")
    return filled_attributes(base, attributes, len(place))


def _query_texts(
    inputs: ViewInputs, place: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, dict[int, str]]]:
    """Return the texts of a view's queries by id, and their attributes by place."""
    texts: dict[str, str] = {}
    values: dict[str, dict[int, str]] = {}
    found = {} if inputs.queries is None else passages_by_id(str(inputs.queries), place)
    for passage in found.values():
        texts[passage.id] = passage.text
        for name, value in passage.attributes.items():
            values.setdefault(name, {})[place[passage.id]] = value
    return texts, values


def _judgements(inputs: ViewInputs) -> Iterator[tuple[str, Any]]:
    """Yield each query of a view to index, with its grades, or with its preferences between documents."""
    if inputs.of_preferences:
        for query, judgements in read_preferences(inputs.qrels).by_query.items():
            yield query, [[j.left, j.right, j.preferred, j.assessor, j.given] for j in judgements]
        return
    for query, grades in read_qrels(inputs.qrels).by_query():
        yield query, dict(grades)


def _fill_rankings(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: Mapping[str, int]
) -> None:
    """Store the first documents of every query by every system in the index of a view."""
    number = {system: s for s, system in enumerate(systems)}
    for system, run in runs_of_systems(inputs.runs, systems):
        first = number[system] * len(place)
        rows = (
            (first + place[query], packed_ranking(documents))
            for query, documents in ranked(run, inputs.depth)
            if query in place
        )
        base.executemany("INSERT INTO rankings VALUES (?, ?)", rows)


def _fill_texts(
    base: sqlite3.Connection, inputs: ViewInputs, systems: Sequence[str], place: Mapping[str, int]
) -> dict[str, str]:
    """Store the texts of every system and item in the index of a view; return the beginning of each item's source."""
    given = read_summaries(inputs.qrels)
    number = {system: s for s, system in enumerate(systems)}
    rows = zip(
        given.systems, given.items, given.texts, given.references, given.sources, strict=True
    )
    heads: dict[str, str] = {}
    for system, item, text, references, source in rows:
        if item not in place or system not in number:
            continue
        body: dict[str, Any] = {
            "text": _joined(text),
            "references": [_joined(reference) for reference in references],
            "source": "" if source is None else _joined(source),
        }
        heads.setdefault(item, _beginning(body["source"] or next(iter(body["references"]), "")))
        packed = zlib.compress(json.dumps(body).encode(), 1)
        row = number[system] * len(place) + place[item]
        base.execute("INSERT OR REPLACE INTO rankings VALUES (?, ?)", (row, packed))
    return heads


def _beginning(text: str) -> str:
    """Return the first words of a text for the index; an ellipsis marks that more follow."""
    if len(text) <= HEAD:
        return text
    kept = text[:HEAD]
    cut = kept if text[HEAD].isspace() else kept.rpartition(" ")[0]
    return f"{(cut or kept).rstrip()} …"


def _joined(text: Any) -> str:
    return text if isinstance(text, str) else "\n".join(text)


Say = Callable[[str], None]


def opened_index(
    inputs: ViewInputs,
    scored: Callable[[], Scores],
    *,
    path: Path | None = None,
    say: Say = print,
    resources: dict[Any, Any] | None = None,
) -> ViewIndex:
    """Return the index of a view of some files; it is built if there is none or if the files have changed.

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
    """Return an existing index of a view; None if the file is not an index, or damaged."""
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
    """Store in the index of a view where the text of each document is, or the texts of a compressed file."""
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
