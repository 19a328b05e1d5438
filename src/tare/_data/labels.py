"""Labels: what people or models said about pairs of a query and a document (or a unit, or two documents)."""

from __future__ import annotations

import math
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

from tare._data.columns import COLUMNS, quoted
from tare._data.findings import Finding, Source
from tare._data.nuggets import FIELDS, Assignments, NuggetLists, Record, chosen_fields
from tare._data.preferences import EQUAL
from tare._data.pyramids import ANSWERS
from tare._data.qrels import Qrels, read_qrels
from tare._data.ratings import SPELLINGS
from tare._data.rows import text_rows
from tare._data.table_files import TableFile, table_in
from tare._data.tables import is_blank, is_frame, is_missing, records_of, to_polars
from tare._files.addresses import shown_path
from tare._files.opening import PathLike, name_of, plain_suffix, read_text
from tare.errors import FormatError, choose, raise_all

__all__ = [
    "KINDS",
    "SEPARATOR",
    "LabelRow",
    "LabelSet",
    "LabelSource",
    "LabelTable",
    "assigned_nuggets",
    "failure_of",
    "is_word_scale",
    "number_of_label",
    "read_labels",
    "rows_of_text",
]


# One label, with its place in the source.


class LabelRow(NamedTuple):
    """One label of a person or a model, with its place in the source for messages; `judge` is None if the source names none."""

    where: str
    query: str
    document: str
    label: Any
    judge: str | None = None


# Single labels as people and models write them: numbers, and what is found instead.


SHOWN = 24  # characters of an answer in messages
WORDS = {"true": 1.0, "false": 0.0}


def number_of_label(label: Any, *, negative: bool = False) -> float | None:
    """Return the label of a person or model as a number, or None if it is not one; `negative` numbers can be labels.

    >>> number_of_label(" 2 "), number_of_label("-1"), number_of_label("I cannot say")
    (2.0, None, None)
    """
    if isinstance(label, bool):
        return float(label)
    if isinstance(label, str):
        return _parsed(label, negative)  # a file has few distinct labels
    return _number(label, negative)


@lru_cache(maxsize=4096)
def _parsed(label: str, negative: bool) -> float | None:
    word = WORDS.get(label.strip().lower())
    return _number(label, negative) if word is None else word


def _number(label: Any, negative: bool) -> float | None:
    try:
        number = float(label)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(number) or (number < 0 and not negative):
        return None
    return number + 0.0  # without a negative zero


def failure_of(label: Any) -> str:
    """Return what was found instead of a label, for messages.

    >>> failure_of(None), failure_of(-1), failure_of("Sorry, but I can not say")
    ('null', '-1', "'Sorry, but I can not say'")
    >>> failure_of(-(10**400))
    'a number beyond 1e308'
    """
    if is_missing(label):
        return "null"
    if isinstance(label, int) and abs(label) > sys.float_info.max:
        return "a number beyond 1e308"
    if isinstance(label, int | float):
        return f"{label:g}"
    text = " ".join(str(label).split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def is_word_scale(labels: Sequence[Any]) -> bool:
    """Return whether the labels of people or models are names of categories: no number among them.

    >>> is_word_scale(["good", "bad", None]), is_word_scale(["1", "bad"])
    (True, False)
    """
    known = [label for label in labels if not is_missing(label)]
    return bool(known) and all(
        isinstance(label, str) and number_of_label(label, negative=True) is None for label in known
    )


# Labels of nuggets: whether an answer supports a nugget, by those who assigned.


SEPARATOR = " | "  # between the system and the nugget


def assigned_nuggets(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Any]]], name: str
) -> list[LabelRow]:
    """Return one label per answer and nugget: 1, ½ or 0, and "failed" if nothing was assigned.

    The pair is the topic, and the system with the nugget. Answers to other topics are left out.
    """
    names = [column.strip().lower() for column in columns]
    records = [
        Record(
            f"{name}, {where}", {k: v for k, v in zip(names, row, strict=False) if v is not None}
        )
        for where, row in rows
    ]
    found = Assignments(NuggetLists())
    found.add(records, chosen_fields({}), elsewhere=False)
    return [
        LabelRow(
            f"topic {key.item!r}",
            key.item,
            f"{key.system}{SEPARATOR}{nugget}",
            "failed" if credit is None else credit,
            key.assigner or None,
        )
        for key, own in found.credits.items()
        if key.about == key.item
        for nugget, credit in own.items()
    ]


# Rows of labels: one query, document, label and judge each, from text and from tables of any
# layout.


KINDS = ("grades", "ratings", "preferences", "units")
# Names of ids come before names that can also hold a text.
QUERY = ("query_id", "qid", "query-id", "queryid", "q_id", "topic_id", "topic", "query")
DOCUMENT = (
    *("document_id", "doc_id", "docid", "docno", "did", "passage_id", "pid", "corpus-id", "doc"),
    *("document", "passage"),
)
LABEL = (
    *("grade", "judgment", "judgement", "relevance", "label", "rel", "rating", "relevance_label"),
    *("relevance_score", "llm_label", "final_score", "overall_score", "score"),
)
JUDGE = (*COLUMNS["assessor"], "model")
STATUS = ("result_status", "valid", "parsed")
ID_KEYS = ("qid", "query_id", "docid", "doc_id", "id")
SHAPE = "A line is 'query iteration document label', with or without further columns."


