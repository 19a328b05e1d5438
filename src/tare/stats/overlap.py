"""Rank-biased overlap of two rankings, with ties: extrapolated, minimum and residual."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare.errors import MismatchError, OptionError, choose
from tare.reportable import Reportable
from tare.stats.pairs import DIGITS, rounded
from tare.tables import Column, Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TIES", "RankBiasedOverlap", "rbo"]

TIES = ("a", "b", "w")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RankBiasedOverlap(Reportable):
    """RBO: `ext` as a point, `min` what is certain, `res` what unseen ranks could add to it."""

    ext: float
    min: float
    res: float
    p: float
    ties: str

    def table(self) -> Table:
        """One row."""
        row = (self.ext, self.min, self.res, self.p, self.ties)
        columns = [Column(name) for name in ("RBO ext", "min", "res", "p", "ties")]
        return Table.of(columns, [row])

    def to_frame(self) -> pl.DataFrame:
        """A polars frame of one row."""
        import polars as pl

        return pl.DataFrame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """The fields."""
        return asdict(self)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def rbo(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    p: float = 0.9,
    ties: str = "a",
    digits: int = DIGITS,
) -> RankBiasedOverlap:
    """Rank-biased overlap of two rankings given as {item: score}, larger scores first.

    (1 − p) Σ_d p^(d−1) A_d with A_d the agreement of the first d ranks. Items may differ, and so
    may lengths. `ties`: "a" takes tied items in all orders alike, A_d = X_d/d, X_d = Σ_e c(e)c'(e)
    with c the share of an item's orders in which it is within the first d; "b" divides by
    √(Σc²)·√(Σc'²) instead, so that a ranking with ties agrees with itself; "w" lets a tied group
    take part as a whole, A_d = 2X_d/(|S_d| + |L_d|).

    >>> round(rbo({"a": 3, "b": 2, "c": 1}, {"a": 3, "c": 2, "b": 1}, p=0.9).ext, 4)
    0.955

    Webber, Moffat and Zobel (2010), eqs 11, 30, 32; Corsi and Urbano (2024) for ties.
    """
    choose("ties", ties, TIES)
    if not 0 < p < 1:
        raise OptionError(f"p={p} is not possible; persistence lies between 0 and 1.")
    if not first or not second:
        raise MismatchError("a ranking is empty; rank-biased overlap needs at least one item each.")
    items = sorted(set(first) | set(second))
    a, b = (_ranks(r, items, digits) for r in (first, second))
    if len(first) > len(second):
        a, b = b, a
    s, long = min(len(first), len(second)), max(len(first), len(second))
    overlap, agreement = _agreements(a, b, s, long, ties)
    depth = np.arange(1, long + 1)
    weights = p**depth
    # Beyond the shorter list its agreement at its end is assumed to go on.
    x_s, x_l, a_s = overlap[s - 1], overlap[long - 1], agreement[s - 1]
    extended = np.where(depth > s, agreement + a_s * (depth - s) / depth, agreement)
    at_end = (x_l - x_s) / long + a_s if s < long else agreement[-1]
    ext = (1 - p) / p * float((extended * weights).sum()) + at_end * p**long
    # At the least no unseen rank adds to the overlap.
    unseen = -np.log1p(-p) - float((weights / depth).sum())
    least = (1 - p) / p * (float((agreement * weights).sum()) + x_l * unseen)
    most = _residual(x_l, s, long, p)
    return RankBiasedOverlap(float(ext), float(least), float(most), p, ties)


def _ranks(ranking: Mapping[str, float], items: list[str], digits: int) -> Floats:
    """For each item its group's first and last rank, infinite where the ranking lacks it."""
    names = list(ranking)
    values = rounded([float(ranking[name]) for name in names], digits)
    if not np.isfinite(values).all():
        raise MismatchError("a ranking holds a score that is no finite number; leave the item out.")
    made = np.full((len(items), 2), np.inf)
    place = {item: k for k, item in enumerate(items)}
    rows = [place[name] for name in names]
    ascending = np.sort(values)
    made[rows, 0] = len(values) - np.searchsorted(ascending, values, side="right") + 1
    made[rows, 1] = len(values) - np.searchsorted(ascending, values, side="left")
    return made


def _agreements(a: Floats, b: Floats, s: int, long: int, ties: str) -> tuple[Floats, Floats]:
    """X_d and A_d for d up to the longer ranking."""
    depth = np.arange(1, long + 1)

    def shares(ranks: Floats) -> Floats:
        first, last = ranks[:, :1], ranks[:, 1:]
        if ties == "w":
            return (first <= depth).astype(np.float64)
        with np.errstate(invalid="ignore"):
            made = np.clip((depth - first + 1) / (last - first + 1), 0.0, 1.0)
        return np.where(np.isinf(first), 0.0, made)

    ca, cb = shares(a), shares(b)
    overlap = (ca * cb).sum(axis=0)
    # The shorter list, once it has ended, counts as if it went on without ties.
    if ties == "w":
        sizes = np.where(depth <= s, ca.sum(axis=0), depth) + cb.sum(axis=0)
        return overlap, 2 * overlap / sizes
    if ties == "b":
        size = np.sqrt(np.where(depth <= s, (ca**2).sum(axis=0), depth) * (cb**2).sum(axis=0))
        return overlap, np.divide(overlap, size, out=np.zeros_like(overlap), where=size > 0)
    return overlap, overlap / depth


def _residual(x_l: float, s: int, long: int, p: float) -> float:
    """What agreement in all unseen ranks would add (Webber et al., eq. 30)."""
    f = max(long, int(np.ceil(s + long - x_l - 1e-9)))
    d = np.arange(1, f + 1)
    weights = p**d / d
    after_s = s * float(weights[d > s].sum())
    after_l = long * float(weights[d > long].sum())
    rest = x_l * (-np.log1p(-p) - float(weights.sum()))
    found = p**s + p**long - p**f - (1 - p) / p * (after_s + after_l + rest)
    return max(0.0, float(found))
