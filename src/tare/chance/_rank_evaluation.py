"""Evaluation of one system's ranks: rankings of which only the place of the relevant item is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._choices import RankTies
from tare._data.judged import Judged, Policies
from tare._data.pools import Candidates, Pool, Pools
from tare._data.qrels import read_qrels
from tare._data.ranks import SystemRanks
from tare._kernels import JudgedRankings
from tare._measures.measure import Measure
from tare._measures.one_system import Evaluation, Sampling
from tare._measures.ranking.positions import value_at

__all__ = ["evaluation_of", "places_of"]

ITEM = "item"
DEEPEST = np.iinfo(np.int32).max


def evaluation_of(
    ranks: SystemRanks, measures: tuple[Measure, ...], ties: RankTies, sampling: Sampling
) -> Evaluation:
    """Return an evaluation with the values of the measures at these ranks.

    Expected values depend only on the number of candidates, so a rank above that number does not
    change them.
    """
    qrels = read_qrels({query: {ITEM: 1} for query in ranks.queries})
    place = {query: q for q, query in enumerate(ranks.queries)}
    order = np.array([place[query] for query in qrels.items])
    candidates = ranks.candidates[order]
    low, high = (places[order] for places in places_of(ranks, ties))
    judged = Judged(
        ranks.system,
        qrels,
        Policies(ties="expected"),
        _rankings(low, high, np.maximum(candidates, np.ceil(high)).astype(np.int64)),
    )
    counts = dict(zip(qrels.items, candidates.tolist(), strict=True))
    given = Candidates("ranks", counts=counts)
    pools = Pools(Pool("candidates", candidates=given), given)
    evaluation = Evaluation(
        judged.replace(rankings=replace(judged.rankings, retrieved=candidates)), sampling, pools
    )
    inner = list(dict.fromkeys(measure.innermost for measure in measures))
    whole = bool((low == np.floor(low)).all())
    actual = Evaluation(judged, sampling)
    if whole:
        actual.compute(inner)
    for measure in inner:
        evaluation.set_values(measure, actual.values(measure) if whole else value_at(measure, low))
        evaluation.set_errors(measure, actual.errors(measure))
    return evaluation


def places_of(
    ranks: SystemRanks, ties: RankTies
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the best and the worst place of each item under the policy for ties."""
    return {
        "expected": (ranks.low, ranks.high),
        "realistic": (ranks.middle, ranks.middle),
        "optimistic": (ranks.low, ranks.low),
        "pessimistic": (ranks.high, ranks.high),
    }[ties]


def _rankings(
    low: NDArray[np.float64], high: NDArray[np.float64], retrieved: NDArray[np.int64]
) -> JudgedRankings:
    """Return the rankings for the core: one judged document in each, between two places."""
    count = len(low)
    return JudgedRankings(
        offsets=np.arange(count + 1, dtype=np.int64),
        ranks=np.minimum(low, DEEPEST).astype(np.int32),
        codes=np.zeros(count, dtype=np.int32),
        lows=low.astype(np.int64),
        highs=high.astype(np.int64),
        retrieved=retrieved,
        tied=(low < high).astype(np.int64),
        present=np.ones(count, dtype=np.uint8),
    )
