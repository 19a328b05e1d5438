"""Correlations of two rankings of systems, with bootstrap intervals over systems, items or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._kernels import statistics as kernels
from tare._measures.scores import Scores
from tare._reportable import Reportable
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose
from tare.stats._intervals import bias_corrected
from tare.stats._overlap import rbo
from tare.stats._pairs import DIGITS, matrix_of, rounded
from tare.stats._randomisation import check_draws

if TYPE_CHECKING:
    import polars as pl

__all__ = ["KINDS", "OVER", "Correlation", "correlate", "correlation", "resampled_means"]

KINDS = ("pearson", "spearman", "tau_a", "tau_b", "tau_ap", "tau_ap_b", "rbo")
OVER = ("systems", "items", "both", "none")
Floats = NDArray[np.float64]
_CORE = {"tau_ap": "tau_ap_a"}


@dataclass(frozen=True)
class Correlation(Reportable):
    """A coefficient of two rankings of systems and its interval."""

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

    def table(self) -> Table:
        """One row."""
        columns = [Column("coefficient", align="left"), Column("value"), Column("low")]
        columns += [Column("high"), Column("systems"), Column("items")]
        row = (self.kind, self.value, self.low, self.high, self.systems, self.items)
        notes = [self.note] if self.note else []
        if self.over != "none":
            notes.append(
                f"{100 * self.confidence:g} % bias-corrected bootstrap interval over {self.over}, "
                f"{self.draws:,} draws, seed {self.seed}."
            )
        if self.undefined:
            notes.append(f"{self.undefined:,} draws had no coefficient and were left out.")
        return Table.of(columns, [row], notes=notes)

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


def correlation(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    kind: str = "tau_b",
    p: float = 0.9,
    digits: int = DIGITS,
) -> float:
    """The correlation of two {system: score}, matched by id; NaN where one of them is constant.

    - pearson, spearman (mean ranks for ties);
    - tau_a = (C − D)/pairs; tau_b = (C − D)/√(pairs untied in x · pairs untied in y);
    - tau_ap: AP correlation of the ranking `second` with the true ranking `first`, tied items of
      `second` in all orders alike (τ_AP,a); tau_ap_b: of two rankings none of which is the truth,
      with ties, symmetric;
    - rbo: rank-biased overlap (extrapolated) with persistence p.

    >>> correlation({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 2}, kind="tau_b")
    0.3333333333333333

    Kendall (1945); Yilmaz, Aslam and Robertson (2008); Urbano and Marrero (2017).
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
        raise MismatchError("a ranking holds a score that is no finite number; leave it out.")
    return float(_coefficients(x, y, kind, p, digits)[0])


def _coefficients(x: Floats, y: Floats, kind: str, p: float, digits: int) -> Floats:
    """One coefficient a row of system scores."""
    if kind == "pearson":
        return kernels.correlations(x, y, kind)
    x, y = rounded(x, digits), rounded(y, digits)
    if kind != "rbo":
        return kernels.correlations(x, y, _CORE.get(kind, kind))
    names = [str(k) for k in range(x.shape[1])]
    return np.array(
        [
            rbo(
                dict(zip(names, a, strict=True)),
                dict(zip(names, b, strict=True)),
                p=p,
                digits=digits,
            ).ext
            for a, b in zip(x, y, strict=True)
        ]
    )


def correlate(
    first: Scores,
    second: Scores,
    *,
    kind: str = "tau_b",
    over: str = "items",
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    p: float = 0.9,
    digits: int = DIGITS,
    threads: int = 0,
) -> Correlation:
    """The correlation of the system means of two score tables of one measure each.

    Systems are matched by id, and so are items where both tables have the same ones: then a
    resample takes the same items of both. `over` says what is resampled: "items" asks how the
    coefficient would vary on other items, "systems" on other systems, "both" on other ones of
    each (Deutsch, Dror and Roth 2021).
    """
    choose("kind", kind, KINDS)
    choose("over", over, OVER)
    check_draws(draws, seed)
    if kind == "rbo" and over in ("systems", "both"):
        raise OptionError(
            f"over={over!r} draws a system more than once, which rank-biased overlap cannot "
            "place; use over='items' or another coefficient."
        )
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it lies between 0 and 1.")
    systems = sorted(set(first.systems) & set(second.systems))
    if len(systems) < 2:
        raise MismatchError(
            f"the tables have {len(systems)} systems in common; a correlation needs at least 2. "
            "Systems are matched by id."
        )
    items_x, x = matrix_of(first.select(systems=systems))
    items_y, y = matrix_of(second.select(systems=systems))
    same = items_x == items_y
    mean_x, mean_y = _means(x, systems, first), _means(y, systems, second)
    value = float(_coefficients(mean_x[None, :], mean_y[None, :], kind, p, digits)[0])
    notes = []
    left_out = (set(first.systems) | set(second.systems)) - set(systems)
    if left_out:
        notes.append(f"{len(left_out)} systems are in one table only and were left out.")
    if np.isnan(value):
        notes.append("Undefined: one of the rankings has all systems tied.")
    if not same and over in ("items", "both"):
        notes.append("The tables have different items, which were resampled independently.")
    low = high = None
    undefined = 0
    if over != "none":
        drawn = resampled_means(x, y, same, over, draws, seed, threads)
        found = _coefficients(*drawn, kind, p, digits)
        undefined = int(np.isnan(found).sum())
        if undefined < draws and not np.isnan(value):
            low, high = bias_corrected(value, found, confidence)
    return Correlation(
        kind,
        value,
        low,
        high,
        len(systems),
        len(items_x),
        over,
        confidence,
        draws if over != "none" else 0,
        seed,
        undefined,
        " ".join(notes),
    )


def _means(values: Floats, systems: list[str], scores: Scores) -> Floats:
    counts = (~np.isnan(values)).sum(axis=1)
    if (counts == 0).any():
        empty = systems[int(np.argmin(counts))]
        raise MismatchError(f"{empty} has no score of {scores.measure_names[0]}; leave it out.")
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
) -> tuple[Floats, Floats]:
    """Draws × systems of means, of both tables.

    Draws that leave a system without items are left out; with `gaps` they stay, the system's mean
    NaN. Every system has a score.
    """
    if over == "systems":
        mx = np.tile(np.nanmean(x, axis=1), (draws, 1))
        my = np.tile(np.nanmean(y, axis=1), (draws, 1))
    else:
        mx = bootstrap_means(x, draws, seed, threads).T
        # Other items, other draws: a seed of their own.
        my = bootstrap_means(y, draws, seed if same else seed + 1, threads).T
        if not gaps:
            whole = ~(np.isnan(mx).any(axis=1) | np.isnan(my).any(axis=1))
            mx, my = mx[whole], my[whole]
    if over in ("systems", "both"):
        chosen = kernels.resampled_indices(len(x), len(mx), seed=seed, substream=1)
        mx, my = np.take_along_axis(mx, chosen, 1), np.take_along_axis(my, chosen, 1)
    return np.ascontiguousarray(mx), np.ascontiguousarray(my)
