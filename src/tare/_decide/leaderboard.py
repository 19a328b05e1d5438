"""Leaderboards (`tare.leaderboard`): macro means with intervals, ranks with intervals, and ties."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.families import AUTO, MOST_FLIPPED, adjusted_p, decide
from tare._decide.leaderboard_data import (
    Board,
    Over,
    board_of,
    check_incomplete,
    chosen_measure,
    completed_board,
    net_by_dataset,
    sole_measure,
)
from tare._decide.leaderboard_result import Leaderboard, LeftOut, Place
from tare._measures.measure import Measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import adjust
from tare.stats._flips import NOTHING, least_units
from tare.stats._intervals import bounded_ends
from tare.stats._macro_flips import macro_max_t
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs
from tare.stats._randomisation import check_draws
from tare.stats._rank_intervals import rank_intervals
from tare.stats._tests_of_all_systems import letters

__all__ = [
    "Bounds",
    "PairTests",
    "interval_of_mean",
    "interval_over_queries",
    "leaderboard",
    "pair_tests",
]


# The macro mean of each system with its interval, over data sets or over the queries of fixed
# data sets.


Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]


def interval_of_mean(values: Floats, bounds: Bounds, confidence: float) -> tuple[float, float]:
    """Return the interval of a leaderboard's macro mean of the scores of data sets; NaN with one data set.

    Student's t, or Wilson's interval scaled to the observed spread if the measure is bounded.
    """
    n = len(values)
    if n < 2 or np.isnan(values).any():
        return math.nan, math.nan
    return _ends(
        float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n - 1, n, bounds, confidence
    )


def interval_over_queries(
    datasets: list[Floats], bounds: Bounds, confidence: float
) -> tuple[float, float]:
    """Return the interval of a leaderboard's mean over fixed data sets of the means of their queries.

    The variance is Σ s²_k/(n_k D²), with the degrees of freedom of Satterthwaite.
    """
    count = len(datasets)
    if any(np.isnan(values).any() or len(values) < 2 for values in datasets):
        return math.nan, math.nan
    mean = math.fsum(float(values.mean()) for values in datasets) / count
    sizes = np.array([len(values) for values in datasets], dtype=np.float64)
    parts = np.array([float(values.var(ddof=1)) for values in datasets]) / sizes / count**2
    variance = float(parts.sum())
    freedom = float((sizes - 1).sum())
    if variance > 0:
        freedom = variance**2 / float((parts**2 / (sizes - 1)).sum())
    units = count**2 / float((1 / sizes).sum())
    return _ends(mean, math.sqrt(variance), freedom, units, bounds, confidence)


def _ends(
    mean: float, error: float, freedom: float, units: float, bounds: Bounds, confidence: float
) -> tuple[float, float]:
    from scipy.special import stdtrit

    t = float(stdtrit(freedom, (1 + confidence) / 2))
    low, high = bounds
    if low is not None and high is not None:
        span = high - low
        ends = bounded_ends((mean - low) / span, error / span, t, units)
        return low + ends[0] * span, low + ends[1] * span
    ends = mean - t * error, mean + t * error
    return (
        ends[0] if low is None else max(ends[0], low),
        ends[1] if high is None else min(ends[1], high),
    )


# The test of all pairs of a leaderboard: flips of data sets, or of the queries of fixed data
# sets.


FLIPS = "{patterns}, adjusted by the largest |t| of all pairs"
OWN = "sign flips of each pair on its common data sets ({patterns}), with Holm's correction"
STUDENT = "t-tests of each pair on its common data sets, with Holm's correction"


@dataclass(frozen=True, eq=False)
class PairTests:
    """The differences row − column of a leaderboard's macro means, and their p-values adjusted for all pairs.

    A pair without a common data set has NaN and p = 1.
    """

    differences: Floats
    p: Floats
    method: str
    findings: tuple[Finding, ...] = ()


def pair_tests(board: Board, over: str, *, draws: int, seed: int, alpha: float) -> PairTests:
    """Test all pairs of systems of a leaderboard with data sets or queries as the unit.

    A complete board is tested by flips of whole units and the largest |t|. Pairs of an incomplete board
    have their own flips on their common data sets, and Holm's correction.
    """
    if over == "datasets":
        made = _over_datasets(board, draws, seed, alpha)
    elif board.known().all():
        made = _over_queries(board, draws, seed, alpha)
    else:
        made = _over_common_queries(board, draws, seed)
    if np.isnan(made.differences[np.triu_indices(len(board.systems), 1)]).all():
        raise MismatchError("no two systems have a data set in common, so none can be compared.")
    return made


def _over_datasets(board: Board, draws: int, seed: int, alpha: float) -> PairTests:
    order = sorted(range(len(board.datasets)), key=lambda k: board.datasets[k])
    matrix = np.where(board.known(), board.matrix(), np.nan)[:, order]
    pairs = Pairs.of_matrix(matrix)
    choice = decide(AUTO, AUTO, [pairs], draws=draws)
    options = TestOptions(choice.draws, seed, alpha, largest=choice.correction == "max-t")
    result = run_test(pairs, choice.test, options)
    if choice.correction == "holm":
        adjusted = adjust(np.where(pairs.n > 0, result.p, np.nan), "holm")
    else:
        adjusted = adjusted_p(result, choice.correction)
    differences = np.where(pairs.n > 0, pairs.means, np.nan)
    whole = choice.correction != "holm"
    units = int((np.nan_to_num(pairs.differences) != 0).any(axis=0).sum())
    words = FLIPS if whole else OWN if choice.test == "permutation" else STUDENT
    method = words.format(patterns=_patterns(units, choice.draws, seed))
    found = choice.findings
    if not whole and choice.test == "permutation":
        found += _too_few_common(int(pairs.n.max()), int((pairs.n > 0).sum()), alpha)
    return _filled(board, pairs.first, pairs.second, differences, adjusted, method, found)


def _patterns(units: int, draws: int, seed: int) -> str:
    """Say how many sign patterns were tried."""
    count = 2 ** max(units - 1, 0)
    return (
        f"all {count:,} sign patterns"
        if units < 64 and count <= draws
        else f"{draws:,} drawn sign patterns, seed {seed}"
    )


def _too_few_common(most: int, pairs: int, alpha: float) -> tuple[Finding, ...]:
    """Say that Holm's first step cannot be reached."""
    needed = least_units(alpha / pairs)
    if most >= needed:
        return ()
    text = (
        f"with Holm's correction of {pairs:,} pairs a difference needs {needed} common data sets that differ, and no "
        f"two systems have more than {most}: no difference can be significant. --incomplete drop ranks the "
        "complete systems together, which needs fewer"
    )
    return (Finding("resolution", text),)


