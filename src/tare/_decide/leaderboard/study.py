"""The study behind a leaderboard: macro means with intervals, ranks with intervals, and ties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tare._decide.leaderboard.data import Board, Resample, board_of, chosen_measure
from tare._decide.leaderboard.incomplete import check_incomplete, completed_board
from tare._decide.leaderboard.net import net_by_dataset, sole_measure
from tare._decide.leaderboard.pair_differences import common_pairs
from tare._decide.leaderboard.result import Leaderboard, LeftOut, Place
from tare._measures.measure import Measure
from tare._measures.score_source import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._measures.student_interval import student_quantile
from tare.errors import MismatchError, OptionError, choose
from tare.stats._letters import letters
from tare.stats._randomisation import check_draws
from tare.stats._rank_intervals import (
    RankIntervals,
    best_shares,
    largest_deviations,
    pair_rank_intervals,
    rank_intervals,
)

__all__ = ["leaderboard"]

Floats = NDArray[np.float64]
RESAMPLE: tuple[Resample, ...] = ("auto", "queries", "datasets", "both")
MAX_SPREAD = 400_000  # numbers of covariances that are kept for the page


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
        The measure, if the table has several. If the table also has Net of the measure, or was just
        computed with a known pool, the leaderboard has a net column.
    by : str, optional
        The attribute of the items that names their data set.
    resample : {"auto", "queries", "datasets", "both"}
        What is a sample: the queries within each data set ("conclusions about these data sets"), the
        data sets ("conclusions about data sets like these"), or both. "auto" is "queries" if data sets
        have several items, and "datasets" otherwise.
    incomplete : {"refuse", "drop", "rank", "impute=worst", "impute=mean", "impute=NUMBER"}
        Systems that lack scores raise an error ("refuse") or are left out ("drop"). With "rank" they
        have no mean, and each pair of systems is compared on the data sets that both have. With
        "impute" each missing score is replaced: by the worst or the mean score of the other systems on
        the same item, or by a number. Missing cells are always named in the findings.
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
    check_incomplete(incomplete)
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 1.")
    table: Scores = scores_of(scores)
    wanted = chosen_measure(table, measure if measure is not None else sole_measure(table))
    sign = -1.0 if wanted.better == "lower" else 1.0
    board, rest = completed_board(board_of(table, by, wanted), incomplete, sign)
    over = _resampled(board, resample)
    means, errors, freedom = _means(board, over)
    ranks, shares, found = _ranks(board, over, means, draws, seed, alpha)
    net = net_by_dataset(table, wanted, by, board)
    half = student_quantile(1 - alpha / 2, freedom) * errors
    order = sorted(
        range(len(means)),
        key=lambda k: (ranks[k], -means[k] if means[k] == means[k] else math.inf, board.systems[k]),
    )
    pairs = ((board.systems[a], board.systems[b]) for a, b in np.argwhere(found.better))
    shared = letters([board.systems[k] for k in order], pairs)
    matrix = board.matrix() * sign
    best = order[0]
    places = tuple(
        Place(
            board.systems[k],
            float(means[k] * sign),
            float(means[k] * sign - half[k]),
            float(means[k] * sign + half[k]),
            int(ranks[k]),
            int(found.low[k]),
            int(found.high[k]),
            not bool(found.better[best, k]),
            float(shares[k]),
            shared[board.systems[k]],
            tuple(map(float, matrix[k])),
            _names(board, k),
            None if net is None else math.fsum(net[k]) / len(net[k]),
            () if net is None else tuple(map(float, net[k])),
        )
        for k in order
    )
    left = tuple(
        LeftOut(rest.systems[k], tuple(map(float, row)), _names(rest, k))
        for k, row in enumerate(rest.matrix() * sign if rest.systems else ())
    )
    return Leaderboard(
        places,
        board.datasets,
        wanted.text,
        over,
        alpha,
        draws,
        seed,
        (*table.findings, *board.findings),
        (table.signatures[table.measures.index(wanted)],) if table.signatures else (),
        incomplete,
        left,
        wanted.better == "lower",
        _has_net(wanted),
        _spread(board.only(order), rest, over),
        tuple(cells.shape[1] for cells in board.cells),
    )


def _has_net(measure: Measure) -> bool:
    """Return whether a score could be shown with its net score."""
    from tare.chance._net import has_net

    return measure.inner is None and measure.registered and has_net(measure)


def _names(board: Board, system: int) -> tuple[str, ...]:
    return tuple(board.datasets[k] for k in np.flatnonzero(board.missing[system]))


def _resampled(board: Board, resample: str) -> str:
    """Return what is resampled; raise if the data are too few for it."""
    over = ("datasets" if board.single() else "queries") if resample == "auto" else resample
    if over in ("queries", "both") and min(cells.shape[1] for cells in board.cells) < 2:
        raise OptionError(
            f"resample={over} needs several items in each data set; a matrix of systems and tasks has one. "
            "Use resample=datasets."
        )
    if over != "queries" and len(board.datasets) < 3:
        raise OptionError(
            f"resample={over} needs at least 3 data sets; there "
            f"{'is' if len(board.datasets) == 1 else 'are'} {len(board.datasets)}."
        )
    return over


def _means(board: Board, over: str) -> tuple[Floats, Floats, int]:
    """Return the macro means, their standard errors (NaN if a system lacks scores) and the freedom."""
    matrix = board.matrix()
    means = matrix.mean(axis=1)
    if over != "queries":
        count = matrix.shape[1]
        return means, matrix.std(axis=1, ddof=1) / math.sqrt(count), count - 1
    variances = [cells.var(axis=1, ddof=1) / cells.shape[1] for cells in board.cells]
    freedom = sum(cells.shape[1] - 1 for cells in board.cells)
    return means, np.sqrt(np.sum(variances, axis=0)) / len(board.cells), freedom


def _ranks(
    board: Board, over: str, means: Floats, draws: int, seed: int, alpha: float
) -> tuple[NDArray[np.int64], Floats, RankIntervals]:
    """Return the ranks, the shares of draws in which each system is best, and the rank intervals."""
    whole = np.flatnonzero(board.known().all(axis=1))
    if len(whole) == len(means):
        covariance, freedom = board.covariance(over)
        drawn = board.replicates(over, draws, seed)
        errors = _errors(covariance)
        found = rank_intervals(means, drawn, errors, freedom=freedom, alpha=alpha)
        return 1 + (means[None, :] > means[:, None]).sum(axis=1), best_shares(drawn), found
    pairs = common_pairs(board, over, draws, seed)
    if np.isnan(pairs.differences).all():
        raise MismatchError("no two systems have enough data sets in common to be compared.")
    largest = pairs.largest
    if len(whole) > 1:
        complete = board.only(whole.tolist())
        drawn = complete.replicates(over, draws, seed) - means[whole]
        largest = np.maximum(largest, largest_deviations(drawn, pairs.errors[np.ix_(whole, whole)]))
    found = pair_rank_intervals(
        pairs.differences, pairs.errors, largest, freedom=pairs.freedom, alpha=alpha
    )
    with np.errstate(invalid="ignore"):
        ranks = 1 + (pairs.differences < 0).sum(axis=1)
    return ranks, best_shares(pairs.wins.T), found


def _errors(covariance: Floats) -> Floats:
    variance = np.diag(covariance)
    return np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0.0))


def _spread(board: Board, rest: Board, over: str) -> tuple[Floats, ...]:
    """Return the covariances within data sets of all systems, ranked or not; empty if too many."""
    size = (len(board.systems) + len(rest.systems)) ** 2 * len(board.datasets) / 2
    if over == "datasets" or size > MAX_SPREAD:
        return ()
    cells = tuple(np.vstack(pair) for pair in zip(board.cells, rest.cells, strict=True))
    return replace(board, cells=cells).within()
