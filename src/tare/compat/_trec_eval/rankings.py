"""Rankings as trec_eval evaluates them, from files or from dictionaries of grades and scores."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data import Judged, Policies
from tare._data.qrels import Qrels
from tare._kernels import JudgedRankings, QrelsIndex, Rows, judge_dicts, rows_from_dicts
from tare._plain_text import LONE_SURROGATE, has_lone_surrogate
from tare.compat._arguments import found
from tare.compat._trec_eval.measures import Settings

__all__ = [
    "LARGEST",
    "DictionaryQrels",
    "judge_scores",
    "judged_code",
    "policies_of",
    "prepare",
    "qrels_of",
    "relevance_strings",
]


# Rankings as trec_eval evaluates them: truncated, without unjudged documents, completed under -c.


def policies_of(settings: Settings) -> Policies:
    """Return how trec_eval reads the run: version 9 compares 32-bit scores; -M truncates after sorting."""
    return Policies(depth=settings.most or None, precision=32 if settings.compat == 9 else 64)


def judged_code(judged: Judged) -> int:
    """Return the smallest code of a grade in trec_eval's judgements that is not negative."""
    return int(np.searchsorted(judged.qrels.levels, 0.0))


def prepare(judged: Judged, settings: Settings) -> tuple[Judged, NDArray[np.int64]]:
    """Return the rankings that trec_eval evaluates, and the positions of their queries in the qrels.

    Under -c, version 10 gives a missing query one unjudged document; version 9 leaves the query out here
    and uses a larger divisor later.
    """
    rankings = judged.rankings
    chosen = judged.present
    if settings.complete and settings.compat == 10:
        rankings = replace(rankings, retrieved=np.where(chosen, rankings.retrieved, 1))
        chosen = np.ones_like(chosen)
    if settings.query is not None:
        chosen = chosen & (np.array(judged.items, dtype=object) == settings.query)
    if settings.most == 0:
        rankings = _keep(rankings, np.zeros(len(rankings.ranks), dtype=bool))
    elif settings.judged_only:
        rankings = _keep(rankings, rankings.codes >= judged_code(judged))
    return judged.replace(rankings=rankings), np.flatnonzero(chosen)


def _keep(rankings: JudgedRankings, kept: NDArray[np.bool_]) -> JudgedRankings:
    """Return rankings of the kept documents only."""
    before = np.concatenate([[0], np.cumsum(kept)])
    offsets = before[rankings.offsets]
    counts = np.diff(offsets)
    ranks = np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts) + 1
    return replace(
        rankings,
        offsets=offsets.astype(np.int64),
        ranks=ranks.astype(np.int32),
        codes=np.ascontiguousarray(rankings.codes[kept]),
        retrieved=counts.astype(np.int64),
    )


def relevance_strings(judged: Judged, length: int) -> list[str]:
    """Return trec_eval's relevance string of each ranking, the first grades: 0-9, > above 9, - outside the qrels, . if negative."""
    signs = ["." if g < 0 else ">" if g > 9 else str(int(g)) for g in judged.qrels.levels.tolist()]
    strings = [["-"] * min(length, n) for n in judged.retrieved.tolist()]
    ranks, codes = judged.rankings.ranks, judged.rankings.codes
    near = np.flatnonzero(ranks <= length)
    queries = np.searchsorted(judged.rankings.offsets, near, side="right") - 1
    for query, rank, code in zip(
        queries.tolist(), ranks[near].tolist(), codes[near].tolist(), strict=True
    ):
        strings[query][rank - 1] = signs[code]
    return ["".join(string) for string in strings]


# Dictionaries of grades and scores, as pytrec_eval takes them.


LARGEST = 2**53  # grades become 64-bit floating-point numbers


class DictionaryQrels(Qrels):
    """Qrels in dictionaries as trec_eval reads them; what is needed to find documents elsewhere is made on demand."""

    def __init__(self, grades: dict[str, dict[str, int]]) -> None:
        self.name = "query_relevance"
        self.findings = ()
        self.items = tuple(sorted(grades))
        values = sorted(set().union(*(set(found.values()) for found in grades.values())))
        code_of = {grade: code for code, grade in enumerate(values)}
        self.levels = np.array(values, dtype=np.float64)
        self.codes: dict[str, dict[str, int]] = {
            query: {document: code_of[grade] for document, grade in grades[query].items()}
            for query in self.items
        }
        counts = [len(found) for found in self.codes.values()]
        self.pool_offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        pool = [
            code for found in self.codes.values() for code in sorted(found.values(), reverse=True)
        ]
        self.pool = np.array(pool, dtype=np.int32)

    @cached_property
    def _rows(self) -> Rows:  # type: ignore[override]
        levels = self.levels.tolist()
        return rows_from_dicts(
            (query, {document: levels[code] for document, code in found.items()})
            for query, found in self.codes.items()
        )

    @cached_property
    def _index(self) -> QrelsIndex:  # type: ignore[override]
        return QrelsIndex(self._rows, 0)


