"""Agreement of coders beyond chance: Krippendorff's α with its interval, by unit, coder and category; Cohen's and Fleiss' κ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.ratings import Ratings, RatingsInput, read_ratings
from tare._kernels import statistics as kernels
from tare._kernels.statistics import RatingCodes, resampled_indices
from tare._result import Result, Row, Rows, SingleRowResult
from tare._tables import Column, Table, interval_column
from tare.errors import MismatchError, OptionError, check_share, choose, nearest
from tare.stats._agreement import (
    LEVELS,
    Distance,
    alpha_of_units,
    coded,
    kernel_level,
    value_disagreements,
)
from tare.stats._draws import middle
from tare.stats._randomisation import check_draws
from tare.stats._ranks_with_ties import digits_of, rounded

__all__ = ["Agreement", "Kappa", "agreement", "cohen_kappa", "fleiss_kappa", "level_of"]


# Agreement of coders: α with its interval, by unit, by coder, by category, leaving one out.


DRAWS = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Krippendorff's α, and where the disagreement comes from.

    Attributes
    ----------
    alpha, low, high : float
        α and its bootstrap interval; the interval is None where α is undefined.
    observed, expected : float
        Mean disagreement within units, and the mean disagreement expected by chance.
    by_unit, by_coder : dict of str to float
        Mean disagreement relative to the expected one: 0 is perfect agreement, 1 is chance.
    without : dict of str to float
        α without each coder.
    by_category : dict of str to float
        α within each value of the attribute `by`.
    level : str
        Level of measurement, or "custom distance".
    units, values, coders : int
        Number of units with at least two ratings, of their ratings, and of their coders.
    confidence : float
        Confidence level of the interval.
    draws, seed : int
        Number of bootstrap samples, and their seed.
    undefined : int
        Number of bootstrap samples without an α.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> rows = {"a": {"u1": 1, "u2": 2, "u3": 3}, "b": {"u1": 1, "u2": 2, "u3": 4}}
    >>> found = agreement(rows, level="interval", draws=200)
    >>> found.units, found.coders
    (3, 2)
    >>> {unit: round(share, 3) for unit, share in found.by_unit.items()}
    {'u1': 0.0, 'u2': 0.0, 'u3': 0.366}
    """

    alpha: float
    low: float | None
    high: float | None
    observed: float
    expected: float
    level: str
    units: int
    values: int
    coders: int
    by_unit: dict[str, float]
    by_coder: dict[str, float]
    without: dict[str, float]
    by_category: dict[str, float]
    confidence: float
    draws: int
    seed: int
    undefined: int = 0
    notes: tuple[str, ...] = ()

    def answer(self) -> str:
        """Return α and its interval."""
        level = f"{100 * self.confidence:g} % "
        return (
            f"Krippendorff's α {_with_ends(self.alpha, self.low, self.high, level)} over {self.units:,} units "
            f"and {self.coders:,} coders, {self.level} level."
        )

    def table(self) -> Table:
        """Return α of all coders, then one row per coder with their disagreement and α without them."""
        columns = [
            Column("coder", align="left"),
            Column("α"),
            interval_column(f"{100 * self.confidence:g} % interval"),
            Column("disagreement"),
            Column("α without"),
        ]
        ends = None if self.low is None else (self.low, self.high)
        relative = self.observed / self.expected if self.expected > 0 else float("nan")
        rows: list[tuple[Any, ...]] = [("all", self.alpha, ends, relative, None)]
        rows += [
            (coder, None, None, share, self.without.get(coder))
            for coder, share in sorted(self.by_coder.items(), key=lambda x: -x[1])
        ]
        rows += [(f"category {name}", a, None, None, None) for name, a in self.by_category.items()]
        return Table.of(columns, rows, title="Agreement", notes=self._notes())

    def _notes(self) -> list[str]:
        notes = [
            f"Krippendorff's α, {self.level} level: {self.values:,} pairable values of "
            f"{self.units:,} units by {self.coders:,} coders; disagreement relative to chance."
        ]
        if self.low is not None:
            notes.append(
                f"Interval over units by {self.draws:,} resamples (percentiles), seed {self.seed}."
            )
        if self.undefined:
            notes.append(f"{self.undefined:,} resamples held a single value and were left out.")
        return notes + list(self.notes)

    def rows(self) -> Rows:
        """Return one dictionary per coder."""
        return [
            {"coder": c, "disagreement": d, "alpha_without": self.without.get(c)}
            for c, d in self.by_coder.items()
        ]

    def facts(self) -> Row:
        """Return the level of measurement, the counts and the options."""
        names = ("level", "units", "values", "coders", "confidence", "draws", "seed")
        return {name: getattr(self, name) for name in names}

    def details(self) -> Row:
        """Return all fields."""
        return dict(vars(self))


