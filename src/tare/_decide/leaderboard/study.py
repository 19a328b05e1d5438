"""The study behind a leaderboard: macro means with intervals, ranks with intervals, and ties."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from tare._decide.leaderboard.data import Board, Over, board_of, chosen_measure
from tare._decide.leaderboard.incomplete import check_incomplete, completed_board
from tare._decide.leaderboard.macro_means import Bounds, interval_of_mean, interval_over_queries
from tare._decide.leaderboard.net import net_by_dataset, sole_measure
from tare._decide.leaderboard.pair_tests import PairTests, pair_tests
from tare._decide.leaderboard.result import Leaderboard, LeftOut, Place
from tare._measures.measure import Measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare.errors import OptionError, choose
from tare.stats._flips import least_units
from tare.stats._randomisation import check_draws
from tare.stats._rank_intervals import rank_intervals
from tare.stats._tests_of_all_systems import letters

__all__ = ["leaderboard"]

Floats = NDArray[np.float64]
MAX_CELLS = 100_000  # scores of queries that are kept for the page


def leaderboard(
    scores: ScoreSource,
    *,
    measure: str | None = None,
    by: str | None = None,
    over: Over = "auto",
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
    over : {"auto", "datasets", "queries"}
        The unit of the test: the data sets (ranks for data sets like these), or the queries within each
        data set (ranks for these data sets only). "auto" is "datasets" if at least six can be compared
        (`tare.stats.least_units`), otherwise "queries", if the table has their scores. With fewer data
        sets and no scores of queries there are means without ranks.
    incomplete : {"refuse", "drop", "rank", "impute=worst", "impute=mean", "impute=NUMBER"}
        Systems that lack scores raise an error ("refuse") or are left out ("drop"). With "rank" they
        have no mean, and each pair of systems is compared on the data sets that both have. With
        "impute" each missing score is replaced: by the worst or the mean score of the other systems on
        the same item, or by a number. Missing cells are always named in the findings.
    alpha : float
        Error rate of all rank intervals together.
    draws, seed : int
        All sign patterns of the units are tried if there are at most so many, up to mirror images;
        otherwise so many are drawn.

    Returns
    -------
    Leaderboard

    Raises
    ------
    MismatchError
        If systems lack scores, or there are too few systems.

    Notes
    -----
    All pairs are tested at once by sign flips (`tare.stats.max_t`; over queries
    `tare.stats.macro_max_t`). The rank interval of a system is [1 + number significantly better,
    K − number significantly worse].

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks. Review of Economic Studies.

    Examples
    --------
    >>> import polars as pl
    >>> rows = [("a", t, 0.9 + 0.01 * t) for t in range(8)] + [("b", t, 0.5 - 0.01 * t) for t in range(8)]
    >>> frame = pl.DataFrame(rows, schema=["system", "item", "value"], orient="row")
    >>> found = leaderboard(frame.with_columns(measure=pl.lit("accuracy")))
    >>> [(place.system, place.low, place.high) for place in found.places]
    [('a', 1, 1), ('b', 2, 2)]
    """
    choose("over", over, get_args(Over))
    check_incomplete(incomplete)
    check_draws(draws, seed)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha:g} is out of range; it must lie between 0 and 1.")
    table: Scores = scores_of(scores)
    wanted = chosen_measure(table, measure if measure is not None else sole_measure(table))
    sign = -1.0 if wanted.better == "lower" else 1.0
    board, rest = completed_board(board_of(table, by, wanted), incomplete, sign)
    unit, unranked, limited = _unit(board, over, alpha)
    bounds = _bounds(wanted, board, sign)
    ends = _ends(board, unit, sign, bounds, 1 - alpha)
    net = net_by_dataset(table, wanted, by, board)
    matrix = board.matrix()
    means = matrix.mean(axis=1)
    places = tuple(
        Place(
            board.systems[k],
            float(means[k] * sign),
            ends[k][0],
            ends[k][1],
            None,
            None,
            None,
            None,
            None,
            "",
            tuple(map(float, matrix[k] * sign)),
            _names(board, k),
            None if net is None else math.fsum(net[k]) / len(net[k]),
            () if net is None else tuple(map(float, net[k])),
        )
        for k in range(len(means))
    )
    tests = None
    if unranked:
        order = sorted(range(len(means)), key=lambda k: (-_last(float(means[k])), board.systems[k]))
        places = tuple(places[k] for k in order)
    else:
        tests = pair_tests(board, unit, draws=draws, seed=seed, alpha=alpha)
        places, order = _ranked(places, means, tests, alpha)
    left = tuple(
        LeftOut(rest.systems[k], tuple(map(float, row)), _names(rest, k))
        for k, row in enumerate(rest.matrix() * sign if rest.systems else ())
    )
    return Leaderboard(
        places,
        board.datasets,
        wanted.text,
        unit,
        alpha,
        draws,
        seed,
        (*table.findings, *board.findings, *(() if tests is None else tests.findings)),
        (table.signatures[table.measures.index(wanted)],) if table.signatures else (),
        incomplete,
        left,
        wanted.better == "lower",
        _has_net(wanted),
        "" if tests is None else tests.method,
        unranked,
        limited,
        bounds,
        by,
        *_kept(board.only(order), rest, unit, sign),
    )


