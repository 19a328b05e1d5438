"""The arrays of LETOR data: read-only, of one type each, and of lengths that fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tare.errors import MismatchError

__all__ = ["check_arrays", "owned_arrays"]


def owned_arrays(
    features: ArrayLike, grades: ArrayLike, offsets: ArrayLike
) -> dict[str, NDArray[Any]]:
    """Return features, grades and offsets as read-only arrays; offsets are copied.

    Rankers read offsets after they were checked, so a caller must not be able to change them.
    """
    made: dict[str, NDArray[Any]] = {
        "features": np.ascontiguousarray(features, dtype=np.float32),
        "grades": np.ascontiguousarray(grades, dtype=np.float64),
        "offsets": np.array(offsets, dtype=np.int64),
    }
    views = {name: array.view() for name, array in made.items()}
    for view in views.values():
        view.flags.writeable = False
    return views


def check_arrays(
    name: str, arrays: Mapping[str, NDArray[Any]], queries: int, ids: Sequence[str] | None
) -> None:
    """Raise an error if the arrays do not describe so many queries, with one id per row if there are ids."""
    features, grades, offsets = arrays["features"], arrays["grades"], arrays["offsets"]
    ascending = offsets.ndim == 1 and len(offsets) > 0 and (np.diff(offsets) >= 0).all()
    if not ascending or offsets[0] != 0:
        raise MismatchError(
            f"{name}: offsets must begin with 0 and never decrease. Give the first row of each query, and the "
            "number of rows at the end."
        )
    rows = len(grades)
    lengths = {len(features), rows, int(offsets[-1])}
    if ids is not None:
        lengths.add(len(ids))
    if features.ndim != 2 or lengths != {rows} or len(offsets) != queries + 1:
        raise MismatchError(
            f"{name}: features {features.shape}, {rows:,} grades, {queries:,} queries and {len(offsets):,} "
            "offsets do not fit together. Give one grade per row, and one more offset than queries."
        )
