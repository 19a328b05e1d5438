"""Columns: recognised by their names, in rows, objects and lists; and columns of unusual types."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.findings import Finding
from tare.errors import FormatError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "COLUMNS",
    "EXPECTED",
    "LONE_SURROGATE",
    "RETRIEVED",
    "TEXTS",
    "Chosen",
    "as_chosen",
    "by_column",
    "has_lone_surrogate",
    "holds_both",
    "ids_of",
    "json_object",
    "lengthened",
    "list_column",
    "quoted",
    "recognise",
    "refuse_types",
    "repeats",
    "text_of",
]


# Recognition of columns by their names.


MAX_NAMED = 20  # columns in a message

Chosen = Mapping[str, str | None]
"""The columns that a caller names, by part."""

RANKS: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (
        ("qid", "query_id", "query-id", "q_id", "queryid", "topic_id"),
        ("query", "topic"),  # often texts
    ),
    "document": (
        ("docno",),  # PyTerrier's docid beside it is the number of a document in an index
        ("docid", "doc_id", "corpus-id", "corpus_id", "document_id", "did", "pid"),
        ("document", "doc"),  # often texts
    ),
    "score": (("score",), ("sim", "similarity", "retrieval_score")),
    "grade": (("grade",), ("relevance", "label", "rel"), ("rating",)),
}
"""The names of a column by part, best first; a table may have columns of several ranks."""

COLUMNS: dict[str, tuple[str, ...]] = {
    **{part: tuple(chain.from_iterable(ranks)) for part, ranks in RANKS.items()},
    "rank": ("rank",),
    "subtopic": ("subtopic", "subtopic_id", "iteration", "iter", "intent", "aspect", "facet"),
    "profile": ("profile", "profile_id", "user_profile", "user"),
    "system": ("system", "run", "tag", "run_id", "runid", "model"),
    "left": ("left", "doca", "doc_a", "document_a", "a", "doc1", "first"),
    "right": ("right", "docb", "doc_b", "document_b", "b", "doc2", "second"),
    "preferred": ("preferred", "winner", "preference", "choice", "better"),
    "assessor": ("assessor", "judge", "worker", "annotator", "user", "assessor_id", "worker_id"),
    "given": ("given", "condition", "read", "after"),
    "item": ("item", "item_id", "id", "doc_id", "docid", "document_id", "topic", "query", "qid"),
    "text": (
        "text",
        "summary",
        "candidate",
        "prediction",
        "hypothesis",
        "generated",
        "output",
        "decoded",
    ),
    "references": ("references", "reference", "refs", "ref", "target", "targets", "highlights"),
    "source": ("source", "article", "document", "src", "input", "context"),
    "authors": ("authors", "reference_authors", "ref_authors"),
    "base": ("base_references", "base"),
    "scus": ("scus", "content_units"),
}


def as_chosen(columns: Sequence[str], part: str, chosen: Chosen | None, name: str) -> str | None:
    """Return the column that the caller names for a part; raise an error if it does not exist."""
    column = (chosen or {}).get(part)
    if column is None or column in columns:
        return column
    raise OptionError(
        f"{part}={column!r}: {name} has no such column; found {', '.join(map(repr, columns))}."
        f"{nearest(column, list(columns))}"
    )


def quoted(columns: Sequence[str]) -> str:
    """Return the names of columns for a message, the first ones if there are many.

    >>> quoted(["query", "score"])
    "'query', 'score'"
    """
    if not columns:
        return "no columns"
    more = len(columns) - MAX_NAMED
    named = ", ".join(map(repr, columns[:MAX_NAMED]))
    return f"{named} and {more:,} more" if more > 0 else named


def recognise(
    columns: Sequence[str],
    wanted: Sequence[str],
    name: str,
    chosen: Chosen | None = None,
    frame: pl.DataFrame | None = None,
) -> dict[str, str]:
    """Return the column for each wanted part; raise an error if one is missing.

    If the table itself (`frame`) is given, two columns of the same rank must hold the same values.

    >>> recognise(["query", "qid", "docno", "score"], ["query", "document", "score"], "a.csv")
    {'query': 'qid', 'document': 'docno', 'score': 'score'}
    """
    lowered = {column.strip().lower(): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for part in wanted:
        named = as_chosen(columns, part, chosen, name)
        known = [lowered[spelling] for spelling in COLUMNS[part] if spelling in lowered]
        if named is None and not known:
            raise FormatError(
                f"{name}: no column for the {part}; found {quoted(columns)}. "
                f"Accepted names: {', '.join(COLUMNS[part])}."
            )
        found[part] = named or known[0]
        if named is None and frame is not None:
            _refuse_different(frame, part, _equals(part, known), name)
    return found


def _equals(part: str, known: Sequence[str]) -> list[str]:
    """Return the columns whose names have the rank of the first."""
    first = known[0].strip().lower()
    ranks = RANKS.get(part, ())
    of_rank = next((rank for rank in ranks if first in rank), (first,))
    return [column for column in known if column.strip().lower() in of_rank]


def _refuse_different(frame: pl.DataFrame, part: str, columns: Sequence[str], name: str) -> None:
    import polars as pl

    for other in columns[1:]:
        pair = [frame[column].cast(pl.String, strict=False) for column in (columns[0], other)]
        different = pair[0].ne_missing(pair[1]).arg_true()
        if len(different):
            row = int(different[0])
            raise FormatError(
                f"{name}: the columns {columns[0]!r} and {other!r} can both be the {part}, and differ "
                f"({pair[0][row]!r} and {pair[1][row]!r}). Drop one of them, or name the right one "
                f"in Python ({part}=)."
            )


# Unusual columns: those that Arrow does not support, and types that are neither ids nor numbers.


LONE_SURROGATE = "contains a lone surrogate, which is not valid text. Was an emoji cut in half?"


def has_lone_surrogate(text: str) -> bool:
    """Return whether a text contains a lone surrogate, which UTF-8 cannot encode.

    >>> has_lone_surrogate("a"), has_lone_surrogate("a\\ud800")
    (False, True)
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def by_column(frame: Any) -> pl.DataFrame:
    """Convert a narwhals frame to polars column by column.

    Floats become 64-bit numbers, and NaN a missing value. Columns that mix numbers and strings become strings, like the keys
    of dictionaries. Other columns become objects, which are rejected if they are needed.
    """
    import polars as pl

    for name in frame.columns:
        if has_lone_surrogate(str(name)):
            raise FormatError(f"data frame: the column name {name!r} {LONE_SURROGATE}")
    return pl.DataFrame([_series(str(name), frame[name]) for name in frame.columns])


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    array = np.asarray(column.to_numpy())
    if array.dtype.kind == "f":
        return pl.Series(name, array.astype(np.float64), nan_to_null=True)
    if array.dtype.kind in "mM":
        return pl.Series(name, array)
    if array.dtype.kind in "iu":
        return pl.Series(name, array.astype(array.dtype.newbyteorder("=")))
    values = [None if _missing(value) else value for value in column.to_list()]
    if all(value is None or isinstance(value, str) or _number(value) for value in values):
        for row, value in enumerate(values, 1):
            if isinstance(value, str) and has_lone_surrogate(value):
                raise FormatError(
                    f"data frame, row {row}, column {name!r}: {value!r} {LONE_SURROGATE}"
                )
        texts = [None if value is None else text_of(value) for value in values]
        return pl.Series(name, texts, dtype=pl.String)
    try:
        return pl.Series(name, values)
    except Exception:  # polars has no type for these values
        return pl.Series(name, values, dtype=pl.Object)


