"""Tests of all systems at once: does any differ from the others, and which (Tukey's HSD, letters)?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels.statistics import largest_ranges, studentised_range_tail
from tare._result import Row, SingleRowResult
from tare._tables import Column, PColumn, Table, p_stated
from tare.errors import MismatchError
from tare.stats._anova import Layout
from tare.stats._draws import Drawing, drawn, monte_carlo
from tare.stats._paired_differences import DIGITS, Pairs, PairTest, finite_matrix, rounded
from tare.stats._randomisation import DRAWS, check_draws
from tare.stats._ranks_with_ties import mean_ranks

__all__ = [
    "Omnibus",
    "friedman",
    "friedman_statistic",
    "half_widths",
    "kruskal_statistic",
    "kruskal_wallis",
    "letters",
    "range_p",
    "range_quantile",
    "tukey",
    "tukey_kramer",
    "tukey_randomised",
    "tukey_ranks",
]


# Omnibus tests: does any system differ from the others?


Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Omnibus(SingleRowResult):
    """A statistic of all systems, its degrees of freedom, and p from the χ² distribution.

    Attributes
    ----------
    test : str
        The name of the test.
    statistic, p : float
        The statistic, and its p-value.
    freedom : int
        Degrees of freedom.
    systems, items : int
        Number of systems and of items.
    note : str
        Remarks on the data, such as items that were left out.

    Examples
    --------
    >>> found = friedman([[5, 6, 7], [4, 4, 5], [1, 2, 2]])
    >>> found.statistic, found.freedom, round(found.p, 4)
    (6.0, 2, 0.0498)
    """

    test: str
    statistic: float
    freedom: int
    p: float
    systems: int
    items: int
    note: str = ""

    def answer(self) -> str:
        """Return the statistic and its p-value."""
        return (
            f"{self.test}: χ² = {self.statistic:.2f} with {self.freedom} degrees of freedom, "
            f"{p_stated(self.p)}, over {self.systems:,} systems and {self.items:,} items."
        )

    def table(self) -> Table:
        """One row."""
        row = (self.test, self.statistic, self.freedom, self.p, self.systems, self.items)
        columns = [
            Column("test", align="left"),
            Column("χ²"),
            Column("df"),
            PColumn("p"),
            Column("systems"),
            Column("n"),
        ]
        return Table.of(columns, [row], notes=[self.note] if self.note else [])

    def row(self) -> Row:
        """Return the fields."""
        return asdict(self)


def kruskal_statistic(groups: Sequence[Floats]) -> tuple[float, float]:
    """Kruskal and Wallis' H of groups of values, corrected for ties, and its p."""
    from scipy.special import chdtrc

    flat = np.concatenate(groups)
    sizes = np.array([len(g) for g in groups])
    total = float(len(flat))
    _, counts = np.unique(flat, return_counts=True)
    correction = 1 - float((counts.astype(np.float64) ** 3 - counts).sum()) / (total**3 - total)
    if correction <= 0:
        return 0.0, 1.0
    sums = np.array([r.sum() for r in np.split(mean_ranks(flat), np.cumsum(sizes)[:-1])])
    h = 12 / (total * (total + 1)) * float((sums**2 / sizes).sum()) - 3 * (total + 1)
    return h / correction, float(chdtrc(len(groups) - 1, h / correction))


def friedman_statistic(whole: Floats) -> tuple[float, float]:
    """Friedman's Q of the rows of a full matrix, ranked within its columns, corrected for ties, and its p."""
    from scipy.special import chdtrc

    m, n = whole.shape
    ranks = mean_ranks(whole.T).T
    spread = float((ranks**2).sum()) - n * m * (m + 1) ** 2 / 4
    if spread <= 0:
        return 0.0, 1.0
    sums = ranks.sum(axis=1) - n * (m + 1) / 2
    statistic = (m - 1) * float((sums**2).sum()) / spread
    return statistic, float(chdtrc(m - 1, statistic))


