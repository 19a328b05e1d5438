"""Names of measures in ranx, such as `ndcg@10-l2`, and what tare computes for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare.errors import MeasureError, nearest

__all__ = ["Named", "label_of", "read_name"]

Values = NDArray[np.float64]

# By name: the measure with a cutoff, the one of the whole ranking, and the label in reports.
_MEASURES = {
    "hits": ("P", "NumRelRet", "Hits"),
    "hit_rate": ("Success", "NumRelRet", "Hit Rate"),
    "precision": ("P", "setP", "P"),
    "recall": ("Recall", "setR", "Recall"),
    "f1": ("F", "setF", "F1"),
    "r-precision": ("Rprec", "Rprec", "R-Prec"),
    "mrr": ("RR", "RR", "MRR"),
    "map": ("AP", "AP", "MAP"),
    "dcg": ("DCG", "DCG", "DCG"),
    "dcg_burges": ("DCG", "DCG", "DCG Burges"),
    "ndcg": ("nDCG", "nDCG", "NDCG"),
    "ndcg_burges": ("nDCG", "nDCG", "NDCG Burges"),
    "bpref": ("bpref", "bpref", "BPref"),
}
_GRADED = ("dcg", "dcg_burges", "ndcg", "ndcg_burges")
_WITHOUT_CUTOFF = ("r-precision", "bpref")
_NAME = re.compile(r"(?P<name>[^@.]+?)(?:@(?P<cutoff>\d+))?(?:-l(?P<level>\d+))?")
_RBP = re.compile(r"rbp[.@](?P<p>\d+)(?:-l(?P<level>\d+))?")


@dataclass(frozen=True)
class Named:
    """A measure of ranx: the measure of tare, the least relevant grade, and what is done to its values."""

    measure: str
    level: int
    finish: Callable[[Values], Values]


def read_name(text: str) -> Named:
    """Return what tare computes for a name of ranx.

    >>> read_name("ndcg_burges@10").measure, read_name("map@100-l2").measure
    ('nDCG(gain=exp2)@10', 'AP(rel=2)@100')
    """
    found = _RBP.fullmatch(text)
    if found:
        level = int(found["level"] or 1)
        return Named(f"RBP(p=0.{found['p']},rel={level})", level, _same)
    found = _NAME.fullmatch(text)
    if found is None or found["name"] not in _MEASURES:
        if text == "rbp":
            raise MeasureError("RBP requires a persistence value, such as 'rbp.95'.")
        raise MeasureError(
            f"the measure {text!r} is not supported. Accepted: {', '.join(_MEASURES)} and rbp.95, with a "
            f"cutoff (@10) and a level (-l2).{nearest(text, _MEASURES)}"
        )
    name, cutoff, level = found["name"], int(found["cutoff"] or 0), int(found["level"] or 1)
    measure = _MEASURES[name][0 if cutoff else 1]
    gain = "(gain=exp2)" if name.endswith("_burges") else ""
    options = gain if name in _GRADED else f"(rel={level})"
    at = f"@{cutoff}" if cutoff and name not in _WITHOUT_CUTOFF else ""
    finish = _same
    if name == "hits" and cutoff:
        finish = lambda values: np.rint(values * cutoff)  # noqa: E731
    elif name == "hit_rate" and not cutoff:
        finish = lambda values: np.minimum(values, 1)  # noqa: E731
    return Named(f"{measure}{options}{at}", level, finish)


def _same(values: Values) -> Values:
    return values


def label_of(text: str) -> str:
    """Return the label of a measure in reports.

    >>> label_of("ndcg@10"), label_of("hit_rate@5-l2"), label_of("rbp.95")
    ('NDCG@10', 'Hit Rate@5-l2', 'RBP.95')
    """
    for name in sorted(_MEASURES, key=len, reverse=True):
        if text.startswith(name):
            return _MEASURES[name][2] + text[len(name) :]
    return text.upper() if "-l" not in text else text.replace("rbp", "RBP")
