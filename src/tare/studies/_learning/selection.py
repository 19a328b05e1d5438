"""Choose the subset of features whose fit correlates best with people on other data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._kernels.statistics import correlations
from tare._kernels.threads_and_blocks import seams
from tare.stats._paired_differences import rounded, rounded_rows
from tare.stats._regression import Fits, fit_subsets
from tare.studies._learning.data import Outputs, Places

__all__ = ["SELECT_LEVELS", "chosen_fit", "quality"]

Floats = NDArray[np.float64]
SELECT_LEVELS = ("system", "item", "output")


def quality(data: Outputs, rows: Places, fits: Fits, level: str, kind: str) -> Floats:
    """Return the correlation of each fit's predictions with people; NaN if undefined.

    Level "system" correlates system means, "item" the systems on one item, averaged over items, and
    "output" all rows.
    """
    x, y = data.x[rows], data.y[rows, 0]
    if level == "system":
        # Predictions are linear: their mean is the prediction of the mean.
        known, place = np.unique(data.system[rows], return_inverse=True)
        counts = np.bincount(place)
        sums = np.zeros((len(known), x.shape[1]))
        np.add.at(sums, place, x)
        predicted = fits.predict(sums / counts[:, None])
        return _correlated(predicted, np.bincount(place, y) / counts, kind)
    if level == "output":
        return _correlated(fits.predict(x), y, kind)
    total, count = np.zeros(len(fits.masks)), np.zeros(len(fits.masks))
    for item in np.unique(data.item[rows]):
        own = data.item[rows] == item
        if own.sum() > 1:
            found = _correlated(fits.predict(x[own]), y[own], kind)
            total += np.nan_to_num(found)
            count += ~np.isnan(found)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _correlated(predicted: Floats, y: Floats, kind: str) -> Floats:
    """Return the correlation of each column with y; NaN for constant columns."""
    if kind == "pearson":
        centred = predicted - predicted.mean(axis=0)
        target = y - y.mean()
        below = np.sqrt((centred**2).sum(axis=0) * (target**2).sum())
        size = np.abs(predicted).max(axis=0, initial=1e-300)
        flat = np.sqrt((centred**2).mean(axis=0)) <= 1e-12 * size
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(flat, np.nan, (target @ centred) / below)
    found = np.empty(predicted.shape[1])
    step = max(1, seams().resampled_cells // (10 * len(y)))
    for start in range(0, len(found), step):
        part = rounded_rows(predicted[:, start : start + step].T)
        found[start : start + step] = correlations(part, np.tile(rounded(y), (len(part), 1)), kind)
    return found


def chosen_fit(
    data: Outputs,
    train: Places,
    select: Places,
    again: Places,
    masks: NDArray[np.int64],
    *,
    method: str,
    level: str,
    kind: str,
    ridge: float,
    threads: int,
    scale: str = "published",
) -> tuple[int, float, Fits]:
    """Train every subset, choose the best on `select`, and refit it on `again`.

    Return its mask, its correlation on `select`, and the new fit. Among equally good subsets the
    smallest is chosen.
    """

    def fitted(rows: Places, subsets: NDArray[np.int64]) -> Fits:
        y = data.y[rows] if method == "cca" else data.y[rows, 0]
        return fit_subsets(
            data.x[rows], y, subsets, method=method, ridge=ridge, scale=scale, threads=threads
        )

    found = np.nan_to_num(quality(data, select, fitted(train, masks), level, kind), nan=-2.0)
    best = np.flatnonzero(found >= found.max() - 1e-9)
    sizes = np.array([bin(int(m)).count("1") for m in masks[best]])
    place = int(best[np.lexsort((masks[best], sizes))[0]])
    mask = int(masks[place])
    return mask, float(found[place]), fitted(again, np.array([mask], dtype=np.int64))
