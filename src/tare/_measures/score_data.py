"""The data of a score table, checked, and the means over items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding
from tare._measures.aggregation import aggregate, averaging
from tare._measures.column_measure import column_measures
from tare._measures.measure import Measure
from tare._measures.ratio import Ratio
from tare._measures.rescoring import Rescoring
from tare._measures.summed_statistics import SummedStatistics
from tare._signature import Signature
from tare.errors import MismatchError, OptionError

__all__ = ["ScoreData"]

DRAWS = 1000


def _differ(names: tuple[str, ...]) -> bool:
    """Return whether all names differ; only names without an order need a set, which is large."""
    return all(map(lt, names, islice(names, 1, None))) or len(set(names)) == len(names)


def _immutable(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the array in memory that cannot become writable again; it is copied if it is not there yet."""
    held: object = array
    while isinstance(held, np.ndarray):
        held = held.base
    if isinstance(held, bytes) and len(held) == array.nbytes:
        return array
    return np.frombuffer(array.tobytes(), dtype=array.dtype).reshape(array.shape)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreData:
    """The data of `Scores`, which describes the fields."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]
    signatures: tuple[Signature, ...]
    findings: tuple[Finding, ...] = ()
    attributes: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    errors: NDArray[np.float64] | None = None
    seed: int = 0
    ratios: Mapping[Measure, Ratio] = field(default_factory=dict)
    rescoring: Rescoring | None = field(default=None, repr=False)
    statistics: Mapping[Measure, SummedStatistics] = field(default_factory=dict)
    judged: Mapping[Measure, NDArray[np.float64]] = field(default_factory=dict)
    cluster: str = ""
    range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", column_measures(self.measures))
        shape = (len(self.systems), len(self.items), len(self.measures))
        if self.values.shape != shape:
            raise MismatchError(f"values of shape {self.values.shape} do not fit {shape}.")
        names: dict[str, tuple[str, ...]] = {
            "systems": self.systems,
            "items": self.items,
            "measures": self.measure_names,
        }
        for name, given in names.items():
            if not _differ(given):
                twice = next(x for x in given if given.count(x) > 1)
                raise MismatchError(f"duplicate {twice!r} among the {name}; names must differ.")
        if len(self.signatures) != len(self.measures):
            raise MismatchError(
                f"{len(self.signatures)} signatures for {len(self.measures)} measures."
            )
        self._protect()

    def _protect(self) -> None:
        """Replace the arrays of this table by copies that nobody can write to."""
        for name in ("values", "errors"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, _immutable(array))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "rescoring": None}  # the data behind the table are not pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._protect()  # numpy may restore pickled arrays as writable

    @cached_property
    def measure_names(self) -> tuple[str, ...]:
        """The texts of the measures: the names of the columns."""
        return tuple(measure.text for measure in self.measures)

    def means(self) -> dict[str, dict[str, float]]:
        """Return {system: {measure: mean}}; each measure defines how its items are averaged."""
        columns = {name: self._aggregated(m) for m, name in enumerate(self.measure_names)}
        return {
            system: {name: column[s] for name, column in columns.items()}
            for s, system in enumerate(self.systems)
        }

    def flat(self, *, separator: str = "_") -> dict[str, float]:
        """Return the means under flat names that experiment trackers accept.

        Parameters
        ----------
        separator
            Put between system and measure, if there are several systems. With "_", the names are
            accepted by MLflow, TensorBoard and Weights & Biases, which can also sort by them; "/"
            makes one group per system in MLflow and TensorBoard.

        Returns
        -------
        dict of str to float

        Examples
        --------
        >>> import tare
        >>> scores = tare.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["nDCG@10", "P(rel=1)@1"])
        >>> scores.flat()  # mlflow.log_metrics(scores.flat()), wandb.log(scores.flat())
        {'nDCG_at_10': 1.0, 'P_at_1': 1.0}
        """
        from tare._measures.flat_names import flat_means

        return flat_means(self, separator)

    def _aggregated(self, m: int) -> list[float]:
        parts = self.ratios.get(self.measures[m]) or self.statistics.get(self.measures[m])
        if parts is not None:
            return [float(mean) for mean in parts.means()]
        how = averaging(self.measures[m])
        return [aggregate(row, how) for row in self.values[:, :, m]]

    @property
    def mean(self) -> float:
        """The mean, if the table has one system and one measure."""
        if len(self.systems) != 1 or len(self.measures) != 1:
            raise OptionError(
                f"the table has {len(self.systems)} systems and {len(self.measures)} measures; "
                "means() returns the mean of each, and select() chooses one."
            )
        return self._aggregated(0)[0]

    def counts(self) -> NDArray[np.int64]:
        """Return the number of items in each mean, systems × measures."""
        counted: NDArray[np.int64] = (~np.isnan(self.values)).sum(axis=1)
        for m, measure in enumerate(self.measures):
            if measure in self.ratios:
                counted[:, m] = self.ratios[measure].counts()
            elif measure in self.statistics:
                counted[:, m] = self.statistics[measure].counts()
        return counted

    def intervals(
        self, *, confidence: float = 0.95, draws: int = DRAWS, seed: int | None = None
    ) -> NDArray[np.float64]:
        """Return confidence intervals of the means, systems × measures × (low, high).

        The mean of a measure with a finite range has Wilson's interval, scaled to the observed spread; it
        never leaves the range. A ratio of means, such as Net, has Fieller's interval, a value of summed
        statistics, such as BLEU, the percentiles of resampled items, and any other mean Student's. NaN
        where there is none: for sums, for a single item, and where `table` says why.

        Parameters
        ----------
        confidence
            Between 0 and 1.
        draws, seed
            Number and seed of the resamples of summed statistics; the seed of the table by default.

        References
        ----------
        Wilson (1927); Fieller (1954); Kish (1965) for clusters of unequal sizes.

        Examples
        --------
        >>> import polars as pl, tare
        >>> frame = pl.DataFrame({"system": ["a"] * 4, "item": [1, 2, 3, 4], "RR": [1.0, 0.5, 1.0, 0.25]})
        >>> tare.Scores.load(frame).intervals().round(3).tolist()
        [[[0.186, 0.955]]]
        """
        from tare._measures.score_intervals import score_intervals

        chosen = self.seed if seed is None else seed
        return score_intervals(self, confidence, draws, chosen).ends
