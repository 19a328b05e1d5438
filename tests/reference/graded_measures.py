"""Short, obvious versions of every ranking measure: the oracle of the kernels, not shipped.

Every measure is `f(ranking, judged, **params)`: `ranking` holds the grades in rank order, None for
a document nobody judged; `judged` holds all judged grades of the query, retrieved or not.
A negative grade means "in the pool, but not judged" (as in trec_eval): it has no gain, is never
relevant and is no judged non-relevant document. A query with no relevant document scores 0.
In the formulas i is a rank from 1, g_i a grade, rel_i = [g_i ≥ rel], R the relevant documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, product

Grade = float | None
Ranking = Sequence[Grade]
Judged = Sequence[float]
Measure = Callable[..., float]


# Relevance and gain


def hits(ranking: Ranking, rel: float) -> list[int]:
    """rel_i = 1 where g_i ≥ rel, else 0; unjudged and negative grades are 0."""
    return [int(g is not None and g >= max(rel, 0)) for g in ranking]


def count_relevant(judged: Judged, rel: float) -> int:
    """R = the number of judged grades ≥ rel."""
    return sum(hits(judged, rel))


def condensed(ranking: Ranking) -> list[Grade]:
    """The ranking without unjudged documents, negative grades among them (`judged_only`)."""
    return [g for g in ranking if g is not None and g >= 0]


def gain_of(grade: Grade, kind: str | Mapping[float, float] = "linear") -> float:
    """Gain l, 2^l − 1, or what a mapping says (a level it lacks keeps l); 0 if unjudged or < 0."""
    if grade is None or grade < 0:
        return 0.0
    if kind == "linear":
        return float(grade)
    if kind == "exp2":
        return math.pow(2, grade) - 1.0
    if isinstance(kind, Mapping):
        return float(kind.get(grade, grade))
    raise ValueError(f"gain {kind!r}: expected linear, exp2 or a mapping")


def discount_of(rank: int, kind: str = "log", base: float = 2.0) -> float:
    """Divisor log_b(i+1), or Järvelin–Kekäläinen's: 1 for i < b, log_b(i) for i ≥ b."""
    if kind == "log":
        return math.log(rank + 1) / math.log(base)
    if kind == "jk":
        return 1.0 if rank < base else math.log(rank) / math.log(base)
    raise ValueError(f"discount {kind!r}: expected log or jk")


def unit_gains(ranking: Ranking, min_rel: float, max_rel: float) -> list[float]:
    """(clip(g, min, max) − min) / (max − min) after negative and unjudged grades became 0."""
    clipped = [min(max(gain_of(g), min_rel), max_rel) for g in ranking]
    return [
        0.0 if g is None else (c - min_rel) / (max_rel - min_rel)
        for g, c in zip(ranking, clipped, strict=True)
    ]


# Binary measures


def precision(ranking: Ranking, judged: Judged, *, cutoff: int, rel: float = 1) -> float:
    """P@k = Σ_{i≤k} rel_i / k, even when fewer than k were retrieved."""
    return sum(hits(ranking, rel)[:cutoff]) / cutoff


def recall(ranking: Ranking, judged: Judged, *, cutoff: int, rel: float = 1) -> float:
    """Recall@k = Σ_{i≤k} rel_i / R."""
    relevant = count_relevant(judged, rel)
    return sum(hits(ranking, rel)[:cutoff]) / relevant if relevant else 0.0


def weighted_harmonic(p: float, r: float, weight: float) -> float:
    """(1 + w)·P·R / (w·P + R), 0 when both are 0."""
    return (1 + weight) * p * r / (weight * p + r) if p + r > 0 else 0.0


def f_measure(
    ranking: Ranking, judged: Judged, *, cutoff: int, beta: float = 1.0, rel: float = 1
) -> float:
    """F(β)@k = (1 + β²)·P@k·Recall@k / (β²·P@k + Recall@k)."""
    p = precision(ranking, judged, cutoff=cutoff, rel=rel)
    return weighted_harmonic(p, recall(ranking, judged, cutoff=cutoff, rel=rel), beta**2)


