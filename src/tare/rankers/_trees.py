"""Trees that LightGBM grew, kept as the text that it writes and scored without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare._kernels.rankers import forest_scores
from tare.errors import FormatError, MissingExtraError
from tare.rankers._training import Training
from tare.rankers._tree_text import TreeText, read_tree_text

__all__ = ["Trees", "check_whole_grades", "dataset", "lightgbm"]

HIGHEST_GRADE = 30  # 2^30 − 1 is the largest gain LightGBM has a table for


def lightgbm(purpose: str) -> Any:
    """The package, or a word on how to get it."""
    try:
        import lightgbm as found
    except ImportError:
        raise MissingExtraError("lightgbm", "rank", purpose) from None
    return found


@dataclass(frozen=True, eq=False)
class Trees:
    """A forest, as LightGBM's own text."""

    text: str

    @cached_property
    def read(self) -> TreeText:
        """The trees of the text, checked; ValueError says what is wrong with it."""
        return read_tree_text(self.text)

    def scores(self, features: NDArray[np.float32], letor: Letor) -> NDArray[np.float64]:
        """The leaves of all trees added up, or their mean in a forest; LightGBM's bits."""
        if features.shape[1] != self.read.features:
            raise ValueError(f"the trees are of {self.read.features} features")
        rows = np.ascontiguousarray(features, dtype=np.float32)
        total = forest_scores(self.read.forest, rows)
        return total / self.read.trees if self.read.averaged else total

    def importance(self) -> NDArray[np.float64]:
        """What the splits on each feature gained."""
        gained = np.maximum(self.read.gains, 0)
        found = np.bincount(self.read.forest.features, gained, minlength=self.read.features)
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """LightGBM's text."""
        return {"kind": "trees", "lightgbm": self.text}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Trees:
        """Reads what `to_dict` wrote."""
        if not isinstance(given["lightgbm"], str):
            raise ValueError("the trees are not LightGBM's text")
        made = cls(given["lightgbm"])
        _ = made.read
        return made


def dataset(
    package: Any, training: Training, parameters: Mapping[str, Any], reference: Any = None
) -> Any:
    """Rows as LightGBM takes them."""
    return package.Dataset(
        training.features,
        training.grades,
        group=np.diff(training.offsets),
        reference=reference,
        params=dict(parameters),
    )


def check_whole_grades(title: str, *parts: Training | None) -> int:
    """LightGBM ranks by whole grades from 0 to 30; returns the highest."""
    highest = 1
    for part in parts:
        if part is None:
            continue
        wrong = (part.grades < 0) | (part.grades > HIGHEST_GRADE) | (part.grades % 1 != 0)
        if wrong.any():
            raise FormatError(
                f"{title}: a grade is {float(part.grades[wrong][0]):g}; whole grades from 0 to "
                f"{HIGHEST_GRADE} are accepted."
            )
        highest = max(highest, int(part.grades.max(initial=0)))
    return highest
