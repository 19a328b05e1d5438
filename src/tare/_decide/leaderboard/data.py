"""The data of a leaderboard: one matrix of scores per data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels.resampling import bootstrap_means
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError, OptionError

__all__ = ["Board", "Resample", "board_of", "chosen_measure", "dataset_groups", "dataset_values"]

Floats = NDArray[np.float64]
Resample = Literal["auto", "queries", "datasets", "both"]


@dataclass(frozen=True)
class Board:
    """The scores of systems on the items of several data sets; higher is better.

    `missing` is systems × data sets: whether a system lacks scores on a data set. A missing cell has NaN
    among its items unless it was imputed.
    """

    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: tuple[Floats, ...]  # systems × items of each data set
    missing: NDArray[np.bool_]
    findings: tuple[Finding, ...] = ()

    def only(self, places: Sequence[int]) -> Board:
        """Return the board of some systems."""
        kept = list(places)
        return replace(
            self,
            systems=tuple(self.systems[k] for k in kept),
            cells=tuple(np.ascontiguousarray(cells[kept]) for cells in self.cells),
            missing=self.missing[kept],
        )

    def known(self) -> NDArray[np.bool_]:
        """Return which systems have all scores on which data sets, systems × data sets."""
        return np.stack([~np.isnan(cells).any(axis=1) for cells in self.cells], axis=1)

    def matrix(self) -> Floats:
        """Return the mean of each system on each data set, systems × data sets."""
        means = [[math.fsum(row) / len(row) for row in cells] for cells in self.cells]
        return np.array(means).T

    def single(self) -> bool:
        """Return whether each data set is a single number."""
        return all(cells.shape[1] == 1 for cells in self.cells)

    def within(self) -> tuple[Floats, ...]:
        """Return the covariance of the means of each data set over its queries."""
        return tuple(np.atleast_2d(np.cov(cells)) / cells.shape[1] for cells in self.cells)

    def covariance(self, over: str) -> tuple[Floats, int]:
        """Return the covariance of the macro means over queries or data sets, and its freedom."""
        if over != "queries":
            matrix = self.matrix()
            count = matrix.shape[1]
            return np.atleast_2d(np.cov(matrix)) / count, count - 1
        freedom = sum(cells.shape[1] - 1 for cells in self.cells)
        return np.sum(self.within(), axis=0) / len(self.cells) ** 2, freedom

    def shares(self, over: str, draws: int, seed: int) -> Floats:
        """Return the share of each data set in each draw, data sets × draws."""
        count = len(self.cells)
        if over == "queries":
            return np.full((count, 1), 1.0 / count)
        return bootstrap_means(np.eye(count), draws, seed)

    def inside(self, k: int, over: str, draws: int, seed: int) -> Floats:
        """Return the means of one data set in each draw, systems × draws (or × 1, if they are fixed)."""
        if over == "datasets":
            return self.matrix()[:, k : k + 1]
        return bootstrap_means(self.cells[k], draws, seed + 1 + k)

    def replicates(self, over: str, draws: int, seed: int) -> Floats:
        """Return bootstrap replicates of the macro means, draws × systems."""
        if over == "datasets":
            return bootstrap_means(self.matrix(), draws, seed).T
        weights = self.shares(over, draws, seed)
        total = np.zeros((len(self.systems), draws))
        for k in range(len(self.cells)):
            total += self.inside(k, over, draws, seed) * weights[k]
        return total.T


def chosen_measure(scores: Scores, measure: str | Measure | None) -> Measure:
    """Return the measure of the leaderboard; it must be a mean with a better end."""
    chosen = scores if measure is None else scores[measure]
    if len(chosen.measures) != 1:
        names = ", ".join(chosen.measure_names)
        raise OptionError(f"a leaderboard has one measure; choose one of {names} with -m.")
    found = chosen.measures[0]
    if found.better == "neither":
        raise MeasureError(
            f"higher values of {found} are neither better nor worse, so systems cannot be ranked by it."
        )
    if found.aggregate in ("sum", "geometric"):
        raise MeasureError(f"{found} is not a mean over items. Choose a measure that is averaged.")
    return found


def dataset_groups(scores: Scores, by: str | None) -> Mapping[str, list[int]]:
    """Return the items of each data set; without `by`, each item is a data set."""
    if by is None:
        return {item: [k] for k, item in enumerate(scores.items)}
    if by not in scores.attributes:
        known = ", ".join(scores.attributes) or "none"
        raise OptionError(f"the items have no attribute {by!r}; they have: {known}.")
    groups: dict[str, list[int]] = {}
    for k, value in enumerate(scores.attributes[by]):
        if value is None:
            raise MismatchError(f"the item {scores.items[k]!r} has no {by}.")
        groups.setdefault(str(value), []).append(k)
    return groups


def dataset_values(
    scores: Scores, measure: Measure, groups: Mapping[str, list[int]]
) -> tuple[Floats, ...]:
    """Return values whose means are the scores of the data sets, systems × items of each.

    A ratio of means, such as Net, and a measure of summed statistics, such as BLEU, are formed within
    each data set.
    """
    one = scores[measure]
    plain = one.values[:, :, 0]
    split = bool(one.ratios or one.statistics)
    return tuple(
        one.select(items=[one.items[k] for k in places]).contributions(linearised=True)
        if split and len(places) > 1
        else np.ascontiguousarray(plain[:, places])
        for places in groups.values()
    )


def board_of(scores: Scores, by: str | None, measure: Measure) -> Board:
    """Split a score table into data sets, named by the attribute `by`."""
    groups = dataset_groups(scores, by)
    sign = -1.0 if measure.better == "lower" else 1.0
    cells = tuple(values * sign for values in dataset_values(scores, measure, groups))
    missing = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    return Board(scores.systems, tuple(groups), cells, missing)
