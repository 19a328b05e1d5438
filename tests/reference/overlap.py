"""Rank-biased overlap, the slow way: every order of tied items, sums term by term to great depth.

A ranking is a list of groups of tied items, best first. Nothing here uses contributions of items:
each order of the ties is a plain list, and each depth is counted with sets.
"""

from __future__ import annotations

import itertools
import math

__all__ = ["RANKING", "mean_over_orders", "shared_groups"]

RANKING = list[list[str]]
FAR = 4000  # p^FAR is far below 1e-15 for the p of the tests


def _orders(ranking: RANKING) -> list[list[str]]:
    made = itertools.product(*(itertools.permutations(group) for group in ranking))
    return [[item for group in combo for item in group] for combo in made]


def _of_two_lists(a: list[str], b: list[str], p: float) -> tuple[float, float]:
    """RBO extrapolated and at least, of two lists without ties (Webber et al. 2010)."""
    short, long = sorted((a, b), key=len)
    s, ell = len(short), len(long)
    at_s = len(set(short) & set(long[:s]))
    at_l = len(set(short) & set(long))
    ext = least = 0.0
    for d in range(1, FAR):
        weight = (1 - p) * p ** (d - 1)
        seen = len(set(short[:d]) & set(long[:d]))
        least += weight * seen / d
        if d <= s:
            ext += weight * seen / d
        elif d <= ell:  # the short list goes on agreeing as it did at its end
            ext += weight * (seen + (d - s) * at_s / s) / d
        else:
            ext += weight * (at_l + (ell - s) * at_s / s) / ell
    return ext, least


def mean_over_orders(x: RANKING, y: RANKING, p: float) -> tuple[float, float]:
    """The mean of RBO_ext and of RBO_min over all orders of tied items of both rankings."""
    pairs = [_of_two_lists(a, b, p) for a in _orders(x) for b in _orders(y)]
    ext, least = zip(*pairs, strict=True)
    return math.fsum(ext) / len(pairs), math.fsum(least) / len(pairs)


def shared_groups(x: RANKING, y: RANKING, p: float) -> tuple[float, float, float]:
    """Variant w: extrapolated, least, most. A group takes part whole as soon as its first rank does.

    Below its end the short ranking has as many items as the depth says (Corsi and Urbano 2024, §4).
    """

    def active(ranking: RANKING, d: int) -> list[str]:
        found: list[str] = []
        for group in ranking:
            if len(found) < d:
                found += group
        return found

    short, long = sorted((x, y), key=lambda ranking: sum(map(len, ranking)))
    s, ell = sum(map(len, short)), sum(map(len, long))
    at_s = set(active(short, s)) & set(active(long, s))
    agreement = 2 * len(at_s) / (s + len(active(long, s)))
    at_l = len(set(active(short, ell)) & set(active(long, ell)))
    ext = least = most = 0.0
    for d in range(1, FAR):
        weight = (1 - p) * p ** (d - 1)
        seen = len(set(active(short, d)) & set(active(long, d)))
        if d <= s:
            size = (len(active(short, d)) + len(active(long, d))) / 2
            here: tuple[float, int, int] = (seen, seen, seen)
        elif d <= ell:
            size = (d + len(active(long, d))) / 2
            here = (seen + (d - s) * agreement, seen, seen + d - s)
        else:
            size = float(d)
            both_go_on = min(d, at_l + (ell - s) + 2 * (d - ell))
            here = ((at_l + (ell - s) * agreement) * d / ell, at_l, both_go_on)
        ext += weight * here[0] / size
        least += weight * here[1] / size
        most += weight * here[2] / size
    return ext, least, most
