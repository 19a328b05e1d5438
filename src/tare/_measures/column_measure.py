"""The measure behind a column of a score table, whoever named the column."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tare._measures.definition import Definition
from tare._measures.measure import Measure
from tare._measures.names import parse
from tare.errors import MeasureError

__all__ = ["ColumnMeasure", "column_measure", "column_measures"]


@dataclass(frozen=True, eq=False, repr=False)
class ColumnMeasure(Measure):
    """A column with a free name, such as a human rating, or `map` for AP.

    `label` is the name of the column and the text of the measure. A label that is not a registered
    measure has a minimal definition: items are averaged by their mean, and higher is better.
    """

    label: str = ""
    registered: bool = False

    @cached_property
    def text(self) -> str:
        """The name of the column."""
        return self.label

    @property
    def definition(self) -> Definition:
        """The definition of the registered measure, or the minimal one."""
        return super().definition if self.registered else _minimal(self.label)


def column_measure(column: str | Measure) -> Measure:
    """Return the measure of a column; its text is the name of the column, unchanged.

    >>> column_measure("nDCG@10"), column_measure("fluency").better
    (nDCG@10, 'higher')
    >>> column_measure("gm_map"), column_measure("gm_map").aggregate
    (gm_map, 'geometric')
    """
    if isinstance(column, Measure):
        return column
    try:
        found = parse(column)
    except MeasureError:  # a column that somebody else named
        return ColumnMeasure(column, label=column)
    if found.text == column:
        return found
    return ColumnMeasure(
        found.name, found.parameters, found.cutoff, found.inner, found.part, column, True
    )


def column_measures(columns: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Return the measures of several columns, in order."""
    return tuple(map(column_measure, columns))


@lru_cache(maxsize=256)
def _minimal(label: str) -> Definition:
    return Definition(label, label, "", "", bounds=(None, None), family="given", needs="values")
