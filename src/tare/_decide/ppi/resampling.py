"""The bootstrap over queries: those that people labelled and the others, each drawn with replacement.

λ is estimated again in every draw. Differences are studentised: t* = (θ* − θ)/error*, with the error of the
formula for each draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tare._decide.ppi.influences import Influences, Spread, pairs_in_blocks
from tare._decide.ppi.samples import Floats, Places, QuerySample
from tare._kernels.statistics import resampled_indices
from tare.errors import OptionError

__all__ = ["Bootstrap", "bootstrap", "by_largest"]

MOST_CELLS = 64_000_000  # draws × queries


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """|t*| of every draw and contrast, and the contrasts themselves.

    Attributes
    ----------
    spread : Spread
        The estimates and the errors of the formula.
    drawn : ndarray
        |t*|, draws × contrasts.
    """

    spread: Spread
    drawn: Floats

    def half_width(self, confidence: float) -> Floats:
        """Return half the width of the symmetric studentised interval."""
        made: Floats = np.quantile(self.drawn, confidence, axis=0, method="higher")
        return np.where(self.spread.error > 0, made * self.spread.error, 0.0)

    def ends(self, confidence: float) -> tuple[Floats, Floats]:
        """Return both ends of the interval."""
        half = self.half_width(confidence)
        return self.spread.value - half, self.spread.value + half

    def statistic(self) -> Floats:
        """Return t of each contrast: 0 if the estimate is 0, infinite if it has no error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = self.spread.value / self.spread.error
        return np.where(self.spread.value == 0, 0.0, t)

    def counts(self) -> Floats:
        """Return how many draws of each contrast reach |t|."""
        reached: Floats = (self.drawn >= np.abs(self.statistic()) * (1 - 1e-12)).sum(axis=0)
        return reached


def by_largest(made: Bootstrap) -> Floats:
    """Return p-values adjusted by the largest |t| of all contrasts (Westfall and Young 1993)."""
    largest = made.drawn.max(axis=1)
    t = np.abs(made.statistic())
    counts = (largest[:, None] >= t * (1 - 1e-12)).sum(axis=0)
    return np.asarray((counts + 1) / (len(made.drawn) + 1))


def bootstrap(
    sample: QuerySample,
    estimate: Influences,
    pairs: tuple[Places, Places] | None,
    *,
    weight: float | None,
    draws: int,
    seed: int,
    threads: int = 0,
) -> Bootstrap:
    """Draw queries and return the studentised estimates of systems, or of pairs of systems.

    Parameters
    ----------
    sample : QuerySample
        The values.
    estimate : Influences
        The estimates with the errors of the formula.
    pairs : tuple of two ndarray, optional
        The places of the systems of each pair; by default the systems themselves.
    weight : float, optional
        λ, if it is not estimated.
    draws, seed : int
        Number of draws, and their seed.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    Bootstrap
        The studentised estimates of every draw.
    """
    n, size = sample.n, sample.size
    if draws * (n + size) > MOST_CELLS:
        raise OptionError(
            f"draws={draws:,} is too many for {n + size:,} queries; "
            f"{MOST_CELLS // (n + size):,} at most."
        )
    human = _counts(n, draws, seed, 41, threads)
    others = _counts(size, draws, seed, 42, threads) if size > 1 else np.zeros((draws, size))
    weights = _weights(sample, human, others, weight)
    values = _estimates(sample, human, others, weights)
    room = _mean_room(sample, estimate)
    around = sample.linearised(estimate.value, room)
    spread = estimate.systems() if pairs is None else estimate.differences(*pairs)
    drawn = np.empty((draws, len(spread.value)))
    for block in pairs_in_blocks(len(spread.value), 4 * (n + size)):
        rows = [_contrast(x, pairs, block) for x in (around.human, around.judge, around.others)]
        error = np.sqrt(_variances(rows, human, others, weights))
        moved = np.abs(_contrast(values.T, pairs, block).T - spread.value[block])
        moved = np.where(moved <= 1e-13 * np.maximum(1.0, np.abs(spread.value[block])), 0.0, moved)
        with np.errstate(divide="ignore", invalid="ignore"):
            drawn[:, block] = np.where(moved == 0, 0.0, moved / error)
    return Bootstrap(spread, drawn)


