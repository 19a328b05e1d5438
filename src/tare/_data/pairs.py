"""Pairs of a query and a document, each with a score, rank or grade: qrels and runs from tables, files and Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tare._data.columns import COLUMNS, Chosen, as_chosen, column_of, recognise
from tare._data.findings import Finding
from tare._data.formats import triples
from tare._data.recognised_files import is_triples, told_apart
from tare._data.rows import (
    raise_problems,
    refuse_columns,
    refuse_run,
    rows_from_mapping,
    text_findings,
)
from tare._data.table_files import Lines, table_in
from tare._data.tables import (
    InputTable,
    frame_of_columns,
    frame_of_records,
    has_field,
    ids_of,
    is_columns,
    is_frame,
    is_list,
    is_number,
    numbers_of,
    read_table,
    refuse_types,
    to_polars,
)
from tare._files.opening import PathLike, blocks, name_of
from tare._kernels import Rows, TextReading, read_trec, rows_from_arrow
from tare.errors import MAX_REPORTED, FormatError, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "PairRows",
    "Value",
    "both_of",
    "frame_of_pairs",
    "is_pair_columns",
    "is_ranking",
    "is_record",
    "pairs_by_group",
    "pairs_of_rows",
    "pairs_of_table",
    "read_pairs",
    "repeats",
    "table_of_columns",
]

Value = Literal["score", "rank", "grade"]
"""What is said about each pair."""

KINDS = {"grade": "qrels", "score": "a run", "rank": "a run"}
TEXT_LAYOUTS: dict[Value, Literal["run", "ranks", "qrels"]] = {
    "grade": "qrels",
    "score": "run",
    "rank": "ranks",
}
CONTENTS = {"grade": "judgements", "score": "ranked documents", "rank": "ranked documents"}


@dataclass(frozen=True, eq=False)
class PairRows:
    """Pairs of a query and a document as rows with their value, and the name of their source.

    `unit` is what a row of the source is called, `unique` says that no document can appear twice in a
    query, and `reading` tells how a TREC text was read.
    """

    rows: Rows
    findings: list[Finding]
    name: str
    unit: str
    unique: bool = False
    reading: TextReading | None = None


def read_pairs(
    source: Any,
    value: Value,
    chosen: Chosen | None = None,
    *,
    allow_extra_fields: bool = False,
) -> PairRows:
    """Read pairs of a query and a document from a path, a data frame, a dictionary or rows."""
    if isinstance(source, str | os.PathLike):
        file = table_in(source)
        if file is not None:
            return pairs_of_table(read_table(file), value, chosen)
        refuse_columns(chosen, name_of(source))
        if value != "grade" and is_triples(source):
            return _of_triples(source, value)
        return _of_text(source, value, allow_extra_fields)
    if isinstance(source, Mapping):
        return _of_mapping(source, value, chosen)
    if is_frame(source):
        return pairs_of_table(InputTable("data frame", to_polars(source)), value, chosen)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | AbstractSet):
        return _of_objects(list(source), value, chosen)
    raise _unknown(type(source).__name__, value)


def _of_triples(source: PathLike, value: Value) -> PairRows:
    """Read pairs from text of three columns, whose third one holds ranks or scores."""
    frame, note = triples.read(source, ranked=value == "rank")
    read = pairs_of_table(InputTable(name_of(source), frame), value)
    return replace(read, findings=[note])


def _of_text(source: PathLike, value: Value, allow_extra_fields: bool) -> PairRows:
    """Read TREC text, which the compiled core does."""
    name, layout = name_of(source), TEXT_LAYOUTS[value]
    rows, reading = read_trec(blocks(source), layout)
    if reading.problem_count:
        raise_problems(name, reading, layout, rows)
    if value == "grade" and not allow_extra_fields:
        refuse_run(name, reading, layout)
    if len(rows) == 0:
        raise _nothing(name, value, "file is empty or contains only comments")
    return PairRows(rows, text_findings(reading, name, layout), name, "line", reading=reading)


def _nothing(name: str, value: Value, why: str) -> FormatError:
    return FormatError(f"{name}: no {CONTENTS[value]} found; the {why}.")


# Pairs in tables: one row per pair.


def pairs_of_table(table: InputTable, value: Value, chosen: Chosen | None = None) -> PairRows:
    """Return the query–document pairs of a table, which has one row per pair or a list of documents per query."""
    made, findings = pairs_of_rows(table, value, chosen)
    if len(table) == 0 or (value == "grade" and len(made) == 0):
        raise _nothing(table.name, value, "table is empty")
    return PairRows(_rows(made.frame, made.lines), findings, table.name, table.unit)


def pairs_of_rows(
    table: InputTable, value: Value, chosen: Chosen | None = None, group: str | None = None
) -> tuple[InputTable, list[Finding]]:
    """Return the checked columns query, document, value and, if it is named, group of a table of pairs.

    Ranks are negated, so that larger is better, as for scores. `chosen` names columns whose names are
    not recognised.
    """
    import polars as pl

    chosen = dict(chosen or {})
    notes: list[Finding] = []
    what: str = value
    long = _lengthened(table, value, chosen, group)
    if long is not None:
        table, what, notes = long
        chosen = {}
    frame, name = table.frame, table.name
    what, chosen = _value_column(frame.columns, what, chosen)
    with told_apart(name, frame.columns, "qrels" if what == "grade" else "run"):
        parts = recognise(frame.columns, ["query", "document", what], name, chosen, frame)
    refuse_types(frame, [parts["query"], parts["document"]], parts[what], name, what)
    given = frame[parts[what]]
    try:
        made = frame.select(
            ids_of(frame[parts["query"]]).alias("query"),
            ids_of(frame[parts["document"]]).alias("document"),
            (-numbers_of(given) if what == "rank" else numbers_of(given)).alias("value"),
            *([pl.col(group).alias("group")] if group else []),
        )
        if made.schema["value"] != pl.Float64:  # lists remain lists of numbers
            raise pl.exceptions.SchemaError
    except pl.exceptions.PolarsError:
        types = ", ".join(f"{column!r} {frame[column].dtype}" for column in parts.values())
        raise FormatError(
            f"{name}: the columns hold {types}; ids must be text or numbers, and the {what} "
            "a number."
        ) from None
    _refuse_bad_rows(made, table, given, what)
    if not notes:
        recognised = ", ".join(f"{part} = {column!r}" for part, column in parts.items())
        notes = [Finding("columns", f"{name}: columns recognised: {recognised}.", severity="note")]
    return InputTable(name, made, table.lines, unit=table.unit), notes


def _refuse_bad_rows(made: pl.DataFrame, table: InputTable, given: pl.Series, what: str) -> None:
    """Raise one error for all pairs without a query, a document or a finite value."""
    import polars as pl

    empty = {
        part: pl.col(part).is_null() | (pl.col(part).str.strip_chars() == "")
        for part in ("query", "document")
    }
    number = pl.col("value").is_null() | ~pl.col("value").is_finite()
    bad = made.with_row_index("row").filter(pl.any_horizontal(*empty.values(), number))
    if not bad.height:
        return
    shown = []
    for row in bad.head(MAX_REPORTED).with_columns(**empty).iter_rows(named=True):
        place = row["row"]
        part = next((part for part in empty if row[part]), None)
        if part is not None:
            shown.append(f"{table.where(place)}: the {part} is missing.")
        else:
            shown.append(
                f"{table.where(place)}: the {what} {given[place]!r} is not a finite number "
                f"(column {given.name!r})."
            )
    raise_all(shown, bad.height)


def _rows(frame: pl.DataFrame, lines: Lines) -> Rows:
    """Return the core's rows of checked query–document pairs, with the numbers of their lines."""
    import polars as pl

    if isinstance(lines, int):
        return rows_from_arrow(frame.__arrow_c_stream__(), lines)
    numbered = frame.with_columns(pl.Series("line", lines, dtype=pl.UInt64))
    return rows_from_arrow(numbered.__arrow_c_stream__())


