"""Measures based on preferences between documents: Prf and nPrf, their moments under chance, and strengths of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from math import perm
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data import findings
from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.preferences import (
    Judgement,
    Preferences,
    QueryUtilities,
    Utilities,
    read_preferences,
)
from tare._kernels import Rankings
from tare._measures.definition import Definition, Moments, Parameter
from tare._measures.measure import Measure
from tare._measures.one_system import RankingEvaluation, Sampling
from tare._result import Result, Rows
from tare._tables import Column, Table
from tare.errors import MeasureError, OptionError

__all__ = [
    "DEFINITIONS",
    "STOPS",
    "PreferenceChance",
    "Strengths",
    "divided",
    "divisors",
    "expected_sum",
    "greedy_order",
    "ideal_sum",
    "rank_weights",
    "strengths",
    "sums",
    "utilities_of",
    "weights_of",
]


# Distributions of the rank at which readers stop, and the resulting weights of ranks.
#
#     rbp      P(k) = (1−θ)^{k−1}·θ
#     dcg      P(k) = 1/log2(k+1) − 1/log2(k+2)
#     rr       P(k) = 1/(k(k+1))
#     uniform  P(k) = 1/K
#
# Prf@K = Σ_{k≤K} P(k) Σ_{i≤k} u_i = Σ_i w_i·u_i with w_i = Σ_{k=i..K} P(k).


STOPS = ("rbp", "dcg", "rr", "uniform")


def rank_weights(stop: str, theta: float, cutoff: int) -> NDArray[np.float64]:
    """Return the weights w_1 … w_K.

    >>> rank_weights("uniform", 0.2, 4).tolist()
    [1.0, 0.75, 0.5, 0.25]
    """
    i = np.arange(1, cutoff + 1, dtype=np.float64)
    match stop:
        case "rbp":
            return np.asarray((1 - theta) ** (i - 1) - (1 - theta) ** cutoff)
        case "dcg":
            return np.asarray(1 / np.log2(i + 1) - 1 / np.log2(cutoff + 2.0))
        case "rr":
            return 1 / i - 1 / (cutoff + 1.0)
    return (cutoff - i + 1) / cutoff


# The exact expected value of a random ranking of a pool.
#
# Rank 1: the mean of U(d). Ranks i ≥ 2 with combine=mean: the mean of U(d | d') over ordered pairs.
# With combine=min, for the n−1 conditional utilities of d in ascending order v_(1) ≤ v_(2) ≤ …,
# E[min of i−1 of them] = Σ_r v_(r)·C(n−1−r, i−2)/C(n−1, i−1).


Array = NDArray[np.float64]
LARGEST = 1_000_000


def expected_sum(
    pool: NDArray[np.int64], others: int, alone: Array, after: Array, weights: Array, combine: str
) -> float:
    """Return the mean of Prf's sum Σ_i w_i·u_i over all orders of the pool and `others` unjudged documents."""
    n = len(pool) + others
    depth = min(len(weights), n)
    if n == 0:
        return 0.0
    worth = np.zeros(depth)
    worth[0] = alone[pool].sum() / n
    if depth > 1:
        inside = after[np.ix_(pool, pool)].copy()
        np.fill_diagonal(inside, 0.0)
        if combine == "mean":
            total = inside.sum() + others * after[pool, -1].sum()
            worth[1:] = total / (n * (n - 1.0))
        else:
            worth[1:] = _minima(pool, others, after, depth) / n
    return float(worth @ weights[:depth])


