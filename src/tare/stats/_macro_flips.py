"""Sign flips of the queries of several data sets: differences of macro means, all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError, check_share
from tare.stats._flips import NOTHING, SLACK
from tare.stats._randomisation import DRAWS, check_draws

__all__ = ["MacroMaxT", "macro_max_t"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STREAM = 43
CELLS = 4_000_000  # numbers of one block
CACHED = 100_000  # numbers that are worked on at once


@dataclass(frozen=True, eq=False)
class MacroMaxT:
    """All pairs of systems on fixed data sets, tested by the largest |T|/√V of each flip.

    Attributes
    ----------
    first, second : ndarray
        The columns of each pair.
    difference : ndarray
        T, the mean over data sets of the mean difference first − second.
    error : ndarray
        √V, the standard error of the difference within the data sets.
    p, alone : ndarray
        The p-value of each pair adjusted for all pairs, and of its own flips only.
    differing : ndarray
        The number of units with a difference that is not 0.
    n : int
        The number of units of all data sets.
    alpha : float
        Significance level.
    patterns : int
        The number of sign patterns that were tried.
    exact : bool
        Whether these are all patterns.

    Examples
    --------
    >>> first = [[0.9, 0.8], [0.8, 0.7], [0.7, 0.5], [0.6, 0.5]]
    >>> second = [[0.5, 0.2], [0.6, 0.5], [0.4, 0.3]]
    >>> found = macro_max_t([first, second])
    >>> found.p.tolist(), found.n, found.exact
    ([0.015625], 7, True)
    """

    first: Integers
    second: Integers
    difference: Floats
    error: Floats
    p: Floats
    alone: Floats
    differing: Integers
    n: int
    alpha: float
    patterns: int
    exact: bool

    @cached_property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ at the level alpha, over all pairs."""
        found: NDArray[np.bool_] = self.p <= self.alpha * (1 + SLACK)
        return found


def macro_max_t(
    datasets: Sequence[ArrayLike], *, draws: int = DRAWS, seed: int = 0, alpha: float = 0.05
) -> MacroMaxT:
    """Test all pairs of systems on fixed data sets by flips of their queries.

    T = Σ d̄_k/D and V = Σ s²_k/(n_k D²), where d̄_k is the mean difference on data set k and s_k its
    standard deviation over n_k queries (n_k − 1). One sign per query is flipped for all pairs, T and V
    are computed again, and p of a pair is the share of flips in which the largest |T|/√V of all pairs
    reaches its own. Where V is 0 the ratio is 0.

    Parameters
    ----------
    datasets : sequence of array_like
        Queries × systems of each data set, complete.
    draws : int
        If there are at most so many sign patterns, up to mirror images, all are tried; otherwise so
        many are drawn.
    seed : int
        Seed of the draws.
    alpha : float
        Significance level.

    Returns
    -------
    MacroMaxT

    Raises
    ------
    MismatchError
        If a data set has fewer than two queries, or the tables do not have the same systems, at least
        two, with finite scores.
    OptionError
        If draws, seed or alpha is out of range.

    Notes
    -----
    The conclusions are about these data sets. Drawn p-values are (b + 1)/(B + 1).

    References
    ----------
    Westfall and Young (1993). Resampling-based multiple testing. Wiley.

    Examples
    --------
    >>> first = [[0.9, 0.8, 0.8], [0.8, 0.7, 0.7], [0.7, 0.5, 0.5], [0.6, 0.5, 0.5]]
    >>> second = [[0.5, 0.2, 0.2], [0.6, 0.5, 0.5], [0.4, 0.3, 0.3]]
    >>> macro_max_t([first, second]).p.tolist()
    [0.015625, 0.015625, 1.0]
    """
    check_draws(draws, seed)
    check_share("alpha", alpha)
    tables = _checked(datasets)
    count = tables[0].shape[1]
    first, second = (k.astype(np.int64) for k in np.triu_indices(count, 1))
    used = np.concatenate(
        [np.ptp(x, axis=1) > NOTHING * np.abs(x).max(axis=1) for x in tables]
    ).astype(bool)
    layout = _Layout.of(tables, first, second)
    seen = layout.ratios(np.stack([x.sum(axis=0) for x in layout.rows])[None])[0]
    kept = int(used.sum())
    exact = kept < 64 and 2 ** max(kept - 1, 0) <= draws
    reached, alone = np.zeros((2, len(first)), dtype=np.int64)
    patterns = 0
    for signs in _patterns(used, draws, seed, exact, len(first)):
        found = layout.ratios(layout.sums(signs))
        largest = np.sort(found.max(axis=1))
        reached += len(largest) - np.searchsorted(largest, seen - SLACK, side="left")
        alone += (found >= seen - SLACK).sum(axis=0)
        patterns += len(largest)
    added = 0 if exact else 1
    p, own = (reached + added) / (patterns + added), (alone + added) / (patterns + added)
    if not exact:
        for k in np.flatnonzero(
            (layout.differing > 0) & (layout.differing - 1 <= math.log2(draws))
        ):
            pair = [int(first[k]), int(second[k])]
            own[k] = macro_max_t([x[:, pair] for x in tables], draws=draws).alone[0]
    nothing = seen == 0
    own = np.where(nothing, 1.0, own)
    p = np.where(nothing, 1.0, np.maximum(p, own))
    return MacroMaxT(
        first,
        second,
        layout.difference,
        layout.error,
        p,
        own,
        layout.differing,
        len(used),
        alpha,
        patterns,
        exact,
    )