def pairs_by_group(table: InputTable) -> Iterator[tuple[str, Rows]]:
    """Yield each group (system) of checked query–document pairs with its rows, numbered as in the whole table."""
    import polars as pl

    frame, groups = table.frame.drop("group"), table.frame["group"]
    stretches = groups.rle().struct.unnest()
    if stretches["value"].n_unique() == stretches.height:  # sorted by group: no row has to move
        start = 0
        for length, group in stretches.select("len", "value").iter_rows():
            lines = table.lines
            lines = lines + start if isinstance(lines, int) else lines[start : start + length]
            yield str(group), _rows(frame.slice(start, length), lines)
            start += length
        return
    places = pl.int_range(len(table), eager=True)
    numbers = places + table.lines if isinstance(table.lines, int) else pl.Series(table.lines)
    numbered = frame.with_columns(numbers.cast(pl.UInt64).alias("line"), groups.alias("group"))
    for (group,), part in numbered.group_by(["group"], maintain_order=True):
        yield str(group), rows_from_arrow(part.drop("group").__arrow_c_stream__())


def _value_column(
    columns: Sequence[str], value: str, chosen: dict[str, str | None]
) -> tuple[str, dict[str, str | None]]:
    """Return whether the pairs of a table have a score, rank or grade, and the columns that are named for it.

    Ranks are used in place of scores if a table has only these. The grades of BEIR are called score.
    """
    present = {column.strip().lower(): column for column in reversed(columns)}

    def has(part: str) -> bool:
        return chosen.get(part) is not None or any(s in present for s in COLUMNS[part])

    ranks = chosen.get("rank") is not None or (not has("score") and has("rank"))
    if value == "score" and chosen.get("score") is None and ranks:
        return "rank", chosen
    beir = {"query-id", "query_id"} & set(present) and {"corpus-id", "corpus_id"} & set(present)
    if value == "grade" and not has("grade") and beir and "score" in present:
        return "grade", {**chosen, "grade": present["score"]}
    return value, chosen


