"""The measures of NIST's trec_eval 10, in plain Python, one query at a time.

Every function is `f(ranking, judged, **options) -> float`. `ranking` holds the grades of the
retrieved documents from rank 1 on, `None` where the qrels do not name the document. `judged` holds
every grade that the qrels give for the query, retrieved or not. A negative grade means "in the
pool, not judged": it is neither relevant nor non-relevant. `rel` (trec_eval -l) is the smallest
grade that counts as relevant; it must not be negative. Measures without `rel` ignore -l.

R is the number of relevant documents in `judged`, n the length of `ranking`, P(i) precision at i.
`gains` maps a grade to its gain; other grades are their own gain. Keys -1 and -2 stand for
documents outside the qrels and for negative grades, whose gain is otherwise 0.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

Ranking = Sequence[float | None]
Judged = Sequence[float]
Gains = Mapping[float, float]

FLOOR = 0.00001
"""What trec_eval puts in place of 0 in a geometric mean, and its epsilon in infAP."""

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def _is_judged(grade: float | None) -> bool:
    return grade is not None and grade >= 0


def _relevance(ranking: Ranking, rel: float) -> list[bool]:
    return [grade is not None and grade >= 0 and grade >= rel for grade in ranking]


def _count_relevant(judged: Judged, rel: float) -> int:
    return sum(_relevance(judged, rel))


def _gain(grade: float | None, gains: Gains) -> float:
    if grade is None:
        return gains.get(-1, 0.0)
    if grade < 0:
        return gains.get(-2, 0.0)
    return gains.get(grade, grade)


def _ideal(judged: Judged, gains: Gains) -> list[float]:
    """The positive gains of the judged documents, largest first."""
    all_gains = [_gain(grade, gains) for grade in judged if grade >= 0]
    return sorted((gain for gain in all_gains if gain > 0), reverse=True)


def _discounted(gains: Sequence[float]) -> float:
    """Sum of gain_i / log2(i + 1)."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


# Counts. trec_eval prints them as integers and its summary adds them up.


def num_ret(ranking: Ranking, judged: Judged) -> float:
    """Documents retrieved: n."""
    return len(ranking)