def _checked(datasets: Sequence[ArrayLike]) -> list[Floats]:
    tables = [np.ascontiguousarray(given, dtype=np.float64) for given in datasets]
    shapes = [x.shape for x in tables]
    if not tables or any(x.ndim != 2 or x.shape[1] != tables[0].shape[-1] for x in tables):
        raise MismatchError(
            f"datasets: expected queries × systems of the same systems, found {shapes}."
        )
    if tables[0].shape[1] < 2 or min(len(x) for x in tables) < 2:
        raise MismatchError(
            f"datasets: at least two systems and two queries per data set are needed, found {shapes}."
        )
    if not all(np.isfinite(x).all() for x in tables):
        raise MismatchError(
            "datasets: values are missing or infinite. Flips need a score of every system on every "
            "query: leave out incomplete queries."
        )
    return tables


@dataclass(frozen=True, eq=False)
class _Layout:
    """What flips of several data sets do not change: the pairs, the rows less what all systems share, Σd² and the weights."""

    rows: list[Floats]
    first: Integers
    second: Integers
    squares: Floats  # data sets × pairs
    differing: Integers
    sizes: Floats

    @classmethod
    def of(cls, tables: list[Floats], first: Integers, second: Integers) -> _Layout:
        rows = [x - x[:, :1] for x in tables]
        count = len(first)
        squares = np.zeros((len(tables), count))
        differing = np.zeros(count, dtype=np.int64)
        for k, x in enumerate(tables):
            largest = np.abs(x).max(axis=0)
            block = max(1, CELLS // len(x))
            for begin in range(0, count, block):
                here = slice(begin, begin + block)
                a, b = first[here], second[here]
                d = x[:, a] - x[:, b]
                d = np.where(np.abs(d) < NOTHING * np.maximum(largest[a], largest[b]), 0.0, d)
                squares[k, here] = (d * d).sum(axis=0)
                differing[here] += (d != 0).sum(axis=0)
        return cls(rows, first, second, squares, differing, np.array([float(len(x)) for x in rows]))

    @cached_property
    def largest_error(self) -> Floats:
        """V if the mean differences were 0."""
        count = len(self.rows)
        weights = 1 / ((self.sizes - 1) * self.sizes * count**2)
        made: Floats = weights @ self.squares
        return made

    def sums(self, signs: Floats) -> Floats:
        """Return the flipped sums of macro means, patterns × data sets × systems."""
        edges = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        return np.stack(
            [signs[:, a:b] @ x for a, b, x in zip(edges, edges[1:], self.rows, strict=False)],
            axis=1,
        )

    def _moments(self, sums: Floats) -> tuple[Floats, Floats]:
        """Return T and V, patterns × pairs."""
        count = len(self.rows)
        top = np.zeros((len(sums), len(self.first)))
        lost = np.zeros_like(top)
        for k, n in enumerate(self.sizes):
            s = sums[:, k, self.first] - sums[:, k, self.second]
            top += s / (n * count)
            s *= s
            lost += s / (n * (n - 1) * n * count**2)
        spread = self.largest_error - lost
        return top, np.where(spread > NOTHING * self.largest_error, spread, 0.0)

    def ratios(self, sums: Floats) -> Floats:
        """Return |T|/√(T² + V) of differences of macro means, which rises with |T|/√V; 0 where V or all differences are 0."""
        top, spread = self._moments(sums)
        top *= top
        with np.errstate(invalid="ignore", divide="ignore"):
            made: Floats = np.sqrt(top / (top + spread))
        return np.where((spread > 0) & (self.differing > 0), made, 0.0)

    @cached_property
    def _seen(self) -> tuple[Floats, Floats]:
        top, spread = self._moments(np.stack([x.sum(axis=0) for x in self.rows])[None])
        return np.where(self.differing > 0, top[0], 0.0), np.sqrt(spread[0])

    @property
    def difference(self) -> Floats:
        """T of the data."""
        return self._seen[0]

    @property
    def error(self) -> Floats:
        """√V of the data."""
        return self._seen[1]


def _patterns(
    used: NDArray[np.bool_], draws: int, seed: int, exact: bool, pairs: int
) -> Iterator[Floats]:
    """Yield signs for the queries of all data sets, patterns × units, in blocks; pattern b is the same in any block."""
    units, kept = len(used), np.flatnonzero(used)
    total = 2 ** max(len(kept) - 1, 0) if exact else draws
    block = max(1, min(CELLS // units, CACHED // pairs))
    words = -(-units // 64)
    random = np.random.Philox(key=[seed, STREAM])
    for begin in range(0, total, block):
        size = min(block, total - begin)
        if exact:  # the first unit keeps its sign: mirror images have the same ratio
            signs = np.ones((size, units))
            bits = np.arange(begin, begin + size)[:, None] >> np.arange(max(len(kept) - 1, 0)) & 1
            signs[:, kept[1:]] = 1.0 - 2.0 * bits
        else:
            raw = random.random_raw(size * words).astype("<u8").view(np.uint8)
            flags = np.unpackbits(raw.reshape(size, words * 8), axis=1, count=units)
            signs = 1.0 - 2.0 * flags
        yield signs
