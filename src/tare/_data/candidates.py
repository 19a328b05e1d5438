"""Candidates: the documents that could have been ranked per query, as lists or as counts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tare._data.columns import COLUMNS, quoted
from tare._data.odd_columns import ids_of
from tare._data.qrels import Qrels, read_qrels
from tare._data.rows import TABLES, first_row
from tare._data.run import Run, read_run
from tare._data.text_rows import text_rows
from tare._files.opening import name_of, plain_suffix, read_text
from tare.errors import FormatError

__all__ = ["Candidates", "read_candidates"]

MOST = 10**12
NUMBERS = ("candidates", "candidate_count", "n_candidates", "num_candidates")


@dataclass(frozen=True, eq=False)
class Candidates:
    """The number of candidates per query (`counts`), or the candidates themselves (`lists`).

    `same` is the number of candidates of every query.
    """

    name: str
    counts: Mapping[str, int] | None = None
    lists: Qrels | None = None
    same: int = 0

    @cached_property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify these candidates."""
        if self.lists is not None:
            return self.lists.digest
        text = (
            repr(sorted((self.counts or {}).items())) if self.counts is not None else f"{self.same}"
        )
        import hashlib

        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()

    def count(self, query: str) -> int | None:
        """Return the number of candidates of a query, or None if the query is not listed."""
        if self.counts is not None:
            return self.counts.get(query)
        return self.same or None


def read_candidates(source: Any) -> Candidates:
    """Read candidates from a number, a dictionary, a data frame or a file.

    A dictionary maps each query to a number or to its documents. A table has a column for the query
    and one for the number (`candidates`) or the document. Text files have lines 'query number' or
    'query document'. TREC runs and qrels are read as lists of documents.

    >>> read_candidates({"q1": 100, "q2": 80}).count("q2")
    80
    """
    if isinstance(source, Candidates):
        return source
    if isinstance(source, Qrels):
        return _listed(source.name, {q: [d for d, _ in ds] for q, ds in source.by_query()})
    if isinstance(source, Run):
        return _listed(source.name, {q: [d for d, _ in ds] for q, ds in source.by_query()})
    if isinstance(source, int) and not isinstance(source, bool):
        return Candidates("number", same=_number(source, "candidates", "candidates"))
    if isinstance(source, Mapping):
        return _of_mapping(source)
    from tare._data import frames

    if frames.is_frame(source):
        return _of_table(frames.to_polars(source), "data frame", 1)
    if isinstance(source, str | os.PathLike):
        module = TABLES.get(plain_suffix(source))
        if module is not None:
            return _of_table(module.read(source), name_of(source), first_row(source))
        return _of_text(source)
    raise FormatError(
        f"candidates cannot be read from a {type(source).__name__}. Accepted: a number, a path, a "
        "data frame, a dictionary {query: number} or {query: [documents]}."
    )


def _number(value: Any, name: str, where: str) -> int:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or not (1 <= number <= MOST and number == int(number)):
        raise FormatError(
            f"{name}, {where}: {value!r} is not a number of candidates; accepted: a whole number, 1 or more."
        )
    return int(number)


def _listed(name: str, lists: Mapping[str, Collection[Any]]) -> Candidates:
    for query, documents in lists.items():
        if not documents:
            raise FormatError(f"{name}: query {query!r} has no candidates.")
        if any(document is None or document != document for document in documents):
            raise FormatError(f"{name}: a candidate of query {query!r} is missing (None or NaN).")
    if not lists:
        raise FormatError(f"{name}: no candidates found.")
    made = read_qrels({q: dict.fromkeys(map(str, documents), 0) for q, documents in lists.items()})
    made.name = name
    return Candidates(name, lists=made)


def _of_mapping(source: Mapping[Any, Any]) -> Candidates:
    name = "dictionary"
    if not source:
        raise FormatError(f"{name}: no candidates found.")
    numbers = [not isinstance(v, Collection) for v in source.values()]
    if all(numbers):
        found = {str(q): _number(n, name, f"query {str(q)!r}") for q, n in source.items()}
        return Candidates(name, counts=found)
    if any(numbers) or any(isinstance(v, str) for v in source.values()):
        raise FormatError(
            f"{name}: expected either {{query: number}} or {{query: [documents]}}, not both."
        )
    return _listed(name, {str(q): documents for q, documents in source.items()})


def _of_table(frame: Any, name: str, first: int) -> Candidates:
    columns = {column.strip().lower(): column for column in reversed(frame.columns)}
    query = next((columns[c] for c in COLUMNS["query"] if c in columns), None)
    number = next((columns[c] for c in NUMBERS if c in columns), None)
    document = next((columns[c] for c in COLUMNS["document"] if c in columns), None)
    if query is None or (number is None and document is None):
        raise FormatError(
            f"{name}: found {quoted(frame.columns)}. A table of candidates "
            "has a column 'query' and one of 'candidates' (a number) or 'document'."
        )
    ids = ids_of(frame[query]).to_list()
    if None in ids:
        raise FormatError(f"{name}, row {ids.index(None) + first}: the query is missing.")
    if number is not None:
        counts: dict[str, int] = {}
        for row, (q, n) in enumerate(zip(ids, frame[number].to_list(), strict=True), first):
            count = _number(n, name, f"row {row}")
            if counts.setdefault(str(q), count) != count:
                raise FormatError(
                    f"{name}, row {row}: query {q!r} has two different numbers of candidates."
                )
        if not counts:
            raise FormatError(f"{name}: no candidates found.")
        return Candidates(name, counts=counts)
    lists: dict[str, dict[str, None]] = {}
    for row, (q, d) in enumerate(zip(ids, ids_of(frame[document]).to_list(), strict=True), first):
        if d is None:
            raise FormatError(f"{name}, row {row}: the document is missing.")
        lists.setdefault(str(q), {})[str(d)] = None
    return _listed(name, lists)


def _of_text(source: Any) -> Candidates:
    name = name_of(source)
    rows = list(text_rows(read_text(source), name))
    if not rows:
        raise FormatError(
            f"{name}: no candidates found; the file is empty or contains only comments."
        )
    width = len(rows[0][1])
    if width >= 4:
        made = read_run(source) if width >= 6 else read_qrels(source)
        return read_candidates(made)
    for number, fields in rows:
        if len(fields) != 2:
            raise FormatError(
                f"{name}, line {number}: expected 2 fields, found {len(fields)}. A line of candidates "
                "is 'query number' or 'query document'; TREC runs and qrels are also accepted."
            )
    queries = Counter(fields[0] for _, fields in rows)
    if max(queries.values()) == 1 and all(fields[1].isdigit() for _, fields in rows):
        counts = {f[0]: _number(f[1], name, f"line {number}") for number, f in rows}
        return Candidates(name, counts=counts)
    lists: dict[str, dict[str, None]] = {}
    for _, (query, document) in rows:
        lists.setdefault(query, {})[document] = None
    return _listed(name, lists)
