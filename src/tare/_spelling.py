"""Distances between names, for suggestions in messages."""

from __future__ import annotations

__all__ = ["mistypings"]


def mistypings(one: str, other: str, most: int) -> int:
    """Return how many letters were added, lost, changed or swapped with the next; at most `most` + 1.

    >>> mistypings("ndgc", "ndcg", 2), mistypings("rel", "rels", 2), mistypings("a", "abcdef", 2)
    (1, 1, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before, last = list[int](), list(range(len(other) + 1))
    for i, a in enumerate(one):
        row = [i + 1]
        for j, b in enumerate(other):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a != b))
            if i and j and a == other[j - 1] and one[i - 1] == b:
                cost = min(cost, before[j - 1] + 1)
            row.append(cost)
        before, last = last, row
    return min(last[-1], most + 1)