def _over_queries(board: Board, draws: int, seed: int, alpha: float) -> PairTests:
    order = sorted(range(len(board.datasets)), key=lambda k: board.datasets[k])
    tables = [board.cells[k].T for k in order]
    found = macro_max_t(tables, draws=draws, seed=seed, alpha=alpha)
    units = found.patterns.bit_length() if found.exact else found.n
    method = FLIPS.format(patterns=_patterns(units, draws, seed))
    return _filled(board, found.first, found.second, found.difference, found.p, method, ())


def _over_common_queries(board: Board, draws: int, seed: int) -> PairTests:
    count, known = len(board.systems), board.known()
    first, second = np.triu_indices(count, 1)
    both = known[first] & known[second]
    sizes = np.array([cells.shape[1] for cells in board.cells])
    pairs = int(both.any(axis=1).sum())
    draws = max(draws, 40 * pairs)
    flipped = draws * int((both @ sizes).sum())
    able = flipped <= MOST_FLIPPED
    most = int((both @ sizes).max())
    method = OWN.format(patterns=_patterns(most, draws, seed)) if able else STUDENT
    order = sorted(range(len(board.datasets)), key=lambda k: board.datasets[k])
    differences, p = np.full((2, len(first)), np.nan)
    for k in np.flatnonzero(both.any(axis=1)):
        rows = [int(first[k]), int(second[k])]
        tables = [board.cells[d][rows] for d in order if both[k, d]]
        if able:
            found = macro_max_t([x.T for x in tables], draws=draws, seed=seed)
            differences[k], p[k] = found.difference[0], found.alone[0]
        else:
            differences[k], p[k] = _student([x[0] - x[1] for x in tables])
    findings: tuple[Finding, ...] = ()
    if not able:
        text = (
            f"{flipped:.2g} flips of differences would be needed: t-tests with Holm's correction were used "
            "instead. They assume normal differences"
        )
        findings = (Finding("left out", text, severity="note"),)
    return _filled(board, first, second, differences, adjust(p, "holm"), method, findings)


