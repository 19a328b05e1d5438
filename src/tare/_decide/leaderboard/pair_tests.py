"""The test of all pairs of a leaderboard: flips of data sets, or of the queries of fixed data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._decide.choices import AUTO, MOST_FLIPPED, decide
from tare._decide.families import adjusted_p
from tare._decide.leaderboard.data import Board
from tare.errors import MismatchError
from tare.stats._classical_tests import two_sided_t
from tare.stats._corrections import adjust
from tare.stats._flips import NOTHING, least_units
from tare.stats._macro_flips import macro_max_t
from tare.stats._named_tests import TestOptions, run_test
from tare.stats._paired_differences import Pairs

__all__ = ["PairTests", "pair_tests"]

Floats = NDArray[np.float64]

FLIPS = "{patterns}, adjusted by the largest |t| of all pairs"
OWN = "sign flips of each pair on its common data sets ({patterns}), with Holm's correction"
STUDENT = "t-tests of each pair on its common data sets, with Holm's correction"


@dataclass(frozen=True, eq=False)
class PairTests:
    """The differences row − column of the macro means, and their p-values adjusted for all pairs.

    A pair without a common data set has NaN and p = 1.
    """

    differences: Floats
    p: Floats
    method: str
    findings: tuple[Finding, ...] = ()


def pair_tests(board: Board, over: str, *, draws: int, seed: int, alpha: float) -> PairTests:
    """Test all pairs with data sets or queries as the unit.

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
