"""Simulated worlds whose truth is known, many at once: scores of queries, and grades of documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from scipy.stats import norm

from tare._decide.judge_corrected import DocumentSample, QuerySample

Floats = NDArray[np.float64]
SHAPES = ("symmetric", "u-shaped", "zero-inflated")
JUDGES = ("good", "biased", "worthless")
QUERIES = 400
GRID = np.linspace(0.0005, 0.9995, 4001)
U_SHAPED = betaincinv(0.25, 0.25, GRID)
CUTOFF, POOL, LABELLED = 5, 20, 5


def scores(shape: str, z: Floats) -> Floats:
    """Standard normal values as scores between 0 and 1."""
    u = norm.cdf(z)
    if shape == "symmetric":
        return u
    if shape == "u-shaped":
        return np.interp(u, GRID, U_SHAPED)
    return np.where(u < 0.6, 0.0, (u - 0.6) / 0.4)


def query_worlds(
    shape: str, judge: str, worlds: int, n: int, rng: np.random.Generator, *, net: bool = False
) -> QuerySample:
    """Two systems of equal quality on 400 queries, of which people label n."""
    common = rng.normal(size=(worlds, 1, QUERIES))
    z = 0.7 * common + np.sqrt(0.51) * rng.normal(size=(worlds, 2, QUERIES))
    noise = rng.normal(size=z.shape)
    if judge == "good":
        f = 0.95 * z + np.sqrt(1 - 0.95**2) * noise
    elif judge == "biased":
        f = 0.8 * z + 0.6 * noise + 0.6
    else:
        f = noise
    values, guesses = scores(shape, z), scores(shape, f)
    if not net:
        return QuerySample(values[..., :n], guesses[..., :n], guesses[..., n:])
    chance = 0.1 + 0.5 * rng.random((worlds, 1, QUERIES))  # the tare differs by query
    other = np.clip(chance + 0.1 * rng.normal(size=chance.shape), 0.05, 0.8)
    if judge == "biased":
        other = np.clip(other + 0.15, 0.05, 0.8)
    gains, guessed = values - chance, guesses - other
    rooms, guessed_rooms = (np.broadcast_to(1 - x, values.shape) for x in (chance, other))
    return QuerySample(
        gains[..., :n],
        guessed[..., :n],
        guessed[..., n:],
        (rooms[..., :n], guessed_rooms[..., :n], guessed_rooms[..., n:]),
    )


def query_truth(shape: str, *, net: bool = False) -> float:
    """The true mean, or the true Net, by numerical integration."""
    z = np.linspace(-9, 9, 1_000_001)
    mean = float(np.average(scores(shape, z), weights=norm.pdf(z)))
    return (mean - 0.35) / 0.65 if net else mean


def _uniform(rng: np.random.Generator, size: tuple[int, ...]) -> NDArray[np.float32]:
    return rng.random(size, dtype=np.float32)


def document_worlds(
    shape: str, judge: str, worlds: int, n: int, rng: np.random.Generator, measure: str
) -> tuple[DocumentSample, Floats]:
    """Two systems of equal quality that rank 5 of 20 documents, of which people label 5.

    Returns the sample and the true values of every query.
    """
    size = (worlds, n, 1)
    if shape == "symmetric":
        share = rng.beta(4, 4, size=size)
    elif shape == "u-shaped":
        share = rng.beta(0.3, 0.3, size=size)
    else:
        share = np.where(rng.random(size) < 0.5, 0.0, rng.beta(2, 2, size=size))
    every = (worlds, n, POOL)
    grades = (_uniform(rng, every) < share) * rng.integers(1, 4, size=every, dtype=np.int8)
    if judge == "good":
        guesses = np.where(
            _uniform(rng, every) < 0.85, grades, rng.integers(0, 4, size=every, dtype=np.int8)
        )
    elif judge == "biased":
        more = (_uniform(rng, every) >= 0.6).astype(np.int8) + (_uniform(rng, every) < 0.15)
        guesses = np.minimum(3, grades + more)
    else:
        guesses = rng.integers(0, 4, size=every, dtype=np.int8)
    if measure == "DCG":
        weights = 1 / np.log2(np.arange(2, CUTOFF + 2))
        gain: Callable[[Floats], Floats] = lambda g: g.astype(np.float64)  # noqa: E731
    else:
        weights = np.full(CUTOFF, 1 / CUTOFF)
        gain = lambda g: (g >= 2).astype(np.float64)  # noqa: E731
    drawn = np.argsort(_uniform(rng, every), axis=-1) < LABELLED
    chance = LABELLED / POOL
    parts: list[tuple[Floats, Floats, Floats, Floats]] = []
    for _ in range(2):
        top = np.argsort(-(grades + 1.5 * rng.standard_normal(every, dtype=np.float32)), axis=-1)[
            ..., :CUTOFF
        ]
        g, f, there = (np.take_along_axis(x, top, -1) for x in (grades, guesses, drawn))
        mine, theirs = weights * gain(g), weights * gain(f)
        people = (mine * there).sum(axis=-1) / chance
        control = (theirs * there).sum(axis=-1) / chance - theirs.sum(axis=-1)
        parts.append((people, control, theirs.sum(axis=-1), mine.sum(axis=-1)))
    people, control, alone, truth = (np.stack([p[k] for p in parts], axis=1) for k in range(4))
    return DocumentSample(people, control, alone), truth
