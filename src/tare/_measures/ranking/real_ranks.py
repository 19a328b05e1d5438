"""Measures of a rank that is not a whole number: the mean of tied ranks, for ties=realistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = ["value_at"]

Array = NDArray[np.float64]
KNOWN = ("RR", "Success", "MeanRank", "GMR", "P", "Recall", "AP", "nDCG", "DCG")


def value_at(measure: Measure, rank: Array) -> Array:
    """Return the value of a measure for one relevant item of grade 1 at a rank.

    >>> from tare._measures.names import parse
    >>> value_at(parse("RR"), np.array([2.5])).tolist()
    [0.4]
    """
    seen = rank <= (np.inf if measure.cutoff is None else measure.cutoff)
    match measure.name:
        case "RR" | "AP":
            return np.where(seen, 1 / rank, 0.0)
        case "MeanRank" | "GMR":
            return rank.copy()
        case "Success" | "Recall":
            return seen.astype(np.float64)
        case "P":
            return seen / float(measure.cutoff or 1)
        case "nDCG" | "DCG" if measure["discount"] == "log" and not measure["gains"]:
            base = 2.0 if measure.name == "nDCG" else float(measure["base"])  # the ideal rank is 1
            return np.where(seen, np.log(base) / np.log1p(rank), 0.0)
    raise MeasureError(
        f"{measure} is not defined for a rank such as 2.5. ties=realistic supports {', '.join(KNOWN)}; "
        "ties=expected supports every measure."
    )
