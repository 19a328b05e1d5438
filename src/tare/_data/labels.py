"""Labels: what people or models said about pairs of a query and a document (or a unit, or two documents)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from tare._data import frames
from tare._data.findings import Finding
from tare._data.inputs import Source
from tare._data.label_rows import KINDS, LabelRow, LabelTable, rows_of_frame, rows_of_text
from tare._data.label_values import failure_of, is_word_scale, number_of_label
from tare._data.qrels import Qrels, read_qrels
from tare._data.rows import TABLES
from tare._files.addresses import shown_path
from tare._files.opening import name_of, plain_suffix
from tare.errors import FormatError, choose, raise_all

__all__ = ["LabelSet", "LabelSource", "read_labels"]

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class LabelSet:
    """The labels of one person or one model. Made by `read_labels`.

    Attributes
    ----------
    name : str
        Who gave the labels: the name of the file, of the column, or the value of the judge column.
    source : str
        The file, as named in messages.
    kind : {"grades", "ratings", "preferences", "units"}
        What was labelled.
    values : mapping of (str, str) to float
        The labels by query and document; preferences by query and the two documents.
    categories : tuple of str or None
        The names of the labels if they are words; then `values` are indices into them.
    failed : mapping of str to int
        What was found instead of a label, and how often: negative numbers, null and text.
    """

    name: str
    source: str
    kind: str
    values: Mapping[Pair, float]
    categories: tuple[str, ...] | None = None
    failed: Mapping[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def failures(self) -> int:
        """The number of labels that could not be read."""
        return sum(self.failed.values())

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The queries with labels, sorted."""
        return tuple(sorted({query for query, _ in self.values}))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The labelled pairs, sorted."""
        return tuple(sorted(self.values))

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The distinct labels, ascending."""
        return tuple(sorted(set(self.values.values())))

    def mapped(self, values: Mapping[Pair, float]) -> LabelSet:
        """Return the set with other labels."""
        return replace(self, values=values)

    def to_qrels(self, queries: Iterable[str] | None = None) -> Qrels:
        """Return the labels as qrels; failed labels are left out."""
        kept = set(self.queries if queries is None else queries)
        made: dict[str, dict[str, float]] = {}
        for (query, document), value in self.values.items():
            if query in kept:
                made.setdefault(query, {})[document] = value
        return read_qrels(made)

    def findings(self) -> tuple[Finding, ...]:
        """Return a finding about failed labels, if there are any."""
        if not self.failed:
            return ()
        shown = sorted(self.failed.items(), key=lambda x: (-x[1], x[0]))
        named = ", ".join(f"{what} ({count:,})" for what, count in shown[:5])
        more = ", …" if len(shown) > 5 else ""
        message = (
            f"{self.name}: {self.failures:,} labels could not be read and were left out, not counted as "
            f"0: {named}{more}."
        )
        return (Finding("failed labels", message, self.failures),)

    def __repr__(self) -> str:
        failed = f", {self.failures:,} failed" if self.failed else ""
        return f"LabelSet({self.name!r}: {len(self):,} {self.kind}, {len(self.queries):,} queries{failed})"


LabelSource: TypeAlias = "Source | LabelSet | Qrels"
"""A path, a data frame, {query: {document: label}}, qrels or a set of labels."""


