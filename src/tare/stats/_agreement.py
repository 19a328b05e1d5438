"""Agreement of coders: α with its interval, by unit, by coder, by category, leaving one out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.ratings import Ratings, RatingsInput, read_ratings
from tare._kernels import statistics as kernels
from tare._kernels.statistics import RatingCodes
from tare._result import Result, Row, Rows
from tare._tables import Column, Table, interval_column
from tare.errors import MismatchError, OptionError
from tare.stats._krippendorff import (
    Distance,
    alpha_of_units,
    coded,
    kernel_level,
    level_of,
    value_disagreements,
)
from tare.stats._percentiles import middle
from tare.stats._randomisation import check_draws
from tare.stats._rounding import digits_of

__all__ = ["Agreement", "agreement"]

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
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is out of range; it must lie between 0 and 1.")
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
