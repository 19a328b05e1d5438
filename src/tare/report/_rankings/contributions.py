"""What each rank adds to a measure, and what would change if two documents swapped their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tare._data.preferences import QueryUtilities, Utilities
from tare._measures.evaluate_rankings import evaluate

__all__ = ["QueryJudgements", "contributions", "score_of", "swapped_score"]

QueryJudgements = Mapping[str, float] | QueryUtilities
"""The judgements of one query: grades by document, or utilities that follow from preferences."""

# An id that no judged document has, because ids in files contain no control characters.
NOBODY = "\x00"


def _scores(
    measure: str, judged: QueryJudgements, rankings: Sequence[Sequence[str]]
) -> list[float]:
    """Score several rankings of one query; each becomes a separate query."""
    names = [f"{k:06d}" for k in range(len(rankings))]
    qrels: Any
    if isinstance(judged, QueryUtilities):
        qrels = Utilities.of((name, judged) for name in names)
    else:
        qrels = {name: dict(judged) for name in names}
    run = {
        name: {document: float(-rank) for rank, document in enumerate(ranking)}
        for name, ranking in zip(names, rankings, strict=True)
    }
    found = evaluate(qrels, {"ranking": run}, measure)
    values = dict(zip(found.items, found.matrix(measure)[0].tolist(), strict=True))
    return [values[name] for name in names]


def _worth(judged: QueryJudgements) -> set[str]:
    """Return the documents that can change a score: relevant ones, or those that were compared."""
    if isinstance(judged, QueryUtilities):
        return set(judged.documents)
    return {document for document, grade in judged.items() if grade > 0}


def score_of(measure: str, judged: QueryJudgements, ranking: Sequence[str]) -> float:
    """Return the score of one ranking."""
    known = isinstance(judged, QueryUtilities) or bool(judged)
    return _scores(measure, judged, [ranking])[0] if known and ranking else 0.0


def contributions(measure: str, judged: QueryJudgements, ranking: Sequence[str]) -> list[float]:
    """Return, for each rank, what the score would lose if its document was not relevant.

    With preferences: if an unknown document, which was never compared, was in its place. For DCG and
    similar sums, the contributions add up to the score.
    """
    worth = _worth(judged)
    if not worth or not ranking:
        return [0.0] * len(ranking)
    relevant = [k for k, document in enumerate(ranking) if document in worth]
    variants = [[*ranking[:k], f"{NOBODY}{k}", *ranking[k + 1 :]] for k in relevant]
    whole, *without = _scores(measure, judged, [list(ranking), *variants])
    made = [0.0] * len(ranking)
    for k, value in zip(relevant, without, strict=True):
        made[k] = whole - value
    return made


def swapped_score(
    measure: str, judged: QueryJudgements, ranking: Sequence[str], first: int, second: int
) -> tuple[float, float]:
    """Return the score before and after two ranks, counted from 1, are swapped."""
    other = list(ranking)
    other[first - 1], other[second - 1] = other[second - 1], other[first - 1]
    before, after = _scores(measure, judged, [list(ranking), other])
    return before, after
