"""Moments of Prf and nPrf under chance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import NDArray

from tare._data.judged import Judged
from tare._data.preferences import QueryUtilities
from tare._kernels import Rankings
from tare._measures.evaluation import Sampling
from tare._measures.measure import Measure
from tare._measures.moments import Moments
from tare._measures.preference.expected import expected_sum
from tare._measures.preference.ideal import (
    divided,
    divisors,
    ideal_sum,
    utilities_of,
    weights_of,
)
from tare._measures.preference.rankings import sums

__all__ = ["PreferenceChance"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PreferenceChance:
    """Moments of Prf: closed forms, greedy bounds, variances over all or sampled orders."""

    def _pools(
        self, judged: Judged, measure: Measure, tied: Rankings
    ) -> Iterator[tuple[int, QueryUtilities, NDArray[np.int64], int]]:
        offsets = tied.offsets
        for q, u in enumerate(utilities_of(judged, measure).by_query):
            pool = tied.codes[offsets[q] : offsets[q + 1]].astype(np.int64)
            yield q, u, pool, int(tied.retrieved[q]) - len(pool)

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Return mean, bounds and, on request, variance over all orders of each pool."""
        out = np.zeros((5, len(judged.items)))
        weights, combine = weights_of(measure), measure["combine"]
        for q, u, pool, others in self._pools(judged, measure, tied):
            alone, after = u.filled
            out[0, q] = expected_sum(pool, others, alone, after, weights, combine)
            out[1, q] = ideal_sum(u, pool, measure)
            if worst:
                unknown = np.full(min(others, len(weights)), len(u.documents), dtype=np.int64)
                out[2, q] = ideal_sum(u, np.concatenate([unknown, pool]), measure, np.argmin)
            if variance:
                values, exact = _orders(judged, q, u, pool, others, measure, sampling)
                out[3, q] = values.var() if exact else values.var(ddof=1)
                fourth = float(((values - values.mean()) ** 4).mean())
                out[4, q] = (
                    0.0 if exact else np.sqrt(max(0.0, fourth - out[3, q] ** 2) / len(values))
                )
        by = divisors(utilities_of(judged, measure), measure)
        return Moments(
            divided(out[0], by),
            np.zeros(len(by)),
            divided(out[1], by),
            variance=divided(out[3], by**2) if variance else None,
            variance_error=divided(out[4], by**2) if variance else None,
            worst=divided(out[2], by) if worst else None,
            greedy=True,
        )

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        observed: Array,
    ) -> tuple[Array, Array]:
        """Return the share of orders that score at least `observed`, and its standard error."""
        by = divisors(utilities_of(judged, measure), measure)
        out, errors = np.ones(len(judged.items)), np.zeros(len(judged.items))
        for q, u, pool, others in self._pools(judged, measure, tied):
            values, exact = _orders(judged, q, u, pool, others, measure, sampling)
            high = int((values >= observed[q] * by[q] - 1e-12).sum())
            out[q] = high / len(values) if exact else (high + 1) / (len(values) + 1)
            errors[q] = 0.0 if exact else np.sqrt(out[q] * (1 - out[q]) / len(values))
        return out, errors


def _orders(
    judged: Judged,
    q: int,
    u: QueryUtilities,
    pool: NDArray[np.int64],
    others: int,
    measure: Measure,
    sampling: Sampling,
) -> tuple[Array, bool]:
    """Return the sums of all orders of a pool, or of sampled ones if too many; and which."""
    weights = weights_of(measure)
    n = len(pool) + others
    depth = min(len(weights), n)
    alone, after = u.filled
    if n == 0:
        return np.zeros(1), True
    if n <= 60 and perm(n, depth) <= sampling.most_orders:
        everything = np.concatenate([pool, np.full(others, len(u.documents))])
        orders = np.array(list(permutations(everything.tolist(), depth)), dtype=np.int64)
        return sums(orders, alone, after, weights, measure["combine"]), True
    random = np.random.Generator(np.random.Philox(key=[sampling.seed, int(judged.streams[q])]))
    picks = np.empty((sampling.samples, depth), dtype=np.int64)
    for i in range(sampling.samples):
        picks[i] = random.choice(n, depth, replace=False, shuffle=True)
    orders = np.append(pool, len(u.documents))[np.minimum(picks, len(pool))]
    return sums(orders, alone, after, weights, measure["combine"]), False