class LabelTable(NamedTuple):
    """The labels of a source, row by row, what was labelled, and whether each judge has a column."""

    kind: str
    rows: list[LabelRow]
    wide: bool = False


def rows_of_text(source: PathLike, kind: str) -> LabelTable:
    """Read TREC qrels with any number of further columns, or lines of preferences."""
    name = name_of(source)
    rows: list[LabelRow] = []
    problems: list[str] = []
    for number, fields in text_rows(read_text(source), name):
        if len(fields) < 4:
            problems.append(
                f"{name}, line {number}: expected 4 fields or more, found {len(fields)}. {SHAPE}"
            )
            continue
        if kind == "auto":
            kind = "preferences" if _is_preference(fields) else "grades"
        where = f"line {number}"
        if kind == "preferences":
            judge = fields[4] if len(fields) > 4 and fields[4] != "-" else None
            rows.append(_preference(where, fields[:3], fields[3], judge))
        else:
            rows.append(LabelRow(where, fields[0], fields[2], fields[3]))
    raise_all(problems)
    if not rows:
        raise FormatError(f"{name}: no labels found; the file is empty or contains only comments.")
    return LabelTable("grades" if kind == "auto" else kind, rows)


def _is_preference(fields: Sequence[str]) -> bool:
    return number_of_label(fields[3], negative=True) is None and (
        fields[3] in fields[1:3] or fields[3].lower() in ("left", "right", *EQUAL)
    )


def _preference(where: str, ids: Sequence[str], winner: Any, judge: str | None) -> LabelRow:
    """Return the label of a preference between two documents in the order of their ids: 1, 0 or −1 for the first."""
    query, left, right = ids
    given = "" if winner is None else str(winner).strip()
    preferred = {"left": left, "right": right}.get(given.lower(), given)
    label: Any = winner
    if preferred in (left, right):
        label = 1 if preferred == min(left, right) else -1
    elif given.lower() in EQUAL:
        label = 0
    return LabelRow(where, query, f"{min(left, right)} | {max(left, right)}", label, judge)


def _rows_of_table(
    columns: Sequence[str], rows: Iterable[tuple[int, Sequence[Any]]], name: str, kind: str
) -> LabelTable:
    """Return the labels of numbered rows of a table; the columns show what was labelled and by whom."""
    lowered = {c.strip().lower(): k for k, c in reversed(list(enumerate(columns)))}
    query, document, label, judge, status = (
        _place(lowered, names) for names in (QUERY, DOCUMENT, LABEL, JUDGE, STATUS)
    )
    numbered = [(f"row {k}", row) for k, row in rows]
    sides = [_place(lowered, COLUMNS[part]) for part in ("left", "right", "preferred")]
    if kind in ("auto", "preferences") and query is not None and None not in sides:
        left, right, winner = (s for s in sides if s is not None)
        return LabelTable(
            "preferences",
            [
                _preference(w, _ids(name, w, r, (query, left, right)), r[winner], _judge(r, judge))
                for w, r in numbered
            ],
        )
    if kind in ("auto", "units") and "scu" in lowered and "present" in lowered:
        return _units(lowered, numbered, name, judge)
    nested, nugget, assigned = (
        _place(lowered, FIELDS[p]) for p in ("nuggets", "nugget", "assignment")
    )
    flat = nugget is not None and assigned is not None and "nugget" in columns[nugget].lower()
    if kind in ("auto", "units") and (nested is not None or flat):
        return LabelTable("units", assigned_nuggets(columns, numbered, name))
    unit, coder, value = (_place(lowered, SPELLINGS[p]) for p in ("unit", "coder", "value"))
    if kind in ("auto", "grades") and query is not None and document is not None:
        if label is None:
            return _wide(columns, numbered, name, (query, document))
        made = []
        for where, row in numbered:
            q, d = _ids(name, where, row, (query, document))
            found = row[label]
            if status is not None and number_of_label(row[status]) == 0:
                found = f"{columns[status]}=0"  # the tool could not read the answer and wrote 0
            made.append(LabelRow(where, q, d, found, _judge(row, judge)))
        return LabelTable("grades", made)
    if kind in ("auto", "ratings") and unit is not None and value is not None:
        group = query if query not in (None, unit) else _place(lowered, ("item", "item_id"))
        group = unit if group is None else group
        made = []
        for where, row in numbered:
            q, u = _ids(name, where, row, (group, unit))
            made.append(LabelRow(where, q, u, row[value], _judge(row, coder)))
        return LabelTable("ratings", made)
    raise FormatError(
        f"{name}: no columns of labels found; found {', '.join(map(repr, columns))}. Accepted: query, "
        "document and label (such as qid, docid, grade); query, document and one column per judge; "
        "unit, coder and value; query, left, right and preferred; item, scu and present; system, item, "
        "nugget and assignment."
    )


