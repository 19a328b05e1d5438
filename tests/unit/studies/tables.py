"""Score tables for the tests of studies."""

from __future__ import annotations

import numpy as np

from tare._measures.scores import Scores
from tare._signature import Signature

__all__ = ["ranked", "table"]


def table(values, measures=("AP",), *, systems=None, items=None) -> Scores:
    """Scores of an array systems × items (× measures)."""
    values = np.asarray(values, dtype=float)
    if values.ndim == 2:
        values = values[:, :, None]
    systems = systems or [f"s{k:02d}" for k in range(values.shape[0])]
    items = items or [f"q{k:03d}" for k in range(values.shape[1])]
    signatures = tuple(Signature.of(m, {"n": values.shape[1]}) for m in measures)
    return Scores(tuple(systems), tuple(items), tuple(measures), values, signatures)


def ranked(order, items=4) -> Scores:
    """Systems whose mean is their place in an order of places."""
    means = np.asarray(order, dtype=float)[:, None] / 100
    return table(np.tile(means, (1, items)) + np.linspace(0, 0.001, items))
