"""Worlds with a known truth: each function draws many data sets at once, repetitions first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]
Random = np.random.Generator

BIT = 0.3  # a loss comes in bits of this size


def noisy(rng: Random, shape: tuple[int, ...], share: float = 0.2) -> Floats:
    """Changes of both signs on a share of the queries, min(Exp(mean .2), 1)."""
    size = np.minimum(rng.exponential(0.2, shape), 1) * rng.choice([-1, 1], shape)
    return np.where(rng.random(shape) < share, size, 0.0)


def noisy_loss(rng: Random, shape: tuple[int, ...], loss: float, share: float = 0.2) -> Floats:
    """The same, and queries that lose .3, as many as make up the mean loss."""
    lost = rng.random(shape) < loss / BIT
    return np.clip(noisy(rng, shape, share) - BIT * lost, -1, 1)


def rare_loss(rng: Random, shape: tuple[int, ...], loss: float) -> Floats:
    """One query in 1/loss loses everything, the others nothing."""
    return -(rng.random(shape) < loss).astype(np.float64)


def traded(rng: Random, shape: tuple[int, ...]) -> Floats:
    """Small losses, Exp(.02), for a large gain on one query in 50; the mean is 0."""
    return np.where(rng.random(shape) < 0.02, 0.98, -np.minimum(rng.exponential(0.02, shape), 1))


def tied(rng: Random, repetitions: int, n: int, systems: int) -> Floats:
    """Equal systems, independent scores."""
    return rng.normal(0, 0.15, (repetitions, n, systems))


def near_and_far(
    rng: Random, repetitions: int, n: int, systems: int, gain: float = 0.0
) -> tuple[Floats, Floats]:
    """Near variants of one system and one unlike system; with a gain for some of the variants."""
    means = np.zeros(systems)
    means[systems - 5 : -1] = gain
    spread = np.full(systems, 0.02)
    spread[-1] = 0.2
    query = rng.normal(0.4, 0.2, (repetitions, n, 1))
    return query + means + spread * rng.normal(size=(repetitions, n, systems)), means


def two_groups(rng: Random, repetitions: int, n: int, systems: int) -> tuple[Floats, Floats]:
    """Half of the systems .1 above the others."""
    means = np.where(np.arange(systems) < systems // 2, 0.1, 0.0)
    return means + rng.normal(0, 0.15, (repetitions, n, systems)), means


def sparse(rng: Random, repetitions: int, n: int, systems: int) -> Floats:
    """A tenth of the scores changed, by ± Exp(.2)."""
    shape = (repetitions, n, systems)
    size = rng.exponential(0.2, shape) * rng.choice([-1, 1], shape)
    return np.where(rng.random(shape) < 0.1, size, 0.0)


def boards(
    rng: Random,
    repetitions: int,
    sets: int,
    systems: int,
    *,
    means: Floats | float = 0.0,
    unequal: bool = False,
    skewed: bool = False,
) -> Floats:
    """Systems on data sets: an effect of the data set, and the spread of each system."""
    shape = (repetitions, sets, systems)
    spread = 0.05 * (np.geomspace(0.3, 3, systems) if unequal else np.ones(systems))
    noise = rng.exponential(size=shape) - 1 if skewed else rng.normal(size=shape)
    return means + spread * noise + rng.normal(0, 0.2, (repetitions, sets, 1))


def precision_at_10(rng: Random, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Gross − tare, ideal − tare and gross of P@10, with 1 to all documents relevant."""
    documents = rng.integers(15, 100, shape)
    relevant = np.minimum(1 + rng.geometric(0.08, shape), documents)
    relevant = np.where(rng.random(shape) < 0.03, documents, relevant)
    share = (relevant + 0.5) / (documents + 1)
    odds = np.log(share / (1 - share)) + rng.normal(1.2, 1, shape)
    hits = np.minimum(rng.binomial(10, 1 / (1 + np.exp(-odds))), relevant)
    tare = relevant / documents
    return hits / 10 - tare, np.minimum(relevant, 10) / 10 - tare, hits / 10