def kruskal_wallis(values: ArrayLike, *, digits: int = DIGITS) -> Omnibus:
    """Run the Kruskal–Wallis test on the ranks of all scores together, corrected for ties.

    It treats the scores of different systems as independent samples; `friedman` ranks within items.

    Parameters
    ----------
    values : array_like
        The scores, systems × items; NaN where one is missing.
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    Omnibus
        H = [12/(N(N+1)) Σ R_s²/n_s − 3(N+1)] / [1 − Σ(t³ − t)/(N³ − N)] and its p-value.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems or 3 scores, a system has no score, or a score is infinite.

    References
    ----------
    Kruskal and Wallis (1952).

    Examples
    --------
    >>> round(kruskal_wallis([[5, 6, 7], [4, 4, 5], [1, 2, 2]]).p, 4)
    0.0302
    """
    given = finite_matrix(values)
    present = ~np.isnan(given)
    sizes = present.sum(axis=1)
    if len(given) < 2 or (sizes == 0).any() or present.sum() < 3:
        raise MismatchError("the Kruskal–Wallis test needs two systems with scores, three in all.")
    flat = rounded(given[present], digits)
    groups = np.split(flat, np.cumsum(sizes)[:-1])
    statistic, p = kruskal_statistic(groups)
    freedom = len(given) - 1
    note = "" if flat.min() < flat.max() else "all scores are the same"
    return Omnibus("Kruskal–Wallis", statistic, freedom, p, len(given), given.shape[1], note)


def friedman(values: ArrayLike, *, digits: int = DIGITS) -> Omnibus:
    """Run Friedman's test on the ranks of the systems within each item, corrected for ties.

    Parameters
    ----------
    values : array_like
        The scores, systems × items; NaN where one is missing. Items that lack a system are left out.
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    Omnibus
        Q = (m−1) Σ_s (R_s − n(m+1)/2)² / [Σ r² − n·m(m+1)²/4] and its p-value.

    Raises
    ------
    MismatchError
        If there are fewer than 2 systems or 2 items with a score of each, or a score is infinite.

    References
    ----------
    Friedman (1937).

    Examples
    --------
    >>> round(friedman([[5, 6, 7], [4, 4, 5], [1, 2, 2]]).p, 4)
    0.0498
    """
    given = finite_matrix(values)
    whole = given[:, ~np.isnan(given).any(axis=0)]
    m, n = whole.shape
    if m < 2 or n < 2:
        raise MismatchError(
            f"Friedman's test needs at least 2 systems on 2 common items; found {m} on {n}."
        )
    statistic, p = friedman_statistic(rounded(whole, digits))
    left_out = given.shape[1] - n
    note = f"{left_out:,} items without a score of every system were left out" if left_out else ""
    return Omnibus("Friedman", statistic, m - 1, p, m, n, note)


# Tukey's honestly significant difference: all pairs of systems at once.
#
# The Tukey–Kramer test accepts missing cells. The others leave out and count items that lack a system.


def _complete(pairs: Pairs) -> tuple[Floats, str]:
    whole = pairs.scores[:, pairs.complete]
    if whole.shape[1] < 2:
        raise MismatchError(
            f"only {whole.shape[1]} item(s) have a score of each of the {len(pairs.systems)} "
            "systems; Tukey's tests need at least 2. Compare pairs on their common items instead, "
            'with test="t" and correction="holm", or leave out systems with missing scores.'
        )
    left_out = pairs.scores.shape[1] - whole.shape[1]
    note = f"{left_out:,} items without a score of every system were left out" if left_out else ""
    return whole, note


def range_quantile(alpha: float, groups: int, freedom: float) -> float:
    """Tukey's critical value: the q of the studentised range with P(Q > q) = alpha, found on three successively finer grids."""
    low, high = 0.0, 100.0
    for _ in range(6):
        grid = np.linspace(low, high, 41)
        tail = studentised_range_tail(grid, groups, freedom)
        k = int(np.clip(np.searchsorted(-tail, -alpha), 1, 40))
        low, high = float(grid[k - 1]), float(grid[k])
    return (low + high) / 2


