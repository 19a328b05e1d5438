"""Scores: the second narrow waist. System × item × measure, with missing cells and a signature.

Rankings, diversity, preferences, summaries and human ratings all end here; statistics, studies and
reports start here and nowhere else.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._kernels import bootstrap_means
from tare._measures.aggregation import FLOOR, aggregate, averaging, number_of, quantile
from tare._measures.names import parse, parse_all
from tare._measures.ratio import Ratio
from tare._measures.student_interval import student_intervals
from tare._reportable import Reportable
from tare._signature import Signature
from tare.errors import MeasureError, MismatchError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

    from tare._data.judged import Judged
    from tare._data.pools import Pools
    from tare._measures.measure import Measure
    from tare._tables import Table

__all__ = ["Rescoring", "Scores"]

DRAWS = 1000


@dataclass(frozen=True)
class Rescoring:
    """The data behind a table: how further measures are scored on them, and their pools."""

    score: Callable[[tuple[Measure, ...]], Scores]
    pool_known: bool  # whether chance can be computed without asking for a pool
    rankings: Sequence[Judged] = ()
    pools: Pools | None = None


@dataclass(frozen=True, eq=False)
class Scores(Reportable):
    """A table of scores: `values[system, item, measure]`, NaN where a cell is missing.

    `ratios` holds gross, tare and ideal of each measure that is a ratio of means, such as Net.
    """

    figure_module: ClassVar[str] = "tare.report._chapters.score_table"

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    values: NDArray[np.float64]
    signatures: tuple[Signature, ...]
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    errors: NDArray[np.float64] | None = None
    seed: int = 0
    ratios: Mapping[str, Ratio] = field(default_factory=dict)
    rescoring: Rescoring | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Pickled without the data behind the table."""
        return {**self.__dict__, "rescoring": None}

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.items), len(self.measures))
        if self.values.shape != shape:
            raise MismatchError(f"values of shape {self.values.shape} do not fit {shape}.")
        names = {"systems": self.systems, "items": self.items, "measures": self.measures}
        for name, given in names.items():
            if len(set(given)) != len(given):
                twice = next(x for x in given if given.count(x) > 1)
                raise MismatchError(f"{twice!r} stands twice among the {name}; ids must differ.")
        if len(self.signatures) != len(self.measures):
            raise MismatchError(
                f"{len(self.signatures)} signatures for {len(self.measures)} measures."
            )
        self._close()

    def _close(self) -> None:
        """Makes the arrays read-only here; an array that was passed in stays as it was."""
        for name in ("values", "errors"):
            array = getattr(self, name)
            if array is not None:
                view = array.view()
                view.flags.writeable = False
                object.__setattr__(self, name, view)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._close()  # numpy restores pickled arrays as writable

    # Choosing

    def __getitem__(self, measure: Any) -> Scores:
        """The scores of one measure."""
        return self.select(measures=[measure])

    def select(
        self,
        *,
        systems: Sequence[str] | None = None,
        items: Sequence[str] | None = None,
        measures: Sequence[Any] | None = None,
    ) -> Scores:
        """Only these systems, items and measures, in the order given."""
        s = _places(self.systems, systems, "system")
        i = _places(self.items, items, "item")
        wanted = None if measures is None else [self._name(m) for m in measures]
        m = _places(self.measures, wanted, "measure")
        take = np.ix_(s, i, m)
        names = tuple(self.measures[k] for k in m)
        ratios = {name: self.ratios[name].take(s, i) for name in names if name in self.ratios}
        signatures = tuple(self.signatures[k] for k in m)
        if items is not None:
            signatures = tuple(
                _with_count(x, self.values[np.ix_(s, i, [k])], ratios.get(name))
                for x, k, name in zip(signatures, m, names, strict=True)
            )
        return replace(
            self,
            systems=tuple(self.systems[k] for k in s),
            items=tuple(self.items[k] for k in i),
            measures=names,
            values=self.values[take],
            signatures=signatures,
            ratios=ratios,
            attributes={
                name: tuple(column[k] for k in i) for name, column in self.attributes.items()
            },
            errors=None if self.errors is None else self.errors[take],
        )

    def _name(self, measure: Any) -> str:
        text = str(measure)
        if text in self.measures:
            return text
        try:
            return str(parse(text))
        except MeasureError:
            return text

    def filter(self, attribute: str, value: Any) -> Scores:
        """Only the items with this value of an attribute."""
        if attribute not in self.attributes:
            known = list(self.attributes)
            raise OptionError(
                f"the items have no attribute {attribute!r}; they have: {', '.join(known) or 'none'}."
                f"{nearest(attribute, known)}"
            )
        column = self.attributes[attribute]
        return self.select(items=[x for x, v in zip(self.items, column, strict=True) if v == value])

    def with_attribute(self, name: str, values: Mapping[str, Any]) -> Scores:
        """The same scores with an attribute of the items, given by item id."""
        column = tuple(values.get(item) for item in self.items)
        return replace(self, attributes={**self.attributes, name: column})

    def join(self, other: Scores) -> Scores:
        """Both tables as one, aligned by ids; cells that neither has are missing."""
        from tare._measures.score_join import joined

        return joined(self, other)

    def also(self, measures: Any) -> Scores:
        """The same table with further measures, scored on the same data.

        Only a table that `evaluate` has just made knows its data; one that was read from a file does
        not.
        """
        if self.rescoring is None:
            raise OptionError(
                "this table does not know the data it was made from; score them again with all measures."
            )
        more = tuple(m for m in parse_all(measures) if str(m) not in self.measures)
        if not more:
            return self
        made = self.rescoring.score(more)
        added = self.join(made.select(systems=self.systems, items=self.items))
        order = [*self.measures, *(str(m) for m in more)]
        return replace(added.select(items=self.items, measures=order), rescoring=self.rescoring)

    # Numbers

    def matrix(self, measure: Any = None) -> NDArray[np.float64]:
        """Systems × items of one measure (the only one, if none is named)."""
        return self._one(measure).values[:, :, 0]

    def contributions(
        self, measure: Any = None, *, linearised: bool = False
    ) -> NDArray[np.float64]:
        """Systems × items of what each item adds to the mean: values whose mean is the printed one.

        For most measures these are the values themselves. A measure that is a ratio of means has
        (A − E)/(mean room) for each item; `linearised` values have the same mean and, as spread,
        that of the ratio: intervals and margins need them.
        """
        one = self._one(measure)
        ratio = one.ratios.get(one.measures[0])
        if ratio is None:
            return one.values[:, :, 0]
        return ratio.linearised() if linearised else ratio.contributions()

    def _one(self, measure: Any = None) -> Scores:
        chosen = self if measure is None else self[measure]
        if len(chosen.measures) != 1:
            raise OptionError(
                f"the table has {len(chosen.measures)} measures; choose one, as in "
                f"scores[{chosen.measures[0] if chosen.measures else 'nDCG@10'!r}]."
            )
        return chosen

    def means(self) -> dict[str, dict[str, float]]:
        """{system: {measure: mean}}; how the items are averaged is a property of each measure."""
        columns = {measure: self._aggregated(m) for m, measure in enumerate(self.measures)}
        return {
            system: {measure: column[s] for measure, column in columns.items()}
            for s, system in enumerate(self.systems)
        }

    def _aggregated(self, m: int) -> list[float]:
        """The mean of each system by one measure."""
        ratio = self.ratios.get(self.measures[m])
        if ratio is not None:
            return [float(mean) for mean in ratio.means()]
        how = averaging(self.measures[m])
        return [aggregate(row, how) for row in self.values[:, :, m]]

    @property
    def mean(self) -> float:
        """The mean, where the table holds one system and one measure."""
        if len(self.systems) != 1 or len(self.measures) != 1:
            raise OptionError(
                f"the table holds {len(self.systems)} systems and {len(self.measures)} measures; "
                "means() has the mean of each, select() chooses one."
            )
        return self._aggregated(0)[0]

    def counts(self) -> NDArray[np.int64]:
        """Systems × measures: how many items the mean is over."""
        counted: NDArray[np.int64] = (~np.isnan(self.values)).sum(axis=1)
        for m, measure in enumerate(self.measures):
            if measure in self.ratios:
                counted[:, m] = self.ratios[measure].counts()
        return counted

    def intervals(
        self, *, confidence: float = 0.95, draws: int = DRAWS, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Systems × measures × (low, high): percentile bootstrap over items; NaN for sums.

        A ratio of means has Student's interval of its linearised values, whose coverage is better.
        """
        if not 0 < confidence < 1:
            raise OptionError(f"confidence={confidence} is not possible; it lies between 0 and 1.")
        if draws < 1:
            raise OptionError(f"draws={draws} is not possible; at least 1 is needed.")
        s, i, m = self.values.shape
        rows = self.values.transpose(0, 2, 1).reshape(s * m, i)
        logs = np.array([averaging(measure) == "geometric" for measure in self.measures] * s)
        rows = np.where(logs[:, None], np.log(np.maximum(rows, FLOOR)), rows)
        means = bootstrap_means(rows, draws, self.seed if seed is None else seed)
        tails = [(1 - confidence) / 2, (1 + confidence) / 2]
        ends = np.stack([quantile(means, tail) for tail in tails], axis=-1).reshape(s, m, 2)
        for k, measure in enumerate(self.measures):
            if measure in self.ratios:
                ends[:, k] = student_intervals(self.ratios[measure].linearised(), confidence)
            elif averaging(measure) == "geometric":
                ends[:, k] = np.exp(ends[:, k])
            elif averaging(measure) == "sum":
                ends[:, k] = np.nan
        return ends

    # Out

    @property
    def by_item(self) -> pl.DataFrame:
        """A polars frame: system, item, measure, value; and the items' attributes."""
        return self.to_frame()

    def to_frame(self) -> pl.DataFrame:
        """A polars frame: system, item, measure, value; and the items' attributes."""
        import polars as pl

        s, i, m = self.values.shape
        columns: dict[str, Any] = {
            "system": np.repeat(np.array(self.systems, dtype=object), i * m).tolist(),
            "item": np.tile(np.repeat(np.array(self.items, dtype=object), m), s).tolist(),
            "measure": list(self.measures) * (s * i),
            "value": self.values.reshape(-1),
        }
        for name, column in self.attributes.items():
            columns[name] = [v for v in column for _ in range(m)] * s
        schema = {"system": pl.String, "item": pl.String, "measure": pl.String}
        return pl.DataFrame(columns, schema_overrides=schema).with_columns(
            pl.col("value").fill_nan(None)
        )

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return self.to_frame().to_pandas()

    def to_arrow(self) -> Any:
        """The same as an Arrow table."""
        return self.to_frame().to_arrow()

    def to_dict(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """{system: {measure: {item: value}}}; a missing cell is None."""
        return {
            system: {
                measure: {
                    item: None if math.isnan(v) else float(v)
                    for item, v in zip(self.items, self.values[s, :, m], strict=True)
                }
                for m, measure in enumerate(self.measures)
            }
            for s, system in enumerate(self.systems)
        }

    def to_json(self) -> str:
        """Means, values, signatures and findings as JSON."""
        whole = {
            "means": {
                system: {m: None if math.isnan(v) else v for m, v in means.items()}
                for system, means in self.means().items()
            },
            "values": self.to_dict(),
            "signatures": {m: str(g) for m, g in zip(self.measures, self.signatures, strict=True)},
            "findings": [str(finding) for finding in self.findings],
        }
        return json.dumps(whole, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a Parquet file with the signatures in it."""
        from tare._measures.score_files import save

        save(self, path)

    @staticmethod
    def load(source: Any) -> Scores:
        """Reads what `save` wrote, or any table with the columns system, item, measure, value."""
        from tare._measures.score_files import load

        return load(source)

    def table(self, *, confidence: float = 0.95) -> Table:
        """Means with intervals, one row a system and measure, or one row a system."""
        from tare._measures.score_table import score_table

        return score_table(self, confidence=confidence)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().to_html()


def _places(known: tuple[str, ...], wanted: Sequence[str] | None, what: str) -> list[int]:
    if wanted is None:
        return list(range(len(known)))
    place = {name: k for k, name in enumerate(known)}
    for name in wanted:
        if name not in place:
            shown = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise OptionError(
                f"there is no {what} {name!r}; there are: {shown}.{nearest(str(name), known)}"
            )
    return [place[name] for name in wanted]


def _with_count(
    signature: Signature, values: NDArray[np.float64], ratio: Ratio | None
) -> Signature:
    """A signature that says over how many items the mean is."""
    counts = (~np.isnan(values[:, :, 0])).sum(axis=1) if ratio is None else ratio.counts()
    return signature.with_facts(n=number_of(counts))
