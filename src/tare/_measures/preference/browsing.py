"""Distributions of the rank at which readers stop, and the resulting weights of ranks.

    rbp      P(k) = (1−θ)^{k−1}·θ
    dcg      P(k) = 1/log2(k+1) − 1/log2(k+2)
    rr       P(k) = 1/(k(k+1))
    uniform  P(k) = 1/K

Prf@K = Σ_{k≤K} P(k) Σ_{i≤k} u_i = Σ_i w_i·u_i with w_i = Σ_{k=i..K} P(k).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["STOPS", "rank_weights"]

STOPS = ("rbp", "dcg", "rr", "uniform")


def rank_weights(stop: str, theta: float, cutoff: int) -> NDArray[np.float64]:
    """Return the weights w_1 … w_K.

    >>> rank_weights("uniform", 0.2, 4).tolist()
    [1.0, 0.75, 0.5, 0.25]
    """
    i = np.arange(1, cutoff + 1, dtype=np.float64)
    match stop:
        case "rbp":
            return np.asarray((1 - theta) ** (i - 1) - (1 - theta) ** cutoff)
        case "dcg":
            return np.asarray(1 / np.log2(i + 1) - 1 / np.log2(cutoff + 2.0))
        case "rr":
            return 1 / i - 1 / (cutoff + 1.0)
    return (cutoff - i + 1) / cutoff
