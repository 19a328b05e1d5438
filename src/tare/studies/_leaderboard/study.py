"""The study behind a leaderboard: macro means with intervals, ranks with intervals, and ties."""

from __future__ import annotations

import numpy as np

from tare._measures.scores import Scores
from tare._measures.student_interval import student_quantile
from tare.errors import OptionError, choose
from tare.stats._letters import letters
from tare.stats._randomisation import check_draws
from tare.stats._rank_intervals import best_shares, rank_intervals
from tare.studies._leaderboard.data import Resample, boards_of
from tare.studies._leaderboard.result import Leaderboard, Place
from tare.studies._score_source import ScoreSource, scores_of

__all__ = ["leaderboard"]

RESAMPLE: tuple[Resample, ...] = ("auto", "queries", "datasets", "both")


def leaderboard(
    scores: ScoreSource,
    *,
    measure: str | None = None,
    by: str | None = None,
    resample: Resample = "auto",
    incomplete: str = "refuse",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> Leaderboard:
    """Rank systems by their mean over data sets, with rank intervals.

    Parameters
    ----------
    scores : Scores, path or data frame
        A score table. Without `by`, each item is a data set, as in a matrix of systems and tasks.
    measure : str, optional
        The measure, if the table has several.
    by : str, optional
        The attribute of the items that names their data set.
    resample : {"auto", "queries", "datasets", "both"}
        What is a sample: the queries within each data set ("conclusions about these data sets"), the
        data sets ("conclusions about data sets like these"), or both. "auto" is "queries" if data sets
        have several items, and "datasets" otherwise.
    incomplete : {"refuse", "drop"}
        Systems that lack scores raise an error, or are left out and named.
    alpha : float
        Error rate of all rank intervals together.
    draws, seed : int
        Number and seed of the bootstrap draws.

    Returns
    -------
    Leaderboard

    Raises
    ------
    MismatchError
        If systems lack scores, or there are too few systems or data sets.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("a", t, 0.9 + 0.01 * t) for t in range(8)] + [("b", t, 0.5 - 0.01 * t) for t in range(8)]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "value"], orient="row")
    >>> found = leaderboard(frame.with_columns(measure=pl.lit("accuracy")))
    >>> [(place.system, place.low, place.high) for place in found.places]
    [('a', 1, 1), ('b', 2, 2)]
    """
    choose("resample", resample, RESAMPLE)
    choose("incomplete", incomplete, ("refuse", "drop"))
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 1.")
    table: Scores = scores_of(scores)
    board = boards_of(table, by, incomplete, measure)
    over = ("datasets" if board.single() else "queries") if resample == "auto" else resample
    if over in ("queries", "both") and min(cells.shape[1] for cells in board.cells) < 2:
        raise OptionError(
            f"resample={over} needs several items in each data set; a matrix of systems and tasks has one. "
            "Use resample=datasets."
        )
    if over != "queries" and len(board.datasets) < 3:
        raise OptionError(
            f"resample={over} needs at least 3 data sets; there are {len(board.datasets)}."
        )
    matrix = board.matrix()
    means = matrix.mean(axis=1)
    covariance, freedom = board.covariance(over)
    variance = np.diag(covariance)
    errors = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))
    drawn = board.replicates(over, draws, seed)
    found = rank_intervals(means, drawn, errors, freedom=freedom, alpha=alpha)
    shares = best_shares(drawn)
    half = student_quantile(1 - alpha / 2, freedom) * np.sqrt(variance)
    order = sorted(range(len(means)), key=lambda k: (-means[k], board.systems[k]))
    pairs = ((board.systems[a], board.systems[b]) for a, b in np.argwhere(found.better))
    shared = letters([board.systems[k] for k in order], pairs)
    sign = -1.0 if table.select(measures=[measure] if measure else None).measures[0].better == "lower" else 1.0  # fmt: skip
    best = order[0]
    places = tuple(
        Place(
            board.systems[k],
            float(means[k] * sign),
            float(means[k] * sign - half[k]),
            float(means[k] * sign + half[k]),
            1 + int((means > means[k]).sum()),
            int(found.low[k]),
            int(found.high[k]),
            not bool(found.better[best, k]),
            float(shares[k]),
            shared[board.systems[k]],
            tuple(float(x * sign) for x in matrix[k]),
        )
        for k in order
    )
    name = measure or table.measure_names[0]
    return Leaderboard(
        places, board.datasets, name, over, alpha, draws, seed, board.findings, table.signatures
    )
