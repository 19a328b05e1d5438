"""Rows of labels: one query, document, label and judge each, from text and from tables of any layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tare._data.answers.fields import FIELDS
from tare._data.columns import COLUMNS, quoted
from tare._data.label_nuggets import assigned_nuggets
from tare._data.label_record import LabelRow
from tare._data.label_values import is_not_labelled, number_of_label
from tare._data.preferences import EQUAL
from tare._data.rating_tables import SPELLINGS
from tare._data.text_rows import text_rows
from tare._files.opening import PathLike, name_of, read_text
from tare.errors import FormatError, raise_all

__all__ = ["KINDS", "LabelRow", "LabelTable", "rows_of_frame", "rows_of_text"]

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
JUDGE = ("judge", "model", "assessor", "annotator", "coder", "rater", "labeller", "worker")
STATUS = ("result_status", "valid", "parsed")
ID_KEYS = ("qid", "query_id", "docid", "doc_id", "id")
SHAPE = "A line is 'query iteration document label', with or without further columns."


class LabelTable(NamedTuple):
    """The rows of a source, what was labelled, and whether each judge has a column."""

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
    """Return the label of a pair of documents in the order of their ids: 1, 0 or −1 for the first."""
    query, left, right = ids
    given = "" if winner is None else str(winner).strip()
    preferred = {"left": left, "right": right}.get(given.lower(), given)
    label: Any = winner
    if preferred in (left, right):
        label = 1 if preferred == min(left, right) else -1
    elif given.lower() in EQUAL:
        label = 0
    return LabelRow(where, query, f"{min(left, right)} | {max(left, right)}", label, judge)


def rows_of_frame(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], name: str, kind: str
) -> LabelTable:
    """Return the labels of a table; its columns show what was labelled and by whom."""
    lowered = {c.strip().lower(): k for k, c in reversed(list(enumerate(columns)))}
    query, document, label, judge, status = (
        _place(lowered, names) for names in (QUERY, DOCUMENT, LABEL, JUDGE, STATUS)
    )
    numbered = [(f"row {k}", row) for k, row in enumerate(rows, 1)]
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
    return None if is_not_labelled(found) else str(found).strip()


def _ids(name: str, where: str, row: Sequence[Any], places: Sequence[int]) -> list[str]:
    """Return the ids of a row; an object such as {"qid": …, "text": …} is named by its id."""
    made = []
    for place in places:
        cell = row[place]
        if isinstance(cell, Mapping):
            cell = next((cell[k] for k in ID_KEYS if cell.get(k) is not None), None)
        if is_not_labelled(cell) or isinstance(cell, list):
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
    """Read one column per judge; columns without any number are texts and are ignored."""
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
        if not is_not_labelled(row[k])
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
    """Read content units: the pair is the item, and the system with the unit."""
    from tare._data.scu_presence import ANSWERS

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
