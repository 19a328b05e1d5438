"""Bootstrap resampling."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare import _core

__all__ = ["bootstrap_means"]


def bootstrap_means(
    values: NDArray[np.float64], draws: int, seed: int, threads: int = 0, first_draw: int = 0
) -> NDArray[np.float64]:
    """Return the means of each row over resampled columns, rows × draws; NaN cells are left out.

    Draws are numbered from `first_draw`; a draw is the same in every call.
    """
    return _core.bootstrap_means(np.ascontiguousarray(values), draws, seed, threads, first_draw)