def num_rel(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Relevant documents in the qrels: R."""
    return _count_relevant(judged, rel)


def num_rel_ret(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Relevant documents retrieved."""
    return sum(_relevance(ranking, rel))


def num_nonrel_judged_ret(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Documents retrieved that were judged and found not relevant."""
    return sum(map(_is_judged, ranking)) - sum(_relevance(ranking, rel))


def num_nonjudged_ret(ranking: Ranking, judged: Judged) -> float:
    """Documents retrieved without a judgement (in the sources of version 10, not in its list)."""
    return sum(not _is_judged(grade) for grade in ranking)


# Rank measures of binary relevance.


def precision(ranking: Ranking, judged: Judged, *, k: int, rel: float = 1) -> float:
    """P: relevant documents among the first k, divided by k even where n < k."""
    return sum(_relevance(ranking[:k], rel)) / k


def recall(ranking: Ranking, judged: Judged, *, k: int, rel: float = 1) -> float:
    """Relevant documents among the first k / R; 0 where R = 0."""
    total = _count_relevant(judged, rel)
    return sum(_relevance(ranking[:k], rel)) / total if total else 0.0


def relative_precision(ranking: Ranking, judged: Judged, *, k: int, rel: float = 1) -> float:
    """Relevant documents among the first k / min(k, R); 0 where R = 0."""
    total = _count_relevant(judged, rel)
    return sum(_relevance(ranking[:k], rel)) / min(k, total) if total else 0.0


def success(ranking: Ranking, judged: Judged, *, k: int, rel: float = 1) -> float:
    """1 if any of the first k documents is relevant, else 0."""
    return float(any(_relevance(ranking[:k], rel)))


def recip_rank(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """1 / rank of the first relevant document; 0 if none is retrieved."""
    for rank, relevant in enumerate(_relevance(ranking, rel), start=1):
        if relevant:
            return 1 / rank
    return 0.0


def r_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Relevant documents among the first R / R; 0 where R = 0."""
    total = _count_relevant(judged, rel)
    return sum(_relevance(ranking[:total], rel)) / total if total else 0.0


def r_precision_mult(ranking: Ranking, judged: Judged, *, multiple: float, rel: float = 1) -> float:
    """P(k) at k = floor(multiple * R + 0.9); 0 where k = 0."""
    k = int(multiple * _count_relevant(judged, rel) + 0.9)
    return precision(ranking, judged, k=k, rel=rel) if k > 0 else 0.0


def _sum_of_precisions(ranking: Ranking, rel: float) -> float:
    """Sum of P(i) over the ranks i of relevant documents."""
    total, seen = 0.0, 0
    for rank, relevant in enumerate(_relevance(ranking, rel), start=1):
        if relevant:
            seen += 1
            total += seen / rank
    return total


def average_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """map: sum of P(i) over the ranks of relevant documents / R; 0 where R = 0."""
    total = _count_relevant(judged, rel)
    return _sum_of_precisions(ranking, rel) / total if total else 0.0


def average_precision_cut(ranking: Ranking, judged: Judged, *, k: int, rel: float = 1) -> float:
    """map_cut: average precision of the first k, still divided by R."""
    return average_precision(ranking[:k], judged, rel=rel)


def log_average_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """gm_map of one query: ln max(AP, 0.00001); the summary is exp of the mean of these."""
    return math.log(max(average_precision(ranking, judged, rel=rel), FLOOR))


def yaap(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Yet another average precision: ln((1 + s) / (1 + R - s)), s the sum of precisions of AP."""
    s = _sum_of_precisions(ranking, rel)
    return math.log((1 + s) / (1 + _count_relevant(judged, rel) - s))


def bpref(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """(1/R) sum over retrieved relevant of 1 - min(N before it, R) / min(N, R), N judged nonrel."""
    total = _count_relevant(judged, rel)
    nonrelevant = sum(map(_is_judged, judged)) - total
    score, nonrelevant_before = 0.0, 0
    for grade, relevant in zip(ranking, _relevance(ranking, rel), strict=True):
        if relevant and nonrelevant_before == 0:
            score += 1
        elif relevant:
            score += 1 - min(nonrelevant_before, total) / min(nonrelevant, total)
        elif _is_judged(grade):
            nonrelevant_before += 1
    return score / total if total else 0.0


def log_bpref(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """gm_bpref of one query: ln max(bpref, 0.00001); the summary is exp of the mean of these."""
    return math.log(max(bpref(ranking, judged, rel=rel), FLOOR))


def inferred_ap(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """infAP: (1/R) sum over relevant at rank k of 1/k + (pooled/k) * (r + e) / (r + n + 2e).

    r and n are the relevant and non-relevant documents above rank k, pooled = r + n + the documents
    of negative grade above it, e = 0.00001. At rank 1 the term is 1.
    """
    total = _count_relevant(judged, rel)
    score, above_rel, above_nonrel, above_unjudged = 0.0, 0, 0, 0
    pairs = zip(ranking, _relevance(ranking, rel), strict=True)
    for rank, (grade, relevant) in enumerate(pairs, start=1):
        if relevant:
            pooled = above_rel + above_nonrel + above_unjudged
            share = (above_rel + FLOOR) / (above_rel + above_nonrel + 2 * FLOOR)
            score += 1 / rank + pooled / rank * share
            above_rel += 1
        elif _is_judged(grade):
            above_nonrel += 1
        elif grade is not None:
            above_unjudged += 1
    return score / total if total else 0.0


def _relevant_needed(recall_level: float, total: int, rule: str) -> int:
    """How many relevant documents make up this recall: rounded in 10, floor(x + 0.9) in 9."""
    wanted = recall_level * total
    if rule == "9":
        return int(wanted + 0.9)
    if rule == "10":
        whole = math.floor(wanted)
        return whole + (wanted - whole >= 0.5)
    raise ValueError(f"rule must be '9' or '10', not {rule!r}")


def iprec_at_recall(
    ranking: Ranking, judged: Judged, *, recall: float, rule: str = "10", rel: float = 1
) -> float:
    """Largest P(i) at or after the rank where the recall is reached; 0 if it never is.

    An empty ranking gives NaN where no relevant document is needed, as in trec_eval (-J).
    """
    needed = _relevant_needed(recall, _count_relevant(judged, rel), rule)
    found = list(itertools.accumulate(_relevance(ranking, rel)))
    if not found:
        return 0.0 if needed > 0 else math.nan
    reached = (count / rank for rank, count in enumerate(found, start=1) if count >= needed)
    return max(reached, default=0.0)


def eleven_point_average(
    ranking: Ranking,
    judged: Judged,
    *,
    recalls: Sequence[float] = ELEVEN_POINTS,
    rule: str = "10",
    rel: float = 1,
) -> float:
    """11pt_avg: mean of iprec_at_recall over the given levels, which must ascend."""
    values = [iprec_at_recall(ranking, judged, recall=r, rule=rule, rel=rel) for r in recalls]
    return sum(values) / len(values)


def binary_g(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """binG: (1/R) sum over retrieved relevant of 1 / log2(2 + documents not relevant above it)."""
    total = _count_relevant(judged, rel)
    score, above = 0.0, 0
    for relevant in _relevance(ranking, rel):
        if relevant:
            score += 1 / math.log2(2 + above)
        else:
            above += 1
    return score / total if total else 0.0


# Graded measures. They take no `rel`: trec_eval's -l does not change them (but see Rndcg).


def dcg(ranking: Ranking, judged: Judged, *, gains: Gains | None = None) -> float:
    """Sum of gain_i / log2(i + 1) over the whole ranking."""
    return _discounted([_gain(grade, gains or {}) for grade in ranking])


def ideal_dcg(ranking: Ranking, judged: Judged, *, gains: Gains | None = None) -> float:
    """DCG of all judged documents of positive gain in the best order, however long the ranking."""
    return _discounted(_ideal(judged, gains or {}))


def ndcg(ranking: Ranking, judged: Judged, *, gains: Gains | None = None) -> float:
    """DCG / ideal DCG; 0 where nothing has positive gain."""
    best = ideal_dcg(ranking, judged, gains=gains)
    return dcg(ranking, judged, gains=gains) / best if best > 0 else 0.0


def ndcg_cut(ranking: Ranking, judged: Judged, *, k: int) -> float:
    """DCG of the first k / DCG of the best k; the grade is the gain."""
    best = _discounted(_ideal(judged, {})[:k])
    return dcg(ranking[:k], judged) / best if best > 0 else 0.0


def ndcg_rel(ranking: Ranking, judged: Judged, *, gains: Gains | None = None) -> float:
    """Mean over the documents of positive gain of the nDCG at their rank.

    A document that was not retrieved gets the DCG of the whole ranking / ideal_dcg. A sum that is
    not positive counts as 0.
    """
    ideal = _ideal(judged, gains or {})
    if not ideal:
        return 0.0
    retrieved = [_gain(grade, gains or {}) for grade in ranking]
    at_ranks = [
        _discounted(retrieved[:rank]) / _discounted(ideal[:rank])
        for rank, gain in enumerate(retrieved, start=1)
        if gain > 0
    ]
    at_end = _discounted(retrieved) / _discounted(ideal)
    total = sum(at_ranks) + (len(ideal) - len(at_ranks)) * at_end
    return max(total, 0.0) / len(ideal)


def rndcg(ranking: Ranking, judged: Judged, *, gains: Gains | None = None, rel: float = 1) -> float:
    """Mean of the nDCG at the ranks where the ideal gain drops, and at n if n > last drop + 1.

    0 where R = 0 (the only use of `rel`); NaN where R > 0 and nothing has positive gain.
    """
    if _count_relevant(judged, rel) == 0:
        return 0.0
    ideal = _ideal(judged, gains or {})
    retrieved = [_gain(grade, gains or {}) for grade in ranking]
    drops = [rank for rank in range(1, len(ideal)) if ideal[rank - 1] != ideal[rank]]
    if ideal:
        drops.append(len(ideal))
        if len(ranking) > len(ideal) + 1:
            drops.append(len(ranking))
    values = [_discounted(retrieved[:rank]) / _discounted(ideal[:rank]) for rank in drops]
    return sum(values) / len(values) if values else math.nan


def g(ranking: Ranking, judged: Judged, *, gains: Gains | None = None) -> float:
    """G: sum of gain_i / log2(2 + cost_i - gained_i), divided by the sum of the ideal gains.

    gained_i is the gain of the first i documents, cost_i the sum over j <= i of max(1, ideal_j).
    """
    ideal = _ideal(judged, gains or {})
    score, gained, cost = 0.0, 0.0, 0.0
    for i, grade in enumerate(ranking):
        gain = _gain(grade, gains or {})
        gained += gain
        cost += max(1.0, ideal[i]) if i < len(ideal) else 1.0
        if gain != 0:
            score += gain / math.log2(2 + cost - gained)
    return score / sum(ideal) if ideal else 0.0


def rbp(ranking: Ranking, judged: Judged, *, p: float = 0.9, gains: Gains | None = None) -> float:
    """(1 - p) sum of gain_i p^(i-1), the gains scaled to [0, 1] if any of the query's is outside.

    trec_eval starts the search for the smallest and largest gain from memory it never set; here, as
    in its published outputs, both start from 0.
    """
    given = gains or {}
    grades = {0, *given, *(grade for grade in judged if grade >= 0)}
    all_gains = {grade: given.get(grade, grade) for grade in grades}
    low, high = min(0.0, *all_gains.values()), max(0.0, *all_gains.values())
    if low < 0 or high > 1:
        all_gains = {grade: (gain - low) / (high - low) for grade, gain in all_gains.items()}
    total = 0.0
    for i, grade in enumerate(ranking):
        key = -1 if grade is None else -2 if grade < 0 else grade
        total += all_gains.get(key, 0.0) * p**i
    return (1 - p) * total


def rbp_resid(ranking: Ranking, judged: Judged, *, p: float = 0.9) -> float:
    """p^n + (1 - p) sum of p^(i-1) over unjudged documents; 0 (not p^n) if all are judged."""
    unjudged = [i for i, grade in enumerate(ranking) if not _is_judged(grade)]
    return p ** len(ranking) + (1 - p) * sum(p**i for i in unjudged) if unjudged else 0.0


# How much of the ranking is unjudged: not in the qrels, or of negative grade.


def unjudged_at(ranking: Ranking, judged: Judged, *, k: int) -> float:
    """unj: unjudged documents among the first k / k, even where n < k."""
    return sum(not _is_judged(grade) for grade in ranking[:k]) / k


def unjudged_at_r(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Runj: unjudged share of the first min(n, R); 0 if that is 0 (not in version 10's list)."""
    top = ranking[: _count_relevant(judged, rel)]
    return sum(not _is_judged(grade) for grade in top) / len(top) if top else 0.0


# Set measures.


def set_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """set_P: relevant retrieved / n; 0 where n = 0."""
    return sum(_relevance(ranking, rel)) / len(ranking) if ranking else 0.0


def set_recall(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Relevant retrieved / R; 0 where R = 0."""
    total = _count_relevant(judged, rel)
    return sum(_relevance(ranking, rel)) / total if total else 0.0


def set_relative_precision(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """set_relative_P: relevant retrieved / min(n, R); 0 where either is 0."""
    most = min(len(ranking), _count_relevant(judged, rel))
    return sum(_relevance(ranking, rel)) / most if most else 0.0


def set_map(ranking: Ranking, judged: Judged, *, rel: float = 1) -> float:
    """Set precision * set recall."""
    return set_precision(ranking, judged, rel=rel) * set_recall(ranking, judged, rel=rel)


def set_f(ranking: Ranking, judged: Judged, *, x: float = 1.0, rel: float = 1) -> float:
    """set_F: (x + 1) P R / (x P + R) of set precision P and set recall R; x is beta squared."""
    p = set_precision(ranking, judged, rel=rel)
    r = set_recall(ranking, judged, rel=rel)
    return (x + 1) * p * r / (x * p + r) if p else 0.0


def utility(
    ranking: Ranking,
    judged: Judged,
    *,
    weights: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0),
    num_docs: int = 0,
    rel: float = 1,
) -> float:
    """w1 rel. retrieved + w2 others retrieved + w3 rel. missed + w4 other documents of -N."""
    hits = sum(_relevance(ranking, rel))
    false_alarms = len(ranking) - hits
    missed = _count_relevant(judged, rel) - hits
    rest = num_docs - hits - false_alarms - missed
    w1, w2, w3, w4 = weights
    return w1 * hits + w2 * false_alarms + w3 * missed + w4 * rest


def relstring(ranking: Ranking, *, length: int = 10) -> str:
    """The first grades as characters: 0-9, > above 9, - outside the qrels, . for negative."""

    def character(grade: float | None) -> str:
        if grade is None:
            return "-"
        if grade < 0:
            return "."
        return ">" if grade > 9 else str(int(grade))

    return "".join(character(grade) for grade in ranking[:length])


MEASURES: dict[str, Callable[..., float]] = {
    "num_ret": num_ret,
    "num_rel": num_rel,
    "num_rel_ret": num_rel_ret,
    "map": average_precision,
    "gm_map": log_average_precision,
    "Rprec": r_precision,
    "bpref": bpref,
    "recip_rank": recip_rank,
    "iprec_at_recall": iprec_at_recall,
    "P": precision,
    "recall": recall,
    "infAP": inferred_ap,
    "gm_bpref": log_bpref,
    "Rprec_mult": r_precision_mult,
    "utility": utility,
    "11pt_avg": eleven_point_average,
    "binG": binary_g,
    "G": g,
    "dcg": dcg,
    "ideal_dcg": ideal_dcg,
    "ndcg": ndcg,
    "ndcg_rel": ndcg_rel,
    "Rndcg": rndcg,
    "ndcg_cut": ndcg_cut,
    "map_cut": average_precision_cut,
    "relative_P": relative_precision,
    "success": success,
    "set_P": set_precision,
    "set_relative_P": set_relative_precision,
    "set_recall": set_recall,
    "set_map": set_map,
    "set_F": set_f,
    "num_nonrel_judged_ret": num_nonrel_judged_ret,
    "num_nonjudged_ret": num_nonjudged_ret,
    "yaap": yaap,
    "rbp": rbp,
    "rbp_resid": rbp_resid,
    "unj": unjudged_at,
    "Runj": unjudged_at_r,
}
"""The measures by trec_eval name, in the order in which trec_eval prints them."""