# Tables with one row per query and its documents in a list, as evaluation sets of RAG systems
# have them.
#
# Examples are the rows of llama-index (`retrieved_ids`, `expected_ids`) and ragas (`retrieved_context_ids`,
# `reference_context_ids`), and the predictions of sentence-transformers (`results`).


RETRIEVED = ("retrieved_ids", "retrieved_context_ids", "retrieved_doc_ids", "retrieved", "results")
EXPECTED = ("expected_ids", "reference_context_ids", "relevant_ids", "relevant_doc_ids", "relevant")
IDS = ("query_id", "qid", "query-id", "queryid", "q_id", "topic_id", "sample_id", "id")
TEXTS = ("query", "user_input", "question")


def _list_column(columns: Sequence[str], value: str) -> str | None:
    """Return the column with lists of documents per query, for a run (value "score" or "rank") or for qrels ("grade")."""
    lowered = {column.strip().lower(): column for column in reversed(columns)}
    wanted = EXPECTED if value == "grade" else RETRIEVED
    return next((lowered[spelling] for spelling in wanted if spelling in lowered), None)


def _holds_both(columns: Sequence[str]) -> bool:
    """Return whether rows have retrieved documents and relevant ones, as for an evaluation."""
    return all(_list_column(columns, value) is not None for value in ("score", "grade"))


