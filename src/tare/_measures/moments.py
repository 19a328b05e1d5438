"""Moments of a measure under chance, and the protocols of the families that provide them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tare._data.judged import Judged
    from tare._kernels import Rankings
    from tare._measures.evaluation import Sampling
    from tare._measures.measure import Measure
    from tare._measures.text.evaluation import TextEvaluation

__all__ = ["Moments", "RandomText", "RankingChance", "TextChance"]


@dataclass(frozen=True)
class Moments:
    """Moments and bounds of a measure under chance, per query; exact values have error 0."""

    expected: NDArray[np.float64]
    expected_error: NDArray[np.float64]
    upper: NDArray[np.float64]
    variance: NDArray[np.float64] | None = None
    variance_error: NDArray[np.float64] | None = None
    worst: NDArray[np.float64] | None = None
    greedy: bool = False  # `upper` comes from a greedy order, which a better order may exceed


class RankingChance(Protocol):
    """Provider of the moments of a family of ranking measures.

    `tied` holds the judged documents of each query's pool as one tie group; its `retrieved` is the
    size of the pool.
    """

    def moments(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        *,
        variance: bool,
        worst: bool,
    ) -> Moments:
        """Return mean and bounds over all orders of the pools; variance and worst on request."""
        ...

    def tails(
        self,
        judged: Judged,
        measure: Measure,
        tied: Rankings,
        sampling: Sampling,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability that a random order scores at least `observed`, and its error."""
        ...


@dataclass(frozen=True)
class RandomText:
    """A random text: how its expected score is computed, and its length.

    expected: "exact" (sampled if there is no closed form), "sampled", "published" (one text);
    for measures based on embeddings also "best" and "worst": the tokens most and least similar to
    the source.
    length: that of the "candidate" or the "reference", or a number of words.
    """

    expected: str = "exact"
    length: str | int = "reference"


class TextChance(Protocol):
    """Provider of the moments of a family of text measures."""

    def ways(self) -> tuple[str, ...]:
        """Return the supported values of `RandomText.expected`."""
        ...

    def usual_samples(self) -> int:
        """Return the default number of sampled texts."""
        ...

    def moments(
        self, evaluation: TextEvaluation, measure: Measure, text: RandomText, *, variance: bool
    ) -> Moments:
        """Return mean, error and, on request, variance; the caller adds the upper bound."""
        ...

    def tails(
        self,
        evaluation: TextEvaluation,
        measure: Measure,
        text: RandomText,
        observed: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the probability that a random text scores at least `observed`, and its error."""
        ...
