"""Obvious versions of the measures of diversity, on rankings of sets of (subtopic, grade)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Document = dict[str, float] | None  # grades by subtopic; None where nobody judged it


def subtopics_of(pool: Sequence[Document], rel: float = 1) -> list[str]:
    return sorted({j for d in pool if d for j, g in d.items() if g >= rel and g > 0})


def covers(document: Document, subtopic: str, rel: float = 1) -> bool:
    return document is not None and document.get(subtopic, 0) >= max(rel, 1e-300)


def even(subtopics: Sequence[str]) -> dict[str, float]:
    return {j: 1 / len(subtopics) for j in subtopics}


def strecall(ranking, pool, k, rel=1):
    names = subtopics_of(pool, rel)
    found = [j for j in names if any(covers(d, j, rel) for d in ranking[:k])]
    return len(found) / len(names) if names else 0.0


def cascade(ranking, pool, k, alpha, weight, rel=1):
    names = subtopics_of(pool, rel)
    seen = dict.fromkeys(names, 0)
    total = 0.0
    for i, document in enumerate(ranking[:k], 1):
        for j in names:
            if covers(document, j, rel):
                total += (1 - alpha) ** seen[j] * weight(i)
                seen[j] += 1
    return total


def greedy(documents, k, alpha, rel=1):
    """Documents in descending order of their ids; the first of the best is taken."""
    names = subtopics_of(documents, rel)
    seen = dict.fromkeys(names, 0)
    left, order = list(documents), []
    while left and len(order) < k:
        best = max(
            left, key=lambda d: sum((1 - alpha) ** seen[j] for j in names if covers(d, j, rel))
        )
        left.remove(best)
        order.append(best)
        for j in names:
            seen[j] += covers(best, j, rel)
    return order


def unlimited(pool, k, alpha, weight, rel=1):
    return len(subtopics_of(pool, rel)) * sum(
        (1 - alpha) ** (i - 1) * weight(i) for i in range(1, k + 1)
    )


def logarithmic(i):
    return 1 / math.log2(i + 1)


def reciprocal(i):
    return 1 / i


def _ratio(a, b):
    return a / b if b else 0.0


def alpha_dcg(ranking, pool, k, alpha=0.5, normalize=True, rel=1):
    total = cascade(ranking, pool, k, alpha, logarithmic, rel)
    return _ratio(total, unlimited(pool, k, alpha, logarithmic, rel)) if normalize else total


def alpha_ndcg(ranking, pool, k, alpha=0.5, rel=1):
    ideal = cascade(greedy(pool, k, alpha, rel), pool, k, alpha, logarithmic, rel)
    return _ratio(cascade(ranking, pool, k, alpha, logarithmic, rel), ideal)


def err_ia(ranking, pool, k, alpha=0.5, normalize=True, rel=1):
    total = cascade(ranking, pool, k, alpha, reciprocal, rel)
    if normalize:
        return _ratio(total, unlimited(pool, k, alpha, reciprocal, rel))
    return _ratio(alpha * total, len(subtopics_of(pool, rel)))


def nerr_ia(ranking, pool, k, alpha=0.5, rel=1):
    ideal = cascade(greedy(pool, k, alpha, rel), pool, k, alpha, reciprocal, rel)
    return _ratio(cascade(ranking, pool, k, alpha, reciprocal, rel), ideal)


def nrbp(ranking, pool, alpha=0.5, beta=0.5, rel=1):
    total = cascade(ranking, pool, len(ranking), alpha, lambda i: beta ** (i - 1), rel)
    return _ratio(total * (1 - (1 - alpha) * beta), len(subtopics_of(pool, rel)))


def nnrbp(ranking, pool, alpha=0.5, beta=0.5, rel=1):
    ideal = greedy(pool, len(pool), alpha, rel)
    return _ratio(nrbp(ranking, pool, alpha, beta, rel), nrbp(ideal, pool, alpha, beta, rel))


def over_intents(one, ranking, pool, rel=1):
    names = subtopics_of(pool, rel)
    return sum(one(j) for j in names) / len(names) if names else 0.0


def p_ia(ranking, pool, k, rel=1):
    return over_intents(
        lambda j: sum(covers(d, j, rel) for d in ranking[:k]) / k, ranking, pool, rel
    )


def ap_ia(ranking, pool, k=None, rel=1):
    def one(j):
        hits, total = 0, Fraction(0)
        for i, document in enumerate(ranking[:k], 1):
            if covers(document, j, rel):
                hits += 1
                total += Fraction(hits, i)
        return float(total / sum(covers(d, j, rel) for d in pool))

    return over_intents(one, ranking, pool, rel)


def rr_ia(ranking, pool, k=None, rel=1):
    def one(j):
        return next((1 / i for i, d in enumerate(ranking[:k], 1) if covers(d, j, rel)), 0.0)

    return over_intents(one, ranking, pool, rel)


def dcg(gains, k=None):
    return sum(g / math.log2(i + 1) for i, g in enumerate(gains[:k], 1))


def gain_of(document, j, rel=1, exp=False):
    grade = document.get(j, 0) if document else 0
    grade = grade if grade >= rel and grade > 0 else 0
    return 2**grade - 1 if exp else grade


def ndcg_ia(ranking, pool, k=None, rel=1, exp=False):
    def one(j):
        ideal = sorted((gain_of(d, j, rel, exp) for d in pool), reverse=True)
        return dcg([gain_of(d, j, rel, exp) for d in ranking], k) / dcg(ideal, k)

    return over_intents(one, ranking, pool, rel)


def d_ndcg(ranking, pool, k=None, rel=1, exp=False):
    names = subtopics_of(pool, rel)

    def gg(document):
        return sum(gain_of(document, j, rel, exp) for j in names) / len(names) if names else 0.0

    return _ratio(dcg([gg(d) for d in ranking], k), dcg(sorted(map(gg, pool), reverse=True), k))


def dsharp_ndcg(ranking, pool, k, gamma=0.5, rel=1, exp=False):
    return gamma * strecall(ranking, pool, k, rel) + (1 - gamma) * d_ndcg(
        ranking, pool, k, rel, exp
    )