def agreement(
    ratings: RatingsInput,
    *,
    level: str | Distance = "auto",
    by: str | None = None,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    threads: int = 0,
) -> Agreement:
    """Compute Krippendorff's α of ratings, with a bootstrap interval over units.

    Parameters
    ----------
    ratings : path, data frame, dict or Ratings
        One rating per unit and coder: a table with the columns unit, coder and value, or
        ``{coder: {unit: value}}``. Missing ratings are allowed. Units with a single rating are left
        out. If a coder rated a unit more than once, the first rating counts.
    level : {"auto", "nominal", "ordinal", "interval", "ratio"} or callable
        Level of measurement, or a function that returns the distance between two values. "auto" is
        ordinal for numbers and nominal for text.
    by : str, optional
        Name of an attribute of the units; α is also computed within each of its values.
    confidence : float
        Confidence level of the interval.
    draws : int
        Number of bootstrap samples.
    seed : int
        Seed of the bootstrap.
    threads : int
        Number of threads; 0 uses all cores. The result does not depend on it.

    Returns
    -------
    Agreement
        α, its interval, and the disagreement per unit and per coder.

    Raises
    ------
    OptionError
        If an option is unknown or out of range, the units have no attribute `by`, `level` does not suit
        the values, or a custom distance is negative, not finite, not symmetric, or not 0 from a value to
        itself.
    MismatchError
        If there is a single coder, or no unit has two ratings.
    FormatError
        If the ratings cannot be read.

    Notes
    -----
    Nominal, ordinal and interval distances take O(n log n) time for any number of distinct values.

    Examples
    --------
    >>> rows = {"a": {"u1": 1, "u2": 2, "u3": 3}, "b": {"u1": 1, "u2": 2, "u3": 4}}
    >>> round(agreement(rows, level="interval", draws=200).alpha, 3)
    0.878
    """
    check_draws(draws, seed)
    check_share("confidence", confidence)
    given = read_ratings(ratings)
    single, repeated = given.once()
    level = level_of(single, level)
    if len(single.coders) < 2:
        raise MismatchError(
            f"{given.name}: a single coder, {single.coders[0]!r}; agreement needs two or more. "
            "self_consistency() looks at repeated judgements of one."
        )
    codes, rows, units = coded(single.unit, single.values, level, single.labels)
    inner = kernel_level(level)
    value, observed, expected = kernels.alpha(codes, inner)
    notes = []
    if repeated:
        notes.append(
            f"{repeated:,} repeated judgements of one coder on one unit: the first counts."
        )
    alone = len(single) - len(rows)
    if alone:
        notes.append(f"{alone:,} values are the only rating of their unit and were left out.")
    low = high = None
    undefined = 0
    if np.isnan(value):
        notes.append("α is undefined: every value is the same, so chance would agree as well.")
    else:
        drawn = kernels.alpha_draws(codes, inner, draws=draws, seed=seed, threads=threads)
        low, high, undefined = middle(drawn, confidence)
    scale = expected if expected > 0 else float("nan")
    per_unit = kernels.unit_disagreements(codes, inner) / scale
    per_value = value_disagreements(codes, level) / scale
    coder_of = single.coder[rows]
    present = np.unique(coder_of)
    return Agreement(
        value,
        low,
        high,
        observed,
        expected,
        "custom distance" if callable(level) else level,
        len(units),
        len(rows),
        len(present),
        {single.units[u]: d for u, d in zip(units.tolist(), per_unit.tolist(), strict=True)},
        {single.coders[c]: float(per_value[coder_of == c].mean()) for c in present},
        _leave_one_out(single, level, codes, rows) if len(present) > 2 else {},
        _by_category(single, level, by),
        confidence,
        draws,
        seed,
        undefined,
        tuple(notes),
    )


