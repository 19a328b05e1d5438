"""Trees that LightGBM grew, kept as the text that it writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare.data.letor import Letor
from tare.errors import FormatError, MissingExtraError
from tare.rankers.training import Training

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
    def _booster(self) -> Any:
        package = lightgbm("A model of trees")
        try:
            return package.Booster(model_str=self.text)
        except package.basic.LightGBMError as error:
            raise ValueError(f"LightGBM cannot read the trees: {error}") from None

    def scores(self, features: NDArray[np.float32], letor: Letor) -> NDArray[np.float64]:
        """What the trees say, added up."""
        return np.asarray(self._booster.predict(features, num_threads=1), dtype=np.float64)

    def importance(self) -> NDArray[np.float64]:
        """What the splits on each feature gained."""
        found = self._booster.feature_importance(importance_type="gain")
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """LightGBM's text."""
        return {"kind": "trees", "lightgbm": self.text}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Trees:
        """Reads what `to_dict` wrote."""
        if not isinstance(given["lightgbm"], str) or not given["lightgbm"].startswith("tree\n"):
            raise ValueError("the trees are not LightGBM's text")
        return cls(given["lightgbm"])


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
