"""Kernels of the statistics on matrices without rows or columns: results of the right shape, or an error."""

from __future__ import annotations

import numpy as np
import pytest

from tare._kernels import statistics
from tare._kernels import statistics as kernels

SHAPES = [(0, 0), (0, 3), (2, 0), (1, 1), (2, 1), (3, 2)]
DRAWS = 5


@pytest.fixture(params=SHAPES, ids=str)
def rows(request):
    return np.arange(np.prod(request.param), dtype=np.float64).reshape(request.param)


def pairs_of(count):
    return tuple(np.array(np.triu_indices(count, 1), dtype=np.int32))


def test_differences_and_effects(rows):
    first, second = pairs_of(len(rows))
    found = kernels.pair_differences(rows, first, second, 9)
    assert found.values.shape == (len(first), rows.shape[1])
    assert (found.n == rows.shape[1]).all()
    delta = kernels.cliffs_delta(rows, first, second, found.quantum)
    assert delta.shape == first.shape


@pytest.mark.parametrize("zeros", kernels.ZEROS)
def test_signed_ranks(rows, zeros):
    found = kernels.signed_ranks(rows, zeros=zeros, most_exact=5, seed=1)
    assert all(len(part) == len(rows) for part in found)


@pytest.mark.parametrize("kind", kernels.FLIPS)
def test_flips(rows, kind):
    first = np.arange(len(rows), dtype=np.int32)
    alone = np.full(len(rows), -1, dtype=np.int32)
    draws = 2 ** rows.shape[1] if kind == "all" else DRAWS
    (counts,) = kernels.flip_counts(
        rows, first, alone, np.zeros(len(rows)), kind=kind, draws=draws, seed=1
    )
    assert counts.shape == (len(rows),)


def test_resamples(rows):
    count = len(rows)
    counts, _ = kernels.studentised_counts(rows, np.zeros(count), draws=DRAWS, seed=1)
    assert counts.shape == (count,)
    assert kernels.studentised_draws(rows, draws=DRAWS, seed=1).shape == (count, DRAWS)
    assert statistics.bootstrap_means(rows, DRAWS, 1).shape == (count, DRAWS)


def test_ranges(rows):
    if rows.size == 0:
        with pytest.raises(ValueError, match="score"):
            kernels.largest_ranges(rows, draws=DRAWS, seed=1)
    else:
        assert kernels.largest_ranges(rows, draws=DRAWS, seed=1).shape == (DRAWS,)


@pytest.mark.parametrize("kind", kernels.CORRELATIONS)
def test_correlations(rows, kind):
    assert kernels.correlations(rows, rows, kind).shape == (len(rows),)
