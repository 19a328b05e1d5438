"""What chance would write, the obvious way: every text of the source's words, with its probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product


def expectation(source: list[str], length: int, value: Callable[[tuple[str, ...]], float]) -> float:
    """The mean of a value over all texts of so many words, each drawn from the source's."""
    counts = Counter(source)
    total = 0.0
    for words in product(counts, repeat=length):
        chance = 1.0
        for word in words:
            chance *= counts[word] / len(source)
        total += chance * value(words)
    return total


def overlap(candidate: tuple[str, ...], reference: list[str], n: int) -> int:
    """Clipped matches of n-grams."""
    here, there = grams(list(candidate), n), grams(reference, n)
    return sum(min(count, there[gram]) for gram, count in here.items())


def grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    """N-grams of a text with their counts."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
