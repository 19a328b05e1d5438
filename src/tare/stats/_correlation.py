"""Correlations between two rankings of systems, with bootstrap intervals over systems, items or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from tare._kernels import statistics as kernels
from tare._measures.one_system import opened_engine
from tare._measures.scores import Scores
from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose
from tare.stats import _draws
from tare.stats._draws import Drawing
from tare.stats._intervals import correlation_interval
from tare.stats._overlap import rbo
from tare.stats._pairs import DIGITS, matrix_of, rounded
from tare.stats._randomisation import check_draws

__all__ = ["KINDS", "OVER", "Correlation", "correlate", "correlation", "resampled_means"]

KINDS = ("pearson", "spearman", "tau_a", "tau_b", "tau_ap", "tau_ap_b", "rbo")
OVER = ("systems", "items", "both", "none")
Floats = NDArray[np.float64]
_CORE = {"tau_ap": "tau_ap_a"}


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
    >>> import tare
    >>> data = tare.simulate(queries=10, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10", "AP"])
    >>> found = correlate(scores["nDCG@10"], scores["AP"], draws=100)
    >>> found.kind, found.value, found.systems
    ('tau_b', 1.0, 5)
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
    return float(_coefficients(x, y, kind, p, digits)[0])


def _coefficients(x: Floats, y: Floats, kind: str, p: float, digits: int) -> Floats:
    """One coefficient per row of system scores."""
    if kind == "pearson":
        return kernels.correlations(x, y, kind)
    x, y = rounded(x, digits), rounded(y, digits)
    if kind != "rbo":
        return kernels.correlations(x, y, _CORE.get(kind, kind))
    names = [str(k) for k in range(x.shape[1])]
    scored = ((dict(zip(names, row, strict=True)) for row in side) for side in (x, y))
    return np.array([rbo(a, b, p=p, digits=digits).ext for a, b in zip(*scored, strict=True)])


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
    engine: str | Drawing | None = None,
) -> Correlation:
    """Correlate the system means of two score tables of one measure each, with an interval.

    Parameters
    ----------
    first, second : Scores
        Two score tables. Systems are matched by id. If both tables have the same items, a resample takes
        the same items of both.
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
    engine : str or engine, optional
        Where items are resampled: "local", "ray" or an engine of `tare.engines`. The numbers are the
        same.

    Returns
    -------
    Correlation
        The coefficient and its interval, ± 1.96 standard deviations of the resampled coefficients for
        a confidence of 0.95, cut to the possible values. It is about the expected coefficient for item
        sets of this size, not about that of the true rankings.

    Raises
    ------
    OptionError
        If an option is unknown or out of range, "rbo" is to be resampled over systems, or a table has
        several measures.
    MismatchError
        If the tables have fewer than 2 systems in common, a system has no score, or a score is infinite.

    Examples
    --------
    >>> import tare
    >>> qrels = {"q1": {"x": 1, "y": 0}, "q2": {"x": 0, "y": 1}}
    >>> runs = {"a": {"q1": {"x": 2, "y": 1}, "q2": {"y": 1}}, "b": {"q1": {"y": 2, "x": 1}, "q2": {"y": 1}}}
    >>> scores = tare.evaluate(qrels, runs, ["RR", "AP"])
    >>> correlate(scores.select(measures=["RR"]), scores.select(measures=["AP"]), draws=100).value
    1.0
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
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
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
        with opened_engine(engine) as place:
            drawn = resampled_means(x, y, same, over, draws, seed, threads, engine=place)
        found = _coefficients(*drawn, kind, p, digits)
        undefined = int(np.isnan(found).sum())
        low, high = correlation_interval(
            value, found, confidence, least=0.0 if kind == "rbo" else -1.0
        )
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
