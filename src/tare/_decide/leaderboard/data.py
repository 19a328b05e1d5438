"""The data of a leaderboard: one matrix of scores per data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.measure import Measure
from tare._measures.scores import Scores
from tare.errors import MeasureError, MismatchError, OptionError

__all__ = ["Board", "Over", "board_of", "chosen_measure", "dataset_groups"]

Floats = NDArray[np.float64]
Over = Literal["auto", "datasets", "queries"]


@dataclass(frozen=True)
class Board:
    """The scores of systems on the items of several data sets; higher is better.

    `missing` is systems × data sets: whether a system lacks scores on a data set. A missing cell has NaN
    among its items unless it was imputed.

    Attributes
    ----------
    cells : tuple of ndarray
        Systems × items of each data set: values whose mean is the score and whose differences are tested.
    spread : tuple of ndarray
        Values with the same means, and with the spread of the score (see `Scores.contributions`).
    untested, fixed : str
        Why differences cannot be tested, and why queries cannot be the unit; empty if they can.
    """

    systems: tuple[str, ...]
    datasets: tuple[str, ...]
    cells: tuple[Floats, ...]
    missing: NDArray[np.bool_]
    spread: tuple[Floats, ...]
    untested: str = ""
    fixed: str = ""
    findings: tuple[Finding, ...] = ()

    def only(self, places: Sequence[int]) -> Board:
        """Return the board of some systems."""
        kept = list(places)
        return replace(
            self,
            systems=tuple(self.systems[k] for k in kept),
            cells=tuple(np.ascontiguousarray(cells[kept]) for cells in self.cells),
            spread=tuple(np.ascontiguousarray(cells[kept]) for cells in self.spread),
            missing=self.missing[kept],
        )

    def known(self) -> NDArray[np.bool_]:
        """Return which systems have all scores on which data sets, systems × data sets."""
        return np.stack([~np.isnan(cells).any(axis=1) for cells in self.cells], axis=1)

    def matrix(self) -> Floats:
        """Return the mean of each system on each data set, systems × data sets."""
        means = [[math.fsum(row) / len(row) for row in cells] for cells in self.cells]
        return np.array(means).T


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
    """Return the items of each data set, in order of their ids; without `by`, each item is a data set."""
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
    return {name: sorted(places, key=lambda k: scores.items[k]) for name, places in groups.items()}


def board_of(scores: Scores, by: str | None, measure: Measure) -> Board:
    """Split a score table into data sets, named by the attribute `by`."""
    groups = dataset_groups(scores, by)
    one = scores[measure]
    plain = one.values[:, :, 0]
    split = bool(one.ratios or one.statistics)
    sign = -1.0 if measure.better == "lower" else 1.0
    cells, spread, untested = [], [], ""
    for places in groups.values():
        if split and len(places) > 1:
            part = one.select(items=[one.items[k] for k in places])
            cells.append(part.contributions() * sign)
            spread.append(part.contributions(linearised=True) * sign)
            if any(not getattr(ratio, "shared", True) for ratio in part.ratios.values()):
                untested = (
                    f"the systems have different rooms, so differences of {measure} are not tested"
                )
        else:
            cells.append(np.ascontiguousarray(plain[:, places]) * sign)
            spread.append(cells[-1])
    fixed = ""
    if min(values.shape[1] for values in cells) < 2:
        single = all(values.shape[1] == 1 for values in cells)
        fixed = f"the table has one score per data set{'' if single else ' for some of them'}"
    elif one.statistics:
        fixed = f"{measure} is made of summed statistics, which flips of queries do not cover"
    missing = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    return Board(
        scores.systems, tuple(groups), tuple(cells), missing, tuple(spread), untested, fixed
    )
