"""Label ranking average precision, for matrices of scored labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tare.errors import MismatchError

__all__ = ["lrap"]


def lrap(truth: ArrayLike, scores: ArrayLike) -> float:
    """Return the label ranking average precision (LRAP) of a matrix of scores.

    LRAP is the mean over rows of (1/R) Σ_{true d} |true, s ≥ s_d| / |all, s ≥ s_d|. Tied labels count
    as ranked above. With one true label per row it equals the mean reciprocal rank. A row without a
    true label counts 1, as in scikit-learn.

    Parameters
    ----------
    truth
        A matrix of 0 and 1, one row per item and one column per label.
    scores
        A matrix of the same shape; higher scores rank first.

    Returns
    -------
    float
        The mean over rows; 0 for a matrix without rows.

    Raises
    ------
    MismatchError
        If the shapes differ, or a value is not accepted.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas. Mining Multi-label Data. Data Mining and Knowledge Discovery
    Handbook, 2010.

    Examples
    --------
    >>> import tare
    >>> round(tare.lrap([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    labels, given = np.asarray(truth), np.asarray(scores, dtype=np.float64)
    if labels.ndim != 2 or labels.shape != given.shape:
        raise MismatchError(
            f"truth of shape {labels.shape} and scores of shape {given.shape}: both must be "
            "matrices of the same shape, with one row per item and one column per label."
        )
    if not np.isin(labels, (0, 1)).all():
        raise MismatchError("truth contains values other than 0 and 1.")
    if not np.isfinite(given).all():
        raise MismatchError("scores contain values that are not finite.")
    true = labels.astype(bool)
    total = 0.0
    for row, line in zip(true, given, strict=True):
        if not row.any():
            total += 1.0
            continue
        everyone, relevant = np.sort(line), np.sort(line[row])
        at_least = len(line) - np.searchsorted(everyone, relevant, side="left")
        true_at_least = len(relevant) - np.searchsorted(relevant, relevant, side="left")
        total += float(np.mean(true_at_least / at_least))
    return total / len(true) if len(true) else 0.0