def tukey(pairs: Pairs, *, alpha: float = 0.05) -> PairTest:
    """Run Tukey's HSD test with the error term of the layout systems + items.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    alpha : float
        Significance level.

    Returns
    -------
    PairTest
        q = |x̄_a − x̄_b| / √(MSE/n), MSE = Σ(x_si − x̄_s − x̄_i + x̄)² / ((m−1)(n−1)), and p from the
        studentised range of m systems. The difficulty of the items is not part of the error; the
        one-way form includes it and finds little.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.

    References
    ----------
    Tukey (1953); Carterette (2012).

    Examples
    --------
    >>> tukey(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.0163, 0.0005, 0.0029]
    """
    whole, note = _complete(pairs)
    m, n = whole.shape
    residuals = whole - whole.mean(1, keepdims=True) - whole.mean(0, keepdims=True) + whole.mean()
    freedom = float((m - 1) * (n - 1))
    mse = float((residuals * residuals).sum()) / freedom
    means = whole.mean(axis=1)
    gap = np.abs(means[pairs.first] - means[pairs.second])
    floor = float(np.abs(whole).max(initial=0.0)) * 1e-10
    if mse <= floor * floor:  # every item shifts every system alike
        q = np.where(gap <= floor, 0.0, np.inf)
        p = np.where(gap <= floor, 1.0, 2.0 ** (1.0 - n))
        half = np.zeros(len(pairs))
    else:
        error = np.sqrt(mse / n)
        q = gap / error
        p = studentised_range_tail(q, m, freedom)
        half = np.full(len(pairs), range_quantile(alpha, m, freedom) * error)
    return PairTest(
        "tukey",
        pairs,
        q,
        p,
        np.full(len(pairs), n),
        ("studentised range",) * len(pairs),
        freedom=np.full(len(pairs), freedom),
        family_wise=True,
        half_width=half,
        note=note,
    )


def tukey_kramer(pairs: Pairs, *, alpha: float = 0.05) -> PairTest:
    """Run the Tukey–Kramer test on adjusted means, for tables with missing cells.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    alpha : float
        Significance level.

    Returns
    -------
    PairTest
        q = √2·|difference of adjusted means| / standard error, and p from the studentised range of m
        systems. Adjusted means estimate by least squares what each system would score on all items.
        Without missing cells this is Tukey's HSD.

    Raises
    ------
    MismatchError
        If a system has no score, some share no items with the others, or there are too few scores.

    References
    ----------
    Tukey (1953); Kramer (1956).

    Examples
    --------
    >>> tukey_kramer(Pairs.of_matrix([[5, 6, 7], [4, np.nan, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.057, 0.0015, 0.0078]
    """
    from tare.stats._anova import additive_layout

    whole = additive_layout(pairs.scores)
    gap = whole.means[pairs.first] - whole.means[pairs.second]
    error = np.sqrt(whole.error * whole.spread[pairs.first, pairs.second])
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(gap == 0, 0.0, np.abs(gap) * np.sqrt(2) / error)
    half = range_quantile(alpha, len(pairs.systems), whole.freedom) * error / np.sqrt(2)
    return PairTest(
        "tukey-kramer",
        pairs,
        q,
        range_p(whole)[pairs.first, pairs.second],
        pairs.n,
        ("studentised range",) * len(pairs),
        freedom=np.full(len(pairs), whole.freedom),
        family_wise=True,
        half_width=half,
        centre=gap,
    )


