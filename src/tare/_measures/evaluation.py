"""Evaluation of one system; each measure is computed once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare import _kernels as kernels
from tare._data.findings import Finding
from tare._data.judged import Judged
from tare._data.pools import Pools
from tare._data.simulation import check_seed
from tare._measures.measure import Measure
from tare.errors import MeasureError, OptionError

__all__ = ["Evaluation", "Sampling", "kernel_of"]

MAX_SAMPLES = 1_000_000_000


@dataclass(frozen=True)
class Sampling:
    """Seed and limits for values without a closed form: few orders are enumerated, many sampled."""

    seed: int = 0
    samples: int = 10_000
    most_orders: int = 50_000

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if not 2 <= self.samples <= MAX_SAMPLES:
            raise OptionError(
                f"samples={self.samples} is not possible: 2 to {MAX_SAMPLES:,} can be drawn."
            )


def kernel_of(
    measure: Measure, levels: NDArray[np.float64], deepest: int = 0
) -> kernels.MeasureKernel:
    """Return the kernel of a measure for these grades and this depth of the rankings."""
    definition = measure.definition
    assert definition.arguments is not None
    arguments = definition.arguments(measure, levels)
    gain = arguments.gain if arguments.gain is not None else np.zeros(len(levels))
    cutoff = int(measure.cutoff or 0) if definition.cutoff != "recall" else 0
    return kernels.MeasureKernel(
        arguments.kernel,
        cutoff,
        int(np.searchsorted(levels, max(arguments.rel, 0.0))),
        int(np.searchsorted(levels, 0.0)),
        np.ascontiguousarray(gain, dtype=np.float64),
        np.array(arguments.parameters, dtype=np.float64),
        arguments.discount,
        arguments.discount_parameter,
        deepest,
    )


class Evaluation:
    """The values of one system, by measure."""

    def __init__(
        self,
        judged: Judged,
        sampling: Sampling,
        pools: Pools | None = None,
        shared: dict[Any, Any] | None = None,
    ) -> None:
        self.judged = judged
        self.sampling = sampling
        self.pools = pools or Pools()
        self.shared = {} if shared is None else shared  # the same for every system
        self._values: dict[Measure, NDArray[np.float64]] = {}
        self._errors: dict[Measure, NDArray[np.float64]] = {}
        self.notes: dict[Any, Any] = {}  # shared by derived measures
        self.findings: list[Finding] = []  # of derived measures
        self._facts: dict[Measure, dict[str, object]] = {}  # for the signatures
        self.ratios: dict[Measure, tuple[NDArray[np.float64], ...]] = {}  # gross, tare, ideal

    def compute(self, measures: Iterable[Measure]) -> None:
        """Compute all measures that have kernels, including inner measures, in one call."""
        wanted: dict[Measure, None] = {}
        for measure in measures:
            inside: Measure | None = measure
            while inside is not None:
                definition = inside.definition
                by_kernel = definition.arguments is not None and definition.derive is None
                if by_kernel and inside not in self._values:
                    wanted[inside] = None
                inside = inside.inner
        if not wanted:
            return
        qrels = self.judged.qrels
        deepest = int(max(self.judged.retrieved.max(initial=0), np.diff(qrels.pool_offsets).max()))
        rankings = self.judged.kernel_rankings
        values, errors = kernels.evaluate(
            rankings,
            qrels.pool_offsets,
            qrels.pool,
            self.judged.streams if len(rankings.lows) else None,
            [kernel_of(measure, qrels.levels, deepest) for measure in wanted],
            most_orders=self.sampling.most_orders,
            samples=self.sampling.samples,
            seed=self.sampling.seed,
        )
        sampled = bool(errors.any())
        for k, measure in enumerate(wanted):
            self._values[measure] = values[k]
            if sampled:
                self._errors[measure] = errors[k]

    def values(self, measure: Measure) -> NDArray[np.float64]:
        """Return one value per query."""
        if measure not in self._values:
            if measure.definition.across is not None:
                raise MeasureError(
                    f"{measure} compares systems, so it cannot be inside another measure."
                )
            if measure.definition.derive is None:
                self.compute([measure])
            else:
                self._values[measure] = measure.definition.derive(self, measure)
        return self._values[measure]

    def set_values(self, measure: Measure, values: NDArray[np.float64]) -> None:
        """Set values that were computed elsewhere."""
        self._values[measure] = values

    def errors(self, measure: Measure) -> NDArray[np.float64]:
        """Return the standard errors of sampled values; 0 for exact values."""
        if measure not in self._errors:
            return np.zeros(len(self.judged.items))
        return self._errors[measure]

    def set_errors(self, measure: Measure, errors: NDArray[np.float64]) -> None:
        """Set the standard errors of a derived measure."""
        self._errors[measure] = errors

    def facts(self, measure: Measure) -> dict[str, object]:
        """Return the facts for the signature of a measure, once it has values."""
        return self._facts.get(measure, {})

    def set_facts(self, measure: Measure, facts: dict[str, object]) -> None:
        """Set the facts of a derived measure for its signature."""
        self._facts[measure] = facts
