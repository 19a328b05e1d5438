"""Baselines: a single feature, a random order, and the ideal one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.counter_random import uniforms
from tare._data.letor import Letor
from tare._kernels import stream_ids
from tare.errors import OptionError
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._scorers import Linear
from tare.rankers._training import Training

__all__ = ["ByChance", "ByGrade", "Ideal", "RandomOrder", "SingleFeature"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SingleFeature(Ranker):
    """The one feature, or its negative, that ranks best; or the feature that is named, as it is.

    Validation data choose, where there are some, otherwise the training data.
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
                    f"SingleFeature: there is no feature {self.feature}; there are "
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
class ByChance:
    """A random number a row, of the query's own stream."""

    seed: int
    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """Every order of a query's documents is as likely as any other."""
        made = np.empty(len(letor))
        bounds = zip(letor.offsets.tolist(), letor.offsets[1:].tolist(), strict=False)
        for stream, (low, high) in zip(stream_ids(letor.queries).tolist(), bounds, strict=True):
            made[low:high] = uniforms(self.seed, stream, np.arange(high - low))
        return made

    def importance(self) -> Floats:
        """No feature weighs anything."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """The seed."""
        return {"kind": "random", "seed": self.seed, "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ByChance:
        """Reads what `to_dict` wrote."""
        return cls(int(given["seed"]), int(given["count"]))


@dataclass(frozen=True)
class ByGrade:
    """Documents by their grades."""

    count: int

    def scores(self, features: NDArray[np.float32], letor: Letor) -> Floats:
        """The grades."""
        return np.array(letor.grades)

    def importance(self) -> Floats:
        """No feature weighs anything."""
        return np.zeros(self.count)

    def to_dict(self) -> dict[str, Any]:
        """Nothing was learnt."""
        return {"kind": "ideal", "count": self.count}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> ByGrade:
        """Reads what `to_dict` wrote."""
        return cls(int(given["count"]))


@dataclass(frozen=True, kw_only=True)
class RandomOrder(Ranker):
    """A random order; the seed says which. Nothing is learnt."""

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random"
    citation: ClassVar[str] = ""
    chooses: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(ByChance(seed, training.features.shape[1]))


@dataclass(frozen=True, kw_only=True)
class Ideal(Ranker):
    """The order of the grades, which no ranker can exceed. Nothing is learnt."""

    name: ClassVar[str] = "ideal"
    title: ClassVar[str] = "Ideal"
    citation: ClassVar[str] = ""
    chooses: ClassVar[bool] = False

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        return Fitted(ByGrade(training.features.shape[1]))