def _place(lowered: Mapping[str, int], names: Sequence[str]) -> int | None:
    return next((lowered[n] for n in names if n in lowered), None)


def _judge(row: Sequence[Any], place: int | None) -> str | None:
    found = None if place is None else row[place]
    return None if is_blank(found) else str(found).strip()


def _ids(name: str, where: str, row: Sequence[Any], places: Sequence[int]) -> list[str]:
    """Return the ids of the pair that a row labels; an object such as {"qid": …, "text": …} is named by its id."""
    made = []
    for place in places:
        cell = row[place]
        if isinstance(cell, Mapping):
            cell = next((cell[k] for k in ID_KEYS if cell.get(k) is not None), None)
        if is_blank(cell) or isinstance(cell, list):
            raise FormatError(
                f"{name}, {where}: the id of the query or of the document is missing."
            )
        made.append(str(cell).strip())
    return made


def _wide(
    columns: Sequence[str],
    rows: list[tuple[str, Sequence[Any]]],
    name: str,
    ids: tuple[int, int],
) -> LabelTable:
    """Read a table of labels with one column per judge; columns without any number are texts and are ignored."""
    places = [
        k
        for k in range(len(columns))
        if k not in ids and any(number_of_label(row[k]) is not None for _, row in rows)
    ]
    pairs = [(where, *_ids(name, where, row, ids)) for where, row in rows]
    made = [
        LabelRow(where, q, d, row[k], columns[k].strip())
        for k in places
        for (where, q, d), (_, row) in zip(pairs, rows, strict=True)
        if not is_missing(row[k])
    ]
    if not made:
        raise FormatError(
            f"{name}: no column with labels found, only {quoted(columns)}. A wide table has "
            "a query, a document and one column of numbers per judge."
        )
    return LabelTable("grades", made, wide=True)


def _units(
    lowered: Mapping[str, int], rows: list[tuple[str, Sequence[Any]]], name: str, judge: int | None
) -> LabelTable:
    """Read content units as labels: the pair is the item, and the system with the unit."""
    item = _place(lowered, COLUMNS["item"])
    if item is None:
        raise FormatError(
            f"{name}: no column for the item. Accepted: {', '.join(COLUMNS['item'])}."
        )
    system = lowered.get("system")
    made = []
    for where, row in rows:
        query, unit = _ids(name, where, row, (item, lowered["scu"]))
        given = row[lowered["present"]]
        answer = ANSWERS.get(str(given).strip().lower())
        own = unit if system is None else f"{_ids(name, where, row, (system,))[0]} | {unit}"
        label = given if answer is None else float(answer)
        made.append(LabelRow(where, query, own, label, _judge(row, judge)))
    return LabelTable("units", made)


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
        """The number of labels of a judge that could not be read."""
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
        """Return a finding about failed labels of a judge, if there are any."""
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
    if is_frame(source):
        frame = to_polars(source)
        table = _rows_of_table(frame.columns, enumerate(frame.iter_rows(), 1), "data frame", kind)
        return _sets(table, "data frame", name or "labels")
    if isinstance(source, str | os.PathLike):
        shown = name_of(source)
        place = shown_path(source)
        own = name or place.name.removesuffix(place.suffix) or shown
        suffix = plain_suffix(source)
        if name is None and suffix and own.lower().endswith(suffix):  # labels.csv.gz
            own = own[: -len(suffix)]
        file = table_in(source)
        table = (
            rows_of_text(source, kind)
            if file is None
            else _rows_of_table(*_table(file), shown, kind)
        )
        return _sets(table, shown, own)
    raise FormatError(
        f"labels cannot be read from a {type(source).__name__}. Accepted: a path, a data frame, a "
        "dictionary {query: {document: label}}, qrels."
    )


def _table(file: TableFile) -> tuple[list[str], Iterable[tuple[int, tuple[object, ...]]]]:
    """Return the columns of a table of labels and its numbered rows."""
    found = records_of(file, marks=True)
    columns = list(dict.fromkeys(str(key) for _, row in found for key in row))
    return columns, ((number, tuple(row.get(c) for c in columns)) for number, row in found)


def _sets(table: LabelTable, source: str, name: str) -> list[LabelSet]:
    """Group rows of labels by judge; one error lists all pairs with two different labels."""
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
        words = [str(row.label).strip() for row in rows if not is_missing(row.label)]
        categories = tuple(sorted({w for w in words if w}))
    values: dict[Pair, float] = {}
    first: dict[Pair, str] = {}
    failed: Counter[str] = Counter()
    for row in rows:
        number = (
            number_of_label(row.label, negative=kind != "grades")
            if categories is None
            else (
                None if is_missing(row.label) else float(categories.index(str(row.label).strip()))
            )
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
