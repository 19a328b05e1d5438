"""Recognition of columns by their names."""

from __future__ import annotations

from collections.abc import Sequence

from tare.errors import FormatError

__all__ = ["COLUMNS", "recognise"]

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


def recognise(columns: Sequence[str], wanted: Sequence[str], name: str) -> dict[str, str]:
    """Return the column for each wanted part; raise an error if one is missing.

    >>> recognise(["qid", "docno", "score"], ["query", "document", "score"], "a.csv")
    {'query': 'qid', 'document': 'docno', 'score': 'score'}
    """
    lowered = {column.strip().lower(): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for part in wanted:
        for spelling in COLUMNS[part]:
            if spelling in lowered:
                found[part] = lowered[spelling]
                break
        else:
            raise FormatError(
                f"{name}: no column for the {part}; found {', '.join(map(repr, columns))}. "
                f"Accepted names: {', '.join(COLUMNS[part])}."
            )
    return found
