"""The net scores of a leaderboard: Net of the measure on each data set, if it is known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tare._decide.leaderboard.data import Board, dataset_groups
from tare._measures.measure import Measure, make
from tare._measures.scores import Scores
from tare.chance._net_measures import has_net

__all__ = ["NO_NET", "net_by_dataset", "sole_measure"]

NO_NET = (
    "There is no net column, because the table has no {name}. Score the runs with "
    "-m {measure} '{name}' and a pool to add it."
)


def sole_measure(scores: Scores) -> Measure | None:
    """Return the only measure of a table apart from its columns of chance, or None."""
    plain = [measure for measure in scores.measures if measure.inner is None]
    return plain[0] if len(plain) == 1 else None


def net_by_dataset(
    scores: Scores, measure: Measure, by: str | None, board: Board
) -> NDArray[np.float64] | None:
    """Return Net of each system of the board on each data set; None if Net is not known.

    Net of a data set is a ratio of means over its queries; NaN if the system lacks scores on it.
    """
    found = _with_net(scores, measure)
    if found is None:
        return None
    table, name = found
    groups = dataset_groups(table, by)
    one = table[name].select(systems=list(board.systems))
    columns = []
    for places in groups.values():
        means = one.select(items=[one.items[k] for k in places]).means()
        columns.append([means[system][name.text] for system in board.systems])
    return np.where(board.missing, math.nan, np.array(columns).T)


def _with_net(scores: Scores, measure: Measure) -> tuple[Scores, Measure] | None:
    if measure.inner is not None or not measure.registered:
        return None
    for other in scores.measures:
        if other.name == "Net" and other.inner == measure:
            return scores, other
    behind = scores.rescoring
    if behind is None or not behind.pool_known or not has_net(measure):
        return None
    wanted = make("Net", inner=measure)
    return scores.also([wanted]), wanted
