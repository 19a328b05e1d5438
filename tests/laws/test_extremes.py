"""Extreme values of every parameter: a finite score, a missing one, or an error; no crash, no endless call.

Fuzzing changes files, not options. These values are those at which sums, products and casts of the core overflow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import tare
from tare._measures.definition import LARGEST, Definition
from tare._measures.registry import definitions
from tare.errors import TareError

QRELS = {"q1": {"a": 1, "b": 2, "c": 0, "e": 3}, "q2": {"a": 0, "x": 1}}
RUNS = {
    "s": {"q1": {"a": 3.0, "n": 2.5, "b": 2.5, "c": 1.0}, "q2": {"x": 1.0, "a": 1.0}},
    "t": {"q1": {"e": 3.0, "b": 2.0}, "q2": {"a": 2.0, "y": 1.0}},
}
CELLS = [("q1", "1", "a", 1.0), ("q1", "2", "b", 2.0), ("q1", "1", "c", 1.0), ("q2", "1", "x", 1.0)]
TEXT = {
    "text": "the cat sat on the mat",
    "references": ["a cat sat on a mat", "the mat"],
    "source": "the cat sat on the mat near the door of the house",
}
CUTOFFS = (1, 2**31, 2**32 + 1, LARGEST)
NUMBERS = (5e-324, 1 - 2**-53, 2.0**31, float(LARGEST), 1e300)
NEEDS = ("grades", "subtopics", "references", "texts")
PARSED = "ROUGE-BE"  # loads a parser, and its parameters are those of ROUGE-N
TRIED = [d for d in definitions() if not d.wraps and d.needs in NEEDS and d.name != PARSED]


def extremes(definition: Definition) -> Iterator[str]:
    """Measures with one parameter at a bound or far away, and with large cutoffs."""
    depth = "@10" if definition.cutoff == "required" else ""
    for parameter in definition.parameters:
        if parameter.kind in ("number", "integer", "numbers", "length"):
            bounds = {float(b) for b in (parameter.low, parameter.high) if b is not None}
            for value in sorted(bounds | {*NUMBERS}):
                yield f"{definition.name}({parameter.name}={value!r}){depth}"
    if definition.cutoff in ("required", "optional"):
        yield from (f"{definition.name}@{cutoff}" for cutoff in CUTOFFS)


def values(definition: Definition, measure: str) -> np.ndarray:
    if definition.needs in ("references", "texts"):
        return tare.evaluate_texts([TEXT], [measure], samples=5).values
    judgements = QRELS if definition.needs == "grades" else tare.read_subtopics(CELLS)
    return tare.evaluate(
        judgements, RUNS, measure, pool="judged", ties="expected", samples=20
    ).values


@pytest.mark.parametrize("definition", TRIED, ids=lambda d: d.name)
def test_extreme_parameters(definition):
    for measure in extremes(definition):
        for wrapped in (measure, f"Net({measure})"):
            try:
                found = values(definition, wrapped)
            except TareError:
                continue
            assert not np.isinf(found).any(), wrapped


def test_most_measures_are_tried():
    assert len(TRIED) > 80
    assert sum(len(list(extremes(d))) for d in TRIED) > 500
