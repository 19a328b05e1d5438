"""Exact match and F1 as SQuAD 2.0 defines them, the obvious way."""

from __future__ import annotations

import re
import string
from collections import Counter


def normalise(answer: str) -> str:
    """Lower case, then no punctuation, then no articles, then single spaces."""
    kept = "".join(sign for sign in answer.lower() if sign not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def exact(gold: str, predicted: str) -> float:
    return float(normalise(gold) == normalise(predicted))


def f1(gold: str, predicted: str) -> float:
    there, here = normalise(gold).split(), normalise(predicted).split()
    if not there or not here:
        return float(there == here)
    same = sum((Counter(there) & Counter(here)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(here), same / len(there)
    return 2 * precision * recall / (precision + recall)


def best(golds: list[str], predicted: str) -> tuple[float, float]:
    """Exact match and F1 against the best answer; without any answer, an empty text is right."""
    kept = [gold for gold in golds if normalise(gold)] or [""]
    return max(exact(g, predicted) for g in kept), max(f1(g, predicted) for g in kept)
