"""Tables with one row per query and its documents in a list, as evaluation sets of RAG systems have them.

Examples are the rows of llama-index (`retrieved_ids`, `expected_ids`) and ragas (`retrieved_context_ids`,
`reference_context_ids`), and the predictions of sentence-transformers (`results`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tare._data.columns import COLUMNS, Chosen, as_chosen
from tare._data.findings import Finding
from tare.errors import FormatError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["EXPECTED", "RETRIEVED", "TEXTS", "holds_both", "lengthened", "list_column", "repeats"]

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