def _lengthened(
    given: InputTable, value: Value, chosen: Chosen, group: str | None
) -> tuple[InputTable, str, list[Finding]] | None:
    """Return a table of lists with one row per pair, what its value is, and findings; None if it has no column of lists."""
    import polars as pl

    frame, name = given.frame, given.name
    column = as_chosen(frame.columns, "document", chosen, name)
    if column is None or not frame.schema[column].is_nested():
        column = _list_column(frame.columns, value)
    if column is None or column_of(frame.columns, "document") is not None:
        return None
    kind = frame.schema[column]
    if not isinstance(kind, pl.List | pl.Array):
        raise FormatError(
            f"{name}: the column {column!r} holds {kind}; expected a list of document ids in each row."
        )
    queries, which = _queries(given, chosen, group)
    table = frame.select(
        pl.int_range(pl.len()).alias("row"),
        queries.alias("query"),
        pl.col(column).alias("document"),
        *([pl.col(group)] if group else []),
    )
    _refuse_repeated_queries(table, given, group)
    empty = table.filter(pl.col("document").list.len().fill_null(0) == 0)
    table = table.filter(pl.col("document").list.len() > 0).explode("document")
    made: str = ""
    if isinstance(kind.inner, pl.Struct):
        table, made = _unnested(table, name, column)
    elif isinstance(kind.inner, pl.List | pl.Array) or kind.inner in (pl.Object, pl.Boolean):
        raise FormatError(f"{name}: the column {column!r} holds {kind}; expected lists of ids.")
    if table["document"].null_count():
        row = int(table.filter(pl.col("document").is_null())["row"][0])
        raise FormatError(f"{given.where(row)}: a document in {column!r} is missing.")
    table = table.with_columns(pl.col("document").cast(pl.String))
    kept = table.unique(["row", "document"], keep="first", maintain_order=True)
    twice = table.filter(pl.struct("row", "document").is_duplicated())
    if value == "grade":
        made = "grade"
        kept = kept.with_columns(pl.lit(1.0).alias("grade"))
    elif made != "score":
        made = "rank"
        kept = kept.with_columns(
            (pl.int_range(pl.len(), dtype=pl.Int64).over("row") + 1).alias("rank")
        )
    findings = [
        Finding(
            "input",
            f"{name}: recognised lists of documents in {column!r}, one row per query ({which}).",
            severity="note",
        )
    ]
    if table.height > kept.height:
        examples = [
            f"{q} {d}"
            for q, d in twice.select("query", "document")
            .unique(maintain_order=True)
            .head(3)
            .iter_rows()
        ]
        findings.append(repeats(name, table.height - kept.height, examples))
    if empty.height:
        what = "relevant" if value == "grade" else "retrieved"
        findings.append(
            Finding(
                "empty lists",
                f"{name}: {empty.height:,} of {frame.height:,} rows have no {what} documents"
                + ("; their queries are left out." if value == "grade" else "."),
                empty.height,
                examples=tuple(empty["query"].head(3).to_list()),
            )
        )
    lines = np.array([given.line(row) for row in range(len(given))], dtype=np.int64)
    whole = InputTable(name, kept.drop("row"), lines[kept["row"].to_numpy()], unit=given.unit)
    return whole, made, findings


def repeats(name: str, count: int, examples: Sequence[str]) -> Finding:
    """Return the finding about documents that appear more than once in the list of a query."""
    again = "1 document appears" if count == 1 else f"{count:,} documents appear"
    return Finding(
        "duplicate documents",
        f"{name}: {again} again in the same list; only the first place counts.",
        count,
        examples=tuple(examples),
    )


def _queries(table: InputTable, chosen: Chosen, group: str | None) -> tuple[pl.Series, str]:
    """Return the query ids of a table with a list of documents per query, and where they come from."""
    import polars as pl

    frame, name = table.frame, table.name
    named = as_chosen(frame.columns, "query", chosen, name)
    lowered = {column.strip().lower(): column for column in reversed(frame.columns)}
    ids = named or next((lowered[s] for s in IDS if s in lowered and lowered[s] != group), None)
    if ids is not None:
        column = frame[ids]
        if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Boolean):
            raise FormatError(f"{name}: the column {ids!r} holds {column.dtype}, not ids.")
        if column.null_count():
            place = table.where(int(column.is_null().arg_true()[0]))
            raise FormatError(f"{place}: the query is missing (column {ids!r}).")
        return column.cast(pl.String), f"query = {ids!r}"
    text = next((lowered[s] for s in TEXTS if s in lowered), None)
    if text is not None and frame.schema[text] == pl.String and group is None:
        column = frame[text]
        if column.null_count() == 0 and column.n_unique() == frame.height:
            return column, f"query = {text!r}"
    if group is not None:
        numbers = frame.select((pl.int_range(pl.len()).over(group) + 1).cast(pl.String)).to_series()
    else:
        numbers = pl.int_range(1, frame.height + 1, eager=True).cast(pl.String)
    return numbers, "no column for the query, numbered from 1"