def _leave_one_out(
    ratings: Ratings, level: Any, codes: RatingCodes, rows: NDArray[np.int64]
) -> dict[str, float]:
    unit = np.repeat(np.arange(len(codes.offsets) - 1), np.diff(codes.offsets))
    coder = ratings.coder[rows]
    inner = kernel_level(level)
    digits = digits_of(ratings.values)
    made = {}
    for c, name in enumerate(ratings.coders):
        others = ratings.coder != c
        if digits_of(ratings.values[others]) != digits:
            found = _alpha_of(
                ratings, others, level
            )  # the other values are rounded in another place
        else:
            keep = coder != c
            sizes = np.bincount(unit[keep], minlength=len(codes.offsets) - 1)
            keep &= sizes[unit] >= 2
            offsets = np.concatenate([[0], np.cumsum(sizes[sizes >= 2])]).astype(np.int64)
            part = codes._replace(offsets=offsets, codes=codes.codes[keep])
            found = kernels.alpha(part, inner)[0] if keep.any() else float("nan")
        made[name] = found
    return made


def _alpha_of(ratings: Ratings, keep: NDArray[np.bool_], level: Any) -> float:
    try:
        return alpha_of_units(ratings.unit[keep], ratings.values[keep], level, ratings.labels)
    except MismatchError:  # no unit has two ratings
        return float("nan")


def _by_category(ratings: Ratings, level: Any, by: str | None) -> dict[str, float]:
    if by is None:
        return {}
    ratings.filter(by, None)  # says what attributes there are, if not this one
    made = {}
    for category in sorted({str(v) for v in ratings.attributes[by]}):
        column = [str(v) for v in ratings.attributes[by]]
        keep = np.array([column[u] == category for u in ratings.unit])
        made[category] = _alpha_of(ratings, keep, level)
    return made


def level_of(ratings: Ratings, level: str | Distance) -> str | Distance:
    """The level of measurement for agreement of coders: "auto" is nominal for words and ordinal for numbers."""
    if callable(level):
        return level
    choose("level", level, ("auto", *LEVELS))
    if ratings.labels is not None:
        if level not in ("auto", "nominal"):
            raise OptionError(
                f"level={level!r} needs numbers; the values are words such as "
                f"{ratings.labels[0]!r}. Use level='nominal', a custom distance, or code them."
            )
        return "nominal"
    if level == "ratio" and (ratings.values < 0).any():
        raise OptionError("level='ratio' needs values of 0 or more; use level='interval'.")
    return "ordinal" if level == "auto" else level


# Cohen's and Fleiss' κ: agreement on categories beyond chance.


WEIGHTS = ("none", "linear", "quadratic")


def _with_ends(value: float, low: float | None, high: float | None, level: str = "") -> str:
    if np.isnan(value):
        return "is undefined"
    ends = "" if low is None or high is None else f" ({level}interval {low:.3f} to {high:.3f})"
    return f"is {value:.3f}{ends}".replace("-", "−")


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

    def answer(self) -> str:
        """Return κ and its interval."""
        return (
            f"{self.kind} {_with_ends(self.value, self.low, self.high)} over {self.units:,} units."
        )

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
    check_share("confidence", confidence)
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
