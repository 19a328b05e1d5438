"""Measures that are linear in the gains at given ranks: weights of ranks and gains of grades."""

from __future__ import annotations

import numpy as np

from tare._decide.ppi.samples import Floats
from tare._measures.measure import Measure
from tare._measures.ranking.counting import gains_of, unit_gains
from tare.errors import MeasureError

__all__ = ["LINEAR", "gains", "rank_weights", "refuse_not_linear"]

LINEAR = ("P", "CG", "DCG", "SDCG", "RBP")


def refuse_not_linear(measure: Measure) -> None:
    """Raise if a measure is not linear in the gains of the ranked documents."""
    if measure.inner is None and measure.definition.name in LINEAR:
        return
    reason = (
        "its ideal depends on all grades of the query, and is not known when people label only some "
        "documents"
        if measure.innermost.definition.name in ("nDCG", "AP", "Recall", "Rprec")
        or measure.inner is not None
        else "it is not linear in the gains of the ranked documents"
    )
    raise MeasureError(
        f"{measure} cannot be estimated when people labelled some documents of every query, because "
        f"{reason}. Use one of {', '.join(LINEAR)}, such as DCG@10, or let people label whole queries."
    )


def rank_weights(measure: Measure, depth: int) -> Floats:
    """Return the weight of each rank from 1 to `depth`; 0 beyond the cutoff.

    >>> from tare._measures.names import parse
    >>> rank_weights(parse("P@2"), 3).tolist()
    [0.5, 0.5, 0.0]
    """
    rank = np.arange(1, depth + 1, dtype=np.float64)
    name = measure.definition.name
    k = depth if measure.cutoff is None else int(measure.cutoff)
    if name == "P":
        made = np.full(depth, 1 / k)
    elif name == "CG":
        made = np.ones(depth)
    elif name == "RBP":
        p = float(measure["p"])
        made = (1 - p) * p ** (rank - 1)
    elif name == "SDCG":
        made = 1 / np.log2(rank + 1)
        made /= (1 / np.log2(np.arange(2, k + 2))).sum()
    elif measure["discount"] == "jk":
        base = float(measure["base"])
        made = np.where(rank < base, 1.0, np.log(base) / np.log(np.maximum(rank, base)))
    else:
        made = np.log(float(measure["base"])) / np.log(rank + 1)
    return np.where(rank <= k, made, 0.0)


def gains(measure: Measure, grades: Floats, levels: Floats) -> Floats:
    """Return the gain of each grade; `levels` are all grades of both sets of labels, ascending."""
    name = measure.definition.name
    if name == "P" or (name == "RBP" and measure["max_rel"] is None):
        of_level = (levels >= max(float(measure["rel"]), 0.0)).astype(np.float64)
    elif name == "RBP":
        most = float(measure["max_rel"])
        of_level = np.clip(levels, 0.0, most) / most
    elif name == "SDCG":
        of_level = unit_gains(measure, levels)
    else:
        of_level = gains_of(measure, levels)
    made: Floats = of_level[np.searchsorted(levels, grades)]
    return made