def _minima(pool: NDArray[np.int64], others: int, after: Array, depth: int) -> Array:
    """Return Σ_d E[min of i−1 of its conditional utilities] of Prf with combine=min, for i = 2 … depth."""
    n = len(pool) + others
    if n > LARGEST:
        raise MeasureError(
            f"combine=min supports pools of at most {LARGEST:,} documents, found {n:,}."
        )
    # beyond[i, r] = C(n−1−r, i−1)/C(n−1, i−1): the probability that none of the r smallest is drawn.
    taken = np.arange(1, depth)[:, None]
    step = np.arange(n - 1)[None, :]
    ratio = np.clip((n - 1 - step - taken) / (n - 1 - step), 0.0, None)
    beyond = np.concatenate([np.ones((depth - 1, 1)), np.cumprod(ratio, axis=1)], axis=1)
    total = np.zeros(depth - 1)
    for at, document in enumerate(pool):
        values = np.delete(after[document, pool], at)
        times = np.ones(len(values), dtype=np.int64)
        if others:
            values, times = np.append(values, after[document, -1]), np.append(times, others)
        order = np.argsort(values, kind="stable")
        below = np.concatenate([[0], np.cumsum(times[order])])
        total += (beyond[:, below[:-1]] - beyond[:, below[1:]]) @ values[order]
    return total


# Sums over rankings of the utility of each document, given those before it.


Numbers = NDArray[np.int64]


def sums(rankings: Numbers, alone: Array, after: Array, weights: Array, combine: str) -> Array:
    """Return Prf's sum Σ_i w_i·u_i of each row of document numbers; u_i combines U(d_i | d_j), j < i."""
    depth = rankings.shape[1]
    if depth == 0:
        return np.zeros(len(rankings))
    worth = np.empty(rankings.shape)
    worth[:, 0] = alone[rankings[:, 0]]
    for i in range(1, depth):
        known = after[rankings[:, i, None], rankings[:, :i]]
        worth[:, i] = known.mean(axis=1) if combine == "mean" else known.min(axis=1)
    return np.asarray(worth @ weights[:depth])


def greedy_order(
    pool: Numbers,
    alone: Array,
    after: Array,
    depth: int,
    combine: str,
    choose: Callable[[Array], np.intp] = np.argmax,
) -> Numbers:
    """Return the greedy order of documents by utility: the best U(d), then the best given those chosen; O(K·n).

    A number may occur several times in the pool, for documents without judgements.
    """
    left = np.ones(len(pool), dtype=bool)
    known = alone[pool].copy()
    order: list[int] = []
    worst = -np.inf if choose is np.argmax else np.inf
    for place in range(min(depth, len(pool))):
        score = known if place < 2 or combine == "min" else known / place
        best = int(choose(np.where(left, score, worst)))
        left[best] = False
        order.append(int(pool[best]))
        column = after[pool, pool[best]]
        if place == 0:
            known = column.copy()
        elif combine == "mean":
            known = known + column
        else:
            known = np.minimum(known, column)
    return np.array(order, dtype=np.int64)


# Utilities, weights of ranks and greedy ideals of Prf.


def utilities_of(judged: Judged, measure: Measure) -> Utilities:
    """Return the utilities of documents, for Prf and nPrf, that a run was joined with."""
    found = getattr(judged.judgements, "utilities", None)
    if not isinstance(found, Utilities):
        raise MeasureError(
            f"{measure} needs preferences ('query document document winner'); read them with "
            "tare.read_preferences."
        )
    return found


def weights_of(measure: Measure) -> Array:
    """Return the weights w_1 … w_K of the ranks in Prf, as the parameters of the measure say."""
    return rank_weights(measure["stop"], float(measure["theta"]), int(measure.cutoff or 1))


def divisors(utilities: Utilities, measure: Measure) -> Array:
    """Return the divisors of Prf and nPrf per query; they are cached, being the same for all systems."""
    if measure.name == "Prf":
        return np.ones(len(utilities.items))
    if measure not in utilities.kept:
        values = [ideal_sum(u, np.arange(len(u.documents)), measure) for u in utilities.by_query]
        utilities.kept[measure] = np.array(values)
    return utilities.kept[measure]


def ideal_sum(
    u: QueryUtilities, pool: NDArray[np.int64], measure: Measure, choose: Any = np.argmax
) -> float:
    """Return Prf's sum of the greedy order of a pool; with `argmin`, of the worst greedy order."""
    alone, after = u.filled
    weights, combine = weights_of(measure), measure["combine"]
    order = greedy_order(pool, alone, after, len(weights), combine, choose)
    return float(sums(order[None, :], alone, after, weights, combine)[0])


