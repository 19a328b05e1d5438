"""What ROUGE counts, in plain Python: every function gives (hits, candidate's total, reference's).

A text is a list of sentences, a sentence a list of tokens.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

Sentence = Sequence[str]
Text = Sequence[Sentence]
Counts = tuple[float, float, float]


def flat(text: Text) -> list[str]:
    return list(chain.from_iterable(text))


def ngrams(candidate: Text, reference: Text, n: int) -> Counts:
    ours, theirs = (
        Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1))
        for t in (flat(reference), flat(candidate))
    )
    return (ours & theirs).total(), theirs.total(), ours.total()


def table(a: Sentence, b: Sentence, gain: Callable[[int], float]) -> list[list[float]]:
    """Values of best subsequences of prefixes; gain(k) is what the k-th match of a run adds."""
    values = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    runs = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                runs[i][j] = runs[i - 1][j - 1] + 1
                values[i][j] = values[i - 1][j - 1] + gain(runs[i][j])
            else:
                values[i][j] = max(values[i - 1][j], values[i][j - 1])
    return values


def marks(reference: Sentence, candidate: Sentence, gain: Callable[[int], float]) -> set[int]:
    """Places of the reference on one best subsequence: up there where nothing is lost."""
    values = table(reference, candidate, gain)
    i, j = len(reference), len(candidate)
    found = set()
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            i, j = i - 1, j - 1
            found.add(i)
        elif values[i - 1][j] >= values[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return found


def one(_: int) -> float:
    return 1.0


def lcs(candidate: Text, reference: Text) -> Counts:
    a, b = flat(reference), flat(candidate)
    return table(a, b, one)[-1][-1], len(b), len(a)


def union_lcs(candidate: Text, reference: Text) -> Counts:
    left = Counter(flat(candidate))
    hits = 0
    for sentence in reference:
        union = set().union(*(marks(sentence, c, one) for c in candidate))
        for i in sorted(union):
            if left[sentence[i]] > 0:
                left[sentence[i]] -= 1
                hits += 1
    return hits, len(flat(candidate)), len(flat(reference))


def weighted_lcs(candidate: Text, reference: Text, weight: float) -> Counts:
    a, b = flat(reference), flat(candidate)
    best = table(a, b, lambda k: k**weight - (k - 1) ** weight)[-1][-1]
    return best, len(b) ** weight, len(a) ** weight


def skip_bigrams(candidate: Text, reference: Text, gap: int | None, unigrams: str) -> Counts:
    """`unigrams` is none, all, or but-last."""

    def pairs(tokens: list[str]) -> Counter[tuple[str, ...]]:
        reach = len(tokens) if gap is None else gap + 1
        found: Counter[tuple[str, ...]] = Counter(
            (a, b) for i, a in enumerate(tokens) for b in tokens[i + 1 : i + 1 + reach]
        )
        singles = {"none": [], "all": tokens, "but-last": tokens[:-1]}[unigrams]
        found.update((token,) for token in singles)
        return found

    ours, theirs = pairs(flat(reference)), pairs(flat(candidate))
    return (ours & theirs).total(), theirs.total(), ours.total()