def read_labels(
    source: LabelSource, *, name: str | None = None, kind: str = "auto"
) -> list[LabelSet]:
    """Read labels of people or models: one set per person or model in the source.

    Labels that cannot be read (negative grades, null, text among numbers) are counted by what was
    found, and never become 0.

    Parameters
    ----------
    source : path, data frame, dict, Qrels or LabelSet
        TREC qrels, with or without further columns; a table (.jsonl, .csv, .tsv, .parquet) with one row
        per label, under common names of columns (`query_id`, `docid`, `judgment`, …), such as the
        output of umbrela; a wide table with one column per person or model; tables of ratings, of
        preferences, and of content units.
    name : str, optional
        The name of the labels; by default that of the file.
    kind : {"auto", "grades", "ratings", "preferences", "units"}
        What was labelled; by default it is found from the columns.

    Returns
    -------
    list of LabelSet
        One per person or model, in the order of their first label.

    Raises
    ------
    FormatError
        If no label can be read, or one source gives a pair two different labels.
    UnreadableError
        If the file cannot be read.

    Examples
    --------
    >>> read_labels({"q1": {"a": 2, "b": None, "c": -1}}, name="llm")
    [LabelSet('llm': 1 grades, 1 queries, 2 failed)]
    """
    choose("kind", kind, ("auto", *KINDS))
    if isinstance(source, LabelSet):
        return [source]
    if isinstance(source, Qrels):
        source = source.to_dict()
    if isinstance(source, Mapping):
        rows = []
        for query, documents in source.items():
            if not isinstance(documents, Mapping):
                raise FormatError(
                    f"dictionary: query {query!r} holds a {type(documents).__name__}; expected "
                    "{document: label}."
                )
            rows += [
                LabelRow(f"query {query!r}", str(query), str(document), label)
                for document, label in documents.items()
            ]
        chosen = "grades" if kind == "auto" else kind
        return _sets(LabelTable(chosen, rows), "dictionary", name or "labels")
    if frames.is_frame(source):
        frame = frames.to_polars(source)
        table = rows_of_frame(frame.columns, frame.iter_rows(), "data frame", kind)
        return _sets(table, "data frame", name or "labels")
    if isinstance(source, str | os.PathLike):
        shown = name_of(source)
        place = shown_path(source)
        own = name or place.name.removesuffix(place.suffix) or shown
        suffix = plain_suffix(source)
        if name is None and suffix and own.lower().endswith(suffix):  # labels.csv.gz
            own = own[: -len(suffix)]
        table = (
            rows_of_text(source, kind)
            if suffix not in TABLES
            else rows_of_frame(*_table(source, suffix), shown, kind)
        )
        return _sets(table, shown, own)
    raise FormatError(
        f"labels cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, a "
        "dictionary {query: {document: label}}, qrels."
    )


def _table(
    source: str | os.PathLike[str], suffix: str
) -> tuple[list[str], Iterable[tuple[object, ...]]]:
    """Return the columns and rows of a table; JSON keeps the type of each cell."""
    from tare._data.formats import jsonl
    from tare._files.opening import read_all

    if suffix not in jsonl.SUFFIXES:
        frame = TABLES[suffix].read(source)
        return frame.columns, frame.iter_rows()
    found = jsonl.objects(read_all(source), name_of(source))
    columns = list(dict.fromkeys(str(key) for row in found for key in row))
    return columns, (tuple(row.get(c) for c in columns) for row in found)


def _sets(table: LabelTable, source: str, name: str) -> list[LabelSet]:
    """Group rows by judge; one error lists all pairs with two different labels."""
    judges = list(dict.fromkeys(row.judge for row in table.rows))
    groups: dict[str | None, list[LabelRow]] = {judge: [] for judge in judges}
    for row in table.rows:
        groups[row.judge].append(row)
    problems: list[str] = []
    made = []
    for judge, rows in groups.items():
        own = name if judge is None or (len(judges) == 1 and not table.wide) else judge
        found = _one(table.kind, rows, source, own, problems)
        if found is not None:
            made.append(found)
    raise_all(problems)
    if not made:
        raise FormatError(f"{source}: no labels found. {_read(table)}")
    return made


def _read(table: LabelTable) -> str:
    failed = Counter(failure_of(row.label) for row in table.rows)
    if not failed:
        return "The source is empty."
    shown = ", ".join(f"{what} ({count:,})" for what, count in failed.most_common(3))
    return f"Labels are numbers of 0 or more; found {shown}."


def _one(
    kind: str, rows: list[LabelRow], source: str, name: str, problems: list[str]
) -> LabelSet | None:
    categories: tuple[str, ...] | None = None
    if kind == "ratings" and is_word_scale([row.label for row in rows]):
        words = [str(row.label).strip() for row in rows if row.label is not None]
        categories = tuple(sorted({w for w in words if w}))
    values: dict[Pair, float] = {}
    first: dict[Pair, str] = {}
    failed: Counter[str] = Counter()
    for row in rows:
        number = (
            number_of_label(row.label, negative=kind != "grades")
            if categories is None
            else (None if row.label is None else float(categories.index(str(row.label).strip())))
        )
        if number is None:
            failed[failure_of(row.label)] += 1
            continue
        pair = (row.query, row.document)
        if pair in values and values[pair] != number:
            problems.append(
                f"{source}, {row.where}: document {row.document!r} of query {row.query!r} has the label "
                f"{row.label}, and another one on {first[pair]}. Keep one of the two."
            )
        values.setdefault(pair, number)
        first.setdefault(pair, row.where)
    if not values:
        return None
    return LabelSet(name, source, kind, values, categories, dict(failed))
