"""A model of running time: measured costs per row and per query, its fit to whole runs, and its predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORMS", "Fitted", "Work", "fitted"]

DRAWS = 4000
LEVEL = 0.90
# The stages of each form, which are costs per row of one core.
FORMS = {
    "text": ("judge text",),
    "parquet": ("parse Parquet", "judge"),
    "shuffled parquet": ("parse Parquet", "split", "unpack", "judge"),
}


@dataclass(frozen=True)
class Work:
    """A run and what scores it; rates are bytes per second of one node, infinite if they are no limit."""

    form: str
    rows: float
    queries: float
    nodes: int = 1
    cores: int = 2  # of each node
    start: float = 0.0
    disk: float = float("inf")
    network: float = float("inf")

    def seconds(self, stages: Mapping[str, float], factor: float = 1.0) -> float:
        """Return the time by the model: the slower of cores and disk, then network, then the join."""
        each = sum(stages[name] for name in FORMS[self.form])
        worked = self.rows * each / (self.nodes * self.cores)
        read = self.rows * stages[f"bytes of {self.form}"] / (self.nodes * self.disk)
        moved = 0.0
        if "split" in FORMS[self.form]:
            away = self.rows * stages["bytes moved"] * (1 - 1 / self.nodes)
            moved = away / (self.nodes * self.network)
        joined = self.queries * stages["join"]
        return self.start + factor * (max(worked, read) + moved + joined)


@dataclass(frozen=True)
class Fitted:
    """The model with its factor, which is observed time divided by the time of the model."""

    stages: Mapping[str, Sequence[float]]  # repeats of each stage
    runs: Sequence[tuple[Work, float]]  # whole runs with their seconds
    factor: float
    draws: NDArray[np.float64]  # of the factor of one more run
    samples: Sequence[Mapping[str, float]]  # drawn stages

    def predict(self, work: Work) -> tuple[float, float, float]:
        """Return the expected seconds and the ends of the interval."""
        middle = work.seconds(medians(self.stages), self.factor)
        drawn = [
            work.seconds(stages, float(factor))
            for stages, factor in zip(self.samples, self.draws, strict=True)
        ]
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return middle, float(low), float(high)


def medians(stages: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the median of the repeats of each stage."""
    return {name: float(np.median(repeats)) for name, repeats in stages.items()}


def fitted(
    stages: Mapping[str, Sequence[float]], runs: Sequence[tuple[Work, float]], seed: int = 1
) -> Fitted:
    """Fit the factor to whole runs.

    The logarithm of observed time divided by the time of the model has a mean m and a standard deviation s
    over k runs. One more run has a factor exp(m + s·t·√(1 + 1/k)), where t has Student's distribution with
    k − 1 degrees of freedom. Each draw also resamples the repeats of every stage.
    """
    random = np.random.default_rng(seed)
    samples: list[Mapping[str, float]] = []
    draws = []
    k = len(runs)
    for _ in range(DRAWS):
        drawn = {
            name: float(np.median(random.choice(repeats, len(repeats))))
            if len(repeats) > 1
            else float(repeats[0])
            for name, repeats in stages.items()
        }
        ratios = _ratios(drawn, runs)
        spread = ratios.std(ddof=1) * random.standard_t(k - 1) * np.sqrt(1 + 1 / k)
        draws.append(np.exp(ratios.mean() + spread))
        samples.append(drawn)
    factor = float(np.exp(_ratios(medians(stages), runs).mean()))
    return Fitted(stages, runs, factor, np.array(draws), samples)


def _ratios(stages: Mapping[str, float], runs: Sequence[tuple[Work, float]]) -> NDArray[np.float64]:
    model = np.array([work.seconds(stages) - work.start for work, _ in runs])
    measured = np.array([seconds - work.start for work, seconds in runs])
    return np.asarray(np.log(measured / model))
