"""Evaluations of rankings, texts, answers and ranks: each measure computed once, and assembled into one score table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.aggregation import Ratio, number_of
from tare._measures.definition import Value
from tare._measures.geometric_ranks import ERROR, STATISTICS, Columns, parts_of, ratios_of
from tare._measures.measure import Measure
from tare._measures.scores import Rescoring, Scores
from tare._signature import Signature
from tare.errors import MeasureError

__all__ = ["Assembled", "Block", "Column", "Evaluation", "assemble", "inside", "options_of"]

Values = NDArray[np.float64]
Made = TypeVar("Made")


def inside(measure: Measure) -> Measure:
    """Return the measure that one system has in an evaluation: measures that compare systems are derived from it."""
    if measure.definition.across is None:
        return measure
    assert measure.inner is not None
    return measure.inner


def options_of(measure: Measure) -> dict[str, Value]:
    """Return the parameters of a measure and of those inside it, for an evaluation; the outer ones go before."""
    made: dict[str, Value] = {}
    while True:
        for parameter in measure.definition.parameters:
            if (value := measure[parameter.name]) is not None:
                made.setdefault(parameter.name, value)
        if measure.inner is None:
            return made
        measure = measure.inner


# Evaluations: every measure is computed once.


@dataclass(frozen=True, eq=False)
class Column:
    """A column of an evaluation: a measure of some cells, its values, and the arrays next to them.

    `errors` are standard errors of sampled values, None if all are exact. `parts` are named arrays, one
    row per cell: gross, tare and ideal of a ratio of means, or the statistics of a measure made of sums.
    """

    values: Values
    errors: Values | None = None
    parts: Mapping[str, Values] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)  # for the signature
    noted: tuple[Any, ...] = ()  # findings


class Evaluation:
    """An evaluation: values, errors, parts, facts and findings of measures; subclasses compute one measure.

    Parameters
    ----------
    size
        The number of values of a measure.
    resources
        Results that several evaluations share, such as models; more are added to it.
    """

    def __init__(self, size: int, resources: dict[Hashable, Any] | None = None) -> None:
        self.size = size
        self.resources = {} if resources is None else resources
        self.noted: list[Any] = []  # findings, in the order of the measures
        self._values: dict[Measure, Values] = {}
        self._errors: dict[Measure, Values] = {}
        self._parts: dict[Measure, dict[str, Values]] = {}
        self._facts: dict[Measure, dict[str, object]] = {}
        self._shared: dict[Hashable, Any] = {}

    def compute(self, measure: Measure) -> Values:
        """Compute a measure of this evaluation (subclasses do); its errors, parts, facts and findings are set on the way."""
        raise NotImplementedError

    def values(self, measure: Measure) -> Values:
        """Return the values of a measure in this evaluation, computed on first use."""
        if measure not in self._values:
            if measure.definition.across is not None:
                raise MeasureError(
                    f"{measure} compares systems, so it cannot be inside another measure."
                )
            self._values[measure] = self.compute(measure)
        return self._values[measure]

    def set_values(self, measure: Measure, values: Values, errors: Values | None = None) -> None:
        """Set values of a measure that an evaluation computed together with others, and the errors of sampled ones."""
        self._values[measure] = values
        if errors is not None:
            self._errors[measure] = errors

    def errors(self, measure: Measure) -> Values:
        """Return the standard errors of a measure that an evaluation sampled; 0 for exact values."""
        return self._errors.get(measure, np.zeros(self.size))

    def set_errors(self, measure: Measure, errors: Values) -> None:
        """Set the standard errors of a measure that an evaluation sampled."""
        self._errors[measure] = errors

    def set_parts(self, measure: Measure, **parts: Values) -> None:
        """Set the parts of a measure in an evaluation, from which the value of a set of items is computed."""
        self._parts[measure] = parts

    def facts(self, measure: Measure) -> dict[str, object]:
        """Return what the signature of an evaluated measure says beside its options, once it has values."""
        return self._facts.get(measure, {})

    def set_facts(
        self, measure: Measure, facts: Mapping[str, Any], noted: Iterable[Any] = ()
    ) -> None:
        """Set the facts of an evaluated measure for its signature, and add findings to the evaluation."""
        self._facts[measure] = dict(facts)
        self.noted += noted

    def shared(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a result that measures of one evaluation share under this key, computed on first use."""
        if key not in self._shared:
            self._shared[key] = make()
        made: Made = self._shared[key]
        return made

    def resource(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return a result that several evaluations share, such as a model, computed on first use."""
        if key not in self.resources:
            self.resources[key] = make()
        made: Made = self.resources[key]
        return made

    def column(self, measure: Measure) -> Column:
        """Return the column of a measure: its values with all that stands beside them, and the findings that it adds."""
        before = len(self.noted)
        values = self.values(measure)
        return Column(
            values,
            self._errors.get(measure),
            self._parts.get(measure, {}),
            self.facts(measure),
            tuple(self.noted[before:]),
        )


# Evaluations assembled into a score table.


@dataclass(frozen=True, eq=False)
class Block:
    """Columns of some cells of the score table to assemble, one per measure: one system, or all of them.

    `places` are the cells, counted system by system. Those `left_out` have no value.
    """

    places: slice | NDArray[np.integer[Any]]
    columns: Iterable[Column]
    left_out: NDArray[np.bool_] | None = None

    def kept(self, values: Values) -> Values:
        """Return the values of a block's column, NaN where a cell of the table is left out."""
        if self.left_out is None or not self.left_out.any():
            return values
        return np.where(self.left_out.reshape(-1, *(1,) * (values.ndim - 1)), np.nan, values)


@dataclass(frozen=True, eq=False)
class Assembled:
    """The arrays of a score table assembled from evaluations, from which its signatures and findings are made."""

    measures: tuple[Measure, ...]
    values: Values
    columns: Columns
    facts: list[Mapping[str, object]]

    @cached_property
    def ratios(self) -> dict[Measure, Ratio]:
        """The measures that are ratios of means."""
        return ratios_of(self.columns, self.measures)

    @cached_property
    def errors(self) -> list[Values]:
        """The standard errors of the measures in the assembled score table that were sampled."""
        return [named[ERROR] for named in self.columns.values() if ERROR in named]

    def counts(self) -> list[str]:
        """Return the number of items in the mean of each measure of the assembled score table."""
        known = (~np.isnan(self.values)).sum(axis=1)
        return [
            number_of(self.ratios[measure].counts() if measure in self.ratios else known[:, m])
            for m, measure in enumerate(self.measures)
        ]

    def sampled(self, how: str) -> list[Finding]:
        """Report sampled values in the assembled score table; `how` names the seed and the number of samples."""
        if not self.errors:
            return []
        message = (
            f"some values under chance have no closed form and were sampled ({how}); the largest "
            f"standard error is {max(np.nanmax(errors) for errors in self.errors):.2g}."
        )
        number = sum(int((errors > 0).sum()) for errors in self.errors)
        return [Finding("sampled values", message, number, severity="note")]


def assemble(
    systems: tuple[str, ...],
    items: tuple[str, ...],
    measures: tuple[Measure, ...],
    blocks: Iterable[Block],
    sign: Callable[[Assembled], Iterable[Signature]],
    report: Callable[[Assembled], Iterable[Finding]],
    rescoring: Rescoring,
    seed: int,
) -> Scores:
    """Return the score table of evaluations.

    Parameters
    ----------
    systems, items, measures
        The axes of the table.
    blocks
        Some cells at a time: the columns of `inside` of each measure.
    sign, report
        Functions that return the signatures and the findings of the complete arrays.
    rescoring
        How more measures are computed on the same data.
    seed
        The seed that is kept with the table.
    """
    shape = (len(systems), len(items))
    cells = shape[0] * shape[1]
    values = np.full((cells, len(measures)), np.nan)
    errors: dict[int, Values] = {}  # of measures that were sampled
    parts: list[dict[str, Values]] = [{} for _ in measures]
    facts: list[Mapping[str, object]] = [{} for _ in measures]
    for block in blocks:
        for m, column in enumerate(block.columns):
            facts[m] = column.facts
            values[block.places, m] = block.kept(column.values)
            if column.errors is not None and (column.errors > 0).any():
                if m not in errors:
                    errors[m] = np.zeros(cells)
                errors[m][block.places] = column.errors
            for name, part in column.parts.items():
                if name not in parts[m]:
                    parts[m][name] = np.full((cells, *part.shape[1:]), np.nan)
                parts[m][name][block.places] = block.kept(part)
    table = values.reshape(*shape, len(measures))
    columns: dict[Measure, dict[str, Values]] = {}
    for m, measure in enumerate(measures):
        if measure.definition.across is not None:
            table[:, :, m] = measure.definition.across(table[:, :, m], measure)
        named = _named(measure, parts[m])
        if m in errors:
            named[ERROR] = errors[m]
        if named:
            columns[measure] = {n: a.reshape(*shape, *a.shape[1:]) for n, a in named.items()}
    made = Assembled(measures, table, columns, facts)
    return Scores(
        systems,
        items,
        measures,
        table,
        tuple(sign(made)),
        tuple(report(made)),
        columns=columns,
        seed=seed,
        rescoring=rescoring,
    )


def _named(measure: Measure, parts: dict[str, Values]) -> dict[str, Values]:
    """Return the named parts for a score table that the mean of a measure needs; a cell has all of a ratio, or none."""
    if not parts or measure.definition.across is not None:
        return {}
    if STATISTICS in parts:
        return parts if measure.aggregate == STATISTICS else {}
    if parts_of(measure) is None:
        return {}
    gone = np.isnan(sum(parts.values()))
    return {name: np.where(gone, np.nan, part) for name, part in parts.items()}
