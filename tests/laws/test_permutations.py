"""The permutation law: E and the variance are those over all orders of the pool."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tare.chance import chances
from tests.reference import graded_measures as graded
from tests.reference.catalogue import all_variants, reference

GRADES = (0, 0, 1, 1, 2, 3, 0.5, 1.5, -1, None, None)
CUTOFFS = {"required", "optional"}


def pools() -> list[list[float | None]]:
    """Random pools of one to six documents, and the seven that a test can still enumerate."""
    random_ = random.Random(5)
    made = [[random_.choice(GRADES) for _ in range(n)] for n in (1, 2, 3, 4, 5, 5, 6)]
    return [*made, [3, 2, 0, 1, 0, None, 2], [0, 0, 0], [1, 1, 1], [None, 2]]


@pytest.mark.parametrize("measure", all_variants(), ids=str)
def test_expected_value_variance_and_bounds_are_those_over_all_orders(measure):
    for pool in pools():
        qrels = {f"d{i}": g for i, g in enumerate(pool) if g is not None} or {"none": 0.0}
        if not any(g is not None for g in pool):
            pool = [*pool, 0.0]
        run = {f"d{i}": float(-i) for i, g in enumerate(pool) if g is None} or {"d0": 1.0}
        lmax = max(qrels.values())
        cuts = range(1, len(pool) + 2) if measure.definition.cutoff in CUTOFFS else [None]
        for cut in cuts:
            chosen = measure if cut is None else measure @ cut
            found = chances({"q": qrels}, {"q": run}, chosen, pool="union")
            obvious = reference(chosen, lmax)
            values = np.array(
                [obvious(order, graded.grades_of(pool)) for order in graded.orders(pool)]
            )
            where = f"{chosen} on {pool}"
            assert found.expected[0] == pytest.approx(values.mean(), rel=1e-12, abs=1e-12), where
            assert found.variance[0] == pytest.approx(values.var(), rel=1e-12, abs=1e-12), where
            assert found.upper[0] == pytest.approx(values.max(), rel=1e-12, abs=1e-12), where
            if found.worst is None:
                continue
            assert found.worst[0] == pytest.approx(values.min(), rel=1e-12, abs=1e-12), where
