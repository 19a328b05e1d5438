"""The next battles: the pairs that are expected to narrow the rank intervals most.

With gaps d of ratings and variances v of their estimates, the expected width of all rank intervals is a
sum over pairs of P(|N(d/√v, 1)| < c). A battle of a and b with information h changes the covariance V of
the ratings by −h(Vd)(Vd)′/(1 + h d′Vd), so to first order its gain is h/(1 + h d′Vd) × d′V L V d, where L is
the Laplacian of the derivatives of the width by v.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tare.errors import OptionError
from tare.studies._arena.fit import Fit
from tare.studies._arena.ties import derivatives

__all__ = ["best_pairs", "expected_width", "pair_gains", "pair_information"]

Floats = NDArray[np.float64]
STREAM = 61
CRITICAL = NormalDist().inv_cdf(0.975)


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi))


def _variances(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    made = variance[:, None] + variance[None, :] - 2 * covariance
    return np.maximum(made, 1e-12)


def expected_width(ratings: Floats, covariance: Floats, critical: float = CRITICAL) -> float:
    """Return the expected mean width of the rank intervals: 0 if every pair is decided."""
    from scipy.special import ndtr

    z = (ratings[:, None] - ratings[None, :]) / np.sqrt(_variances(covariance))
    open_ = ndtr(critical - z) - ndtr(-critical - z)
    np.fill_diagonal(open_, 0.0)
    return float(open_.sum() / len(ratings))


def pair_information(fit: Fit) -> Floats:
    """Return the information of one battle of each pair about their difference, without covariates."""
    ratings = fit.ratings
    eta = ratings[:, None] - ratings[None, :]
    if fit.rule == "rao-kupper" and fit.tau is not None:  # expected over outcomes
        from tare.studies._arena.ties import probabilities

        shares = probabilities(eta, fit.tau, fit.rule)
        parts = [
            derivatives(np.full_like(eta, o), eta, fit.tau, fit.rule).eta_eta for o in (1, 0, -1)
        ]
        return np.asarray(sum(s * p for s, p in zip(shares, parts, strict=True)))
    return derivatives(np.zeros_like(eta), eta, fit.tau, fit.rule).eta_eta


def pair_gains(
    ratings: Floats,
    covariance: Floats,
    information: Floats,
    critical: float = CRITICAL,
    component: NDArray[np.int64] | None = None,
) -> Floats:
    """Return by how much one battle of each pair is expected to narrow the mean rank interval."""
    variances = _variances(covariance)
    z = np.abs(ratings[:, None] - ratings[None, :]) / np.sqrt(variances)
    slope = (_density(critical - z) - _density(critical + z)) * z / (2 * variances)
    np.fill_diagonal(slope, 0.0)
    if component is not None:  # systems of different components are never compared
        slope = np.where(component[:, None] == component[None, :], slope, 0.0)
    laplacian = np.diag(slope.sum(axis=1)) - slope
    moved = covariance @ laplacian @ covariance
    diagonal = np.diag(moved)
    change = diagonal[:, None] + diagonal[None, :] - 2 * moved
    made = information / (1 + information * variances) * np.maximum(change, 0.0)
    np.fill_diagonal(made, 0.0)
    return np.asarray(2 * made / len(ratings))


def best_pairs(
    fit: Fit,
    covariance: Floats,
    count: int = 1,
    *,
    seed: int = 0,
    design_effect: float = 1.0,
    allowed: Sequence[tuple[int, int]] | None = None,
) -> list[tuple[int, int, float]]:
    """Choose the next battles one after the other: (a, b, expected gain); equal gains are drawn.

    Pairs that connect components come first: their gain is infinite.
    """
    if count < 1:
        raise OptionError(f"next={count} is not valid; it must be 1 or more.")
    ratings, size = fit.ratings, fit.design.size
    information = pair_information(fit) / design_effect
    component = fit.design.component.copy()
    random = np.random.Generator(np.random.Philox(key=[seed, STREAM]))
    free = np.zeros((size, size), dtype=bool)
    for i, j in itertools.combinations(range(size), 2) if allowed is None else allowed:
        free[min(i, j), max(i, j)] = True
    chosen = []
    current = covariance.copy()
    for _ in range(count):
        apart = free & (component[:, None] != component[None, :])
        gains = pair_gains(ratings, current, information, component=fit.design.component)
        gains[apart] = np.inf
        best = gains[free].max(initial=-1.0)
        if best < 0:
            break
        margin = 0.0 if np.isinf(best) else 1e-9 * abs(best)
        equal = np.argwhere(free & (gains >= best - margin))
        a, b = (int(x) for x in equal[int(random.integers(len(equal)))])
        chosen.append((a, b, float(gains[a, b])))
        if component[a] != component[b]:
            component[component == component[b]] = component[a]
            continue
        column = current[:, a] - current[:, b]
        h = information[a, b]
        current = current - h / (1 + h * (column[a] - column[b])) * np.outer(column, column)
    return chosen
