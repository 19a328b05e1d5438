"""How uncertain the parameters are: the sandwich covariance over prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._decide.arena.design import BattleDesign
from tare._decide.arena.fit import Fit
from tare._measures.means_and_intervals import student_quantile, student_tail
from tare.errors import MismatchError

__all__ = ["Spread", "by_unit", "sandwich", "unit_blocks", "unit_scores"]

Floats = NDArray[np.float64]
BLOCK = 4_000_000  # cells of a dense block
SPARSE = 30  # a dense product is this much faster per cell than a sparse one


def unit_blocks(design: BattleDesign, width: int) -> Iterator[tuple[slice, int, int]]:
    """Yield the rows, and the first and last unit, of blocks of whole units."""
    units = len(design.times)
    step = max(1, BLOCK // max(1, width))
    edges = np.searchsorted(design.unit, np.arange(0, units + step, step))
    for k, first in enumerate(range(0, units, step)):
        yield slice(int(edges[k]), int(edges[k + 1])), first, min(first + step, units)


def by_unit(design: BattleDesign, rows: slice, first: int, last: int, values: Floats) -> Any:
    """Return Σ values × (e_a − e_b) of each unit, units × systems; sparse if most cells are 0."""
    size, units = design.size, last - first
    a, b, unit = design.a[rows], design.b[rows], design.unit[rows] - first
    if units * size > 2 * SPARSE * len(a):
        from scipy.sparse import coo_array

        cells = np.concatenate([values, -values])
        places = (np.concatenate([unit, unit]), np.concatenate([a, b]))
        return coo_array((cells, places), shape=(units, size)).tocsr()
    flat = np.bincount(unit * size + a, values, units * size)
    flat -= np.bincount(unit * size + b, values, units * size)
    return flat.reshape(units, size)


def unit_scores(fit: Fit, rows: slice, first: int, last: int, parts: Any) -> tuple[Any, Floats]:
    """Return the scores of each unit in a block: of the systems, and of all other parameters."""
    design = fit.design
    within, unit, units = design.within[rows], design.unit[rows] - first, last - first
    slope = within * parts.eta[rows]
    columns = [slope * z for z in design.z[rows].T]
    if fit.has_ties:
        columns.append(within * parts.tau[rows])
    rest = np.array([np.bincount(unit, c, units) for c in columns]).T.reshape(units, len(columns))
    return by_unit(design, rows, first, last, slope), rest


class Spread:
    """The covariance of the parameters, and intervals by Student's t with (units − 1) degrees of freedom."""

    def __init__(self, covariance: Floats, freedom: int, confidence: float) -> None:
        self.covariance = covariance
        self.freedom = freedom
        self.quantile = student_quantile(0.5 + confidence / 2, freedom)

    @property
    def errors(self) -> Floats:
        """The standard errors of the parameters."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))

    def difference_errors(self, size: int) -> Floats:
        """Return the standard errors of the differences of ratings, systems × systems."""
        own = self.covariance[:size, :size]
        variance = np.diag(own)
        return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * own, 0.0))

    def p_value(self, estimate: float, error: float) -> float:
        """Return the two-sided p-value of an estimate being 0."""
        if error <= 0:
            return 1.0 if estimate == 0 else 0.0
        return min(1.0, 2 * student_tail(abs(estimate) / error, self.freedom))


def sandwich(fit: Fit, confidence: float = 0.95) -> Spread:
    """Return the sandwich covariance A⁻¹ (Σ gg′) A⁻¹ × U/(U − 1) over U units."""
    design = fit.design
    units = design.units
    if units < 2:
        raise MismatchError(
            f"{design.source}: all battles belong to one {design.cluster}, so no interval can be computed. Use "
            "cluster=battle if battles are independent."
        )
    parts, size = fit.parts(), design.size
    total = len(fit.parameters)
    meat = np.zeros((total, total))
    for rows, first, last in unit_blocks(design, size):
        mine, rest = unit_scores(fit, rows, first, last, parts)
        times = design.times[first:last, None]
        if isinstance(mine, np.ndarray):
            whole = np.hstack([mine, rest])
            meat += whole.T @ (whole * times)
        else:
            weighted = mine.multiply(times).tocsr()
            meat[:size, :size] += (mine.T @ weighted).toarray()
            meat[:size, size:] += weighted.T @ rest
            meat[size:, size:] += rest.T @ (rest * times)
            meat[size:, :size] = meat[:size, size:].T
    if fit.precision:  # the scores do not sum to 0 under a prior
        sums = np.zeros(total)
        sums[:size] = fit.precision * fit.ratings
        meat -= np.outer(sums, sums) / units
    inverse = np.linalg.inv(fit.hessian)
    covariance = inverse @ meat @ inverse * (units / (units - 1))
    return Spread((covariance + covariance.T) / 2, units - 1, confidence)
