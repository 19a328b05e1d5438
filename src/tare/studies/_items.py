"""The study of items: do systems, items or groups of items differ, and which?

Omnibus tests (analysis of variance, Kruskal–Wallis, Friedman) and simultaneous intervals of systems,
of items, and of groups of items such as those of one assessor or category (Rankel 2016, ch. 4 and
fig. 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from tare._decide.pairs import matrix_of
from tare._measures.measure import Measure
from tare._measures.saved_scores import ScoreSource, scores_of
from tare._measures.scores import Scores
from tare._result import MultiTableResult, Row, RowsByName
from tare._signature import Signature
from tare._tables import Column, PColumn, Table, interval_column, p_stated
from tare.errors import MismatchError, OptionError, choose, nearest
from tare.stats._anova import Layout, additive_layout, one_way_layout, rank_layout
from tare.stats._paired_differences import rounded
from tare.stats._tests_of_all_systems import (
    friedman_statistic,
    half_widths,
    kruskal_statistic,
    range_p,
)

__all__ = ["ItemStudy", "items"]


# The result of the study of items: omnibus tests and simultaneous intervals.


class OmnibusTest(TypedDict):
    """One omnibus test of a factor, such as systems or items; `df_error` is None without an error term."""

    factor: str
    test: str
    statistic: float
    df: int
    df_error: float | None
    p: float
    levels: int
    n: int


class Level(TypedDict):
    """One level of a factor (a system, item or group) next to the level it is compared with; None where nothing varies."""

    factor: str
    level: str
    n: int
    mean: float
    low: float | None
    high: float | None
    against: str
    p: float | None
    differs: bool | None


@dataclass(frozen=True, eq=False, repr=False)
class ItemStudy(MultiTableResult):
    """Omnibus tests of systems, items and groups of items, and simultaneous intervals.

    Attributes
    ----------
    omnibus : list of OmnibusTest
    levels : list of Level
        One row per factor and test, and one row per factor and level.
    measure : str
        The measure.
    method : {"means", "ranks"}
        Whether means or mean ranks are compared.
    alpha : float
        Significance level.
    systems, items : int
        Number of systems and of items.
    signatures : tuple of Signature
        The signatures of the scores.
    notes : tuple of str
        Remarks on the data.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> found = tare.studies.items(scores)
    >>> found.measure, found.systems, found.items
    ('nDCG@10', 5, 20)
    >>> [row["factor"] for row in found.omnibus]
    ['system', 'system', 'system', 'item', 'item', 'item']
    """

    omnibus: list[OmnibusTest]
    levels: list[Level]
    measure: str
    method: str
    alpha: float
    systems: int
    items: int
    signatures: tuple[Signature, ...]
    notes: tuple[str, ...] = ()

    @property
    def factors(self) -> tuple[str, ...]:
        """The factors: system, item, and attributes that group items."""
        return tuple(dict.fromkeys(row["factor"] for row in self.omnibus))

    def all_rows(self) -> RowsByName:
        """Return the rows by name: omnibus, levels."""
        return {"omnibus": self.omnibus, "levels": self.levels}

    def facts(self) -> Row:
        """Return the measure, method, significance level, sizes, signatures and notes."""
        names = ("measure", "method", "alpha", "systems", "items")
        return {n: getattr(self, n) for n in names} | {
            "signatures": [str(s) for s in self.signatures],
            "notes": list(self.notes),
        }

    def headlines(self) -> list[str]:
        """Return one sentence per factor: whether its levels differ, and how many."""
        made = []
        for factor in self.factors:
            first = next(r for r in self.omnibus if r["factor"] == factor)
            own = [r for r in self.levels if r["factor"] == factor]
            apart = sum(bool(r["differs"]) for r in own)
            if first["p"] != first["p"]:
                made.append(
                    f"Levels of {factor} could not be tested: the scores do not vary beyond systems and items."
                )
                continue
            verb = (
                f"Levels of {factor} differ significantly"
                if first["p"] <= self.alpha
                else f"No difference between the levels of {factor} is shown"
            )
            made.append(
                f"{verb} (F = {first['statistic']:.2f}, {p_stated(first['p'])}); "
                f"{apart} of {len(own) - 1} differ significantly from {own[0]['against']}."
            )
        return made

    def answer(self) -> str:
        """Return whether systems differ, and whether items do."""
        return " ".join(self.headlines()[:2])

    def tables(self) -> dict[str, Table]:
        """Return the omnibus tests, then the levels of each factor, best first."""
        made = {
            "omnibus": Table.of_rows(
                [
                    "factor",
                    "test",
                    Column("statistic"),
                    Column("df", 0),
                    Column("df error", 0),
                    PColumn("p"),
                    Column("levels"),
                    Column("n"),
                ],
                self.omnibus,
                title=f"Omnibus tests: {self.measure}",
                notes=[
                    "Statistic: F of the analysis of variance, H of Kruskal–Wallis, Q of Friedman. "
                    "Kruskal–Wallis treats all scores as independent. Friedman ranks systems within "
                    "items, and items within systems. Groups of items use one value per item: its mean "
                    "over systems, adjusted for missing scores. Each p is on its own, without a "
                    "correction for the number of factors and tests.",
                    *self.notes,
                    *(f"signature: {s}" for s in self.signatures),
                ],
            )
        }
        what = "mean" if self.method == "means" else "mean rank"
        for factor in self.factors:
            own = [r for r in self.levels if r["factor"] == factor]
            if not own:
                continue
            against = own[0]["against"]
            p = f"p vs {against}"
            made[factor] = Table.of_rows(
                [
                    Column(factor, align="left", of="level"),
                    Column("n"),
                    Column(what, of="mean"),
                    interval_column("interval"),
                    PColumn(p, of="p"),
                ],
                own,
                title=f"{factor}: {self.measure}",
                notes=[
                    f"Simultaneous comparison intervals ({100 * (1 - self.alpha):g} %): two levels differ "
                    "significantly if their intervals do not overlap (Hochberg and Tamhane 1987). Assumes "
                    "normal scores whose spread is the same at all levels. p: Tukey–Kramer test"
                    + (" on ranks" if self.method == "ranks" else "")
                    + " over all pairs of levels"
                    + f"; * differs significantly from {against}.",
                ],
                marks={p: "differs"},
            )
        return made


Floats = NDArray[np.float64]
METHODS = ("means", "ranks")
MAX_LEVELS = 2000


def items(
    scores: ScoreSource,
    *,
    measure: str | Measure | None = None,
    by: Sequence[str] | None = None,
    method: str = "means",
    against: str | None = None,
    alpha: float = 0.05,
) -> ItemStudy:
    """Test whether systems, items and groups of items differ.

    Systems and items are tested by the additive model systems + items, in which cells may be missing,
    by Kruskal–Wallis on all scores, and, if no cell is missing, by Friedman. Groups of items use one
    value per item, its mean adjusted for the systems, because the scores of systems on one item are
    not independent.

    Parameters
    ----------
    scores : Scores, path or data frame
        The score table.
    measure : str or Measure, optional
        The measure; needed if the table has several.
    by : sequence of str, optional
        Attributes that group the items. By default all attributes with at least two values, one of
        them shared by two items.
    method : {"means", "ranks"}
        Compare means with Tukey–Kramer intervals, or mean ranks after Kruskal–Wallis.
    against : str, optional
        The system, item or group that the others are compared with; by default the best of each
        factor.
    alpha : float
        Significance level.

    Returns
    -------
    ItemStudy
        Omnibus tests, and simultaneous intervals of all levels.

    Raises
    ------
    OptionError
        If `against` is unknown, or if an option is out of range.
    MismatchError
        If an attribute in `by` does not group the items.

    Examples
    --------
    >>> import tare
    >>> data = tare.simulate(queries=20, seed=1)
    >>> scores = tare.evaluate(data.qrels, data.runs, ["nDCG@10"])
    >>> items(scores).factors
    ('system', 'item')
    """
    choose("method", method, METHODS)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is not valid. It must lie between 0 and 1.")
    table = scores_of(scores)
    names, given = matrix_of(table, measure)
    values = rounded(given)
    used = np.asarray(~np.isnan(values).all(axis=0))
    values, names = values[:, used], tuple(n for n, u in zip(names, used, strict=True) if u)
    notes: list[str] = []
    if not used.all():
        notes.append(f"{int((~used).sum()):,} items without any score were skipped.")
    tests = _FactorTests(method, against, alpha)
    tests.crossed("system", table.systems, values)
    if len(names) > MAX_LEVELS:
        notes.append(
            f"Items were not compared with each other: there are {len(names):,}, and at most {MAX_LEVELS:,} can be compared."
        )
    else:
        tests.crossed("item", names, values.T)
    for attribute in _grouping(table, by, notes):
        column = dict(zip(table.items, table.attributes[attribute], strict=True))
        tests.grouped(attribute, [column[name] for name in names], _adjusted(values))
    if against is not None and not tests.found:
        known = [row["level"] for row in tests.levels]
        raise OptionError(
            f"against={against!r} is not a system, an item or a group.{nearest(against, known)}"
        )
    one = table if measure is None else table[measure]
    return ItemStudy(
        tests.omnibus,
        tests.levels,
        one.measure_names[0],
        method,
        alpha,
        len(table.systems),
        len(names),
        one.signatures,
        tuple(notes),
    )


class _FactorTests:
    """Tests of systems, items and groups of items: the rows of the result, collected factor by factor."""

    def __init__(self, method: str, against: str | None, alpha: float) -> None:
        self.method, self.against, self.alpha = method, against, alpha
        self.omnibus: list[OmnibusTest] = []
        self.levels: list[Level] = []
        self.found = False

    def crossed(self, factor: str, names: Sequence[str], values: Floats) -> None:
        """Test a factor, systems or items, whose levels are the rows of a matrix, crossed with its columns."""
        other = "item" if factor == "system" else "system"
        layout = additive_layout(values, what=(factor, other))
        groups = [row[~np.isnan(row)] for row in values]
        self._f(
            factor, f"analysis of variance, {factor} + {other}", layout, int(layout.sizes.sum())
        )
        self._kruskal(factor, groups)
        if not np.isnan(values).any():
            q, p = friedman_statistic(values)
            self._add(factor, "Friedman", q, len(values) - 1, None, p, len(values), values.size)
        self._intervals(factor, names, layout if self.method == "means" else rank_layout(groups))

    def grouped(self, factor: str, labels: Sequence[object], values: Floats) -> None:
        """Test a factor that sorts items into groups."""
        known = [
            (str(label), v) for label, v in zip(labels, values, strict=True) if label is not None
        ]
        names = sorted({label for label, _ in known})
        groups = [np.array([v for label, v in known if label == name]) for name in names]
        layout = one_way_layout(groups)
        self._f(factor, "analysis of variance, one-way", layout, len(known))
        self._kruskal(factor, groups)
        self._intervals(factor, names, layout if self.method == "means" else rank_layout(groups))

    def _add(
        self,
        factor: str,
        test: str,
        statistic: float,
        df: int,
        error: float | None,
        p: float,
        levels: int,
        n: int,
    ) -> None:
        self.omnibus.append(
            {
                "factor": factor,
                "test": test,
                "statistic": float(statistic),
                "df": df,
                "df_error": error,
                "p": p,
                "levels": levels,
                "n": n,
            }
        )

    def _f(self, factor: str, test: str, layout: Layout, n: int) -> None:
        levels = len(layout.means)
        f, p = (layout.f, layout.p) if layout.varies else (np.nan, np.nan)
        self._add(factor, test, f, levels - 1, layout.freedom, p, levels, n)

    def _kruskal(self, factor: str, groups: list[Floats]) -> None:
        h, p = kruskal_statistic(groups)
        n = sum(map(len, groups))
        self._add(factor, "Kruskal–Wallis", h, len(groups) - 1, None, p, len(groups), n)

    def _intervals(self, factor: str, names: Sequence[str], layout: Layout) -> None:
        best = int(np.argmax(layout.means))
        chosen = best
        if self.against in names:
            self.found, chosen = True, list(names).index(str(self.against))
        count, known = len(layout.means), layout.varies
        half = half_widths(layout, self.alpha) if known else np.full(count, np.nan)
        p = range_p(layout, chosen) if known else np.full(count, np.nan)
        for k in np.argsort(-layout.means, kind="stable"):
            mean, own = float(layout.means[k]), float(half[k])
            self.levels.append(
                {
                    "factor": factor,
                    "level": names[k],
                    "n": int(layout.sizes[k]),
                    "mean": mean,
                    "low": mean - own if known else None,
                    "high": mean + own if known else None,
                    "against": names[chosen],
                    "p": float(p[k]) if known and k != chosen else None,
                    "differs": bool(p[k] <= self.alpha) if known and k != chosen else None,
                }
            )


def _adjusted(values: Floats) -> Floats:
    """Return the mean of each item over systems, adjusted for missing scores."""
    if not np.isnan(values).any():
        return np.asarray(values.mean(axis=0))
    return additive_layout(values.T, what=("item", "system")).means


def _grouping(table: Scores, by: Sequence[str] | None, notes: list[str]) -> list[str]:
    """Return the attributes that group the items."""
    if by is not None:
        for name in by:
            table.filter(name, None)  # raises an error that lists the attributes
            if _groups(table, name) < 2 or _groups(table, name) >= _known(table, name):
                raise MismatchError(
                    f"the attribute {name!r} does not group the items: it has {_groups(table, name)} "
                    f"values for {_known(table, name)} items. It needs at least two values, and one "
                    "value that two items share."
                )
        return list(dict.fromkeys(by))
    fit = [n for n in table.attributes if 2 <= _groups(table, n) < _known(table, n)]
    notes += [
        f"The attribute {name!r} does not group the items and was skipped."
        for name in table.attributes
        if name not in fit
    ]
    return fit


def _groups(table: Scores, name: str) -> int:
    return len({str(v) for v in table.attributes[name] if v is not None})


def _known(table: Scores, name: str) -> int:
    return sum(v is not None for v in table.attributes[name])
