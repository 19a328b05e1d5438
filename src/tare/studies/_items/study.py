"""Do systems, items, or groups of items differ at all, and which of them?

Omnibus tests (analysis of variance, Kruskal–Wallis, Friedman) and simultaneous intervals of every
level: of systems, of items, and of groups of items such as those of one assessor or category
(Rankel 2016, ch. 4 and fig. 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare._result import Rows
from tare.errors import MismatchError, OptionError, choose, nearest
from tare.stats._additive import Layout, additive_layout, one_way_layout, rank_layout
from tare.stats._omnibus import friedman_statistic, kruskal_statistic
from tare.stats._pairs import matrix_of, rounded
from tare.stats._simultaneous import half_widths, range_p
from tare.studies._items.result import ItemStudy

__all__ = ["items"]

Floats = NDArray[np.float64]
METHODS = ("means", "ranks")
MOST_LEVELS = 2000


def items(
    scores: Any,
    *,
    measure: Any = None,
    by: Sequence[str] | None = None,
    method: str = "means",
    against: str | None = None,
    alpha: float = 0.05,
) -> ItemStudy:
    """Tests whether systems, items and groups of items differ, with simultaneous intervals.

    Systems and items: the additive layout systems + items (missing cells allowed), Kruskal–Wallis on
    all scores, Friedman on ranks within items (within systems for items) where no cell is missing.
    Groups of items: one value per item, its mean adjusted for the systems, because the scores of
    systems on one item are not independent.

    by: attributes of the items that group them; all that have between 2 values and one per item,
    unless told.
    method: "means" with Tukey and Kramer's intervals, or "ranks", mean ranks after Kruskal–Wallis.
    against: the system, item or group that the others are compared with; the best of each factor
    unless told.
    """
    choose("method", method, METHODS)
    if not 0 < alpha < 1:
        raise OptionError(f"alpha={alpha} is not possible; it lies between 0 and 1.")
    table = scores if isinstance(scores, Scores) else Scores.load(scores)
    names, given = matrix_of(table, measure)
    values = rounded(given)
    used = np.asarray(~np.isnan(values).all(axis=0))
    values, names = values[:, used], tuple(n for n, u in zip(names, used, strict=True) if u)
    notes: list[str] = []
    if not used.all():
        notes.append(f"{int((~used).sum()):,} items without any score were left out.")
    made = _Made(method, against, alpha)
    made.crossed("system", table.systems, values)
    if len(names) > MOST_LEVELS:
        notes.append(f"{len(names):,} items are too many to compare with one another; at most {MOST_LEVELS:,}.")  # fmt: skip
    else:
        made.crossed("item", names, values.T)
    for attribute in _grouping(table, by, notes):
        column = dict(zip(table.items, table.attributes[attribute], strict=True))
        made.grouped(attribute, [column[name] for name in names], _adjusted(values))
    if against is not None and not made.found:
        known = [row["level"] for row in made.levels]
        raise OptionError(
            f"there is no system, item or group {against!r} to compare with.{nearest(against, known)}"
        )
    one = table if measure is None else table[measure]
    return ItemStudy(
        made.omnibus, made.levels, one.measure_names[0], method, alpha, len(table.systems), len(names),
        one.signatures, tuple(notes),
    )  # fmt: skip


class _Made:
    """Rows of answers, gathered factor by factor."""

    def __init__(self, method: str, against: str | None, alpha: float) -> None:
        self.method, self.against, self.alpha = method, against, alpha
        self.omnibus: Rows = []
        self.levels: Rows = []
        self.found = False

    def crossed(self, factor: str, names: Sequence[str], values: Floats) -> None:
        """A factor whose levels are the rows of a matrix, crossed with its columns."""
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

    def grouped(self, factor: str, labels: Sequence[Any], values: Floats) -> None:
        """A factor that sorts items into groups."""
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
            {"factor": factor, "test": test, "statistic": float(statistic), "df": df,
             "df_error": error, "p": p, "levels": levels, "n": n}
        )  # fmt: skip

    def _f(self, factor: str, test: str, layout: Layout, n: int) -> None:
        levels = len(layout.means)
        self._add(factor, test, layout.f, levels - 1, layout.freedom, layout.p, levels, n)

    def _kruskal(self, factor: str, groups: list[Floats]) -> None:
        h, p = kruskal_statistic(groups)
        n = sum(map(len, groups))
        self._add(factor, "Kruskal–Wallis", h, len(groups) - 1, None, p, len(groups), n)

    def _intervals(self, factor: str, names: Sequence[str], layout: Layout) -> None:
        best = int(np.argmax(layout.means))
        chosen = best
        if self.against in names:
            self.found, chosen = True, list(names).index(str(self.against))
        half = half_widths(layout, self.alpha)
        p = range_p(layout, chosen)
        for k in np.argsort(-layout.means, kind="stable"):
            mean, own = float(layout.means[k]), float(half[k])
            self.levels.append(
                {"factor": factor, "level": names[k], "n": int(layout.sizes[k]), "mean": mean,
                 "low": mean - own, "high": mean + own, "against": names[chosen],
                 "p": None if k == chosen else float(p[k]),
                 "differs": None if k == chosen else bool(p[k] <= self.alpha)}
            )  # fmt: skip


def _adjusted(values: Floats) -> Floats:
    """The mean of each item as if every system had a score on it."""
    if not np.isnan(values).any():
        return np.asarray(values.mean(axis=0))
    return additive_layout(values.T, what=("item", "system")).means


def _grouping(table: Scores, by: Sequence[str] | None, notes: list[str]) -> list[str]:
    """The attributes that put items into groups."""
    if by is not None:
        for name in by:
            table.filter(name, None)  # says what attributes there are
            if _groups(table, name) < 2 or _groups(table, name) >= _known(table, name):
                raise MismatchError(
                    f"the attribute {name!r} has {_groups(table, name)} values for {_known(table, name)} "
                    "items; groups need at least two values, and one of them two items."
                )
        return list(dict.fromkeys(by))
    fit = [n for n in table.attributes if 2 <= _groups(table, n) < _known(table, n)]
    notes += [
        f"The attribute {name!r} does not group the items and was left out."
        for name in table.attributes
        if name not in fit
    ]
    return fit


def _groups(table: Scores, name: str) -> int:
    return len({str(v) for v in table.attributes[name] if v is not None})


def _known(table: Scores, name: str) -> int:
    return sum(v is not None for v in table.attributes[name])
