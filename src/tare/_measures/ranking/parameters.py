"""Parameters shared by many measures, and the gains of grades."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tare._measures.definition import Arguments, KernelArguments
from tare._measures.measure import Measure
from tare._measures.parameter import Parameter
from tare.errors import MeasureError, MismatchError

__all__ = [
    "BASE",
    "DISCOUNT",
    "GAIN",
    "GAINS",
    "MAX_REL",
    "MIN_REL",
    "REL",
    "gains_of",
    "largest",
    "plain",
    "refuse_too_large",
    "unit_gains",
]

MOST_EXPONENT = 900.0
MOST_GAIN = 1e250

REL = Parameter("rel", "number", 1, "The lowest grade that counts as relevant.", low=0)
GAIN = Parameter(
    "gain",
    "choice",
    "linear",
    "Gain of a grade l: l (linear) or 2^l − 1 (exp2).",
    choices=("linear", "exp2"),
)
GAINS = Parameter(
    "gains", "gains", None, "Gains by grade, such as {1:3,2:9}; other grades use `gain`."
)
DISCOUNT = Parameter(
    "discount",
    "choice",
    "log",
    "log: 1/log_b(i+1); jk, as in Järvelin and Kekäläinen: 1 for i < b, else 1/log_b(i).",
    choices=("log", "jk"),
)
BASE = Parameter("base", "number", 2, "Base b of the logarithm.", low=1, open_ends=True)
MIN_REL = Parameter("min_rel", "number", 0, "The grade with gain 0.", low=0)
MAX_REL = Parameter(
    "max_rel", "number", None, "The grade with gain 1; by default the largest of the qrels.", low=0
)


def largest(levels: NDArray[np.float64]) -> float:
    """Return the largest grade of all queries of the qrels, at least 1."""
    return float(max(1.0, levels[-1])) if len(levels) else 1.0


def gains_of(measure: Measure, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gain of each level by `gain` and `gains`; negative grades have gain 0."""
    positive = np.maximum(levels, 0.0)
    exponential = measure["gain"] == "exp2"
    refuse_too_large(measure, levels, exponential=exponential)
    gain = np.exp2(positive) - 1 if exponential else positive.copy()
    for level, value in measure["gains"] or ():
        gain[levels == level] = value
    gain[levels < 0] = 0.0
    return np.ascontiguousarray(gain)


def refuse_too_large(measure: Measure, levels: NDArray[np.float64], *, exponential: bool) -> None:
    """Raise an error for grades whose gains would overflow."""
    most = MOST_EXPONENT if exponential else MOST_GAIN
    if len(levels) and levels[-1] > most:
        gain = "2^l − 1" if exponential else "l"
        raise MismatchError(
            f"{measure}: the grade {levels[-1]:g} is too large for a gain of {gain}; grades up to "
            f"{most:g} are accepted. Use smaller grades."
        )


def unit_gains(measure: Measure, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Map grades from `min_rel` to `max_rel` linearly to gains from 0 to 1."""
    low = float(measure["min_rel"])
    high = float(measure["max_rel"] if measure["max_rel"] is not None else largest(levels))
    if high <= low:
        raise MeasureError(f"{measure}: max_rel={high:g} must be above min_rel={low:g}.")
    return np.ascontiguousarray((np.clip(np.maximum(levels, 0), low, high) - low) / (high - low))


def plain(kernel: str, *names: str) -> Arguments:
    """Return the arguments of a kernel that takes `rel` and the named parameters."""

    def arguments(measure: Measure, levels: NDArray[np.float64]) -> KernelArguments:
        has_rel = any(p.name == "rel" for p in measure.definition.parameters)
        return KernelArguments(
            kernel,
            rel=float(measure["rel"]) if has_rel else 1.0,
            parameters=tuple(float(measure[name]) for name in names),
        )

    return arguments
