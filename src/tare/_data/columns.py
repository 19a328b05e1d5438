"""Recognition of columns by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tare.errors import FormatError, OptionError, nearest

__all__ = ["COLUMNS", "Chosen", "as_chosen", "quoted", "recognise"]

MAX_NAMED = 20  # columns in a message

Chosen = Mapping[str, str | None]
"""The columns that a caller names, by part."""

COLUMNS: dict[str, tuple[str, ...]] = {
    "query": ("query", "qid", "query_id", "topic", "topic_id", "q_id", "query-id", "queryid"),
    "document": (
        "document",
        "docno",
        "doc_id",
        "did",
        "docid",
        "doc",
        "document_id",
        "corpus-id",
        "corpus_id",
        "pid",
    ),
    "score": ("score", "sim", "similarity", "retrieval_score"),
    "grade": ("grade", "relevance", "label", "rel", "rating"),
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
    more = len(columns) - MAX_NAMED
    named = ", ".join(map(repr, columns[:MAX_NAMED]))
    return f"{named} and {more:,} more" if more > 0 else named


def recognise(
    columns: Sequence[str], wanted: Sequence[str], name: str, chosen: Chosen | None = None
) -> dict[str, str]:
    """Return the column for each wanted part; raise an error if one is missing.

    >>> recognise(["qid", "docno", "score"], ["query", "document", "score"], "a.csv")
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
    return found
