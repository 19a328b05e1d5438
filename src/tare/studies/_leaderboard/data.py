"""The data of a leaderboard: one matrix of scores per data set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding, listed
from tare._kernels.resampling import bootstrap_means
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError

__all__ = ["Board", "Resample", "boards_of"]

Floats = NDArray[np.float64]
Resample = Literal["auto", "queries", "datasets", "both"]
Incomplete = Literal["refuse", "drop"]


@dataclass(frozen=True)
class Board:
    """Systems with complete scores on all data sets; higher is better."""

    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: tuple[Floats, ...]  # systems × items of each data set
    findings: tuple[Finding, ...] = ()

    def matrix(self) -> Floats:
        """Return the mean of each system on each data set, systems × data sets."""
        means = [[math.fsum(row) / len(row) for row in cells] for cells in self.cells]
        return np.array(means).T

    def single(self) -> bool:
        """Return whether each data set is a single number."""
        return all(cells.shape[1] == 1 for cells in self.cells)

    def covariance(self, over: str) -> tuple[Floats, int]:
        """Return the covariance of the macro means over queries or data sets, and its freedom."""
        if over != "queries":
            matrix = self.matrix()
            count = matrix.shape[1]
            return np.atleast_2d(np.cov(matrix)) / count, count - 1
        total = np.zeros((len(self.systems), len(self.systems)))
        for cells in self.cells:
            total += np.atleast_2d(np.cov(cells)) / cells.shape[1]
        freedom = sum(cells.shape[1] - 1 for cells in self.cells)
        return total / len(self.cells) ** 2, freedom

    def replicates(self, over: str, draws: int, seed: int) -> Floats:
        """Return bootstrap replicates of the macro means, draws × systems."""
        if over == "datasets":
            return bootstrap_means(self.matrix(), draws, seed).T
        inside = np.stack(
            [bootstrap_means(cells, draws, seed + 1 + k) for k, cells in enumerate(self.cells)]
        )  # data sets × systems × draws
        if over == "queries":
            return np.asarray(inside.mean(axis=0).T)
        count = len(self.cells)
        weights = bootstrap_means(np.eye(count), draws, seed)  # shares of each data set
        return np.asarray(np.einsum("ksd,kd->ds", inside, weights))


def boards_of(scores: Scores, by: str | None, incomplete: str, measure: str | None) -> Board:
    """Split a score table into data sets.

    With `by`, items are grouped by this attribute. Without it, each item is a data set: a matrix of
    systems and tasks.
    """
    chosen = scores if measure is None else scores[measure]
    if len(chosen.measures) != 1:
        names = ", ".join(chosen.measure_names)
        raise OptionError(f"a leaderboard has one measure; choose one of {names} with -m.")
    sign = -1.0 if chosen.measures[0].better == "lower" else 1.0
    values = chosen.contributions() * sign
    groups = _groups(chosen, by)
    findings: list[Finding] = []
    whole = np.asarray(~np.isnan(values).any(axis=1))
    lacking = [name for name, complete in zip(chosen.systems, whole, strict=True) if not complete]
    if lacking and incomplete == "refuse":
        first = chosen.systems.index(lacking[0])
        missing = [chosen.items[k] for k in np.flatnonzero(np.isnan(values[first]))]
        raise MismatchError(
            f"{len(lacking):,} of {len(chosen.systems):,} systems lack scores: {lacking[0]} has none on "
            f"{', '.join(listed(missing))}. A mean over other data sets is not comparable. "
            "--incomplete drop leaves these systems out."
        )
    if lacking:
        message = f"{len(lacking):,} systems lack scores and are left out."
        findings.append(
            Finding("incomplete systems", message, len(lacking), examples=listed(lacking))
        )
    if whole.sum() < 2:
        raise MismatchError("a leaderboard needs at least two systems with complete scores.")
    kept = tuple(name for name, complete in zip(chosen.systems, whole, strict=True) if complete)
    cells = tuple(np.ascontiguousarray(values[whole][:, places]) for places in groups.values())
    return Board(kept, tuple(groups), cells, tuple(findings))


def _groups(scores: Scores, by: str | None) -> Mapping[str, list[int]]:
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