def tukey_randomised(
    pairs: Pairs,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    alpha: float = 0.05,
    threads: int = 0,
    engine: Drawing | None = None,
) -> PairTest:
    """Run the randomised Tukey HSD test: shuffle scores within each item.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.
    draws, seed : int
        Number of random draws, and their seed.
    alpha : float
        Significance level.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where the draws are made; by default in this process.

    Returns
    -------
    PairTest
        p = (b + 1)/(B + 1), where b is the number of draws whose largest difference of two means reaches
        the pair's.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.
    OptionError
        If `draws` or `seed` is out of range.

    References
    ----------
    Carterette (2012).

    Examples
    --------
    >>> tukey_randomised(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]]), draws=999).p.round(2).tolist()
    [0.71, 0.02, 0.4]
    """
    check_draws(draws, seed)
    whole, note = _complete(pairs)
    made = drawn(
        largest_ranges, scores=whole.T, draws=draws, seed=seed, threads=threads, engine=engine
    )
    ranges = np.sort(made)
    means = whole.mean(axis=1)
    gap = np.abs(means[pairs.first] - means[pairs.second])
    tolerance = float(np.abs(whole).max(initial=0.0)) * 10.0 ** (-pairs.digits)
    reached = draws - np.searchsorted(ranges, gap - tolerance, side="left")
    p, error = monte_carlo(reached, draws)
    half = np.full(len(pairs), float(np.quantile(ranges, 1 - alpha)))
    return PairTest(
        "tukey-randomised",
        pairs,
        gap,
        p,
        np.full(len(pairs), whole.shape[1]),
        (f"{draws:,} shuffles",) * len(pairs),
        error=error,
        family_wise=True,
        half_width=half,
        note=note,
    )


def _mean_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Mean ranks within each row for Tukey's test on ranks, and Σ(t³ − t) of the ties of each row."""
    ranks = mean_ranks(values)
    ties = np.empty(len(values))
    for k, row in enumerate(values):
        _, counts = np.unique(row, return_counts=True)
        ties[k] = float((counts.astype(np.float64) ** 3 - counts).sum())
    return ranks, ties


def tukey_ranks(pairs: Pairs) -> PairTest:
    """Run Tukey's test on the ranks of all scores together, after Kruskal and Wallis.

    It ignores that systems are scored on the same items: use it for groups.

    Parameters
    ----------
    pairs : Pairs
        Pairs of systems.

    Returns
    -------
    PairTest
        q = |R̄_a − R̄_b| / √(V/n), V = [N(N+1) − Σ(t³ − t)/(N−1)]/12, and p from the studentised range with
        infinite degrees of freedom.

    Raises
    ------
    MismatchError
        If fewer than 2 items have a score of every system.

    Examples
    --------
    >>> tukey_ranks(Pairs.of_matrix([[5, 6, 7], [4, 4, 5], [1, 2, 2]])).p.round(4).tolist()
    [0.4485, 0.0224, 0.3233]
    """
    whole, note = _complete(pairs)
    m, n = whole.shape
    total = m * n
    ranks, ties = _mean_ranks(rounded(whole, pairs.digits).reshape(1, -1))
    means = ranks.reshape(m, n).mean(axis=1)
    variance = (total * (total + 1) - float(ties[0]) / (total - 1)) / 12
    return _by_ranks("tukey-ranks", pairs, means, variance / n, m, n, note)


def _by_ranks(
    test: str, pairs: Pairs, means: Floats, variance: float, m: int, n: int, note: str
) -> PairTest:
    gap = np.abs(means[pairs.first] - means[pairs.second])
    q = gap / np.sqrt(variance) if variance > 0 else np.zeros_like(gap)
    p = studentised_range_tail(q, m, np.inf)
    return PairTest(
        test,
        pairs,
        q,
        np.where(gap == 0, 1.0, p),
        np.full(len(pairs), n),
        ("studentised range of ranks",) * len(pairs),
        family_wise=True,
        note=note,
    )


# Simultaneous intervals of the levels of a factor: two levels differ where their intervals do not
# overlap.
#
# The Tukey–Kramer test of all differences, and comparison intervals that show the same decisions: half
# widths w with w_i + w_j as close as possible to the critical difference of i and j (Hochberg and Tamhane
# 1987, §3.4), and equal to it if all levels have the same number of scores.


