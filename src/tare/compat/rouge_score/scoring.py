"""Scores, and their bootstrap intervals, as rouge-score has them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tare.compat._arguments import number

__all__ = ["AggregateScore", "BaseScorer", "BootstrapAggregator", "Score", "fmeasure"]


class Score(NamedTuple):
    """Precision, recall and F of one text.

    Examples
    --------
    >>> Score(1.0, 0.5, fmeasure(1.0, 0.5)).fmeasure
    0.6666666666666666
    """

    precision: float
    recall: float
    fmeasure: float


class AggregateScore(NamedTuple):
    """The lower bound, the middle and the upper bound of a bootstrap interval.

    Examples
    --------
    >>> AggregateScore(0.1, 0.2, 0.3).mid
    0.2
    """

    low: Any
    mid: Any
    high: Any


class BaseScorer(ABC):
    """Base class of scorers.

    Examples
    --------
    >>> from tare.compat.rouge_score.rouge_scorer import RougeScorer
    >>> issubclass(RougeScorer, BaseScorer)
    True
    """

    @abstractmethod
    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction by type.

        Parameters
        ----------
        target : str
            The reference.
        prediction : str
            The text to score.

        Returns
        -------
        dict
            A `Score` for each type.
        """


class BootstrapAggregator:
    """Bootstrap intervals of mean scores.

    As in rouge-score, samples are drawn from NumPy's global generator (`numpy.random.seed`), and the
    middle is the median of the resampled means. `Scores.intervals()` of tare needs no random numbers.

    Parameters
    ----------
    confidence_interval : float, default 0.95
        The probability of the interval.
    n_samples : int, default 1000
        The number of resamples.

    Raises
    ------
    ValueError
        If the probability is not between 0 and 1, or there are no resamples.

    Examples
    --------
    >>> aggregator = BootstrapAggregator()
    >>> for f in (0.5, 0.5, 0.5):
    ...     aggregator.add_scores({"rouge1": Score(f, f, f)})
    >>> float(aggregator.aggregate()["rouge1"].mid.fmeasure)
    0.5
    """

    def __init__(self, confidence_interval: float = 0.95, n_samples: int = 1000) -> None:
        confidence_interval = number("confidence_interval", confidence_interval)
        if not 0 <= confidence_interval <= 1:
            raise ValueError("confidence_interval must be in range [0, 1]")
        if n_samples <= 0:
            raise ValueError("n_samples must be positive")
        self._confidence = confidence_interval
        self._samples = n_samples
        self._scores: dict[str, list[Any]] = {}

    def add_scores(self, scores: Mapping[str, Any]) -> None:
        """Add the scores of one text.

        Parameters
        ----------
        scores : dict
            A `Score`, or another named tuple of numbers, for each type.
        """
        for kind, score in scores.items():
            self._scores.setdefault(kind, []).append(score)

    def aggregate(self) -> dict[str, AggregateScore]:
        """Return the interval of each type.

        Returns
        -------
        dict
            An `AggregateScore` for each type, of the same named tuples that were added.
        """
        found = {}
        for kind, scores in self._scores.items():
            bounds = self._bounds(np.vstack(scores))
            found[kind] = AggregateScore(*(type(scores[0])(*bound) for bound in bounds))
        return found

    def _bounds(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the two bounds of rouge-score's bootstrap interval with the median between them, 3 × columns."""
        n = len(values)
        means = np.empty((self._samples, values.shape[1]))
        for i in range(self._samples):
            means[i] = values[np.random.choice(n, size=n)].mean(axis=0)
        outside = (1 - self._confidence) / 2
        return np.asarray(np.percentile(means, 100 * np.array([outside, 0.5, 1 - outside]), axis=0))


def fmeasure(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall.

    Parameters
    ----------
    precision, recall : float
        Two numbers of at least 0.

    Returns
    -------
    float
        2PR/(P + R), or 0 if both are 0.

    Examples
    --------
    >>> fmeasure(0.5, 1.0)
    0.6666666666666666
    """
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
