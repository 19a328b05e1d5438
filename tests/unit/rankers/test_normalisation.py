"""Normalisation of features within queries, against a simple version."""

from itertools import pairwise

import numpy as np
import pytest

from tare import Letor, rankers
from tare.errors import OptionError
from tare.rankers._ranker import NORMALISATIONS, normalised


def obvious(rows, how):
    made = np.zeros_like(rows, dtype=float)
    for f, column in enumerate(rows.T.astype(float)):
        if how == "sum":
            total = np.abs(column).sum()
            made[:, f] = column / total if total else column
        elif how == "linear":
            room = column.max() - column.min()
            made[:, f] = (column - column.min()) / room if room else 0
        elif how == "zscore":
            made[:, f] = (column - column.mean()) / column.std() if column.std() else 0
        else:
            made[:, f] = column
    return made


@pytest.mark.parametrize("how", NORMALISATIONS)
def test_each_query_is_normalised_separately(how):
    random = np.random.default_rng(1)
    features = random.standard_normal((12, 4)).astype(np.float32)
    features[:5, 1] = 3
    features[5:, 2] = 0
    offsets = np.array([0, 5, 5, 6, 12])
    found = normalised(features, offsets, how)
    assert found.dtype == np.float32
    for low, high in pairwise(offsets):
        if high > low:
            assert found[low:high] == pytest.approx(obvious(features[low:high], how), abs=1e-6)


def test_a_model_normalises_what_it_scores():
    random = np.random.default_rng(1)
    features = random.random((60, 3)).astype(np.float32)
    grades = (features[:, 0] > 0.6).astype(float)
    offsets = np.arange(0, 61, 6)
    queries = tuple(map(str, range(10)))
    plain = Letor("plain", features, grades, queries, offsets)
    scales = np.repeat(random.random((10, 1)) * 100 + 1, 6, axis=0).astype(np.float32)
    wild = Letor("wild", features * scales, grades, queries, offsets)
    model = rankers.LogisticRegression(normalise="linear").fit(plain)
    assert model.score(wild) == pytest.approx(model.score(plain), abs=1e-4)
    with pytest.raises(OptionError, match="normalise='log' is not known"):
        rankers.RankNet(normalise="log")
