"""Scorers: the trained functions of the features, which can be saved and loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._kernels.letor import NetworkShape, network_scores

__all__ = ["Linear", "Network", "Scorer", "Stumps", "standardised"]

Floats = NDArray[np.float64]
Features = NDArray[np.float32]


class Scorer(Protocol):
    """A function of the features; the scorers of baselines use queries or grades instead."""

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return one score per row."""
        ...

    def importance(self) -> Floats:
        """Return the importance of each feature, 0 or more; not comparable between methods."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the scorer as JSON values; `from_dict` reads them."""
        ...


def _numbers(values: Any) -> Floats:
    found = np.ascontiguousarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ValueError("expected a list of finite numbers")
    return found


def standardised(features: Features, centre: Floats, spread: Floats) -> Features:
    """Return (features − centre) / spread."""
    made = (features - centre) / spread
    return np.ascontiguousarray(made, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model: one weight per feature."""

    weights: Floats

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return Σ weight · feature for each row."""
        return np.asarray(features @ self.weights, dtype=np.float64)

    def importance(self) -> Floats:
        """Return the absolute weights."""
        return np.abs(self.weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the weights."""
        return {"kind": "linear", "weights": self.weights.tolist()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Linear:
        """Return the scorer that `to_dict` describes."""
        return cls(_numbers(given["weights"]))


@dataclass(frozen=True, eq=False)
class Stumps:
    """A sum of weights over the thresholds that are exceeded; three arrays of equal length."""

    count: int
    columns: NDArray[np.int64]
    thresholds: Floats
    weights: Floats

    @cached_property
    def _steps(self) -> list[tuple[int, NDArray[np.float32], Floats]]:
        """Column, ascending thresholds, and the sum of weights above 0, 1, 2, … of them."""
        made = []
        for column in np.unique(self.columns).tolist():
            mine = self.columns == column
            thresholds, place = np.unique(self.thresholds[mine], return_inverse=True)
            sums = np.bincount(place, self.weights[mine])
            made.append(
                (column, thresholds.astype(np.float32), np.concatenate([[0], sums.cumsum()]))
            )
        return made

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return, for each row, the sum of weights over the thresholds that it exceeds."""
        total = np.zeros(len(features))
        for column, thresholds, sums in self._steps:
            total += sums[np.searchsorted(thresholds, features[:, column], side="left")]
        return total

    def importance(self) -> Floats:
        """Return the sum of absolute weights of each feature."""
        found = np.bincount(self.columns, np.abs(self.weights), minlength=self.count)
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return columns, thresholds and weights."""
        return {
            "kind": "stumps",
            "count": self.count,
            "columns": self.columns.tolist(),
            "thresholds": self.thresholds.tolist(),
            "weights": self.weights.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Stumps:
        """Return the scorer that `to_dict` describes."""
        columns = np.array(given["columns"], dtype=np.int64)
        count = int(given["count"])
        rows = [_numbers(given[name]) for name in ("thresholds", "weights")]
        if columns.ndim != 1 or {len(row) for row in rows} != {len(columns)}:
            raise ValueError("columns, thresholds and weights differ in length")
        if len(columns) and not 0 <= int(columns.min()) <= int(columns.max()) < count:
            raise ValueError("a column is out of range")
        return cls(count, columns, *rows)


@dataclass(frozen=True, eq=False)
class Network:
    """A neural network with one hidden layer on standardised features."""

    shape: NetworkShape
    parameters: Floats
    centre: Floats
    spread: Floats

    def scores(self, features: Features, letor: Letor) -> Floats:
        """Return the output of the network for each row."""
        return network_scores(
            self.shape, self.parameters, standardised(features, self.centre, self.spread)
        )

    def importance(self) -> Floats:
        """Return Σ |weight to a hidden unit · weight of that unit| per feature (Garson 1991)."""
        hidden, features = self.shape.hidden, len(self.centre)
        first = self.parameters[: features * hidden].reshape(features, hidden)
        second = self.parameters[features * hidden + hidden : features * hidden + 2 * hidden]
        return np.asarray(np.abs(first * second).sum(axis=1) / self.spread, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return shape and parameters."""
        return {
            "kind": "network",
            "hidden": self.shape.hidden,
            "squashed": self.shape.squashed,
            "parameters": self.parameters.tolist(),
            "centre": self.centre.tolist(),
            "spread": self.spread.tolist(),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Network:
        """Return the scorer that `to_dict` describes."""
        shape = NetworkShape(int(given["hidden"]), bool(given["squashed"]))
        rows = [_numbers(given[name]) for name in ("parameters", "centre", "spread")]
        if shape.hidden < 1 or len(rows[0]) != shape.parameters(len(rows[1])):
            raise ValueError("the network has the wrong number of parameters")
        if len(rows[1]) != len(rows[2]) or (rows[2] <= 0).any():
            raise ValueError("each feature needs a centre and a positive spread")
        return cls(shape, *rows)
