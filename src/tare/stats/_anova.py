"""Analysis of variance of additive models, such as systems + items or assessors + categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._result import Result, Row, Rows
from tare._tables import Column, PColumn, Table, p_stated
from tare.errors import MismatchError, OptionError
from tare.stats._paired_differences import finite_matrix
from tare.stats._ranks_with_ties import mean_ranks

__all__ = ["Anova", "Layout", "Source", "additive_layout", "anova", "one_way_layout", "rank_layout"]


# The additive layout rows + columns with missing cells: adjusted means, error term, variances.
#
# Y_ij = μ + a_i + b_j + ε. With every cell present the adjusted means are plain means; where cells are
# missing they are what the rows would score on all columns, by least squares (the intra-block analysis
# of incomplete blocks).


Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """The layout of one factor: means of its levels, adjusted or of ranks, the error variance, and its share in each difference.

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
        """Whether values vary beyond the levels of the layout; if not, there is no error to compare them with."""
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
        """The p of a factor in the analysis of variance: the probability of an F at least as large if all levels were equal."""
        from scipy.special import fdtrc

        return float(fdtrc(len(self.means) - 1, self.freedom, self.f))


def additive_layout(values: Floats, *, what: tuple[str, str] = ("system", "item")) -> Layout:
    """The means of the rows of a matrix, adjusted for its columns by the additive model; NaN where a cell is missing."""
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
    """The layout of ranks: mean ranks of groups among all values, with the variance of ranks under one distribution.

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


@dataclass(frozen=True)
class Source:
    """One line of the table of the analysis of variance: how much of the variation a factor explains."""

    name: str
    freedom: int
    squares: float
    mean_square: float
    f: float | None
    p: float | None
    partial_eta: float | None
    omega: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Result):
    """The additive model Y = μ + factors + ε: sources of variation and effects.

    Attributes
    ----------
    sources : tuple of Source
        One source per factor, then the residual.
    mean : float
        The grand mean μ.
    effects : dict of str to dict
        For each factor, the effect of each level and its standard error.
    n : int
        Number of scores.

    Examples
    --------
    >>> factors = {"system": ["a"] * 4 + ["b"] * 4, "item": [1, 2, 3, 4] * 2}
    >>> values = [0.5, 0.6, 0.7, 0.9, 0.4, 0.4, 0.5, 0.6]
    >>> found = anova(values, factors)
    >>> [(source.name, source.freedom, round(source.squares, 3)) for source in found.sources]
    [('system', 1, 0.08), ('item', 3, 0.105), ('residual', 3, 0.01)]
    >>> {level: round(effect, 3) for level, (effect, _) in found.effects["system"].items()}
    {'a': 0.1, 'b': -0.1}
    """

    sources: tuple[Source, ...]
    mean: float
    effects: dict[str, dict[str, tuple[float, float]]]
    n: int

    @property
    def residual(self) -> Source:
        """The variation that the factors do not explain."""
        return self.sources[-1]

    def answer(self) -> str:
        """Return the F test of each factor."""
        tests = "; ".join(
            f"{s.name} F = {s.f:.2f}, {p_stated(s.p)}" for s in self.sources if s.p is not None
        )
        return f"Tests of the factors, each adjusted for the others: {tests}."

    def table(self) -> Table:
        """Return one row per source of variation."""
        columns = [
            Column("source", align="left"),
            Column("df"),
            Column("sum of squares"),
            Column("mean square"),
            Column("F"),
            PColumn("p"),
            Column("partial η²"),
            Column("ω²"),
        ]
        rows = [
            (s.name, s.freedom, s.squares, s.mean_square, s.f, s.p, s.partial_eta, s.omega)
            for s in self.sources
        ]
        notes = [f"{self.n:,} scores; each factor is adjusted for the others."]
        return Table.of(columns, rows, title="Analysis of variance", notes=notes)

    def rows(self) -> Rows:
        """Return one dictionary per level of each factor, with its effect."""
        return [
            {"factor": factor, "level": level, "effect": effect, "error": error}
            for factor, levels in self.effects.items()
            for level, (effect, error) in levels.items()
        ]

    def facts(self) -> Row:
        """Return the mean and the number of scores."""
        return {"mean": self.mean, "n": self.n}

    def details(self) -> Row:
        """Return the sources of variation and the effects."""
        return {"sources": [vars(s) for s in self.sources], "effects": self.effects}


def anova(values: ArrayLike, factors: Mapping[str, Sequence[object]]) -> Anova:
    """Fit the additive model Y = μ + factor₁ + factor₂ + … + ε and test each factor.

    Parameters
    ----------
    values : array_like
        The scores; NaN where one is missing.
    factors : dict of str to sequence
        The level of each score by factor. Systems and items make the two-way layout of an evaluation;
        assessors and categories that of assessed summaries (Rankel 2016, §3.1).

    Returns
    -------
    Anova
        Sums of squares, F tests and effect sizes; the effects of a factor's levels sum to 0.

    Raises
    ------
    MismatchError
        If a factor has a single value or another length than the scores, factors are confounded, or no
        degrees of freedom are left for the error.
    OptionError
        If there is no factor.

    Notes
    -----
    The sum of squares of a factor is what it explains in addition to all other factors (type II, which
    equals type III without interactions).

    Examples
    --------
    >>> factors = {"system": ["a"] * 4 + ["b"] * 4, "item": [1, 2, 3, 4] * 2}
    >>> values = [0.5, 0.6, 0.7, 0.9, 0.4, 0.4, 0.5, 0.6]
    >>> round(anova(values, factors).sources[0].p, 4)
    0.0163
    """
    y, labels = _cells(values, factors)
    levels = {f: sorted(set(labels[f])) for f in labels}
    for factor, names in levels.items():
        if len(names) < 2:
            raise MismatchError(
                f"the factor {factor!r} has a single value, {names[0]!r}; leave it out."
            )
    blocks = {f: _coded(labels[f], levels[f]) for f in factors}
    design = np.hstack([np.ones((len(y), 1)), *blocks.values()])
    gram = design.T @ design
    rank = int(np.linalg.matrix_rank(gram, hermitian=True))
    if rank < design.shape[1]:
        raise MismatchError(
            f"the factors {', '.join(factors)} are confounded: some of their levels always "
            "occur together or share no scores with the others. Leave one factor out, or the "
            "levels that share nothing with the others."
        )
    freedom = len(y) - rank
    if freedom < 1:
        raise MismatchError(
            f"{len(y)} scores for {rank} parameters leave no degrees of freedom for the error."
        )
    inverse = np.linalg.inv(gram)
    coefficients = inverse @ (design.T @ y)
    rest = _remainder(y, design)
    error = rest / freedom
    total = float(((y - y.mean()) ** 2).sum())
    sources = [_source(f, y, design, blocks, rest, error, freedom, total) for f in factors]
    sources.append(Source("residual", freedom, rest, error, None, None, None, None))
    effects, start = {}, 1
    for factor in factors:
        width = len(levels[factor]) - 1
        part = slice(start, start + width)
        # The last level's effect is minus the sum of the others.
        expand = np.vstack([np.eye(width), -np.ones(width)])
        values = expand @ coefficients[part]
        spread = np.sqrt(np.maximum(0, np.diag(expand @ inverse[part, part] @ expand.T)) * error)
        effects[factor] = {
            level: (float(v), float(e))
            for level, v, e in zip(levels[factor], values, spread, strict=True)
        }
        start += width
    return Anova(tuple(sources), float(coefficients[0]), effects, len(y))


def _cells(
    values: ArrayLike, factors: Mapping[str, Sequence[object]]
) -> tuple[Floats, dict[str, list[str]]]:
    """Return the known scores for the analysis of variance, and their levels by factor."""
    if not factors:
        raise OptionError("factors: name at least one.")
    y = finite_matrix(values)[0]
    for name, column in factors.items():
        if len(column) != len(y):
            raise MismatchError(
                f"the factor {name!r} has {len(column)} levels for {len(y)} scores."
            )
    known = np.flatnonzero(~np.isnan(y))
    return y[known], {
        name: [str(column[k]) for k in known.tolist()] for name, column in factors.items()
    }


def _coded(labels: list[str], levels: list[str]) -> Floats:
    """Effect coding of factors: one column per level except the last, which is −1 in all columns, so that effects sum to 0."""
    place = {level: k for k, level in enumerate(levels)}
    codes = np.array([place[label] for label in labels])
    coded = np.zeros((len(labels), len(levels) - 1))
    last = codes == len(levels) - 1
    coded[np.flatnonzero(~last), codes[~last]] = 1.0
    coded[last] = -1.0
    return coded


def _remainder(y: Floats, design: Floats) -> float:
    solution = np.linalg.lstsq(design, y, rcond=None)[0]
    return float(((y - design @ solution) ** 2).sum())


def _source(
    factor: str,
    y: Floats,
    design: Floats,
    blocks: dict[str, Floats],
    rest: float,
    error: float,
    freedom: int,
    total: float,
) -> Source:
    from scipy.special import fdtrc

    others = [np.ones((len(y), 1)), *(b for f, b in blocks.items() if f != factor)]
    df = blocks[factor].shape[1]
    squares = max(0.0, _remainder(y, np.hstack(others)) - rest)
    mean_square = squares / df
    if error <= 1e-20 * max(1.0, total):  # the model fits exactly
        return Source(factor, df, squares, mean_square, None, None, None, None)
    f = mean_square / error
    return Source(
        factor,
        df,
        squares,
        mean_square,
        f,
        float(fdtrc(df, freedom, f)),
        squares / (squares + rest),
        (squares - df * error) / (total + error),
    )
