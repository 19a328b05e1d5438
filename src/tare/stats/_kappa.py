"""Cohen's and Fleiss' κ: agreement on categories beyond chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._data.ratings import Ratings, RatingsInput, read_ratings
from tare._kernels.statistics import resampled_indices
from tare._result import Row, SingleRowResult
from tare._tables import Column, Table
from tare.errors import MismatchError, OptionError, choose, nearest
from tare.stats._pairs import rounded
from tare.stats._randomisation import check_draws

if TYPE_CHECKING:
    pass

__all__ = ["WEIGHTS", "Kappa", "cohen_kappa", "fleiss_kappa"]

WEIGHTS = ("none", "linear", "quadratic")
Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Kappa(SingleRowResult):
    """κ, its bootstrap interval over units, and the data behind it.

    Attributes
    ----------
    kind : str
        The name of the coefficient.
    value, low, high : float
        κ and its interval; the interval is None where κ is undefined.
    units : int
        Number of units.
    note : str
        How the interval was computed, or why κ is undefined.

    Examples
    --------
    >>> rows = {"a": {"u1": 1, "u2": 2, "u3": 1}, "b": {"u1": 1, "u2": 2, "u3": 2}}
    >>> found = cohen_kappa(rows, draws=100)
    >>> found.kind, round(found.value, 2), found.units
    ("Cohen's κ", 0.4, 3)
    >>> found.note
    '95 % interval over units, 100 draws, seed 0. 8 draws held a single value and were left out.'
    """

    kind: str
    value: float
    low: float | None
    high: float | None
    units: int
    note: str = ""

    def table(self) -> Table:
        """One row."""
        columns = [Column("coefficient", align="left")]
        columns += [Column(name) for name in ("κ", "low", "high", "units")]
        row = (self.kind, self.value, self.low, self.high, self.units)
        return Table.of(columns, [row], notes=[self.note] if self.note else [])

    def row(self) -> Row:
        """Return the fields."""
        return asdict(self)


def cohen_kappa(
    ratings: RatingsInput,
    *,
    coders: tuple[str, str] | None = None,
    weights: str = "none",
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> Kappa:
    """Compute Cohen's κ of two coders on the units both rated: (p_o − p_e)/(1 − p_e).

    Parameters
    ----------
    ratings : path, data frame, dict or Ratings
        The ratings, as in `agreement`.
    coders : tuple of two str, optional
        The two coders, if there are more than two.
    weights : {"none", "linear", "quadratic"}
        How disagreements of ordered values count by their distance in steps: 0 or 1, |i − j|, or
        (i − j)².
    confidence : float
        Confidence level of the interval.
    draws : int
        Number of bootstrap samples.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    Kappa
        κ and its interval over units.

    Raises
    ------
    OptionError
        If `weights` is unknown, `coders` are not two known coders, there are more than two coders and none
        are chosen, or `confidence`, `draws` or `seed` is out of range.
    MismatchError
        If the two coders rated no unit in common.
    FormatError
        If the ratings cannot be read.

    References
    ----------
    Cohen (1960, 1968).

    Examples
    --------
    >>> rows = {"a": {"u1": 1, "u2": 2, "u3": 1}, "b": {"u1": 1, "u2": 2, "u3": 2}}
    >>> round(cohen_kappa(rows, draws=100).value, 2)
    0.4
    """
    choose("weights", weights, WEIGHTS)
    given, _ = read_ratings(ratings).once()
    chosen = coders if coders is not None else given.coders
    if len(chosen) != 2:
        raise OptionError(
            f"Cohen's κ takes two coders; found {len(chosen)}. Name two with coders=(…, …), or "
            "use fleiss_kappa() or agreement()."
        )
    for coder in chosen:
        if coder not in given.coders:
            raise OptionError(f"there is no coder {coder!r}.{nearest(coder, given.coders)}")
    matrix = given.matrix()
    pair = matrix[[given.coders.index(c) for c in chosen]]
    pair = rounded(pair[:, ~np.isnan(pair).any(axis=0)])
    if pair.shape[1] == 0:
        raise MismatchError(f"{chosen[0]} and {chosen[1]} rated no unit in common.")
    distinct, codes = np.unique(pair, return_inverse=True)
    codes = codes.reshape(pair.shape)
    k = len(distinct)
    steps = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]).astype(np.float64)
    cost = {"none": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]

    def kappa(places: NDArray[np.int64]) -> float:
        joint = np.zeros((k, k))
        np.add.at(joint, (codes[0, places], codes[1, places]), 1.0)
        joint /= len(places)
        chance = float((cost * np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum())
        return 1 - float((cost * joint).sum()) / chance if chance > 0 else float("nan")

    kind = "Cohen's κ" + ("" if weights == "none" else f", {weights} weights")
    return _with_interval(kind, kappa, pair.shape[1], confidence, draws, seed)


def fleiss_kappa(
    ratings: RatingsInput, *, confidence: float = 0.95, draws: int = 1000, seed: int = 0
) -> Kappa:
    """Compute Fleiss' κ of any number of coders: (P̄ − P̄_e)/(1 − P̄_e).

    Parameters
    ----------
    ratings : path, data frame, dict or Ratings
        The ratings, as in `agreement`. Units may have different numbers of ratings, at least two.
    confidence : float
        Confidence level of the interval.
    draws : int
        Number of bootstrap samples.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    Kappa
        κ and its interval over units.

    Raises
    ------
    OptionError
        If `confidence`, `draws` or `seed` is out of range.
    MismatchError
        If no unit was rated by two coders.
    FormatError
        If the ratings cannot be read.

    Notes
    -----
    P̄ is the mean over units of the share of agreeing pairs of ratings; P̄_e = Σ p_j² over the shares of
    all categories. Fleiss (1971).

    Examples
    --------
    >>> rows = {"a": {"u1": 1, "u2": 2, "u3": 1}, "b": {"u1": 1, "u2": 2, "u3": 2}}
    >>> round(fleiss_kappa(rows, draws=100).value, 2)
    0.33
    """
    given: Ratings
    given, _ = read_ratings(ratings).once()
    values = rounded(given.values)
    distinct, codes = np.unique(values, return_inverse=True)
    counts = np.zeros((len(given.units), len(distinct)))
    np.add.at(counts, (given.unit, codes), 1.0)
    counts = counts[counts.sum(axis=1) >= 2]
    if len(counts) == 0:
        raise MismatchError("no unit was rated by two coders, so nothing can be compared.")
    sizes = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (sizes * (sizes - 1))

    def kappa(places: NDArray[np.int64]) -> float:
        shares = counts[places].sum(axis=0)
        chance = float(((shares / shares.sum()) ** 2).sum())
        return (
            float((agreeing[places].mean() - chance) / (1 - chance)) if chance < 1 else float("nan")
        )

    return _with_interval("Fleiss' κ", kappa, len(counts), confidence, draws, seed)


def _with_interval(
    kind: str,
    kappa: Callable[[NDArray[np.int64]], float],
    units: int,
    confidence: float,
    draws: int,
    seed: int,
) -> Kappa:
    check_draws(draws, seed)
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
    value = kappa(np.arange(units))
    if np.isnan(value):
        return Kappa(kind, value, None, None, units, "κ is undefined: every value is the same.")
    drawn = np.array([kappa(row) for row in resampled_indices(units, draws, seed=seed)])
    low, high = np.nanquantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    note = f"{100 * confidence:g} % interval over units, {draws:,} draws, seed {seed}."
    undefined = int(np.isnan(drawn).sum())
    if undefined:
        note += f" {undefined:,} draws held a single value and were left out."
    return Kappa(kind, value, float(low), float(high), units, note)
