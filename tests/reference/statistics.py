"""Statistics as the textbooks write them: short, slow, obvious."""

from __future__ import annotations

import itertools
import math

import numpy as np


def mean_ranks(values: list[float]) -> list[float]:
    """The mean of the places a value would take in ascending order."""
    return [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]


def signed_rank(differences: list[float], zeros: str = "dropped") -> tuple[float, float]:
    """W⁺ and the exact two-sided p, by all assignments of signs."""
    kept = [d for d in differences if d != 0] if zeros == "dropped" else list(differences)
    ranks = mean_ranks([abs(d) for d in kept])
    pairs = [(d, r) for d, r in zip(kept, ranks, strict=True) if d != 0]
    plus = sum(r for d, r in pairs if d > 0)
    centre = sum(r for _, r in pairs) / 2
    sums = [
        sum(r for s, (_, r) in zip(signs, pairs, strict=True) if s)
        for signs in itertools.product((0, 1), repeat=len(pairs))
    ]
    hits = sum(abs(w - centre) >= abs(plus - centre) - 1e-9 for w in sums)
    return plus, hits / len(sums)


def walsh_plus(z: list[float]) -> float:
    """W⁺ as a U-statistic of the sums of two."""
    pairs = list(itertools.combinations(z, 2))
    alone = sum(x > 0 for x in z)
    return alone + sum(a + b > 0 for a, b in pairs) + sum(a + b == 0 for a, b in pairs) / 2


def all_swaps(differences: list[float]) -> float:
    """The exact p of the swap test, by all 2^n of them."""
    observed = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(s >= observed - 1e-9 for s in sums) / len(sums)


def tau_ap(x: list[float], y: list[float]) -> float:
    """Yilmaz, Aslam and Robertson's coefficient of the ranking y against x, without ties."""
    order = sorted(range(len(y)), key=lambda k: -y[k])
    total = 0.0
    for i in range(1, len(order)):
        total += sum(x[order[j]] > x[order[i]] for j in range(i)) / i
    return 2 * total / (len(order) - 1) - 1


def tau_ap_over_ties(x: list[float], y: list[float]) -> float:
    """The mean of `tau_ap` over all orders of tied items of y."""
    groups = [[k for k in range(len(y)) if y[k] == v] for v in sorted(set(y), reverse=True)]
    values = []
    for orders in itertools.product(*(itertools.permutations(g) for g in groups)):
        order = [k for group in orders for k in group]
        place = {k: -p for p, k in enumerate(order)}
        values.append(tau_ap(x, [place[k] for k in range(len(y))]))
    return math.fsum(values) / len(values)


def alpha(units: list[list[float]], distance: str) -> float:
    """Krippendorff's α by all pairs of values."""
    units = [u for u in units if len(u) >= 2]
    values = [v for u in units for v in u]
    distinct = sorted(set(values))
    count = {v: values.count(v) for v in distinct}

    def delta(a: float, b: float) -> float:
        if distance == "nominal":
            return float(a != b)
        if distance == "interval":
            return (a - b) ** 2
        if distance == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        low, high = min(a, b), max(a, b)
        between = sum(count[v] for v in distinct if low <= v <= high)
        return (between - (count[a] + count[b]) / 2) ** 2

    n = len(values)
    observed = sum(
        delta(a, b) / (len(u) - 1) for u in units for a, b in itertools.permutations(u, 2)
    )
    expected = sum(delta(a, b) for a, b in itertools.permutations(values, 2)) / (n - 1)
    return 1 - observed / expected


def rbo_over_ties(x: list[float], y: list[float], p: float) -> float:
    """RBO_ext of two rankings of the same items, averaged over all orders of tied items."""

    def orders(values: list[float]) -> list[list[int]]:
        groups = [
            [k for k in range(len(values)) if values[k] == v]
            for v in sorted(set(values), reverse=True)
        ]
        made = itertools.product(*(itertools.permutations(g) for g in groups))
        return [[k for g in combo for k in g] for combo in made]

    found = []
    for a in orders(x):
        for b in orders(y):
            depth = range(1, len(a) + 1)
            agree = [len(set(a[:d]) & set(b[:d])) / d for d in depth]
            total = (1 - p) / p * sum(g * p**d for g, d in zip(agree, depth, strict=True))
            found.append(total + agree[-1] * p ** len(a))
    return math.fsum(found) / len(found)


def bca(values: np.ndarray, drawn: np.ndarray, confidence: float) -> tuple[float, float]:
    """Efron's BCa interval of a mean from given resampled means."""
    from scipy.stats import norm

    observed = values.mean()
    left_out = np.array([np.delete(values, i).mean() for i in range(len(values))])
    gaps = left_out.mean() - left_out
    a = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    near = np.isclose(drawn, observed, rtol=1e-12, atol=0)
    z0 = norm.ppf(((drawn < observed) & ~near).mean() + near.mean() / 2)
    ends = []
    for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
        z = z0 + norm.ppf(tail)
        ends.append(float(np.quantile(drawn, norm.cdf(z0 + z / (1 - a * z)))))
    return ends[0], ends[1]


def macro_flips(datasets: list[list[list[float]]]) -> tuple[dict, dict]:
    """The exact p of each pair of columns over fixed data sets, adjusted and alone, by all patterns.

    Each pattern gives every query a sign; |T|/√V is computed again from the flipped differences.
    """
    count = len(datasets[0][0])
    pairs = list(itertools.combinations(range(count), 2))
    queries = [(k, i) for k, rows in enumerate(datasets) for i in range(len(rows))]

    def ratio(pair: tuple[int, int], signs: dict[tuple[int, int], int]) -> float:
        total, variance = 0.0, 0.0
        for k, rows in enumerate(datasets):
            d = [signs[k, i] * (row[pair[0]] - row[pair[1]]) for i, row in enumerate(rows)]
            mean = sum(d) / len(d)
            total += mean / len(datasets)
            spread = sum((x - mean) ** 2 for x in d) / (len(d) - 1)
            variance += spread / len(d) / len(datasets) ** 2
        return abs(total) / math.sqrt(variance) if variance > 1e-15 else 0.0

    seen = {pair: ratio(pair, dict.fromkeys(queries, 1)) for pair in pairs}
    adjusted, alone = dict.fromkeys(pairs, 0), dict.fromkeys(pairs, 0)
    for pattern in itertools.product((1, -1), repeat=len(queries)):
        signs = dict(zip(queries, pattern, strict=True))
        found = {pair: ratio(pair, signs) for pair in pairs}
        for pair in pairs:
            adjusted[pair] += max(found.values()) >= seen[pair] * (1 - 1e-9)
            alone[pair] += found[pair] >= seen[pair] * (1 - 1e-9)
    size = 2 ** len(queries)
    return {k: v / size for k, v in adjusted.items()}, {k: v / size for k, v in alone.items()}
