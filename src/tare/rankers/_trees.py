"""Trees of LightGBM, stored in its text format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare.errors import FormatError, MissingExtraError
from tare.rankers._training import Training

__all__ = ["Trees", "check_whole_grades", "dataset", "lightgbm"]

HIGHEST_GRADE = 30  # 2^30 − 1 is the largest gain that LightGBM accepts


def lightgbm(purpose: str) -> Any:
    """Return the lightgbm package, or raise a message on how to install it."""
    try:
        import lightgbm as found
    except ImportError:
        raise MissingExtraError("lightgbm", "rank", purpose) from None
    return found


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees in the text format of LightGBM, which reads and scores them."""

    text: str

    @cached_property
    def booster(self) -> Any:
        """The model of LightGBM; ValueError if LightGBM does not read the text."""
        package = lightgbm("A model of trees")
        try:
            return package.Booster(model_str=self.text)
        except package.basic.LightGBMError as error:
            raise ValueError(f"LightGBM does not read the trees: {error}") from None

    def scores(self, features: NDArray[np.float32], letor: Letor) -> NDArray[np.float64]:
        """Return the prediction of LightGBM for each row."""
        return np.asarray(self.booster.predict(features, num_threads=1), dtype=np.float64)

    def importance(self) -> NDArray[np.float64]:
        """Return the total gain of the splits on each feature."""
        found = self.booster.feature_importance(importance_type="gain")
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return the text of LightGBM."""
        return {"kind": "trees", "lightgbm": self.text}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Trees:
        """Return the scorer that `to_dict` describes."""
        if not isinstance(given["lightgbm"], str):
            raise ValueError("the trees are not in the text format of LightGBM")
        return cls(given["lightgbm"])


def dataset(
    package: Any, training: Training, parameters: Mapping[str, Any], reference: Any = None
) -> Any:
    """Return the rows as a LightGBM dataset."""
    return package.Dataset(
        training.features,
        training.grades,
        group=np.diff(training.offsets),
        reference=reference,
        params=dict(parameters),
    )


def check_whole_grades(title: str, *parts: Training | None) -> int:
    """Return the highest grade; raise unless all grades are integers from 0 to 30."""
    highest = 1
    for part in parts:
        if part is None:
            continue
        wrong = (part.grades < 0) | (part.grades > HIGHEST_GRADE) | (part.grades % 1 != 0)
        if wrong.any():
            raise FormatError(
                f"{title}: a grade is {float(part.grades[wrong][0]):g}. Accepted: integers from 0 to "
                f"{HIGHEST_GRADE}."
            )
        highest = max(highest, int(part.grades.max(initial=0)))
    return highest