def qrels_of(relevance: Mapping[str, Mapping[str, int]]) -> DictionaryQrels:
    """Return judgements without the queries that have none.

    Raises TypeError unless ids are strings and grades are integers.
    """
    grades: dict[str, dict[str, int]] = {}
    if not isinstance(relevance, Mapping):  # the error of pytrec_eval
        raise AttributeError(f"query_relevance is {found(relevance)}; expected a dictionary.")
    for query, documents in relevance.items():
        _check_query(query, documents, "query_relevance")
        if len(documents) == 0:
            continue
        _check_documents(query, documents, "query_relevance")
        for kind in set(map(type, documents.values())):
            if not hasattr(kind, "__index__") or kind is np.ndarray:
                raise TypeError(
                    f"Expected relevance to be integer. query_relevance[{query!r}] has a grade of "
                    f"type {kind.__name__}; tare.evaluate takes grades of other types."
                )
        grades[query] = {
            str.__str__(document): operator.index(grade) for document, grade in documents.items()
        }
        if not -LARGEST <= min(grades[query].values()) <= max(grades[query].values()) <= LARGEST:
            raise TypeError(
                f"Expected relevance to be integer. query_relevance[{query!r}] has a grade beyond "
                "±2^53, the largest that is exact."
            )
    return DictionaryQrels(grades)


def judge_scores(qrels: DictionaryQrels, scores: Mapping[str, Mapping[str, float]]) -> Judged:
    """Join scores of rankings with judgements; they are compared as 32-bit numbers, as in trec_eval 9.

    Queries without judgements are ignored. Raises TypeError unless ids are strings and scores numbers,
    and ValueError for a score that is NaN.
    """
    rankings: dict[str, Any] = {}
    for query, documents in scores.items():
        _check_query(query, documents, "scores")
        rankings[query] = documents if isinstance(documents, dict) else dict(documents)
    found = [rankings.get(query) for query in qrels.items]
    return Judged("scores", qrels, Policies(precision=32), _join(qrels, found))


def _join(qrels: DictionaryQrels, rankings: list[dict[str, Any] | None]) -> JudgedRankings:
    codes = list(qrels.codes.values())
    try:
        return judge_dicts(codes, rankings)
    except (TypeError, ValueError, OverflowError):
        pairs = zip(qrels.items, rankings, strict=True)
        return judge_dicts(codes, [None if r is None else _numbers(q, r) for q, r in pairs])


def _numbers(query: str, documents: dict[str, Any]) -> dict[str, float]:
    """Return scores in a dictionary for trec_eval as Python numbers, or raise an error that names the first one that is none."""
    _check_documents(query, documents, "scores")
    numbers: dict[str, float] = {}
    for document, score in documents.items():
        where = f"scores[{query!r}][{document!r}]"
        try:
            number = math.nan if isinstance(score, str | bytes) else float(score)
        except (TypeError, ValueError, ArithmeticError):
            number = math.nan
        if math.isnan(number) and not isinstance(score, float | np.floating):
            raise TypeError(
                f"Unable to extract query/object scores. {where} is {found(score)}; expected a number."
            )
        if math.isnan(number):
            raise ValueError(
                f"{where} is NaN. A ranking by NaN is not defined; remove the document, or give it a "
                "number."
            )
        numbers[str.__str__(document)] = number
    return numbers


def _check_query(query: object, documents: Any, name: str) -> None:
    if not isinstance(query, str):
        raise TypeError(_id_message(name, query))
    _check_letters(query, name)
    if not isinstance(documents, Mapping):
        raise TypeError(
            f"Expected dictionary as value. {name}[{query!r}] is a {type(documents).__name__}."
        )


def _check_documents(query: str, documents: Mapping[Any, Any], name: str) -> None:
    for kind in set(map(type, documents)):
        if not issubclass(kind, str):
            document = next(d for d in documents if type(d) is kind)
            raise TypeError(_id_message(f"{name}[{query!r}]", document))
    if not "".join(documents).isascii():
        for document in documents:
            _check_letters(document, f"{name}[{query!r}]")


def _check_letters(given: str, where: str) -> None:
    if not given.isascii() and has_lone_surrogate(given):
        raise ValueError(f"{where} has the key {given!r}, which {LONE_SURROGATE}")


def _id_message(where: str, found: object) -> str:
    return (
        f"Expected string as key. {where} has the key {found!r} of type {type(found).__name__}; "
        "convert ids with str() in both dictionaries."
    )
