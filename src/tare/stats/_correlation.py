"""Correlations between two rankings of systems: the table of coefficients, bootstrap intervals, rank-biased overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare._kernels import statistics as kernels
from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, check_share, choose
from tare.stats import _draws
from tare.stats._draws import Drawing
from tare.stats._intervals import correlation_interval
from tare.stats._paired_differences import DIGITS, finite_matrix, rounded, rounded_rows
from tare.stats._randomisation import check_draws

__all__ = [
    "COEFFICIENTS",
    "KINDS",
    "OVER",
    "TIES",
    "WITH_PEOPLE",
    "Coefficient",
    "Correlation",
    "RankBiasedOverlap",
    "correlate",
    "correlation",
    "rbo",
    "rbo_of_rows",
    "resampled_means",
]


# Rank-biased overlap of two rankings, with ties: extrapolated, minimum, maximum and residual.


TIES = ("a", "b", "w")
Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class RankBiasedOverlap(SingleRowResult):
    """Rank-biased overlap of two rankings.

    Attributes
    ----------
    ext : float
        The extrapolated value.
    min, max, res : float
        Its bounds over unseen ranks, and their difference.
    p : float
        Persistence.
    ties : {"a", "b", "w"}
        How tied items are treated.

    Examples
    --------
    >>> found = rbo({"a": 3, "b": 2, "c": 1}, {"a": 3, "c": 2, "b": 1})
    >>> [round(float(x), 3) for x in (found.ext, found.min, found.max)]
    [0.955, 0.478, 0.955]
    """

    ext: float
    min: float
    max: float
    res: float
    p: float
    ties: str

    def answer(self) -> str:
        """Return the extrapolated overlap and its bounds."""
        return (
            f"Rank-biased overlap is {self.ext:.3f}; with the ranks that are not seen it is between "
            f"{self.min:.3f} and {self.max:.3f}."
        )

    def table(self) -> Table:
        """One row."""
        row = (self.ext, self.min, self.max, self.res, self.p, self.ties)
        columns = [Column(name) for name in ("RBO ext", "min", "max", "res", "p", "ties")]
        return Table.of(columns, [row])

    def row(self) -> Row:
        """Return the fields."""
        return asdict(self)


def rbo(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    p: float = 0.9,
    ties: str = "a",
    digits: int = DIGITS,
) -> RankBiasedOverlap:
    """Compute the rank-biased overlap of two rankings, with ties.

    Parameters
    ----------
    first, second : mapping of str to float
        Two rankings as {item: score}, larger scores first. They may have different items and lengths.
    p : float
        Persistence, between 0 and 1.
    ties : {"a", "b", "w"}
        "a": the mean over all orders of tied items. "b": as "a", normalised so that a ranking with ties
        agrees fully with itself. "w": a tied group counts as a whole from its first rank on.
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    RankBiasedOverlap
        The extrapolated value, its bounds, and their difference.

    Raises
    ------
    OptionError
        If `p` does not lie between 0 and 1, or `ties` is unknown.
    MismatchError
        If a ranking is empty or has a score that is not finite.

    Notes
    -----
    RBO = (1 − p) Σ_d p^(d−1) A_d, where A_d is the agreement of the first d ranks. Let c(e) be the
    contribution of item e at depth d, and X_d = Σ_e c(e)c'(e). For "a", c is the share of orders in which
    e is within the first d ranks, and A_d = X_d/d. For "b", A_d = X_d / (√(Σc²)·√(Σc'²)). For "w", A_d =
    2X_d/(Σc + Σc').

    Beyond the end of the shorter ranking, its size counts as d. Its d − s unseen items are assumed to
    agree as the seen ones do (ext), not at all (min), or to be the next items of the longer ranking
    (max); each counts as much as the items that only the longer ranking has. For "w" and "b" all four
    numbers, and for "a" min, max and res, are those of Corsi and Urbano (2024). For "a", ext is the exact
    mean of RBO_ext over all orders of tied items: unseen items are never tied and count fully. If the
    lengths differ and the longer ranking ends in ties, their ext is smaller, and ours can exceed their
    max.

    References
    ----------
    Webber, Moffat and Zobel (2010). A similarity measure for indefinite rankings. TOIS 28 (eqs 11, 30, 32).
    Corsi and Urbano (2024). The treatment of ties in rank-biased overlap. SIGIR.

    Examples
    --------
    >>> round(rbo({"a": 3, "b": 2, "c": 1}, {"a": 3, "c": 2, "b": 1}, p=0.9).ext, 4)
    0.955
    """
    choose("ties", ties, TIES)
    if not 0 < p < 1:
        raise OptionError(f"p={p} is out of range; the persistence must lie between 0 and 1.")
    if not first or not second:
        raise MismatchError("a ranking is empty; rank-biased overlap needs at least one item each.")
    items = sorted(set(first) | set(second))
    a, b = (_ranks(r, items, digits) for r in (first, second))
    if len(first) > len(second):
        a, b = b, a
    s, long = min(len(first), len(second)), max(len(first), len(second))
    depth = np.arange(1, long + 1)
    in_short, in_long = _contributions(a, depth, ties), _contributions(b, depth, ties)
    seen = (in_short * in_long).sum(axis=0)
    sizes = _sizes(in_short, in_long, s, depth, ties)
    at_s, at_l = float(seen[s - 1] / sizes[s - 1]), float(seen[-1])
    only = np.flatnonzero(np.isinf(a[:, 0]))
    only = only[np.argsort(b[only, 0], kind="stable")]
    more, most = _unseen(in_long[only, s:], ties)
    factor, weights = (1 - p) / p, p**depth

    def total(unseen: Floats | float, beyond: float) -> float:
        """Rank-biased overlap: seen overlap and that of unseen items of the shorter ranking; ranks beyond both."""
        overlap = seen.copy()
        overlap[s:] += unseen
        return factor * (float((overlap / sizes * weights).sum()) + beyond)

    ext = total(more * at_s, (at_l + (long - s) * at_s) / long * p ** (long + 1) / (1 - p))
    # At the least no unseen rank adds to the overlap.
    least = total(0.0, at_l * (-np.log1p(-p) - float((weights / depth).sum())))
    # At the most every unseen item is one that the other ranking has.
    full = s + long - round(at_l)
    d = np.arange(long + 1, full + 1)
    rising = float(((2 * d - s - long + at_l) / d * p**d).sum())
    greatest = total(most, rising + p ** (full + 1) / (1 - p))
    return RankBiasedOverlap(ext, least, greatest, max(0.0, greatest - least), p, ties)


def _ranks(ranking: Mapping[str, float], items: list[str], digits: int) -> Floats:
    """The first and last rank of each item's tied group, for rank-biased overlap; infinite if the ranking lacks the item."""
    names = list(ranking)
    values = rounded([float(ranking[name]) for name in names], digits)
    if not np.isfinite(values).all():
        raise MismatchError("a ranking holds a score that is not finite; leave the item out.")
    made = np.full((len(items), 2), np.inf)
    place = {item: k for k, item in enumerate(items)}
    rows = [place[name] for name in names]
    ascending = np.sort(values)
    made[rows, 0] = len(values) - np.searchsorted(ascending, values, side="right") + 1
    made[rows, 1] = len(values) - np.searchsorted(ascending, values, side="left")
    return made


def _contributions(ranks: Floats, depth: NDArray[np.int64], ties: str) -> Floats:
    """Overlap of rankings, items × depths: the share of an item within the first d ranks."""
    first, last = ranks[:, :1], ranks[:, 1:]
    if ties == "w":
        return (first <= depth).astype(np.float64)
    with np.errstate(invalid="ignore"):
        made = np.clip((depth - first + 1) / (last - first + 1), 0.0, 1.0)
    return np.where(np.isinf(first), 0.0, made)


def _sizes(
    in_short: Floats, in_long: Floats, s: int, depth: NDArray[np.int64], ties: str
) -> Floats:
    """The denominator of the agreement of two rankings; beyond the end of the shorter one, its size is d."""
    if ties == "w":
        return np.asarray(
            (np.where(depth <= s, in_short.sum(axis=0), depth) + in_long.sum(axis=0)) / 2
        )
    if ties == "b":
        own = np.where(depth <= s, (in_short**2).sum(axis=0), depth)
        return np.asarray(np.sqrt(own) * np.sqrt((in_long**2).sum(axis=0)))
    return depth.astype(np.float64)


def _unseen(only: Floats, ties: str) -> tuple[Floats, Floats]:
    """What the unseen items of the shorter ranking contribute to rank-biased overlap at each depth s < d ≤ l.

    only: contributions of the items that only the longer ranking has, in its order. First, d − s
    items that contribute as these do on average (all of it for "a"); second, the first d − s of
    these themselves.
    """
    count = np.arange(only.shape[1])
    if not len(count):
        return np.zeros(0), np.zeros(0)
    share = np.ones(len(count)) if ties == "a" else only.sum(axis=0) / (only > 0).sum(axis=0)
    return (count + 1) * share, np.asarray(np.cumsum(only, axis=0)[count, count])


# Rank-biased overlap of many pairs of rankings of the same systems at once.


CELLS = 4_000_000


def rbo_of_rows(x: Floats, y: Floats, *, p: float = 0.9) -> Floats:
    """Return the extrapolated rank-biased overlap of each row of scores of x with that of y.

    Equal to `rbo(…, ties="a").ext` for rankings of the same items: the mean over all orders of ties.

    >>> rbo_of_rows(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).round(4).tolist()
    [0.955]
    """
    n = x.shape[1]
    depth = np.arange(1, n + 1)
    weights = (1 - p) / p * p**depth
    step = max(1, CELLS // (n * n))
    made = np.empty(len(x))
    for at in range(0, len(x), step):
        parts = [_inside(rows[at : at + step], depth) for rows in (x, y)]
        seen = np.einsum("bid,bid->bd", *parts)
        made[at : at + step] = (seen / depth * weights).sum(axis=1) + p**n
    return made


def _inside(rows: Floats, depth: NDArray[np.int64]) -> Floats:
    """Return rows × items × depths for rank-biased overlap: the share of orders of ties with an item in the first d ranks."""
    above = (rows[:, None, :] > rows[:, :, None]).sum(axis=2)
    tied = (rows[:, None, :] == rows[:, :, None]).sum(axis=2)
    made: Floats = np.clip((depth - above[..., None]) / tied[..., None], 0.0, 1.0)
    return made


# The coefficients: to add one, add a row.


Kernel = Callable[[Floats, Floats, float, int], Floats]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of correlation between two rankings.

    Attributes
    ----------
    name, title : str
        The name of the option, and the name as papers write it.
    kernel : callable
        From rows x, rows y, persistence and threads to one value per row.
    on_ranks : bool
        Whether only the order of the scores counts, so that they are rounded first.
    least : float
        The smallest possible value.
    with_people : bool
        Whether it is offered for correlations of measures with people.
    repeatable : bool
        Whether it is defined where a resample holds a system twice.
    """

    name: str
    title: str
    kernel: Kernel
    on_ranks: bool = True
    least: float = -1.0
    with_people: bool = False
    repeatable: bool = True

    def of_rows(
        self, x: Floats, y: Floats, *, p: float = 0.9, digits: int = DIGITS, threads: int = 0
    ) -> Floats:
        """Return the correlation coefficient of each row of x with the same row of y; NaN if one is constant."""
        if self.on_ranks:
            x, y = rounded_rows(x, digits), rounded_rows(y, digits)
        return self.kernel(x, y, p, threads)

    def cleared(self, values: Floats) -> Floats:
        """Return scores without floating-point noise, where a rank correlation would make ranks of it."""
        return rounded(values) if self.on_ranks else values


def _core(kind: str) -> Kernel:
    return lambda x, y, p, threads: kernels.correlations(x, y, kind, threads)


def _rbo_each(x: Floats, y: Floats, p: float, threads: int) -> Floats:
    names = [str(k) for k in range(x.shape[1])]
    scored = ((dict(zip(names, row, strict=True)) for row in side) for side in (x, y))
    return np.array([rbo(a, b, p=p, digits=15).ext for a, b in zip(*scored, strict=True)])


COEFFICIENTS = {
    row.name: row
    for row in (
        Coefficient("pearson", "Pearson's r", _core("pearson"), on_ranks=False, with_people=True),
        Coefficient("spearman", "Spearman's ρ", _core("spearman"), with_people=True),
        Coefficient("tau_a", "Kendall's τ-a", _core("tau_a")),
        Coefficient("tau_b", "Kendall's τ-b", _core("tau_b"), with_people=True),
        Coefficient("tau_ap", "τ-AP", _core("tau_ap_a")),
        Coefficient("tau_ap_b", "τ-AP-b", _core("tau_ap_b")),
        Coefficient("rbo", "Rank-biased overlap", _rbo_each, least=0.0, repeatable=False),
    )
}
KINDS = tuple(COEFFICIENTS)
WITH_PEOPLE = tuple(name for name, row in COEFFICIENTS.items() if row.with_people)


# Correlations between two rankings of systems, with bootstrap intervals over systems, items or
# both.


OVER = ("systems", "items", "both", "none")


@dataclass(frozen=True, repr=False)
class Correlation(SingleRowResult):
    """A correlation between two rankings of systems, with its interval.

    Attributes
    ----------
    value, low, high : float
        The coefficient and its interval for samples of this size (see `correlate`); None if it is not
        computed, undefined, or if no resample differs.
    kind, over, note : str
        The coefficient, what was resampled, and remarks on the data.
    systems, items, undefined : int
        Number of systems, of items, and of draws without a coefficient.
    confidence : float
        Confidence level of the interval.
    draws, seed : int
        Number of bootstrap samples, and their seed.

    Examples
    --------
    >>> found = correlate([[0.9, 0.7], [0.6, 0.8]], [[0.8, 0.6], [0.5, 0.6]], draws=100)
    >>> found.kind, found.value, found.systems
    ('tau_b', 1.0, 2)
    """

    kind: str
    value: float
    low: float | None
    high: float | None
    systems: int
    items: int
    over: str
    confidence: float
    draws: int
    seed: int
    undefined: int = 0
    note: str = ""

    def answer(self) -> str:
        """Return the coefficient and its interval."""
        name = COEFFICIENTS[self.kind].title
        if math.isnan(self.value):
            return f"{name} is undefined."
        level = f"{100 * self.confidence:g} % interval"
        known = self.low is not None and self.high is not None
        ends = f" ({level} {self.low:.2f} to {self.high:.2f})" if known else ""
        found = f"{self.value:.2f}{ends}".replace("-", "−")
        return f"{name} is {found} over {self.systems:,} systems."

    def table(self) -> Table:
        """One row."""
        columns = [Column("coefficient", align="left"), Column("value"), Column("low")]
        columns += [Column("high"), Column("systems"), Column("items")]
        row = (self.kind, self.value, self.low, self.high, self.systems, self.items)
        notes = [self.note] if self.note else []
        if self.over != "none":
            notes.append(
                f"{100 * self.confidence:g} % interval of the expected coefficient for {self._sampled()} of "
                f"this size: {self.draws:,} resamples, seed {self.seed}. It need not contain the coefficient "
                "of the true rankings."
            )
        if self.undefined:
            notes.append(f"{self.undefined:,} draws had no coefficient and were left out.")
        return Table.of(columns, [row], notes=notes)

    def _sampled(self) -> str:
        return {"items": "item sets", "systems": "sets of systems"}.get(
            self.over, "sets of systems and items"
        )

    def row(self) -> Row:
        """Return the fields."""
        return asdict(self)


def correlation(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    kind: str = "tau_b",
    p: float = 0.9,
    digits: int = DIGITS,
) -> float:
    """Correlate two rankings given as {system: score}, matched by id.

    Parameters
    ----------
    first, second : mapping of str to float
        The two rankings, of the same systems.
    kind : {"pearson", "spearman", "tau_a", "tau_b", "tau_ap", "tau_ap_b", "rbo"}
        The coefficient. "spearman" uses mean ranks for ties; tau_a = (C − D)/pairs; tau_b = (C −
        D)/√(untied pairs of x · untied pairs of y). "tau_ap" is the AP correlation of `second` with the
        true ranking `first`, averaged over all orders of tied items (τ_AP,a). "tau_ap_b" is symmetric
        and allows ties in both. "rbo" is the extrapolated rank-biased overlap.
    p : float
        Persistence of "rbo".
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.

    Returns
    -------
    float
        The coefficient; NaN if one ranking is constant.

    Raises
    ------
    OptionError
        If `kind` is unknown, or `p` of "rbo" does not lie between 0 and 1.
    MismatchError
        If the rankings have different systems or fewer than 2, or a score is not finite.

    References
    ----------
    Kendall (1945); Yilmaz, Aslam and Robertson (2008); Urbano and Marrero (2017).

    Examples
    --------
    >>> correlation({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 2}, kind="tau_b")
    0.3333333333333333
    """
    choose("kind", kind, KINDS)
    if set(first) != set(second):
        odd = sorted(set(first) ^ set(second))[0]
        raise MismatchError(
            f"{odd!r} is in one ranking only; both must rank the same systems. Leave it out, or "
            "use rbo(), which allows for it."
        )
    systems = sorted(first)
    if len(systems) < 2:
        raise MismatchError(f"a correlation needs at least 2 systems; found {len(systems)}.")
    x = np.array([[float(first[s]) for s in systems]])
    y = np.array([[float(second[s]) for s in systems]])
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise MismatchError("a ranking holds a score that is not finite; leave it out.")
    return float(COEFFICIENTS[kind].of_rows(x, y, p=p, digits=digits)[0])


def correlate(
    first: ArrayLike,
    second: ArrayLike,
    *,
    systems: Sequence[str] | None = None,
    paired: bool = True,
    kind: str = "tau_b",
    over: str = "items",
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    p: float = 0.9,
    digits: int = DIGITS,
    threads: int = 0,
    engine: Drawing | None = None,
) -> Correlation:
    """Correlate the means of the rows of two matrices, with an interval.

    Parameters
    ----------
    first, second : array_like
        Scores of the same systems, systems × items; NaN where one is missing.
    systems : sequence of str, optional
        The names of the systems; by default their numbers.
    paired : bool
        Whether both matrices have the same items, of which a resample then takes the same ones.
    kind : str
        The coefficient, as in `correlation`.
    over : {"items", "systems", "both", "none"}
        What is resampled: how the coefficient would vary on other items, other systems, or both
        (Deutsch, Dror and Roth 2021). "none" computes no interval.
    confidence : float
        Confidence level of the interval.
    draws, seed : int
        Number of bootstrap samples, and their seed.
    p : float
        Persistence of "rbo".
    digits : int
        Scores are rounded to this many digits of the largest before they are ranked.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.
    engine : engine, optional
        Where items are resampled: an engine of `tare.engines`. The numbers are the same.

    Returns
    -------
    Correlation
        The coefficient and its interval, ± 1.96 standard deviations of the resampled coefficients for
        a confidence of 0.95, cut to the possible values. It is about the expected coefficient for item
        sets of this size, not about that of the true rankings.

    Raises
    ------
    OptionError
        If an option is unknown or out of range, or "rbo" is to be resampled over systems.
    MismatchError
        If the matrices are not aligned or have fewer than 2 rows, a row has no score, or a score is infinite.

    Examples
    --------
    >>> correlate([[0.9, 0.7], [0.6, 0.8]], [[0.8, 0.6], [0.5, 0.6]], draws=100).value
    1.0
    """
    choose("kind", kind, KINDS)
    choose("over", over, OVER)
    check_draws(draws, seed)
    coefficient = COEFFICIENTS[kind]
    if not coefficient.repeatable and over in ("systems", "both"):
        raise OptionError(
            f"over={over!r} draws a system more than once, which rank-biased overlap cannot "
            "place; use over='items' or another coefficient."
        )
    check_share("confidence", confidence)
    x, y = finite_matrix(first), finite_matrix(second)
    if len(x) != len(y) or (paired and x.shape != y.shape):
        raise MismatchError(
            f"matrices of shapes {x.shape} and {y.shape} are not aligned; rows are systems, columns items."
        )
    if len(x) < 2:
        raise MismatchError(f"found {len(x)} system; a correlation needs at least 2.")
    names = tuple(map(str, range(len(x)))) if systems is None else systems
    mean_x, mean_y = _means(x, names), _means(y, names)
    value = float(coefficient.of_rows(mean_x[None, :], mean_y[None, :], p=p, digits=digits)[0])
    notes = []
    if np.isnan(value):
        notes.append("Undefined: one of the rankings has all systems tied.")
    if not paired and over in ("items", "both"):
        notes.append("The tables have different items, which were resampled independently.")
    low = high = None
    undefined = 0
    if over != "none":
        drawn = resampled_means(x, y, paired, over, draws, seed, threads, engine=engine)
        found = coefficient.of_rows(*drawn, p=p, digits=digits)
        undefined = int(np.isnan(found).sum())
        low, high = correlation_interval(value, found, confidence, least=coefficient.least)
    return Correlation(
        kind,
        value,
        low,
        high,
        len(x),
        x.shape[1],
        over,
        confidence,
        draws if over != "none" else 0,
        seed,
        undefined,
        " ".join(notes),
    )


def _means(values: Floats, systems: Sequence[str]) -> Floats:
    counts = (~np.isnan(values)).sum(axis=1)
    if (counts == 0).any():
        empty = systems[int(np.argmin(counts))]
        raise MismatchError(f"{empty} has no score; leave it out.")
    made: Floats = np.nansum(values, axis=1) / counts
    return made


def resampled_means(
    x: Floats,
    y: Floats,
    same: bool,
    over: str,
    draws: int,
    seed: int,
    threads: int,
    *,
    gaps: bool = False,
    engine: Drawing | None = None,
) -> tuple[Floats, Floats]:
    """Draws × systems of means, for both tables.

    Draws that leave a system without items are left out; with `gaps` they stay and the system's mean is
    NaN. Every system has a score.
    """
    if over == "systems":
        mx, my = (np.tile(np.nanmean(values, axis=1), (draws, 1)) for values in (x, y))
    else:
        mx = _draws.resampled_means(x, draws, seed, threads, engine=engine).T
        # Other items need other draws, hence a separate seed.
        shifted = seed if same else seed + 1
        my = _draws.resampled_means(y, draws, shifted, threads, engine=engine).T
        if not gaps:
            whole = ~(np.isnan(mx).any(axis=1) | np.isnan(my).any(axis=1))
            mx, my = mx[whole], my[whole]
    if over in ("systems", "both"):
        chosen = kernels.resampled_indices(len(x), len(mx), seed=seed, substream=1)
        mx, my = np.take_along_axis(mx, chosen, 1), np.take_along_axis(my, chosen, 1)
    return np.ascontiguousarray(mx), np.ascontiguousarray(my)
