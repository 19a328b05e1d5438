"""What each rank adds to a measure, and what would change if two documents swapped their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tare._measures.evaluate import evaluate

__all__ = ["contributions", "score_of", "swapped_score"]

# An id that no judged document has, because ids in files contain no control characters.
NOBODY = "\x00"


def _scores(
    measure: str, grades: Mapping[str, float], rankings: Sequence[Sequence[str]]
) -> list[float]:
    """Score several rankings of one query; each becomes a query of its own."""
    names = [f"{k:06d}" for k in range(len(rankings))]
    qrels = {name: dict(grades) for name in names}
    run = {
        name: {document: float(-rank) for rank, document in enumerate(ranking)}
        for name, ranking in zip(names, rankings, strict=True)
    }
    found = evaluate(qrels, {"ranking": run}, measure)
    values = dict(zip(found.items, found.matrix(measure)[0].tolist(), strict=True))
    return [values[name] for name in names]


def score_of(measure: str, grades: Mapping[str, float], ranking: Sequence[str]) -> float:
    """Return the score of one ranking."""
    return _scores(measure, grades, [ranking])[0] if grades and ranking else 0.0


def contributions(measure: str, grades: Mapping[str, float], ranking: Sequence[str]) -> list[float]:
    """Return, for each rank, what the score would lose if its document was not relevant.

    For DCG and similar sums, the contributions add up to the score.
    """
    if not grades or not ranking:
        return [0.0] * len(ranking)
    relevant = [k for k, document in enumerate(ranking) if grades.get(document, 0) > 0]
    variants = [[*ranking[:k], f"{NOBODY}{k}", *ranking[k + 1 :]] for k in relevant]
    whole, *without = _scores(measure, grades, [list(ranking), *variants])
    made = [0.0] * len(ranking)
    for k, value in zip(relevant, without, strict=True):
        made[k] = whole - value
    return made


def swapped_score(
    measure: str, grades: Mapping[str, float], ranking: Sequence[str], first: int, second: int
) -> tuple[float, float]:
    """Return the score before and after two ranks, counted from 1, are swapped."""
    other = list(ranking)
    other[first - 1], other[second - 1] = other[second - 1], other[first - 1]
    before, after = _scores(measure, grades, [list(ranking), other])
    return before, after