def ndcg(rng: Random, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """The same of a graded measure."""
    tare = rng.beta(1.2, 4, shape)
    gross = np.clip(tare + (1 - tare) * (1.1 * rng.beta(0.6, 0.8, shape) - 0.2), 0, 1)
    return gross - tare, 1 - tare, gross


def log_normal(rng: Random, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """A denominator that a few queries carry."""
    room = rng.lognormal(0, 1.2, shape)
    net = room * rng.beta(0.8, 1.2, shape)
    return net, room, net


def rare_success(rng: Random, shape: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """All or nothing, and nothing on 85 % of the queries."""
    room = rng.uniform(0.1, 1, shape)
    net = np.where(rng.random(shape) < 0.15, room, 0.0)
    return net, room, net


def sizes_of(rng: Random, clusters: int, *, equal: bool) -> NDArray[np.int64]:
    """Sizes of clusters: 5, or log-normal."""
    if equal:
        return np.full(clusters, 5)
    drawn = np.minimum(np.ceil(rng.lognormal(1, 1, clusters)), 80)
    return np.asarray(drawn, dtype=np.int64)


def in_clusters(rng: Random, names: NDArray[np.int64], *, skewed: bool = False) -> Floats:
    """One value per query, with mean 0 and variance 1, correlated .4 within a cluster."""

    def noise(count: int) -> Floats:
        return rng.exponential(size=count) - 1 if skewed else rng.normal(size=count)

    shared = noise(int(names.max()) + 1)
    return np.asarray(np.sqrt(0.4) * shared[names] + np.sqrt(0.6) * noise(len(names)))


def as_shares(values: Floats) -> Floats:
    """Normal values as shares, uniform from 0 to 1."""
    return np.asarray(norm.cdf(values))


def measures_and_people(
    rng: Random, systems: int, items: int, better: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Scores of people and of two measures, which are wrong by .3 about whole systems; systems × items.

    With `better` the second measure has that much more error of each system.
    """
    truth = rng.normal(0, 0.5, (systems, 1)) + rng.normal(0, 0.5, (1, items))
    shape = (systems, items)

    def judged(wrong: float) -> Floats:
        return truth + wrong * rng.normal(size=(systems, 1)) + rng.normal(0, 0.5, shape)

    return truth + rng.normal(0, 0.5, shape), judged(0.3), judged(0.3 + better)


def judged_shares(rng: Random, share: float, labelled: int, others: int) -> tuple[Floats, Floats]:
    """Successes by people and by a judge who errs on a tenth of the queries; those labelled come first."""
    people = np.asarray(rng.random(labelled + others) < share, dtype=np.float64)
    return people, np.where(rng.random(labelled + others) < 0.9, people, 1 - people)


def judged_clusters(
    rng: Random, labelled: int, others: int, *, binary: bool
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Scores by people and by a judge who overrates, in clusters of unlike sizes, with the clusters."""
    names = np.repeat(np.arange(labelled + others), sizes_of(rng, labelled + others, equal=False))
    people = in_clusters(rng, names)
    judge = 0.8 * people + 0.6 * rng.normal(size=len(names)) + 0.3
    if binary:
        cut = norm.ppf(0.8)
        return (people > cut) * 1.0, (judge > cut) * 1.0, names
    return as_shares(people) ** 1.5, as_shares(judge) ** 1.5, names


def two_item_sets(rng: Random, systems: int, items: int) -> tuple[Floats, Floats]:
    """The same systems on two sets of items; systems × items."""
    means = norm.ppf((np.arange(systems) + 0.5) / systems)[:, None] * 0.1

    def scores() -> Floats:
        query = rng.normal(0, 0.15, (1, items))
        return means + query + rng.normal(0, 0.25, (systems, items))

    return scores(), scores()