def _refuse_repeated_queries(table: pl.DataFrame, given: InputTable, group: str | None) -> None:
    import polars as pl

    keys = ["query", *([group] if group else [])]
    again = table.filter(~pl.struct(keys).is_first_distinct())
    if again.height:
        query, row = again["query"][0], int(again["row"][0])
        raise FormatError(
            f"{given.where(row)}: the query {query!r} already has a row. Give one row per query, or "
            "a column with unique ids, such as 'query_id'."
        )


def _unnested(table: pl.DataFrame, name: str, column: str) -> tuple[pl.DataFrame, str]:
    """Return the pairs from a list of objects per query, such as [{"corpus_id": …, "score": …}]."""
    import polars as pl

    fields = [field.name for field in table.schema["document"].fields]  # type: ignore[attr-defined]
    document = next((f for f in fields if f.lower() in (*COLUMNS["document"], "id")), None)
    score = next((f for f in fields if f.lower() in COLUMNS["score"]), None)
    if document is None:
        raise FormatError(
            f"{name}: the objects in {column!r} have the fields {', '.join(map(repr, fields))}; "
            f"expected a field for the document, such as 'corpus_id', and one for the score."
        )
    inside = pl.col("document").struct
    made = table.with_columns(
        *([inside.field(score).alias("score")] if score else []),
        inside.field(document).alias("document"),
    )
    return made, "score" if score else "rank"


# Pairs given as Python objects: what they are is recognised, and reported as a finding.


FIELDS = frozenset(
    (
        *(
            s
            for part in ("query", "document", "score", "grade", "rank", "system")
            for s in COLUMNS[part]
        ),
        *(*RETRIEVED, *EXPECTED, *IDS, *TEXTS),
    )
)


def is_record(value: Any) -> bool:
    """Return whether a value is one row of a table of query–document pairs."""
    if isinstance(value, Mapping):
        names = {str(name).strip().lower() for name in value}
        return (
            any(names & set(COLUMNS[part]) for part in ("document",))
            and any(names & {*COLUMNS["query"], *IDS})
        ) or bool(names & {*RETRIEVED, *EXPECTED})
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return bool(set(value._fields) & FIELDS)
        return len(value) == 3 and is_number(value[2]) and not isinstance(value[1], Mapping)
    if isinstance(value, str | bytes | list) or hasattr(value, "__fspath__"):
        return False
    return any(has_field(value, name) for name in (*RETRIEVED[:2], *EXPECTED[:2])) or (
        has_field(value, "query_id") and has_field(value, "doc_id")
    )


def is_ranking(source: Mapping[Any, Any]) -> bool:
    """Return whether a dictionary of pairs is {query: …}, not {system: source}; only first entries are examined."""
    for value in source.values():
        if isinstance(value, Mapping):
            inside = next(iter(value.values()), None)
            if isinstance(inside, Mapping) or is_list(inside):
                return False
        elif not is_list(value) or is_record(next(iter(value), None)):
            return False
    return True


def both_of(source: Any) -> tuple[Any, Any]:
    """Return the qrels and runs of rows that hold both kinds of pairs; the source and None for any other."""
    if isinstance(source, Iterator):
        source = list(source)
    if is_frame(source):
        source = to_polars(source)
        return source, source if _holds_both(source.columns) else None
    if isinstance(source, str | bytes | Mapping) or not isinstance(source, Iterable):
        return source, None
    given = list(source)
    if given and is_record(given[0]):
        frame = frame_of_pairs(given, "score")
        if _holds_both(frame.columns):
            return frame, frame
    return given, None


