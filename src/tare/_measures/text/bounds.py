"""Upper bounds of text measures: 1, the score of the best extract, or the score of people."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tare._kernels import Text
from tare._measures.measure import Measure
from tare._measures.text.cell_findings import CellFinding
from tare._measures.text.evaluation import TextEvaluation
from tare._measures.text.oracle import extracts_of
from tare.errors import MeasureError

__all__ = ["UPPER", "upper_bound"]

Values = NDArray[np.float64]
UPPER = ("ideal", "oracle", "human")
Key = tuple[Text | None, tuple[Text, ...]]


def upper_bound(evaluation: TextEvaluation, measure: Measure, way: str) -> Values:
    """Return the bound of each text; NaN if there is none.

    ideal: the largest value of the measure, 1 for most. oracle: the score of the greedy extract of
    the source. human: the mean score of each reference against the others.
    """
    cells = evaluation.cells
    if way == "ideal":
        high = measure.definition.bounds[1]
        if high is None:
            raise MeasureError(f"{measure} has no largest value; use upper=oracle or upper=human.")
        return np.where(cells.has("references"), high, np.nan)
    if way == "oracle":
        return _by_key(evaluation, lambda keys: _oracle(evaluation, measure, keys))
    found = _by_key(evaluation, lambda keys: _human(evaluation, measure, keys))
    alone = np.flatnonzero(np.isnan(found) & cells.has("references"))
    message = "{count} texts have only one reference, so upper=human has no value there."
    finding = CellFinding("one reference", message, (alone,), named=False)
    evaluation.set_facts(measure, evaluation.facts(measure), [finding])
    return found


def _by_key(evaluation: TextEvaluation, bounds: Callable[[list[Key]], Values]) -> Values:
    """Compute the bound of each distinct source and references once."""
    cells = evaluation.cells
    keys = list(zip(cells.sources, cells.references, strict=True))
    distinct = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    found = bounds(list(distinct))
    return np.array([found[distinct[key]] for key in keys])


def _oracle(evaluation: TextEvaluation, measure: Measure, keys: list[Key]) -> Values:
    sources = [source or "" for source, _ in keys]
    found = extracts_of(evaluation, measure, sources, [group for _, group in keys])
    return np.array([value for _, _, value in found])


def _human(evaluation: TextEvaluation, measure: Measure, keys: list[Key]) -> Values:
    several = [k for k, (_, group) in enumerate(keys) if len(group) > 1]
    pairs = [
        (group[i], group[:i] + group[i + 1 :])
        for group in (keys[k][1] for k in several)
        for i in range(len(group))
    ]
    out = np.full(len(keys), np.nan)
    if not pairs:
        return out
    everyone = np.ones(len(pairs), dtype=bool)
    values = iter(
        evaluation.rescored(measure, [p[0] for p in pairs], [p[1] for p in pairs], everyone)
    )
    for k in several:
        out[k] = float(np.mean([next(values) for _ in keys[k][1]]))
    return out
