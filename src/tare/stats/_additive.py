"""The additive layout rows + columns with missing cells: adjusted means, error term, variances.

Y_ij = μ + a_i + b_j + ε. With every cell present the adjusted means are plain means; where cells are
missing they are what the rows would score on all columns, by least squares (the intra-block analysis
of incomplete blocks).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.errors import MismatchError
from tare.stats._mean_ranks import mean_ranks

__all__ = ["Layout", "additive_layout", "one_way_layout", "rank_layout"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Means of the levels of one factor, the error variance, and its share in each difference.

    The variance of the difference of levels i and j is error·spread[i, j]; `squares` is the sum of
    squares that the factor explains beyond the other.
    """

    means: Floats
    sizes: NDArray[np.int64]
    error: float
    freedom: float
    spread: Floats
    squares: float

    @property
    def varies(self) -> bool:
        """Whether values vary beyond the levels; if not, there is no error to compare them with."""
        return self.error > 1e-20 * max(1.0, abs(self.squares))

    @property
    def f(self) -> float:
        """F of the factor: its mean square over the error; infinite if the error is 0."""
        mean_square = self.squares / (len(self.means) - 1)
        if not self.varies:
            return np.inf if mean_square > self.error else 0.0
        return mean_square / self.error

    @property
    def p(self) -> float:
        """The probability of an F at least as large if all levels were equal."""
        from scipy.special import fdtrc

        return float(fdtrc(len(self.means) - 1, self.freedom, self.f))


def additive_layout(values: Floats, *, what: tuple[str, str] = ("system", "item")) -> Layout:
    """The rows of a matrix, adjusted for its columns; NaN where a cell is missing."""
    known = ~np.isnan(values)
    values, known = values[:, known.any(axis=0)], known[:, known.any(axis=0)]
    m, n = values.shape
    if m < 2 or n < 2 or not known.any(axis=1).all():
        raise MismatchError(
            f"the layout {what[0]} + {what[1]} needs at least 2 of each with scores; found {m} and {n}."
        )
    y = np.where(known, values, 0.0)
    centre = float(y.sum() / known.sum())
    y = np.where(known, y - centre, 0.0)  # so that sums of squares keep their digits
    k = known.astype(np.float64)
    rows, columns = k.sum(axis=1), k.sum(axis=0)
    information = np.diag(rows) - (k / columns) @ k.T
    adjusted = y.sum(axis=1) - (k / columns) @ y.sum(axis=0)
    if int(np.linalg.matrix_rank(information, hermitian=True)) < m - 1:
        raise MismatchError(
            f"some of the {what[0]}s share no {what[1]} with the others, directly or through others; "
            "they cannot be compared. Leave them out."
        )
    inverse = np.linalg.pinv(information, hermitian=True)
    effects = inverse @ adjusted
    blocks = (y.sum(axis=0) - k.T @ effects) / columns
    residuals = np.where(known, y - effects[:, None] - blocks[None, :], 0.0)
    freedom = float(k.sum() - m - n + 1)
    if freedom < 1:
        raise MismatchError(
            f"{int(k.sum())} scores of {m} {what[0]}s and {n} {what[1]}s leave no degrees of freedom for the error."
        )
    error = float((residuals * residuals).sum()) / freedom
    means = centre + effects + blocks.mean()
    own = np.diag(inverse)
    spread = own[:, None] + own[None, :] - 2 * inverse
    squares = max(0.0, float(effects @ adjusted))
    return Layout(means, known.sum(axis=1), error, freedom, np.maximum(spread, 0.0), squares)


def one_way_layout(groups: list[Floats]) -> Layout:
    """Independent groups of values with one error variance."""
    sizes = np.array([len(g) for g in groups], dtype=np.int64)
    if len(groups) < 2 or (sizes == 0).any() or sizes.sum() <= len(groups):
        raise MismatchError(
            "a comparison of groups needs at least two groups, one of them with at least 2 values."
        )
    means = np.array([g.mean() for g in groups])
    within = sum(float(((g - g.mean()) ** 2).sum()) for g in groups)
    between = float((sizes * (means - np.concatenate(groups).mean()) ** 2).sum())
    freedom = float(sizes.sum() - len(groups))
    share = 1 / sizes
    spread = share[:, None] + share[None, :]
    return Layout(means, sizes, within / freedom, freedom, spread, between)


def rank_layout(groups: list[Floats]) -> Layout:
    """Mean ranks of groups among all values, with the variance of ranks under one distribution.

    V = [N(N + 1) − Σ(t³ − t)/(N − 1)]/12, as after Kruskal and Wallis' test; freedom is infinite.
    """
    sizes = np.array([len(g) for g in groups], dtype=np.int64)
    flat = np.concatenate(groups)
    total = len(flat)
    if len(groups) < 2 or (sizes == 0).any() or total < 3:
        raise MismatchError(
            "ranks of groups are compared where two or more groups have values, three in all."
        )
    ranks = np.split(mean_ranks(flat), np.cumsum(sizes)[:-1])
    _, counts = np.unique(flat, return_counts=True)
    ties = float((counts.astype(np.float64) ** 3 - counts).sum())
    means = np.array([r.mean() for r in ranks])
    share = 1 / sizes
    variance = (total * (total + 1) - ties / (total - 1)) / 12
    squares = float((sizes * (means - (total + 1) / 2) ** 2).sum())
    return Layout(means, sizes, variance, np.inf, share[:, None] + share[None, :], squares)
