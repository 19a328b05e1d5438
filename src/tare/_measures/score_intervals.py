"""Confidence intervals of the means of a score table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tare._kernels import bootstrap_means
from tare._measures.aggregation import FLOOR, averaging, quantile
from tare._measures.student_interval import student_intervals
from tare.errors import OptionError

if TYPE_CHECKING:
    from tare._measures.score_data import ScoreData

__all__ = ["score_intervals"]

LARGE, SHRUNK = 1e150, 2.0**-64  # sums of larger numbers overflow; a power of two loses no digit


def score_intervals(
    scores: ScoreData, confidence: float, draws: int, seed: int
) -> NDArray[np.float64]:
    """Return the ends of the intervals, systems × measures × (low, high).

    A ratio of means gets Student's interval of its linearised values, whose coverage is better than
    that of the percentile bootstrap.
    """
    if not 0 < confidence < 1:
        raise OptionError(f"confidence={confidence} is not possible; it must be between 0 and 1.")
    if draws < 1:
        raise OptionError(f"draws={draws} is not possible; at least 1 is needed.")
    s, i, m = scores.values.shape
    rows = scores.values.transpose(0, 2, 1).reshape(s * m, i)
    how = [averaging(measure) for measure in scores.measures]
    logs = np.array([x == "geometric" for x in how] * s)
    rows = np.where(logs[:, None], np.log(np.maximum(rows, FLOOR)), rows)
    scale = np.where(np.abs(rows).max(axis=1, initial=0, where=~np.isnan(rows)) > LARGE, SHRUNK, 1)
    means = bootstrap_means(rows * scale[:, None], draws, seed)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    ends = np.stack([quantile(means, tail) / scale for tail in tails], axis=-1).reshape(s, m, 2)
    for k, measure in enumerate(scores.measures):
        if measure in scores.ratios:
            ends[:, k] = student_intervals(scores.ratios[measure].linearised(), confidence)
        elif measure in scores.statistics:
            drawn = scores.statistics[measure].resampled(draws, seed)
            ends[:, k] = np.stack([quantile(drawn, tail) for tail in tails], axis=-1)
        elif how[k] == "geometric":
            ends[:, k] = np.exp(ends[:, k])
        elif how[k] == "sum":
            ends[:, k] = np.nan
    return ends
