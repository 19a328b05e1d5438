"""The expected value in the limit of a growing corpus (pool=corpus=inf)."""

from __future__ import annotations

from typing import Literal

from tare._measures.measure import Measure
from tare.errors import MeasureError

__all__ = ["limit_of"]

Limit = Literal["zero", "half", "judged", "upper"]

OF_THE_JUDGED = ("bpref", "GMbpref")  # measures that ignore unjudged documents
EVERYTHING_FOUND = ("Recall", "CG")  # without a cutoff, a ranking of the whole corpus
OF_THE_UNJUDGED = ("Unjudged", "RBPresidual")


def limit_of(measure: Measure) -> Limit:
    """Return the limit of the expected value: 0 for measures with a cutoff or a falling discount.

    >>> from tare._measures.names import parse
    >>> limit_of(parse("nDCG@10")), limit_of(parse("Recall"))
    ('zero', 'upper')
    """
    definition = measure.definition
    if definition.function is not None:
        raise MeasureError(
            f"{measure} is a Python function; its limit for a growing corpus is not known. Give corpus=N."
        )
    if measure.name in ("MeanRank", "GMR") or definition.aggregate == "sum":
        raise MeasureError(f"{measure} has no limit: it grows with the corpus. Give corpus=N.")
    if measure.name in OF_THE_JUDGED:
        return "judged"
    if measure.name == "Accuracy":
        return "half"
    if measure.name in OF_THE_UNJUDGED or definition.without_net:
        return "upper"
    if measure.name in EVERYTHING_FOUND and measure.cutoff is None:
        return "upper"
    return "zero"
