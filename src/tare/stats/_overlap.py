"""Rank-biased overlap of two rankings, with ties: extrapolated, minimum, maximum and residual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose
from tare.stats._pairs import DIGITS, rounded

if TYPE_CHECKING:
    pass

__all__ = ["TIES", "RankBiasedOverlap", "rbo"]

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
        """Seen overlap and that of unseen items of the shorter ranking; ranks beyond both."""
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
    """The first and last rank of each item's tied group; infinite if the ranking lacks the item."""
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
    """Items × depths: the share of an item within the first d ranks."""
    first, last = ranks[:, :1], ranks[:, 1:]
    if ties == "w":
        return (first <= depth).astype(np.float64)
    with np.errstate(invalid="ignore"):
        made = np.clip((depth - first + 1) / (last - first + 1), 0.0, 1.0)
    return np.where(np.isinf(first), 0.0, made)


def _sizes(
    in_short: Floats, in_long: Floats, s: int, depth: NDArray[np.int64], ties: str
) -> Floats:
    """The denominator of the agreement; beyond the end of the shorter ranking, its size is d."""
    if ties == "w":
        return np.asarray(
            (np.where(depth <= s, in_short.sum(axis=0), depth) + in_long.sum(axis=0)) / 2
        )
    if ties == "b":
        own = np.where(depth <= s, (in_short**2).sum(axis=0), depth)
        return np.asarray(np.sqrt(own) * np.sqrt((in_long**2).sum(axis=0)))
    return depth.astype(np.float64)


def _unseen(only: Floats, ties: str) -> tuple[Floats, Floats]:
    """What the unseen items of the shorter ranking contribute at each depth s < d ≤ l.

    only: contributions of the items that only the longer ranking has, in its order. First, d − s
    items that contribute as these do on average (all of it for "a"); second, the first d − s of
    these themselves.
    """
    count = np.arange(only.shape[1])
    if not len(count):
        return np.zeros(0), np.zeros(0)
    share = np.ones(len(count)) if ties == "a" else only.sum(axis=0) / (only > 0).sum(axis=0)
    return (count + 1) * share, np.asarray(np.cumsum(only, axis=0)[count, count])
