"""Fits of a learned measure: on each fold, tested on what is held out, and on all outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tare._result import Rows
from tare.stats._regression import Fits, subset_of
from tare.studies._learning.data import Outputs, Split, halves
from tare.studies._learning.selection import chosen_fit, quality

__all__ = ["final_fit", "final_split", "tested_fold"]


def _again(split: Split, refit: str) -> Any:
    """Return the outputs on which the chosen subset is fitted again."""
    return split.select if refit == "select" else np.concatenate([split.train, split.select])


def tested_fold(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Choose and fit a subset of features, and test it on the outputs that were held out."""
    mask, selected, fit = chosen_fit(
        data, split.train, split.select, _again(split, refit), masks, method=method, **options
    )
    tested = quality(data, split.test, fit, options["level"], options["kind"])
    return {
        "features": [data.features[j] for j in subset_of(mask, len(data.features))],
        "selected": selected,
        "tested": float(tested[0]),
        "outputs": len(split.test),
        "intercept": float(fit.intercepts[0]),
        "weights": _weights(data, fit, mask, _again(split, refit)),
        "predicted": fit.predict(data.x[split.test])[:, 0].tolist(),
    }


def final_split(data: Outputs, protocol: str, splits: list[Split], seed: int) -> Split:
    """Return the split of the final model, which holds out nothing."""
    if protocol == "years":  # the last two years
        return Split("all", splits[-1].select, splits[-1].test, splits[-1].test)
    every = np.arange(len(data))
    first, second = halves(data, every, seed, "final", systems=protocol == "systems")
    return Split("all", first, second, every)


def final_fit(
    data: Outputs, split: Split, masks: Any, method: str, refit: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Choose and fit the final subset of features."""
    again = _again(split, refit)
    mask, _, fit = chosen_fit(
        data, split.train, split.select, again, masks, method=method, **options
    )
    return {"intercept": float(fit.intercepts[0]), "weights": _weights(data, fit, mask, again)}


def _weights(data: Outputs, fit: Fits, mask: int, rows: Any) -> Rows:
    """Return the chosen features with plain and standardised coefficients."""
    spread = data.x[rows].std(axis=0)
    return [
        {
            "feature": data.features[j],
            "coefficient": float(fit.coefficients[0, j]),
            "standardised": float(fit.coefficients[0, j] * spread[j]),
            "turned": bool(fit.flipped[j] < 0),
        }
        for j in subset_of(mask, len(data.features))
    ]
