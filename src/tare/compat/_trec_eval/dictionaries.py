"""Dictionaries of grades and scores, as pytrec_eval takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tare._data import Judged, Policies
from tare._data.qrels import Qrels
from tare._kernels import Rows, judge, rows_from_dicts

__all__ = ["judge_scores", "qrels_of"]

LARGEST = 1e308
"""Stands for infinity, which is what it becomes as a 32-bit number."""


def qrels_of(relevance: Mapping[str, Mapping[str, int]]) -> Qrels | None:
    """Return judgements without the queries that have none; None if no query is left.

    Raises TypeError unless ids are strings and grades are integers.
    """
    queries: list[tuple[str, dict[str, int]]] = []
    for query, documents in relevance.items():
        if len(documents) == 0:
            continue
        _check_ids(query, documents, "query_relevance")
        for kind in set(map(type, documents.values())):
            if not hasattr(kind, "__index__"):
                raise TypeError(
                    f"Expected relevance to be integer. query_relevance[{query!r}] has a grade of "
                    f"type {kind.__name__}; grades of other types can be given to tare.evaluate."
                )
        queries.append((query, dict(documents)))
    return Qrels(rows_from_dicts(queries), "query_relevance", []) if queries else None


def judge_scores(qrels: Qrels, scores: Mapping[str, Mapping[str, float]]) -> Judged:
    """Join scores with judgements; scores are compared as 32-bit numbers, as in trec_eval 9.

    Queries without judgements are ignored. Raises TypeError unless ids are strings and scores numbers,
    and ValueError for a score that is NaN.
    """
    policies = Policies(precision=32)
    known = set(qrels.items)
    queries: list[tuple[str, dict[str, Any]]] = []
    for query, documents in scores.items():
        if query in known:
            _check_ids(query, documents, "scores")
            queries.append((query, documents if isinstance(documents, dict) else dict(documents)))
        elif not isinstance(query, str):
            raise TypeError(_id_message("scores", "", query))
    rankings = judge(qrels.index, _rows(queries), **policies.arguments())
    return Judged("scores", qrels, policies, rankings)


def _rows(queries: list[tuple[str, dict[str, Any]]]) -> Rows:
    try:
        return rows_from_dicts(queries)
    except ValueError:
        return rows_from_dicts([(query, _finite(query, found)) for query, found in queries])
    except TypeError:
        query, document, score = next(
            (query, document, score)
            for query, found in queries
            for document, score in found.items()
            if isinstance(score, str | bytes) or not hasattr(score, "__float__")
        )
        raise TypeError(
            "Unable to extract query/object scores. "
            f"scores[{query!r}][{document!r}] is {score!r}; expected a number."
        ) from None


def _finite(query: str, documents: dict[str, Any]) -> dict[str, float]:
    values = {document: float(score) for document, score in documents.items()}
    for document, value in values.items():
        if math.isnan(value):
            raise ValueError(
                f"scores[{query!r}][{document!r}] is NaN. A ranking by NaN is not defined; remove the "
                "document, or give it a number."
            )
    return {document: max(-LARGEST, min(value, LARGEST)) for document, value in values.items()}


def _check_ids(query: object, documents: Mapping[Any, Any], name: str) -> None:
    if not isinstance(query, str):
        raise TypeError(_id_message(name, "", query))
    if not isinstance(documents, Mapping):
        raise TypeError(
            f"Expected dictionary as value. {name}[{query!r}] is a {type(documents).__name__}."
        )
    for kind in set(map(type, documents)):
        if not issubclass(kind, str):
            document = next(d for d in documents if type(d) is kind)
            raise TypeError(_id_message(name, f"[{query!r}]", document))


def _id_message(name: str, where: str, found: object) -> str:
    return (
        f"Expected string as key. {name}{where} has the key {found!r} of type "
        f"{type(found).__name__}; convert ids with str() in both dictionaries."
    )