def range_p(layout: Layout, level: int | None = None) -> Floats:
    """Tukey's p-value of every two levels, or of each against one, from the studentised range.

    q = √2·|x̄_i − x̄_j| / √(error·spread).
    """
    rows = slice(None) if level is None else slice(level, level + 1)
    gap = np.abs(layout.means[rows, None] - layout.means[None, :])
    floor = 1e-10 * max(float(np.abs(layout.means).max()), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = gap * np.sqrt(2) / np.sqrt(layout.error * layout.spread[rows])
    q = np.where(gap <= floor, 0.0, q)
    tail = studentised_range_tail(
        np.where(np.isfinite(q), q, 1e6).ravel(), len(layout.means), layout.freedom
    )
    made = np.where(gap <= floor, 1.0, tail.reshape(gap.shape))
    return made if level is None else made[0]


def half_widths(layout: Layout, alpha: float = 0.05) -> Floats:
    """Half the width of each level's comparison interval."""
    count = len(layout.means)
    quantile = range_quantile(alpha, count, layout.freedom)
    critical = quantile / np.sqrt(2) * np.sqrt(layout.error * layout.spread)
    np.fill_diagonal(critical, 0.0)
    if count == 2:
        return np.full(2, float(critical[0, 1]) / 2)
    total = critical.sum() / 2
    made: Floats = ((count - 1) * critical.sum(axis=1) - total) / ((count - 1) * (count - 2))
    return np.maximum(made, 0.0)


# Compact letter display: systems that share a letter do not differ significantly.


def letters(systems: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Make a compact letter display: systems that share a letter do not differ significantly.

    Parameters
    ----------
    systems : sequence of str
        The systems, best first.
    different : iterable of tuple of str
        The pairs that differ.

    Returns
    -------
    dict of str to str
        The letters of each system. Two systems share a letter exactly if they do not differ. After z
        come aa, ab, …, with commas between them.

    Raises
    ------
    KeyError
        If a pair names a system that is not in `systems`.

    Notes
    -----
    A letter is a maximal set of systems without a significant difference. Sets are added until every
    pair that does not differ shares one; redundant sets are then removed (Gramm et al. 2007). The older
    insert-and-absorb algorithm of Piepho (2004) takes exponential time.

    Examples
    --------
    >>> letters(["A", "B", "C"], [("A", "C")])
    {'A': 'a', 'B': 'ab', 'C': 'b'}
    """
    place = {system: k for k, system in enumerate(systems)}
    alike = [(1 << len(systems)) - 1 for _ in systems]  # bit j of alike[i]: i and j do not differ
    for a, b in different:
        i, j = place[a], place[b]
        alike[i] &= ~(1 << j)
        alike[j] &= ~(1 << i)
    columns = _swept(_cover(alike), len(systems))
    columns.sort(key=_members)
    names = [_name(k) for k in range(len(columns))]
    comma = "," if len(columns) > 26 else ""
    return {
        system: comma.join(n for n, c in zip(names, columns, strict=True) if c >> k & 1)
        for k, system in enumerate(systems)
    }


def _members(column: int) -> list[int]:
    return [k for k in range(column.bit_length()) if column >> k & 1]


def _cover(alike: list[int]) -> list[int]:
    """Letters of the display: sets of systems that are alike, such that every alike pair (and every system) is in one."""
    size = len(alike)
    open_ = [alike[i] & ~(1 << i) for i in range(size)]  # pairs that no set shows yet
    columns: list[int] = []
    for i in range(size):
        while open_[i] or not any(c >> i & 1 for c in columns):
            column, common = 1 << i, alike[i]
            # Those first that show a pair for the first time, then all others that fit, best first.
            for wanted in (True, False):
                for j in range(size):
                    fits = common >> j & 1 and not column >> j & 1
                    if fits and (not wanted or open_[i] >> j & 1):
                        column |= 1 << j
                        common &= alike[j]
            columns.append(column)
            for j in _members(column):
                open_[j] &= ~column
    return columns


def _swept(columns: list[int], size: int) -> list[int]:
    """The letters of the display without sets all of whose pairs, and systems, other sets show as well."""
    kept = sorted(columns, key=int.bit_count)
    for column in list(kept):
        others = [c for c in kept if c != column]
        partners = [0] * size  # with whom each system shares one of the others
        for other in others:
            for k in _members(other):
                partners[k] |= other
        if all(partners[k] & column == column for k in _members(column)):
            kept = others
    return kept


def _name(index: int) -> str:
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("a") + rest) + name
    return name
