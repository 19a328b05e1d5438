"""What a comparison by flips must obey, whatever the scores."""

import itertools

import numpy as np
import pytest

import tare
from tare._signature import Signature


def table(values, measure="rating"):
    """A score table of systems × items."""
    values = np.asarray(values, dtype=float)
    names = [tuple(f"{x}{k:03d}" for k in range(n)) for x, n in zip("sq", values.shape, strict=True)]
    return tare.Scores(*names, (measure,), values[:, :, None], (Signature(measure, ()),))


def plain(values, clusters=None):
    """p of all pairs by all sign patterns, over the family and alone, written as simply as possible."""
    if clusters is not None:
        values = np.stack([values[:, clusters == c].sum(axis=1) for c in np.unique(clusters)], axis=1)
    pairs = list(itertools.combinations(range(len(values)), 2))
    d = np.array([values[a] - values[b] for a, b in pairs])
    length = np.sqrt(values.shape[1] * (d * d).sum(axis=1))
    length[length == 0] = np.inf
    signs = np.array(list(itertools.product([1, -1], repeat=values.shape[1])))
    u = np.abs(signs @ d.T) / length
    seen = np.abs(d.sum(axis=1)) / length
    family = (u.max(axis=1)[:, None] >= seen - 1e-9).mean(axis=0)
    return family, (u >= seen - 1e-9).mean(axis=0)


def column(found, name):
    return np.array([row[name] for row in found.rows()], dtype=float)


@pytest.mark.parametrize("size", [1e-8, 1e-6, 1e-4, 1e-2, 1])
def test_p_counts_the_observed_pattern(size):
    """Small differences of long decimals: p is never 0, and equals a plain enumeration."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        first = rng.random(int(rng.integers(6, 10)))
        values = np.stack([first, *(first - size * rng.random((2, len(first))))])
        found = tare.compare(table(values))
        family, alone = plain(values)
        assert column(found, "p_adjusted") == pytest.approx(family, abs=1e-12)
        assert column(found, "p") == pytest.approx(alone, abs=1e-12)


def test_coarse_digits_make_ties():
    values = np.array([[0.501, 0.602, 0.7, 0.9, 0.4, 0.35], [0.5, 0.6, 0.5, 0.4, 0.3, 0.3]])
    found = tare.compare(table(values), digits=2)
    rounded = np.round(values[:1] - values[1:], 2)
    assert column(found, "p") == plain(np.vstack([rounded, np.zeros(6)]))[1]
