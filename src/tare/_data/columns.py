"""Columns of tables: the roles that readers know, the spellings of each, and which column of a table has a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tare.errors import FormatError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "SPELLINGS", "Chosen", "as_chosen", "column_of", "quoted", "recognise"]

MAX_NAMED = 20  # columns in a message

Chosen = Mapping[str, str | None]
"""The columns that a caller names, by role."""

SPELLINGS: dict[str, tuple[str, ...]] = {
    "query": (
        "qid query_id query-id q_id queryid topic_id",
        "query topic",  # often texts
    ),
    "document": (
        "docno",  # PyTerrier's docid beside it is the number of a document in an index
        "docid doc_id corpus-id corpus_id document_id did pid",
        "passage_id",
        "document doc",  # often texts
        "passage",
    ),
    "score": ("score", "sim similarity retrieval_score"),
    "grade": ("grade", "relevance label rel", "judgment", "judgement", "rating"),
    "rank": ("rank",),
    "rank_min": ("rank_min", "min_rank", "rank_low", "optimistic", "optimistic_rank"),
    "rank_max": ("rank_max", "max_rank", "rank_high", "pessimistic", "pessimistic_rank"),
    "candidates": ("candidates", "candidate_count", "n_candidates", "num_candidates"),
    "subtopic": (*("subtopic", "subtopic_id", "iteration", "iter", "intent", "aspect", "facet"),),
    "profile": ("profile", "profile_id", "user_profile", "user"),
    "system": ("system", "run", "tag", "run_id", "runid", "system_id", "run_tag", "model"),
    "left": ("left", "doca", "doc_a", "document_a", "a", "doc1", "first"),
    "right": ("right", "docb", "doc_b", "document_b", "b", "doc2", "second"),
    "preferred": ("preferred", "winner", "preference", "choice", "better"),
    "assessor": (
        *("assessor", "judge", "annotator", "coder", "rater", "worker", "labeller", "assigner"),
        *("assessor_id", "judge_id", "annotator_id", "coder_id", "rater_id", "worker_id", "user"),
    ),
    "given": ("given", "condition", "read", "after"),
    "item": (
        *("item", "item_id", "id", "doc_id", "docid", "document_id", "topic", "query", "qid"),
    ),
    "text": (
        *("text", "summary", "candidate", "prediction", "hypothesis", "generated", "output"),
        "decoded",
    ),
    "references": ("references", "reference", "refs", "ref", "target", "targets", "highlights"),
    "source": ("source", "article", "document", "src", "input", "context"),
    "authors": ("authors", "reference_authors", "ref_authors"),
    "base": ("base_references", "base"),
    "scus": ("scus", "content_units"),
}
"""The spellings of a column by role, best first; those in one string are equally good."""

COLUMNS: dict[str, tuple[str, ...]] = {
    role: tuple(" ".join(ranks).split()) for role, ranks in SPELLINGS.items()
}
"""All spellings of a column by role, best first."""


def column_of(columns: Iterable[str], role: str, taken: Iterable[str] = ()) -> str | None:
    """Return the column of a table that has a role, if there is one; columns that are `taken` have another role.

    >>> column_of(["Query", "worker", "judge"], "assessor")
    'judge'
    """
    used = set(taken)
    lowered = {c.strip().lower(): c for c in reversed(list(columns)) if c not in used}
    return next((lowered[spelling] for spelling in COLUMNS[role] if spelling in lowered), None)


def as_chosen(columns: Sequence[str], part: str, chosen: Chosen | None, name: str) -> str | None:
    """Return the column that the caller names for a role; raise an error if the table has no such column."""
    column = (chosen or {}).get(part)
    if column is None or column in columns:
        return column
    raise OptionError(
        f"{part}={column!r}: {name} has no such column; found {', '.join(map(repr, columns))}."
        f"{nearest(column, list(columns))}"
    )


def quoted(columns: Sequence[str]) -> str:
    """Return the names of a table's columns for a message, the first ones if there are many.

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
    """Return the column of a table for each wanted role; raise an error if one is missing.

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
    """Return the columns whose spellings of a role have the same rank as that of the first column."""
    first = known[0].strip().lower()
    ranks = SPELLINGS[part]
    of_rank = next((rank.split() for rank in ranks if first in rank.split()), [first])
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
