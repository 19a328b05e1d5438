"""Baselines: a single feature, a random order and the ideal order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._data.simulation import uniforms
from tare._kernels import stream_ids
from tare.errors import OptionError
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["GradeScorer", "Ideal", "RandomOrder", "RandomScorer", "SingleFeature"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SingleFeature(Ranker):
    """Baseline that ranks by a single feature.

    Parameters
    ----------
    feature : int, optional
        Id of the feature. By default it is the feature, or its negative, with the best mean nDCG on the
        validation data, or on the training data if there are none.
    mode, normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.SingleFeature().fit(letor).importance()
    {1: 1.0, 2: 0.0}
    """

    feature: int | None = None

    name: ClassVar[str] = "feature"
    title: ClassVar[str] = "SingleFeature"
    citation: ClassVar[str] = ""

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        chosen = valid or training
        weights = np.zeros(training.features.shape[1])
        if self.feature is not None:
            place = self.feature - training.first_feature
            if place >= len(weights) or place < 0:
                raise OptionError(
                    f"SingleFeature: unknown feature {self.feature}. The data have features "
                    f"{training.first_feature} to {training.first_feature + len(weights) - 1}."
                )
            weights[place] = 1.0
            return Fitted(Linear(weights))
        best, at, sign = -1.0, 0, 1.0
        for column, values in enumerate(chosen.columns):
            progress(column, len(weights))
            for way in (1.0, -1.0):
                reached = chosen.mean_ndcg(way * values.astype(np.float64), self.threads)
                if reached > best:
                    best, at, sign = reached, column, way
        weights[at] = sign
        return Fitted(Linear(weights))


@dataclass(frozen=True)
class RandomScorer:
    """Scores rows by random numbers, with one stream per query."""

    seed: int
    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """Return random scores; every order of the documents of a query is equally likely."""
        made = np.empty(len(letor))
        bounds = zip(letor.offsets.tolist(), letor.offsets[1:].tolist(), strict=False)
        for stream, (low, high) in zip(stream_ids(letor.queries).tolist(), bounds, strict=True):
            made[low:high] = uniforms(self.seed, stream, np.arange(high - low))
        return made

    def importance(self) -> Floats:
        """Return zeros; no feature is used."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """Return the seed and the number of features."""
        return {"kind": "random", "seed": self.seed, "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> RandomScorer:
        """Return the scorer that `to_dict` describes."""
        return cls(int(given["seed"]), int(given["count"]))


@dataclass(frozen=True)
class GradeScorer:
    """Scores rows by their grades."""

    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """Return the grades."""
        return np.array(letor.grades)

    def importance(self) -> Floats:
        """Return zeros; no feature is used."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """Return the number of features."""
        return {"kind": "ideal", "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> GradeScorer:
        """Return the scorer that `to_dict` describes."""
        return cls(int(given["count"]))


@dataclass(frozen=True, kw_only=True)
class RandomOrder(Ranker):
    """Baseline that ranks documents in random order, given by the seed of `fit`.

    Parameters
    ----------
    mode, normalise, cutoff, threads
        See `Ranker`. They have no effect on the order.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.RandomOrder().fit(letor, seed=1)
    >>> model.score(letor).shape
    (4,)
    """

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random"
    citation: ClassVar[str] = ""
    uses_validation: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(RandomScorer(seed, training.features.shape[1]))


@dataclass(frozen=True, kw_only=True)
class Ideal(Ranker):
    """Baseline that ranks documents by their grades; no ranker can exceed it.

    Parameters
    ----------
    mode, normalise, cutoff, threads
        See `Ranker`. They have no effect on the order.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> tare.rankers.Ideal().fit(letor).score(letor).tolist()
    [2.0, 0.0, 1.0, 0.0]
    """

    name: ClassVar[str] = "ideal"
    title: ClassVar[str] = "Ideal"
    citation: ClassVar[str] = ""
    uses_validation: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(GradeScorer(training.features.shape[1]))