def divided(values: Array, by: Array) -> Array:
    """Return values of Prf divided by the divisors of nPrf; 0 if the divisor is 0."""
    return np.divide(values, by, out=np.zeros(len(values)), where=by > 0)


# Moments of Prf and nPrf under chance.


@dataclass(frozen=True)
class PreferenceChance:
    """Moments of Prf and nPrf under chance: closed forms, greedy bounds, variances over all or sampled orders."""

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
        """Return mean, bounds and, on request, variance of Prf over all orders of each pool."""
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
        """Return the share of orders whose Prf is at least `observed`, and its standard error."""
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
    """Return Prf's sums of all orders of a pool, or of sampled ones if too many; and which."""
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


# Prf and nPrf: measures of rankings from preferences between documents.


CC13 = "Chandar, Carterette. Preference Based Evaluation Measures for Novelty and Diversity. SIGIR 2013."
STOP = Parameter(
    "stop", "choice", "rbp", "The distribution of the rank at which readers stop.", choices=STOPS
)
THETA = Parameter(
    "theta",
    "number",
    0.2,
    "Probability of stopping at each rank (stop=rbp).",
    low=0,
    high=1,
    open_ends=True,
)
COMBINE = Parameter(
    "combine",
    "choice",
    "mean",
    "How U(d_i | d_j) is combined over the documents d_j before d_i.",
    choices=("mean", "min"),
)


def _ranking(judged: Judged, q: int, depth: int, unknown: int) -> NDArray[np.int64]:
    """Return the numbers of the first documents of a ranking for Prf; unjudged documents have the number `unknown`."""
    first, last = judged.rankings.offsets[q : q + 2]
    ranks, codes = judged.rankings.ranks[first:last], judged.rankings.codes[first:last]
    order = np.full(min(depth, int(judged.retrieved[q])), unknown, dtype=np.int64)
    near = ranks <= len(order)
    order[ranks[near] - 1] = codes[near]
    return order


def _values(evaluation: RankingEvaluation, measure: Measure) -> Array:
    judged = evaluation.judged
    if judged.policies.ties == "expected":
        raise MeasureError(f"{measure} does not support ties='expected'.")
    utilities = utilities_of(judged, measure)
    weights, combine = weights_of(measure), measure["combine"]
    values = np.zeros(len(judged.items))
    unknown = np.zeros(4, dtype=np.int64)
    for q, u in enumerate(utilities.by_query):
        alone, after = u.filled
        order = _ranking(judged, q, len(weights), len(u.documents))
        values[q] = sums(order[None, :], alone, after, weights, combine)[0]
        unknown += _unknown(u, order)
    if unknown[1:].any():
        found = _finding(judged.system, unknown, int(measure.cutoff or 1))
        evaluation.shared("unknown utilities", lambda: evaluation.noted.append(found))
    return divided(values, divisors(utilities, measure))


