"""Certificates of a gate: a mean loss of the margin or more is ruled out."""

from __future__ import annotations

import numpy as np

from tare._decide.gate.differences import Differences
from tare._measures.measure import Measure
from tare.errors import MeasureError, MismatchError, OptionError
from tare.stats._flips import NOTHING
from tare.stats._losses import Certificate, certify

__all__ = ["certificate_of", "check_range", "closed_bounds", "ends_of"]


def check_range(given: tuple[float, float] | None) -> None:
    """Raise if a range is not two numbers, the lower one first."""
    if given is not None and not (np.isfinite(given).all() and given[0] < given[1]):
        raise OptionError(
            f"range={given[0]:g}:{given[1]:g}: expected the smallest and the largest value, such as 1:5."
        )


def closed_bounds(measure: Measure) -> tuple[float, float] | None:
    """Return the bounds of a measure; None if its definition leaves one open, or there is none."""
    low, high = measure.definition.bounds
    return None if low is None or high is None else (float(low), float(high))


def ends_of(measure: Measure, given: tuple[float, float] | None) -> tuple[float, float]:
    """Return the ends of the scale of a measure: its bounds, or those that were given."""
    if measure.aggregate == "ratio":
        inner = measure.inner or measure
        raise MeasureError(
            f"{measure} is a ratio of two means, for which there is no certificate. Certify {inner}."
        )
    if measure.aggregate == "statistics":
        raise MeasureError(
            f"{measure} is computed from sums over all texts, for which there is no certificate. Certify a "
            "measure that is averaged."
        )
    bounds = closed_bounds(measure) or given
    if bounds is None:
        raise OptionError(
            f"{measure} has no closed bounds, and a certificate needs the largest possible loss. State the "
            "smallest and the largest value that it can have, such as --range 1:5."
        )
    return bounds


def certificate_of(
    one: Differences, margin: float, ends: tuple[float, float], alpha: float
) -> Certificate:
    """Certify that the mean loss is below the margin; every score must be within the ends."""
    low, high = ends
    slack = 1e-9 * (high - low)
    for name, scores in zip(("candidate", "baseline"), one.scores, strict=True):
        outside = np.flatnonzero((scores < low - slack) | (scores > high + slack))
        if len(outside):
            k = int(outside[0])
            raise MismatchError(
                f"{one.measure} of {one.items[k]} is {scores[k]:g} in the {name}, outside its range of "
                f"{low:g} to {high:g}. A certificate needs the range of the scale; is the score on another one?"
            )
    if margin > high - low:
        raise OptionError(
            f"the margin {margin:g} of {one.measure} is larger than its range of {low:g} to {high:g}."
        )
    values = np.where(np.abs(one.values) < NOTHING * one.largest, 0.0, one.values)
    return certify(values, margin, range=high - low, alpha=alpha, clusters=one.clusters)