def text_of(value: Any) -> str:
    """Return a number or a text as text; a whole float, which a column with gaps holds, as an integer.

    >>> text_of(3.0), text_of("3.0"), text_of(2.5)
    ('3', '3.0', '2.5')
    """
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if whole and abs(value) < 2**53 else str(value)


def ids_of(column: pl.Series) -> pl.Series:
    """Return a column of ids as text. Floats that are all whole become integers; NaN is missing."""
    import polars as pl

    if column.dtype in (pl.Float32, pl.Float64):
        column = column.fill_nan(None)
        if bool(((column == column.round(0)) & (column.abs() < 2**53)).all()):
            column = column.cast(pl.Int64)
    return column.cast(pl.String)


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or str(value) == "<NA>"


def _number(value: Any) -> bool:
    from decimal import Decimal

    return isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool | np.bool_)


def refuse_types(
    frame: pl.DataFrame, ids: Sequence[str], number: str, name: str, value: str
) -> None:
    """Raise an error if the type of a column is neither an id nor a number, such as a date or list."""
    import polars as pl

    def is_id(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String,
            pl.Categorical,
            pl.Enum,
            pl.Binary,
            pl.Null,
        )

    def is_number(kind: pl.DataType) -> bool:
        return kind.is_numeric() or kind in (
            pl.String,
            pl.Categorical,
            pl.Enum,
            pl.Boolean,
            pl.Null,
        )

    if all(is_id(frame.schema[column]) for column in ids) and is_number(frame.schema[number]):
        return
    types = ", ".join(f"{column!r} {frame.schema[column]}" for column in (*ids, number))
    raise FormatError(
        f"{name}: the columns hold {types}; ids must be text or numbers, and the {value} a number."
    )


# Tables with one row per query and its documents in a list, as evaluation sets of RAG systems
# have them.
#
# Examples are the rows of llama-index (`retrieved_ids`, `expected_ids`) and ragas (`retrieved_context_ids`,
# `reference_context_ids`), and the predictions of sentence-transformers (`results`).