def _unknown(found: str, value: str) -> FormatError:
    what = "grade" if value == "grade" else "score"
    lists = "[relevant documents]" if value == "grade" else "[documents, best first]"
    return FormatError(
        f"{KINDS[value]} cannot be read from a {found}. Accepted: a path, a data frame, a dictionary "
        f"{{query: {{document: {what}}}}} or {{query: {lists}}}, or rows (query, document, {what}). "
        "Lists of ids without queries are scored with tare.evaluate_lists(retrieved, relevant, measures)."
    )


def frame_of_pairs(rows: Sequence[Any], value: str, chosen: Chosen | None = None) -> pl.DataFrame:
    """Return a frame of rows that have query–document pairs or lists of documents per query."""
    named = {column for column in (chosen or {}).values() if column is not None}
    known = FIELDS | named | {column.strip().lower() for column in named}
    return frame_of_records(rows, ("query", "document", value), known=known)


def _of_objects(given: list[Any], value: Value, chosen: Chosen | None) -> PairRows:
    if not given:
        raise FormatError(f"rows: no rows found; the list for {KINDS[value]} is empty.")
    first = given[0]
    if not is_record(first) and not isinstance(first, Mapping):
        raise _unknown(f"list of {type(first).__name__}", value)
    read = pairs_of_table(InputTable("rows", frame_of_pairs(given, value, chosen)), value, chosen)
    message = f"rows: recognised {len(given):,} rows of type {type(first).__name__}."
    read.findings.insert(0, Finding("input", message, severity="note"))
    return read


def is_pair_columns(source: Mapping[Any, Any], chosen: Chosen | None = None) -> bool:
    """Return whether a dictionary is {column: values} with columns of query–document pairs, and not {query: …}."""
    return len(source) > 2 and is_columns(source, ("query", "document"), chosen)


def table_of_columns(source: Mapping[Any, Any]) -> InputTable:
    """Return the table of a dictionary of columns."""
    name = "dictionary of columns"
    return InputTable(name, frame_of_columns(source, name))


def _of_mapping(source: Mapping[Any, Any], value: Value, chosen: Chosen | None) -> PairRows:
    if is_pair_columns(source, chosen):
        return pairs_of_table(table_of_columns(source), value, chosen)
    if source and all(map(is_list, islice(source.values(), 1))):
        return _of_lists(source, value)
    rows, unique = rows_from_mapping(source, "grade" if value == "grade" else "score", "dictionary")
    return PairRows(rows, [], "dictionary", "entry", unique)


def _of_lists(source: Mapping[Any, Any], value: Value) -> PairRows:
    """Read {query: [documents]}."""
    lists = []
    for query, documents in source.items():
        if not is_list(documents):
            raise FormatError(
                f"dictionary: query {query!r} holds a {type(documents).__name__}, but the first query a "
                "list; expected {query: [documents]}."
            )
        if value != "grade" and isinstance(documents, AbstractSet):
            raise FormatError(
                f"dictionary: query {query!r} holds a set, which has no order. Give a list of documents, "
                "best first, or {document: score}."
            )
        lists.append(
            sorted(documents, key=str) if isinstance(documents, AbstractSet) else documents
        )
    column = "expected_ids" if value == "grade" else "retrieved_ids"
    columns: dict[str, list[Any]] = {"query_id": [str(query) for query in source], column: lists}
    table = InputTable("dictionary", frame_of_columns(columns, "dictionary"), unit="entry")
    made, findings = pairs_of_rows(table, value)
    what = "relevant documents" if value == "grade" else "documents, best first"
    if len(made) == 0:
        raise FormatError(f"dictionary: no documents found; expected {{query: [{what}]}}.")
    note = Finding("input", f"dictionary: recognised {{query: [{what}]}}.", severity="note")
    notes = [note, *(f for f in findings if f.kind != "input")]
    return PairRows(_rows(made.frame, made.lines), notes, "dictionary", "entry", unique=True)