def _counts(n: int, draws: int, seed: int, stream: int, threads: int) -> Floats:
    """Return how often each query is drawn, draws × n."""
    drawn = resampled_indices(n, draws, seed=seed, substream=stream, threads=threads)
    cells = np.asarray(drawn, dtype=np.int64) + n * np.arange(draws)[:, None]
    return np.bincount(cells.ravel(), minlength=n * draws).reshape(draws, n).astype(np.float64)


def _contrast(rows: Floats, pairs: tuple[Places, Places] | None, block: slice) -> Floats:
    if pairs is None:
        return rows[block]
    made: Floats = rows[pairs[0][block]] - rows[pairs[1][block]]
    return made


def _weights(sample: QuerySample, human: Floats, others: Floats, weight: float | None) -> Floats:
    """Return λ of every draw, from sums of products that a matrix product gives for all draws."""
    n, size = sample.n, sample.size
    if size < 2 or n < 3:
        return np.zeros(len(human))
    if weight is not None:
        return np.full(len(human), weight)
    value = sample.people_ratio()
    room = value if sample.rooms is None else sample.rooms[0].mean(axis=-1)
    pilot = sample.linearised(value, room)
    y, f, g = (
        x if len(x) == 1 else x - x.mean(axis=0, keepdims=True)
        for x in (pilot.human, pilot.judge, pilot.others)
    )
    sum_y, sum_f, sum_g = human @ y.T, human @ f.T, others @ g.T
    covariance = human @ (y * f).sum(axis=0) - (sum_y * sum_f).sum(axis=1) / n
    total = n + size
    variance = (
        human @ (f**2).sum(axis=0)
        + others @ (g**2).sum(axis=0)
        - ((sum_f + sum_g) ** 2).sum(axis=1) / total
    )
    below = (1 + n / size) * np.maximum(variance, 0.0) / (total - 1)
    safe = np.where(below > 0, below, 1.0)
    return np.where(below > 0, np.clip(covariance / (n - 1) / safe, 0.0, 1.0), 0.0)


def _means(parts: tuple[Floats, Floats, Floats], draws: tuple[Floats, Floats, Floats]) -> Floats:
    y, f, g = parts
    human, others, weights = draws
    made: Floats = human @ y.T / y.shape[1]
    if g.shape[1] > 1:
        made = made + weights[:, None] * (others @ g.T / g.shape[1] - human @ f.T / f.shape[1])
    return made


def _estimates(sample: QuerySample, human: Floats, others: Floats, weights: Floats) -> Floats:
    drawn = (human, others, weights)
    made = _means((sample.human, sample.judge, sample.others), drawn)
    return made if sample.rooms is None else np.asarray(made / _means(sample.rooms, drawn))


def _mean_room(sample: QuerySample, estimate: Influences) -> Floats:
    if sample.rooms is None:
        return np.ones_like(estimate.value)
    ones = (np.ones((1, sample.n)), np.ones((1, sample.size)), np.atleast_1d(estimate.weight))
    return np.asarray(_means(sample.rooms, ones)[0])


def _variances(rows: list[Floats], human: Floats, others: Floats, weights: Floats) -> Floats:
    """Return the variance of the formula for every draw and contrast."""
    y, f, g = rows
    n, size = y.shape[1], g.shape[1]
    w = weights[:, None]
    squares = human @ (y * y).T - 2 * w * (human @ (y * f).T) + w**2 * (human @ (f * f).T)
    mean = (human @ y.T - w * (human @ f.T)) / n
    made: Floats = np.maximum(squares / n - mean**2, 0.0) / n
    if size > 1:
        spread = others @ (g * g).T / size - (others @ g.T / size) ** 2
        made = made + w**2 * np.maximum(spread, 0.0) / size
    return made
