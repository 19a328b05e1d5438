"""BLEU, chrF and TER from their statistics, with sacrebleu's floating-point operations."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["bleu", "chrf", "ter"]

SMOOTHING = {"none": None, "exp": None, "floor": 0.1, "add-k": 1.0}


def bleu(row: Sequence[float], smooth: str, value: float | None, *, effective: bool) -> float:
    """Return BLEU of (length, length of the references, matches and n-grams of each order).

    `effective` leaves out the orders above the longest n-gram, as for single sentences.

    >>> bleu([4, 4, 4, 3, 2, 1, 4, 3, 2, 1], "exp", None, effective=False)
    100.00000000000004
    """
    length, reference, *counts = row
    order = len(counts) // 2
    matches, grams = counts[:order], counts[order:]
    if not length or not any(matches):  # a file can contain matches of a text without words
        return 0.0
    added = SMOOTHING[smooth] if value is None else value
    precisions: list[float] = []
    halved = 1.0
    for n, (match, total) in enumerate(zip(matches, grams, strict=True)):
        if smooth == "add-k" and n:
            match, total = match + (added or 0.0), total + (added or 0.0)
        if total == 0:
            break
        if match:
            precisions.append(100.0 * match / total)
        elif smooth == "exp":
            halved *= 2
            precisions.append(100.0 / (halved * total))
        else:
            precisions.append(100.0 * (added or 0.0) / total if smooth == "floor" else 0.0)
    used = len(precisions) if effective else order
    if len(precisions) < used or not all(precisions):
        return 0.0
    brevity = math.exp(1 - reference / length) if length < reference else 1.0
    return brevity * math.exp(sum([math.log(p) for p in precisions]) / used)


def chrf(row: Sequence[float], beta: float) -> float:
    """Return chrF of (n-grams of the text, of the reference, matches) of each order.

    >>> chrf([4, 4, 2], 2)
    50.0
    """
    precision = recall = 0.0
    orders = 0
    factor = beta**2
    for k in range(0, len(row), 3):
        here, there, match = row[k : k + 3]
        if here > 0 and there > 0:
            precision += match / here
            recall += match / there
            orders += 1
    if not orders or not precision + recall:
        return 0.0
    precision /= orders
    recall /= orders
    score = (1 + factor) * precision * recall
    score /= (factor * precision) + recall
    return 100 * score


def ter(row: Sequence[float]) -> float:
    """Return TER of (edits, mean length of the references).

    >>> ter([1, 4])
    25.0
    """
    edits, length = row
    if length > 0:
        return 100 * (edits / length)
    return 100.0 if edits > 0 else 0.0