RETRIEVED = ("retrieved_ids", "retrieved_context_ids", "retrieved_doc_ids", "retrieved", "results")
EXPECTED = ("expected_ids", "reference_context_ids", "relevant_ids", "relevant_doc_ids", "relevant")
IDS = ("query_id", "qid", "query-id", "queryid", "q_id", "topic_id", "sample_id", "id")
TEXTS = ("query", "user_input", "question")


def list_column(columns: Sequence[str], value: str) -> str | None:
    """Return the column of lists for a run (value "score" or "rank") or for qrels ("grade")."""
    lowered = {column.strip().lower(): column for column in reversed(columns)}
    wanted = EXPECTED if value == "grade" else RETRIEVED
    return next((lowered[spelling] for spelling in wanted if spelling in lowered), None)


def holds_both(columns: Sequence[str]) -> bool:
    """Return whether rows have retrieved documents and relevant ones, as for an evaluation."""
    return all(list_column(columns, value) is not None for value in ("score", "grade"))


def lengthened(
    frame: pl.DataFrame, value: str, name: str, first: int, chosen: Chosen, group: str | None
) -> tuple[pl.DataFrame, str, list[Finding]] | None:
    """Return a table with one row per document, what its value is, and findings; None if it is one."""
    import polars as pl

    column = as_chosen(frame.columns, "document", chosen, name)
    if column is None or not frame.schema[column].is_nested():
        column = list_column(frame.columns, value)
    documents = [c for c in frame.columns if c.strip().lower() in COLUMNS["document"]]
    if column is None or documents:
        return None
    kind = frame.schema[column]
    if not isinstance(kind, pl.List | pl.Array):
        raise FormatError(
            f"{name}: the column {column!r} holds {kind}; expected a list of document ids in each row."
        )
    queries, which = _queries(frame, name, chosen, group)
    table = frame.select(
        pl.int_range(pl.len()).alias("row"),
        queries.alias("query"),
        pl.col(column).alias("document"),
        *([pl.col(group)] if group else []),
    )
    _refuse_repeated_queries(table, name, first, group)
    empty = table.filter(pl.col("document").list.len().fill_null(0) == 0)
    table = table.filter(pl.col("document").list.len() > 0).explode("document")
    made = ""
    if isinstance(kind.inner, pl.Struct):
        table, made = _unnested(table, name, column)
    elif isinstance(kind.inner, pl.List | pl.Array) or kind.inner in (pl.Object, pl.Boolean):
        raise FormatError(f"{name}: the column {column!r} holds {kind}; expected lists of ids.")
    if table["document"].null_count():
        row = int(table.filter(pl.col("document").is_null())["row"][0]) + first
        raise FormatError(f"{name}, row {row}: a document in {column!r} is missing.")
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
    return kept.drop("row"), made, findings


def repeats(name: str, count: int, examples: Sequence[str]) -> Finding:
    """Return the finding about documents that appear more than once in a list."""
    again = "1 document appears" if count == 1 else f"{count:,} documents appear"
    return Finding(
        "duplicate documents",
        f"{name}: {again} again in the same list; only the first place counts.",
        count,
        examples=tuple(examples),
    )


def _queries(
    frame: pl.DataFrame, name: str, chosen: Chosen, group: str | None
) -> tuple[pl.Series, str]:
    """Return the ids of the queries, and where they come from."""
    import polars as pl

    named = as_chosen(frame.columns, "query", chosen, name)
    lowered = {column.strip().lower(): column for column in reversed(frame.columns)}
    ids = named or next((lowered[s] for s in IDS if s in lowered and lowered[s] != group), None)
    if ids is not None:
        column = frame[ids]
        if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Boolean):
            raise FormatError(f"{name}: the column {ids!r} holds {column.dtype}, not ids.")
        if column.null_count():
            row = int(column.is_null().arg_true()[0]) + 1
            raise FormatError(f"{name}, row {row}: the query is missing (column {ids!r}).")
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


def _refuse_repeated_queries(table: pl.DataFrame, name: str, first: int, group: str | None) -> None:
    import polars as pl

    keys = ["query", *([group] if group else [])]
    again = table.filter(~pl.struct(keys).is_first_distinct())
    if again.height:
        query, row = again["query"][0], int(again["row"][0]) + first
        raise FormatError(
            f"{name}, row {row}: the query {query!r} already has a row. Give one row per query, or "
            "a column with unique ids, such as 'query_id'."
        )


def _unnested(table: pl.DataFrame, name: str, column: str) -> tuple[pl.DataFrame, str]:
    """Return the documents and scores of a list of objects, such as [{"corpus_id": …, "score": …}]."""
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


# Lines of JSON, one object per line.


def json_object(line: str | bytes, where: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    >>> json_object("[1]", "runs.jsonl, line 3")
    Traceback (most recent call last):
    tare.errors.FormatError: runs.jsonl, line 3: expected a JSON object, found '[1]'.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: invalid JSON: {str(error)[:80]}.") from None
    if not isinstance(row, dict):
        raise FormatError(f"{where}: expected a JSON object, found {str(row)[:60]!r}.")
    return row