def _student(differences: list[Floats]) -> tuple[float, float]:
    """Return the macro mean of the differences and its p by Student's t (freedom of Satterthwaite)."""
    count = len(differences)
    mean = math.fsum(math.fsum(d) / len(d) for d in differences) / count
    parts = np.array([float(d.var(ddof=1)) / len(d) / count**2 for d in differences])
    if parts.sum() == 0:
        return mean, 1.0
    freedom = parts.sum() ** 2 / sum(
        v * v / (len(d) - 1) for v, d in zip(parts, differences, strict=True)
    )
    t = np.array(mean / math.sqrt(parts.sum()))
    return mean, float(two_sided_t(t, np.array(freedom)))


def _filled(
    board: Board,
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    differences: Floats,
    p: Floats,
    method: str,
    findings: tuple[Finding, ...],
) -> PairTests:
    """Return the results of pairs as matrices."""
    count = len(board.systems)
    gaps, adjusted = np.full((count, count), np.nan), np.ones((count, count))
    np.fill_diagonal(gaps, 0.0)
    gaps[first, second], gaps[second, first] = differences, -differences
    largest = max((float(np.nanmax(np.abs(x), initial=0.0)) for x in board.cells), default=0.0)
    with np.errstate(
        invalid="ignore"
    ):  # equal means have equal ranks, whatever rounding makes of them
        gaps = np.where(np.abs(gaps) < NOTHING * largest, 0.0, gaps)
    known = np.where(np.isnan(p), 1.0, p)
    adjusted[first, second] = adjusted[second, first] = known
    return PairTests(gaps, adjusted, method, findings)


# The study behind a leaderboard: macro means with intervals, ranks with intervals, and ties.


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
    check_share("alpha", alpha)
    table: Scores = scores_of(scores)
    wanted = chosen_measure(table, measure if measure is not None else sole_measure(table))
    sign = -1.0 if wanted.better == "lower" else 1.0
    board, rest = completed_board(board_of(table, by, wanted), incomplete, sign)
    unit, unranked, limited = _unit(board, over, alpha)
    bounds = _bounds(wanted, board, sign)
    ends = _rank_ends(board, unit, sign, bounds, 1 - alpha)
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
    """Return the unit of the leaderboard's test, why there are no ranks, and what limits them."""
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
    """Return the places of the leaderboard with ranks, best first, and their order."""
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
    """Return a number by which systems without a mean come last on the leaderboard."""
    return -math.inf if math.isnan(mean) else float(mean)


def _has_net(measure: Measure) -> bool:
    """Return whether a score on the leaderboard could be shown with its net score."""
    from tare.chance._net_measures import has_net

    return measure.inner is None and measure.registered and has_net(measure)


def _names(board: Board, system: int) -> tuple[str, ...]:
    return tuple(board.datasets[k] for k in np.flatnonzero(board.missing[system]))


def _bounds(measure: Measure, board: Board, sign: float) -> Bounds:
    """Return the possible range of a leaderboard's score; none if the scores are on another scale."""
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


def _rank_ends(
    board: Board, unit: str, sign: float, bounds: Bounds, confidence: float
) -> list[tuple[float, float]]:
    """Return the interval of the macro mean of each system of a leaderboard."""
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
    """Return the cells and the spread of all systems of a leaderboard, ranked or not; empty if too many for a page."""
    systems = len(board.systems) + len(rest.systems)
    size = systems * sum(cells.shape[1] for cells in board.cells)
    if unit == "datasets" or size > MAX_CELLS:
        return (), ()
    both = ((board.cells, rest.cells), (board.spread, rest.spread))
    cells, spread = (
        tuple(np.vstack(pair) * sign for pair in zip(*parts, strict=True)) for parts in both
    )
    return cells, spread
