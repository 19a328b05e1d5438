"""The words of a model that ROUGE-L and ROUGE-W match, per sentence; for -v."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

__all__ = ["hits_of_sentences"]


def hits_of_sentences(
    model: list[list[str]],
    peer: list[list[str]],
    left_in_model: Counter[str],
    left_in_peer: Counter[str],
    weight: float | None,
) -> Iterator[list[str]]:
    """Yield the matched words of each model sentence, clipped by the words left in both texts."""
    for sentence in model:
        marked: set[int] = set()
        for other in peer:
            marked |= _marked(sentence, other, weight)
        hits = []
        for word in (sentence[place] for place in sorted(marked)):
            if left_in_model[word] > 0 and left_in_peer[word] > 0:
                left_in_model[word] -= 1
                left_in_peer[word] -= 1
                hits.append(word)
        yield hits


def _marked(model: list[str], peer: list[str], weight: float | None) -> set[int]:
    """Return the positions on the best common subsequence; ties are resolved by moving up in the model."""
    power = weight or 1.0
    rows, columns = len(model), len(peer)
    value = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    run = [[0] * (columns + 1) for _ in range(rows + 1)]
    move = [[""] * (columns + 1) for _ in range(rows + 1)]
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            if model[i - 1] == peer[j - 1]:
                length = run[i - 1][j - 1]
                gain = (length + 1) ** power - length**power if weight else 1.0
                value[i][j], run[i][j] = value[i - 1][j - 1] + gain, length + 1
                move[i][j] = "both"
            elif value[i - 1][j] >= value[i][j - 1]:
                value[i][j], move[i][j] = value[i - 1][j], "up"
            else:
                value[i][j], move[i][j] = value[i][j - 1], "left"
    found, i, j = set(), rows, columns
    while i and j:
        step = move[i][j]
        if step == "both":
            found.add(i - 1)
        i -= step != "left"
        j -= step != "up"
    return found