def r_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Rprec = P@R."""
    relevant = count_relevant(judged, rel)
    return precision(ranking, judged, cutoff=relevant, rel=rel) if relevant else 0.0


def success(ranking: Ranking, judged: Judged, *, cutoff: int, rel: float = 1) -> float:
    """Success@k = 1 if any of the first k is relevant, else 0."""
    return float(any(hits(ranking, rel)[:cutoff]))


def reciprocal_rank(
    ranking: Ranking, judged: Judged, *, cutoff: int | None = None, rel: float = 1
) -> float:
    """RR@k = 1 / the rank of the first relevant document, 0 if it is not in the first k."""
    found = hits(ranking, rel)[:cutoff]
    return 1.0 / (found.index(1) + 1) if 1 in found else 0.0


def first_rank(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """The rank of the first relevant document; infinite if not retrieved, NaN if there is none."""
    if not any(grade >= rel for grade in judged):
        return float("nan")
    found = hits(ranking, rel)
    return found.index(1) + 1.0 if 1 in found else float("inf")


def sum_of_precision(
    ranking: Ranking, judged: Judged, *, cutoff: int | None = None, rel: float = 1
) -> float:
    """SP@k = Σ_{i≤k} rel_i · Prec(i)."""
    found = hits(ranking, rel)[:cutoff]
    return sum(h * sum(found[:i]) / i for i, h in enumerate(found, 1))


def average_precision(
    ranking: Ranking, judged: Judged, *, cutoff: int | None = None, rel: float = 1
) -> float:
    """AP@k = SP@k / R, with R and not min(k, R)."""
    relevant = count_relevant(judged, rel)
    return sum_of_precision(ranking, judged, cutoff=cutoff, rel=rel) / relevant if relevant else 0.0


def bpref(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """(1/R) Σ_{relevant d retrieved} 1 − min(nonrel above d, R) / min(N, R), N judged non-rel."""
    relevant = count_relevant(judged, rel)
    nonrelevant = sum(0 <= g < rel for g in judged)
    total, above = 0.0, 0
    for g in condensed(ranking):
        if g is not None and g >= rel:
            total += 1.0 - (min(above, relevant) / min(nonrelevant, relevant) if above else 0.0)
        else:
            above += 1
    return total / relevant if relevant else 0.0


def inferred_ap(
    ranking: Ranking, judged: Judged, *, rel: float = 1, epsilon: float = 1e-5
) -> float:
    """(1/R) Σ_{relevant at i} 1/i + (pool above/i)·(rel above + ε)/(rel + nonrel above + 2ε).

    "Pool above" counts the documents above i that have any grade, a negative one included.
    """
    relevant = count_relevant(judged, rel)
    total = 0.0
    for i, g in enumerate(ranking, 1):
        if g is None or g < max(rel, 0):
            continue
        pooled = [a for a in ranking[: i - 1] if a is not None]
        known = condensed(pooled)
        found = sum(hits(known, rel))
        share = (found + epsilon) / (len(known) + 2 * epsilon)
        total += 1 / i + len(pooled) / i * share
    return total / relevant if relevant else 0.0


def interpolated_precision(
    ranking: Ranking, judged: Judged, *, recall: float, rel: float = 1
) -> float:
    """iPrec@r = max of Prec(i) over ranks i with at least ⌊r·R + 0.9⌋ relevant documents."""
    needed = int(recall * count_relevant(judged, rel) + 0.9)
    found = list(accumulate(hits(ranking, rel)))
    return max((c / i for i, c in enumerate(found, 1) if c >= needed), default=0.0)


def set_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """setP = relevant retrieved / retrieved."""
    return sum(hits(ranking, rel)) / len(ranking) if ranking else 0.0


def set_relative_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """setRelP = relevant retrieved / min(retrieved, R)."""
    best = min(len(ranking), count_relevant(judged, rel))
    return sum(hits(ranking, rel)) / best if best else 0.0


def set_recall(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """setR = relevant retrieved / R."""
    relevant = count_relevant(judged, rel)
    return sum(hits(ranking, rel)) / relevant if relevant else 0.0


def set_f(ranking: Ranking, judged: Judged, *, beta: float = 1.0, rel: float = 1) -> float:
    """setF = (1 + β)·P·R / (β·P + R): trec_eval and ir_measures do not square β."""
    p, r = set_precision(ranking, judged, rel=rel), set_recall(ranking, judged, rel=rel)
    return weighted_harmonic(p, r, beta)


def set_ap(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """setAP = setP · setR."""
    return set_precision(ranking, judged, rel=rel) * set_recall(ranking, judged, rel=rel)


def accuracy(
    ranking: Ranking, judged: Judged, *, cutoff: int | None = None, rel: float = 1
) -> float:
    """The share of retrieved (relevant, other) pairs in the right order; 1 if there is no other."""
    found = hits(ranking, rel)[:cutoff]
    pairs = sum(found) * (len(found) - sum(found))
    wrong = sum(h * found[:i].count(0) for i, h in enumerate(found))
    return 0.0 if not any(found) else 1.0 - wrong / pairs if pairs else 1.0


def judged_share(ranking: Ranking, judged: Judged, *, cutoff: int | None = None) -> float:
    """Judged@k = documents with a grade (a negative one too) in the first k / min(k, retrieved)."""
    top = ranking[:cutoff]
    return sum(g is not None for g in top) / len(top) if top else 0.0


def num_ret(ranking: Ranking, judged: Judged) -> float:
    """The number of retrieved documents."""
    return float(len(ranking))


def num_rel(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """R, the number of relevant documents."""
    return float(count_relevant(judged, rel))


def num_rel_ret(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """The number of relevant documents retrieved."""
    return float(sum(hits(ranking, rel)))


# Graded measures


def cg(
    ranking: Ranking,
    judged: Judged,
    *,
    cutoff: int | None = None,
    gain: str | Mapping[float, float] = "linear",
) -> float:
    """CG@k = Σ_{i≤k} gain(g_i)."""
    return sum(gain_of(g, gain) for g in ranking[:cutoff])


def dcg(
    ranking: Ranking,
    judged: Judged,
    *,
    cutoff: int | None = None,
    gain: str | Mapping[float, float] = "linear",
    discount: str = "log",
    base: float = 2.0,
) -> float:
    """DCG@k = Σ_{i≤k} gain(g_i) / discount(i)."""
    return math.fsum(
        gain_of(g, gain) / discount_of(i, discount, base) for i, g in enumerate(ranking[:cutoff], 1)
    )


def ndcg(
    ranking: Ranking,
    judged: Judged,
    *,
    cutoff: int | None = None,
    gain: str | Mapping[float, float] = "linear",
    discount: str = "log",
    base: float = 2.0,
) -> float:
    """nDCG@k = DCG@k / DCG@k of all judged documents by descending gain."""
    best = sorted(judged, key=lambda g: -gain_of(g, gain))
    value, ideal_value = (
        dcg(r, judged, cutoff=cutoff, gain=gain, discount=discount, base=base)
        for r in (ranking, best)
    )
    return value / ideal_value if ideal_value else 0.0


def err(ranking: Ranking, judged: Judged, *, lmax: float, cutoff: int | None = None) -> float:
    """ERR@k = Σ_{i≤k} (1/i)·θ_i·Π_{j<i}(1 − θ_j), θ = (2^g − 1) / 2^lmax of the whole qrels."""
    total, going = 0.0, 1.0
    for i, g in enumerate(ranking[:cutoff], 1):
        theta = gain_of(g, "exp2") / 2.0**lmax
        total += going * theta / i
        going *= 1.0 - theta
    return total


def nerr(ranking: Ranking, judged: Judged, *, lmax: float, cutoff: int | None = None) -> float:
    """nERR@k = ERR@k / ERR@k of all judged documents by descending grade."""
    best = err(sorted(judged, reverse=True), judged, lmax=lmax, cutoff=cutoff)
    return err(ranking, judged, lmax=lmax, cutoff=cutoff) / best if best else 0.0


def rbp_gains(ranking: Ranking, rel: float, max_rel: float | None) -> list[float]:
    """Binary gains at `rel`, or g / max_rel when `max_rel` is given."""
    if max_rel is None:
        return [float(h) for h in hits(ranking, rel)]
    return unit_gains(ranking, 0, max_rel)


def rbp(
    ranking: Ranking,
    judged: Judged,
    *,
    p: float = 0.8,
    cutoff: int | None = None,
    rel: float = 1,
    max_rel: float | None = None,
) -> float:
    """RBP(p) = (1 − p) Σ_i gain_i·p^{i−1}, gain binary or g / max_rel."""
    gains = rbp_gains(ranking[:cutoff], rel, max_rel)
    return (1 - p) * math.fsum(g * p**i for i, g in enumerate(gains))


def rbp_residual(
    ranking: Ranking, judged: Judged, *, p: float = 0.8, cutoff: int | None = None
) -> float:
    """(1 − p) Σ_{unjudged i} p^{i−1} + p^n: what RBP gains if all that is unknown is perfect."""
    top = ranking[:cutoff]
    unknown = math.fsum(p**i for i, g in enumerate(top) if g is None or g < 0)
    return (1 - p) * unknown + p ** len(top)


def q_measure(
    ranking: Ranking,
    judged: Judged,
    *,
    beta: float = 1.0,
    cutoff: int | None = None,
    rel: float = 1,
    gain: str | Mapping[float, float] = "linear",
) -> float:
    """Q(β)@k = (1/R) Σ_{i≤k} rel_i·(c_i + β·cg_i) / (i + β·cg*_i), cg* that of the ideal order.

    c counts the relevant documents; a document below `rel` has no gain.
    """
    relevant = count_relevant(judged, rel)
    found = hits(ranking, rel)
    gains = [h * gain_of(g, gain) for g, h in zip(ranking, found, strict=True)]
    best = sorted((gain_of(g, gain) for g in judged if g >= max(rel, 0)), reverse=True)
    total = sum(
        h * (sum(found[:i]) + beta * sum(gains[:i])) / (i + beta * sum(best[:i]))
        for i, h in enumerate(found[:cutoff], 1)
    )
    return total / relevant if relevant else 0.0


def graded_ap(
    ranking: Ranking,
    judged: Judged,
    *,
    cutoff: int | None = None,
    thresholds: Mapping[float, float] | None = None,
) -> float:
    """GAP = Σ_i (1/i) Σ_{j≤i} G(min(g_i, g_j)) / Σ_judged G(g), G(x) = Σ_{levels ≤ x} g_level.

    `thresholds` gives each level the probability that a user calls it the first relevant one;
    by default all of 1, 2, … are equally likely, so that G(x) ∝ ⌊x⌋.
    """

    def reach(grade: Grade) -> float:
        if grade is None or grade < 0:
            return 0.0
        if thresholds is None:
            return float(math.floor(grade))
        return math.fsum(share for level, share in thresholds.items() if level <= grade)

    seen = [reach(g) for g in ranking[:cutoff]]
    total = sum(sum(min(a, b) for a in seen[:i]) / i for i, b in enumerate(seen, 1))
    best = math.fsum(reach(g) for g in judged)
    return total / best if best else 0.0


# The C/W/L family: W_1 = 1, W_{i+1} = W_i·C_i, the measure is Σ W_i·gain_i / Σ W_i


def trigamma(x: float) -> float:
    """ψ₁(x) = Σ_{k≥0} 1/(x + k)², by recurrence to x ≥ 20 and the asymptotic series there."""
    total = 0.0
    while x < 20:
        total += 1 / (x * x)
        x += 1
    y = 1 / (x * x)
    series = 1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * 5 / 66)))
    return total + 1 / x + y / 2 + y / x * series


def cwl(
    gains: Sequence[float],
    keep: Callable[[int, float, float], float],
    depth: int | None,
    tail: Callable[[int, float], float],
) -> float:
    """Σ W_i·gain_i / Σ W_i over `depth` ranks (no gain after the last), or over all ranks.

    `keep(i, gain_i, gain so far)` is C_i; `tail(n, gain so far)` is Σ_{i>n} W_i / W_{n+1}.
    """
    total = weights = seen = 0.0
    weight = 1.0
    padding = [] if depth is None else [0.0] * (depth - len(gains))
    for i, g in enumerate([*gains[:depth], *padding], 1):
        seen += g
        total += weight * g
        weights += weight
        weight *= keep(i, g, seen)
    if depth is None:
        weights += weight * tail(len(gains), seen)
    return total / weights


def inst(
    ranking: Ranking,
    judged: Judged,
    *,
    max_rel: float,
    T: float = 1.0,
    min_rel: float = 0,
    depth: int | None = 1000,
) -> float:
    """INST: C_i = ((i + T + T_i − 1) / (i + T + T_i))², T_i = T − the gain of the first i."""
    return cwl(
        unit_gains(ranking, min_rel, max_rel),
        lambda i, _, seen: (1 - 1 / (i + 2 * T - seen)) ** 2,
        depth,
        lambda n, seen: (n + 2 * T - seen) ** 2 * trigamma(n + 2 * T - seen),
    )


def insq(
    ranking: Ranking,
    judged: Judged,
    *,
    max_rel: float,
    T: float = 1.0,
    min_rel: float = 0,
    depth: int | None = 1000,
) -> float:
    """INSQ: C_i = ((i + 2T − 1) / (i + 2T))²."""
    return cwl(
        unit_gains(ranking, min_rel, max_rel),
        lambda i, _g, _s: (1 - 1 / (i + 2 * T)) ** 2,
        depth,
        lambda n, _: (n + 2 * T) ** 2 * trigamma(n + 2 * T),
    )


def scaled_dcg(
    ranking: Ranking, judged: Judged, *, cutoff: int, max_rel: float, min_rel: float = 0
) -> float:
    """SDCG@k = Σ_{i≤k} gain_i/log2(i+1) / Σ_{i≤k} 1/log2(i+1), gains in [0, 1]."""
    gains = unit_gains(ranking, min_rel, max_rel)[:cutoff]
    value = sum(g / discount_of(i) for i, g in enumerate(gains, 1))
    return value / sum(1 / discount_of(i) for i in range(1, cutoff + 1))


def bpm(
    ranking: Ranking,
    judged: Judged,
    *,
    cutoff: int,
    max_rel: float,
    T: float = 1.0,
    min_rel: float = 0,
) -> float:
    """BPM@k (static): mean gain down to the rank where the gain reaches T, at most k ranks."""
    seen = 0.0
    for i, g in enumerate(unit_gains(ranking, min_rel, max_rel)[:cutoff], 1):
        seen += g
        if seen >= T * (1 - 1e-12):  # thirds that add up to T do so in every order
            return seen / i
    return seen / cutoff


def nerr8(
    ranking: Ranking, judged: Judged, *, cutoff: int, max_rel: float, min_rel: float = 0
) -> float:
    """NERR8@k: C_i = 1 − gain_i, over k ranks."""
    gains = unit_gains(ranking, min_rel, max_rel)
    return cwl(gains, lambda _i, g, _s: 1 - g, cutoff, lambda *_: 0.0)


def nerr9(
    ranking: Ranking, judged: Judged, *, cutoff: int, max_rel: float, min_rel: float = 0
) -> float:
    """NERR9@k: C_i = (i / (i + 1))·(1 − gain_i), over k ranks."""
    gains = unit_gains(ranking, min_rel, max_rel)
    return cwl(gains, lambda i, g, _: i / (i + 1) * (1 - g), cutoff, lambda *_: 0.0)


def nerr10(
    ranking: Ranking,
    judged: Judged,
    *,
    max_rel: float,
    p: float = 0.9,
    min_rel: float = 0,
    depth: int | None = 1000,
) -> float:
    """NERR10: C_i = p·(1 − gain_i)."""
    gains = unit_gains(ranking, min_rel, max_rel)
    return cwl(gains, lambda _i, g, _s: p * (1 - g), depth, lambda *_: 1 / (1 - p))


def nerr11(
    ranking: Ranking,
    judged: Judged,
    *,
    max_rel: float,
    T: float = 1.0,
    min_rel: float = 0,
    depth: int | None = 1000,
) -> float:
    """NERR11: C_i = ((i + 2T − 1) / (i + 2T))²·(1 − gain_i)."""
    return cwl(
        unit_gains(ranking, min_rel, max_rel),
        lambda i, g, _: (1 - 1 / (i + 2 * T)) ** 2 * (1 - g),
        depth,
        lambda n, _: (n + 2 * T) ** 2 * trigamma(n + 2 * T),
    )


# Likeness to the ideal ranking


def rank_biased_overlap(run: Sequence[int], other: Sequence[int], p: float, depth: int) -> float:
    """Σ_{i≤depth} p^{i−1}·|first i of both|/i / Σ_{i≤depth} p^{i−1}."""
    shared = [len(set(run[:i]) & set(other[:i])) / i for i in range(1, depth + 1)]
    return sum(p**i * s for i, s in enumerate(shared)) / sum(p**i for i in range(depth))


def compatibility(
    ranking: Ranking,
    judged: Judged,
    *,
    p: float = 0.95,
    depth: int | None = 1000,
    normalize: bool = True,
) -> float:
    """Compat = RBO(run, ideal) / RBO(ideal, ideal); equal grades of the ideal in the run's order.

    The ideal holds all judged documents of positive grade. `depth=None`: the longer of the two.
    """
    missed = list(judged)
    graded = [(g, i) for i, g in enumerate(ranking) if g is not None]
    for g, _ in graded:
        missed.remove(g)
    graded += [(g, len(ranking) + i) for i, g in enumerate(missed)]
    best = [i for g, i in sorted(graded, key=lambda pair: (-pair[0], pair[1])) if g > 0]
    if not best:
        return 0.0
    ranks = max(len(ranking), len(best)) if depth is None else depth
    value = rank_biased_overlap(range(len(ranking)), best, p, ranks)
    return value / rank_biased_overlap(best, best, p, ranks) if normalize else value


MEASURES: dict[str, Measure] = {
    "P": precision,
    "Recall": recall,
    "F": f_measure,
    "Rprec": r_precision,
    "Success": success,
    "RR": reciprocal_rank,
    "MeanRank": first_rank,
    "AP": average_precision,
    "SP": sum_of_precision,
    "bpref": bpref,
    "infAP": inferred_ap,
    "iPrec": interpolated_precision,
    "setP": set_precision,
    "setRelP": set_relative_precision,
    "setR": set_recall,
    "setF": set_f,
    "setAP": set_ap,
    "Accuracy": accuracy,
    "Judged": judged_share,
    "NumRet": num_ret,
    "NumRel": num_rel,
    "NumRelRet": num_rel_ret,
    "CG": cg,
    "DCG": dcg,
    "nDCG": ndcg,
    "ERR": err,
    "nERR": nerr,
    "RBP": rbp,
    "RBPresidual": rbp_residual,
    "Q": q_measure,
    "GAP": graded_ap,
    "INST": inst,
    "INSQ": insq,
    "SDCG": scaled_dcg,
    "BPM": bpm,
    "NERR8": nerr8,
    "NERR9": nerr9,
    "NERR10": nerr10,
    "NERR11": nerr11,
    "Compat": compatibility,
}


# Label ranking


def lrap(
    truth: Sequence[Sequence[int]], scores: Sequence[Sequence[float]], *, empty: float = 1.0
) -> float:
    """LRAP = mean over rows of (1/R) Σ_{true d} |true with score ≥ s_d| / |all with score ≥ s_d|.

    A row without a true label counts `empty` (1, as in scikit-learn).
    """
    rows = []
    for labels, row in zip(truth, scores, strict=True):
        true = [s for t, s in zip(labels, row, strict=True) if t]
        ratios = [sum(o >= s for o in true) / sum(o >= s for o in row) for s in true]
        rows.append(sum(ratios) / len(ratios) if ratios else empty)
    return sum(rows) / len(rows)


# Chance, by enumeration


def orders(pool: Ranking) -> Iterator[list[Grade]]:
    """Every distinct order of the pool, once: all are equally likely."""
    if not pool:
        yield []
    for first in dict.fromkeys(pool):
        rest = list(pool)
        rest.remove(first)
        for order in orders(rest):
            yield [first, *order]


def grades_of(pool: Ranking) -> list[float]:
    """The pool's grades, without the unjudged documents."""
    return [g for g in pool if g is not None]


def expected_over_ties(
    f: Measure, groups: Sequence[Ranking], judged: Judged, **params: object
) -> float:
    """The mean of f over all orders within each tie group, groups in rank order."""
    values = [
        f([g for group in ranking for g in group], judged, **params)
        for ranking in product(*(list(orders(group)) for group in groups))
    ]
    return math.fsum(values) / len(values)


def expected_value(f: Measure, pool: Ranking, **params: object) -> float:
    """E[f] over all permutations of the pool."""
    return expected_over_ties(f, [pool], grades_of(pool), **params)


def variance(f: Measure, pool: Ranking, **params: object) -> float:
    """Var[f] = E[(f − E f)²] over all permutations of the pool (the population variance)."""
    values = [f(order, grades_of(pool), **params) for order in orders(pool)]
    mean = math.fsum(values) / len(values)
    return math.fsum((v - mean) ** 2 for v in values) / len(values)


def ideal(f: Measure, pool: Ranking, **params: object) -> float:
    """max f over all permutations of the pool."""
    return max(f(order, grades_of(pool), **params) for order in orders(pool))