def _unit(board: Board, over: str, alpha: float) -> tuple[str, str, str]:
    """Return the unit of the test, why there are no ranks, and what limits them."""
    count, least = len(board.datasets), least_units(alpha)
    sets = f"{count:,} data {'set' if count == 1 else 'sets'}"
    cannot = f"{sets} cannot separate ranks beyond these data sets"
    unit = over
    if over == "auto":
        unit = "queries" if count < least and not board.fixed else "datasets"
    if unit == "queries" and board.fixed:
        raise OptionError(
            f"over=queries is not possible: {board.fixed}. Use over=datasets, with at least {least} data sets."
        )
    if board.untested:
        return unit, f"No ranks: {board.untested}.", ""
    if unit == "datasets" and count < least:
        if board.fixed:
            return unit, f"No ranks: {cannot}, and {board.fixed}.", ""
        return unit, "", f"{cannot}; use --over queries for these data sets only."
    queries = sum(cells.shape[1] for cells in board.cells)
    if unit == "queries" and queries < least:
        return unit, "", f"{queries:,} queries cannot separate ranks: at least {least} are needed."
    return unit, "", ""


def _ranked(
    places: tuple[Place, ...], means: Floats, tests: PairTests, alpha: float
) -> tuple[tuple[Place, ...], list[int]]:
    """Return the places with ranks, best first, and their order."""
    found = rank_intervals(tests.differences, tests.p, alpha=alpha)
    with np.errstate(invalid="ignore"):
        ranks = 1 + (tests.differences < 0).sum(axis=1)
    order = sorted(
        range(len(places)), key=lambda k: (ranks[k], -_last(float(means[k])), places[k].system)
    )
    best = order[0]
    names = [place.system for place in places]
    shared = letters(
        [names[k] for k in order], ((names[a], names[b]) for a, b in np.argwhere(found.better))
    )
    ranked = tuple(
        replace(
            places[k],
            rank=int(ranks[k]),
            low=int(found.low[k]),
            high=int(found.high[k]),
            tied=not bool(found.better[best, k] or found.better[k, best]),
            p_best=float(tests.p[best, k]),
            letters=shared[names[k]],
        )
        for k in order
    )
    return ranked, order


def _last(mean: float) -> float:
    """Return a number by which systems without a mean come last."""
    return -math.inf if math.isnan(mean) else float(mean)


def _has_net(measure: Measure) -> bool:
    """Return whether a score could be shown with its net score."""
    from tare.chance._net_measures import has_net

    return measure.inner is None and measure.registered and has_net(measure)


def _names(board: Board, system: int) -> tuple[str, ...]:
    return tuple(board.datasets[k] for k in np.flatnonzero(board.missing[system]))


def _bounds(measure: Measure, board: Board, sign: float) -> Bounds:
    """Return the possible range of a score; none if the scores are on another scale."""
    if not measure.registered:
        return None, None
    low, high = measure.definition.bounds
    values = np.concatenate([cells.ravel() for cells in board.spread]) * sign
    scores = board.matrix() * sign
    values = scores if measure.inner is not None else values
    with np.errstate(invalid="ignore"):
        outside = (low is not None and (values < low).any()) or (
            high is not None and (values > high).any()
        )
    return (None, None) if outside else (low, high)


def _ends(
    board: Board, unit: str, sign: float, bounds: Bounds, confidence: float
) -> list[tuple[float, float]]:
    """Return the interval of the mean of each system."""
    if unit == "datasets":
        matrix = np.where(board.known(), board.matrix(), np.nan) * sign
        return [interval_of_mean(row, bounds, confidence) for row in matrix]
    return [
        interval_over_queries([cells[k] * sign for cells in board.spread], bounds, confidence)
        for k in range(len(board.systems))
    ]


def _kept(
    board: Board, rest: Board, unit: str, sign: float
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Return the cells and the spread of all systems, ranked or not; empty if too many for a page."""
    systems = len(board.systems) + len(rest.systems)
    size = systems * sum(cells.shape[1] for cells in board.cells)
    if unit == "datasets" or size > MAX_CELLS:
        return (), ()
    both = ((board.cells, rest.cells), (board.spread, rest.spread))
    cells, spread = (
        tuple(np.vstack(pair) * sign for pair in zip(*parts, strict=True)) for parts in both
    )
    return cells, spread
