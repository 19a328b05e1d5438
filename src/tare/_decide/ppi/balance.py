"""Was the sample drawn at random? What the judge says of the sample and of the rest, under redrawn samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from tare._decide.ppi.samples import Floats, Places, QuerySample
from tare._kernels.statistics import uniforms
from tare.stats._randomisation import DRAWS

__all__ = ["Balance", "balance_of", "balance_of_documents"]

STREAM = 43  # of random numbers
CELLS = 1 << 22  # draws × units of one block
MOST_CELLS, LEAST_DRAWS = 10_000_000, 199  # documents × draws, and draws of any number of documents
REACHED = 1e-9  # of the largest mean: a gap that is smaller by this much counts as reached


@dataclass(frozen=True)
class Balance:
    """The judge's mean score of labelled and other queries (averaged over systems), or documents.

    Attributes
    ----------
    labelled, others : float
        The means.
    p : float
        The share of samples of as many queries (or clusters) whose means are at least as far apart.
    samples : int
        The number of samples tried.
    exact : bool
        Whether these are all possible samples.
    """

    labelled: float
    others: float
    p: float
    samples: int
    exact: bool


def balance_of(sample: QuerySample, seed: int, draws: int = DRAWS) -> Balance | None:
    """Redraw which queries, or clusters, are labelled; None without two others.

    All samples are tried if there are at most `draws`; otherwise p = (b + 1)/(draws + 1).
    """
    if not sample.judged:
        return None
    above = _totals(sample, sample.judge, sample.others)
    below = np.concatenate(sample.cluster_sizes)
    if sample.rooms is not None:
        below = _totals(sample, *sample.rooms[1:])
    units, drawn = len(below), len(sample.cluster_sizes[0])
    if units < 3:
        return None
    sums = np.stack([above, below], axis=1)
    whole = sums.sum(axis=0)

    def means(of_drawn: Floats) -> tuple[Floats, Floats]:
        rest = whole - of_drawn
        with np.errstate(divide="ignore", invalid="ignore"):
            return of_drawn[..., 0] / of_drawn[..., 1], rest[..., 0] / rest[..., 1]

    first, second = means(sums[:drawn].sum(axis=0))
    reach = abs(first - second) - REACHED * max(abs(first), abs(second))
    exact = comb(units, drawn) <= draws
    reached = count = 0
    for chosen in _samples(units, drawn, draws, seed, exact):
        one, other = means(chosen @ sums)
        reached += int((~(np.abs(one - other) < reach)).sum())
        count += len(chosen)
    p = reached / count if exact else (reached + 1) / (count + 1)
    return Balance(float(first), float(second), p, count, exact)


def _totals(sample: QuerySample, labelled: Floats, others: Floats) -> Floats:
    """Return the sums over the queries of each cluster, labelled ones first, averaged over systems."""
    made = [labelled.mean(axis=0), others.mean(axis=0)]
    if sample.clusters is not None:
        made = [
            np.bincount(ids, weights=values)
            for ids, values in zip(sample.clusters, made, strict=True)
        ]
    return np.concatenate(made)


def _samples(
    units: int, drawn: int, draws: int, seed: int, exact: bool, stream: int = STREAM
) -> Iterator[Floats]:
    """Yield blocks of samples, as rows with 1 for every unit that is drawn."""
    step = max(1, CELLS // units)
    every = combinations(range(units), drawn)
    for start in range(0, comb(units, drawn) if exact else draws, step):
        if exact:
            places = np.array(list(islice(every, step)))
        else:
            keys = uniforms(min(step, draws - start), units, seed=seed, substream=stream + start)
            places = np.argpartition(keys, drawn - 1, axis=1)[:, :drawn]
        made = np.zeros((len(places), units))
        np.put_along_axis(made, places, 1.0, axis=1)
        yield made


def balance_of_documents(
    query: Places, grades: Floats, labelled: NDArray[np.bool_], seed: int, draws: int = DRAWS
) -> Balance | None:
    """Redraw within each query which documents are labelled; None if no query has both.

    The means are the judge's grades of labelled and of other documents, averaged over the queries that
    have both. Every document of a query must have been equally likely to be drawn.
    """
    groups = []
    for q in np.unique(query):
        own = query == q
        count = int(labelled[own].sum())
        if 0 < count < int(own.sum()):
            groups.append((grades[own], labelled[own], count))
    if not groups:
        return None
    sizes = [len(values) for values, _, _ in groups]
    draws = max(LEAST_DRAWS, min(draws, MOST_CELLS // sum(sizes)))
    first = float(np.mean([values[mask].mean() for values, mask, _ in groups]))
    second = float(np.mean([values[~mask].mean() for values, mask, _ in groups]))
    moved = np.zeros(draws)
    for k, (values, _, count) in enumerate(groups):
        stream = STREAM + DRAWS + k * draws
        chosen = np.concatenate(
            [block @ values for block in _samples(len(values), count, draws, seed, False, stream)]
        )
        moved += chosen / count - (values.sum() - chosen) / (len(values) - count)
    reach = abs(first - second) - REACHED * max(abs(first), abs(second))
    reached = int((np.abs(moved) / len(groups) >= reach).sum())
    return Balance(first, second, (reached + 1) / (draws + 1), draws, False)