def _unknown(u: QueryUtilities, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count pairs of a ranking's documents, unjudged pairs, documents with an estimated U(d), and documents never compared."""
    known = order[order < len(u.documents)]
    pairs = len(order) * (len(order) - 1) // 2
    missing = np.isnan(u.conditional[np.ix_(known, known)])
    judged_pairs = int(np.tril(~missing, -1).sum())
    shown = ~np.isnan(u.estimated[known])
    estimated = int((shown & np.isnan(u.simple[known])).sum())
    return np.array([pairs, pairs - judged_pairs, estimated, len(order) - int(shown.sum())])


def _finding(system: str, unknown: NDArray[np.int64], cutoff: int) -> Finding:
    pairs, missing, estimated, never = (int(x) for x in unknown)
    parts = []
    if missing:
        parts.append(
            f"{missing:,} of {pairs:,} pairs in the first {cutoff} have no judgement of one document "
            "after the other, and U(d) is used for U(d|d')"
        )
    if estimated:
        were = "document was" if estimated == 1 else "documents were"
        parts.append(
            f"{estimated:,} {were} only judged after another one, and U(d) is estimated from these "
            "judgements"
        )
    if never:
        parts.append(
            "1 document was never compared with another and counts 0"
            if never == 1
            else f"{never:,} documents were never compared with another and count 0"
        )
    return Finding(
        "unknown utilities", f"{system}: {'; '.join(parts)}.", missing + estimated + never
    )


def _entry(name: str, title: str, formula: str, upper: str, high: float | None) -> Definition:
    return Definition(
        name,
        title,
        formula,
        CC13,
        (STOP, THETA, COMBINE),
        "required",
        (0, high),
        family="preference",
        needs="preferences",
        derive=_values,
        chance=PreferenceChance(),
        expected="rank 1: mean U(d); then the mean of U(d|d') over pairs (mean), or "
        "Σ_r v_(r)·C(n−1−r, i−2)/C(n−1, i−1) (min)",
        upper=upper,
        notes="If U(d|d') was not judged, U(d) is used. If d has no simple judgement, U(d) is the share of "
        "its conditional judgements that it won; if it has none, 0. A warning counts each case.",
    )


DEFINITIONS = (
    _entry(
        "Prf",
        "Preference measure",
        "Σ_{k≤K} P(k) Σ_{i≤k} U(d_i | d_1 … d_{i−1}), P(k) the share of readers who stop at k",
        "that of the greedy order: the best U(d), then the best given those chosen",
        None,
    ),
    _entry(
        "nPrf",
        "Normalised preference measure",
        "Prf@K / Prf@K of the greedy order of the judged documents",
        "that of the greedy order",
        None,
    ),
)


# Strengths of documents from preferences, by the models of Bradley–Terry and Davidson.
#
# P(a beats b) ∝ π_a, P(b beats a) ∝ π_b, P(tie) ∝ ν·√(π_a·π_b). Without ties this is Bradley–Terry.
#
# Bradley, Terry. Rank Analysis of Incomplete Block Designs. Biometrika 39, 1952.
# Davidson. On Extending the Bradley–Terry Model to Accommodate Ties. JASA 65, 1970.


STEPS = 100


@dataclass(frozen=True, repr=False)
class Strengths(Result):
    """Strengths of the documents of each query, with confidence intervals.

    Attributes
    ----------
    queries, documents
        The query and id of each document.
    values
        The strength log π of each document; the mean per query is 0.
    low, high
        The confidence interval of each strength.
    ties
        log ν of each query with ties.
    confidence
        The confidence level of the intervals.
    """

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    values: Array
    low: Array
    high: Array
    ties: dict[str, float]
    confidence: float

    def answer(self) -> str:
        """Return in how many queries one document is shown to be the strongest."""
        queries = np.array(self.queries)
        clear = 0
        for query in dict.fromkeys(self.queries):
            own = np.flatnonzero(queries == query)
            best = own[np.argmax(self.values[own])]
            clear += bool((self.high[own[own != best]] < self.low[best]).all())
        return (
            f"In {clear:,} of {len(set(self.queries)):,} queries the interval of the strongest document is above "
            "those of all others."
        )

    def rows(self) -> Rows:
        """Return one row per document."""
        columns = zip(self.queries, self.documents, self.values, self.low, self.high, strict=True)
        return [
            {
                "query": query,
                "document": document,
                "strength": float(value),
                "low": float(low),
                "high": float(high),
            }
            for query, document, value, low, high in columns
        ]

    def table(self) -> Table:
        """Return one row per document."""
        columns = [Column("query", align="left"), Column("document", align="left")]
        columns += map(Column, ("strength", "low", "high"))
        note = f"Strength is log π, with {self.confidence:.0%} confidence intervals."
        return Table.of(columns, [tuple(row.values()) for row in self.rows()], notes=[note])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return {query: {document: strength}}, which `read_qrels` accepts as grades."""
        found: dict[str, dict[str, float]] = {}
        for query, document, value in zip(self.queries, self.documents, self.values, strict=True):
            found.setdefault(query, {})[document] = float(value)
        return found


def strengths(
    preferences: findings.TableSource | Preferences, *, prior: float = 0.1, confidence: float = 0.95
) -> Strengths:
    """Estimate the strength of each query's documents from simple preferences.

    Parameters
    ----------
    preferences
        Preferences, as in `tare.read_preferences`. Conditional judgements are not used.
    prior
        The precision of a normal prior on log π. Without it, a document that never lost would have
        an infinite strength.
    confidence
        The confidence level of the intervals.

    Returns
    -------
    Strengths
        The strength of each document.

    Raises
    ------
    OptionError
        If `prior` or `confidence` is out of range.

    Examples
    --------
    >>> found = strengths([("q", "a", "b", "a"), ("q", "a", "c", "a"), ("q", "b", "c", "b")])
    >>> [document for _, document in sorted(zip(-found.values, found.documents))]
    ['a', 'b', 'c']
    """
    if prior <= 0 or not 0 < confidence < 1:
        raise OptionError("prior must be above 0, and confidence between 0 and 1.")
    given = read_preferences(preferences)
    width = NormalDist().inv_cdf(0.5 + confidence / 2)
    queries: list[str] = []
    documents: list[str] = []
    parts: list[Array] = []
    ties: dict[str, float] = {}
    for query, judgements in given.by_query.items():
        simple = [j for j in judgements if not j.given]
        if not simple:
            continue
        names = sorted({d for j in simple for d in (j.left, j.right)}, key=str.encode)
        value, error, tie = _fit(simple, names, prior)
        queries += [query] * len(names)
        documents += names
        parts.append(np.stack([value, value - width * error, value + width * error]))
        if tie is not None:
            ties[query] = tie
    values, low, high = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0))
    return Strengths(tuple(queries), tuple(documents), values, low, high, ties, confidence)


def _fit(
    judgements: list[Judgement], names: list[str], prior: float
) -> tuple[Array, Array, float | None]:
    """Fit strengths to preferences by Newton's method; the posterior of this logit model has a single mode."""
    place = {d: i for i, d in enumerate(names)}
    left = np.array([place[j.left] for j in judgements])
    right = np.array([place[j.right] for j in judgements])
    outcome = np.array([{1.0: 0, 0.0: 1, 0.5: 2}[j.share] for j in judgements])
    n, with_ties = len(names), bool((outcome == 2).any())
    design = np.zeros((len(judgements), 3, n + 1))
    row = np.arange(len(judgements))
    design[row, 0, left] = design[row, 1, right] = 1
    design[row, 2, left] = design[row, 2, right] = 0.5
    design[:, 2, n] = 1
    penalty = np.full(n + 1, prior)
    theta = np.zeros(n + 1)
    theta[n] = 0.0 if with_ties else -math.inf
    hessian = np.eye(n + 1)
    for _ in range(STEPS):
        scores = design @ np.where(np.isfinite(theta), theta, 0.0)
        if not with_ties:
            scores[:, 2] = -np.inf
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        mean = np.matmul(p[:, None, :], design)[:, 0, :]
        free = np.where(np.isfinite(theta), theta, 0.0)
        gradient = design[row, outcome].sum(axis=0) - mean.sum(axis=0) - penalty * free
        rooted = (design * np.sqrt(p)[:, :, None]).reshape(-1, n + 1)
        hessian = rooted.T @ rooted - mean.T @ mean + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        theta = theta + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    centre = np.eye(n) - 1 / n  # intervals are for the centred strengths
    error = np.sqrt(np.diag(centre @ np.linalg.inv(hessian)[:n, :n] @ centre))
    value = theta[:n] - theta[:n].mean()
    return value, error, float(theta[n]) if with_ties else None
