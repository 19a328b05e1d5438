"""Swap rates and correlations: published numbers, plain computations, Sakai's bins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tare.cli.main import main
from tare.errors import MismatchError, OptionError
from tare.studies import consistency
from tare.studies.consistency_answers import Swaps
from tests.unit.studies.tables import ranked, table

EIGHT = [8, 7, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("order", "swaps", "tau"),
    [
        (EIGHT, 0, 1.0),
        ([7, 8, 6, 5, 4, 3, 2, 1], 1, 0.9286),
        ([8, 7, 6, 5, 1, 4, 3, 2], 3, 0.7857),
    ],
)
def test_golden_swaps_of_28_pairs(order, swaps, tau):
    found = consistency(ranked(EIGHT), ranked(order)).get("AP")
    assert (found.pairs, found.swaps) == (28, swaps)
    assert found.rate == pytest.approx(swaps / 28)
    assert round(found.coefficient[0], 4) == tau
    assert round(found.rate, 4) == {0: 0.0, 1: 0.0357, 3: 0.1071}[swaps]


def test_any_two_sets_against_a_plain_count():
    random = np.random.default_rng(2)
    a, b = random.random((9, 20)), random.random((9, 25))
    found = consistency(table(a), table(b), names=("2011", "2012")).get("AP")
    x, y = a.mean(axis=1), b.mean(axis=1)
    swaps = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in itertools.combinations(range(9), 2))
    assert (found.swaps, found.items) == (swaps, [20, 25])
    assert found.coefficient[0] == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found.coefficient[0] == pytest.approx(1 - 2 * found.rate)
    assert found.coefficient[1] <= found.coefficient[0] <= found.coefficient[2]


def test_ties_are_no_swaps_and_are_told():
    found = consistency(ranked([3, 2, 1]), ranked([2, 2, 1])).get("AP")
    assert (found.swaps, found.tied) == (0, 1)


def test_cutoffs_are_averaged_once_more_as_a_family():
    random = np.random.default_rng(3)
    scores = table(random.random((5, 12, 2)), ("nDCG@5", "nDCG@10"))
    sets = {"left": scores.items[:6], "right": scores.items[6:]}
    found = consistency(scores, sets=sets)
    assert [s.measure for s in found.found] == ["nDCG@5", "nDCG@10", "nDCG"]
    x, y = (scores.values[:, k].mean(axis=(1, 2)) for k in (slice(0, 6), slice(6, 12)))
    swaps = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i, j in itertools.combinations(range(5), 2))
    assert found.get("nDCG").swaps == swaps


def test_resampled_swaps_against_a_plain_bootstrap():
    random = np.random.default_rng(4)
    values = random.random((4, 15)) + np.array([0, 0.02, 0.1, 0.3])[:, None]
    found = consistency(table(values), draws=4000, width=0.05).get("AP")
    counts, swapped = np.zeros(21), np.zeros(21)
    for _ in range(4000):
        x, y = (values[:, random.integers(0, 15, 15)].mean(axis=1) for _ in range(2))
        for i, j in itertools.combinations(range(4), 2):
            place = min(int(abs(x[i] - x[j]) / 0.05), 20)
            counts[place] += 1
            swapped[place] += (x[i] - x[j]) * (y[i] - y[j]) <= 0
    assert sum(found.counts) == counts.sum() == 6 * 4000
    assert np.array(found.counts) / 24000 == pytest.approx(counts / 24000, abs=0.02)
    assert found.resampled_rate == pytest.approx(swapped.sum() / 24000, abs=0.015)
    assert found.swaps is None  # a set has no swaps with itself
    assert found.coefficient is None


def test_the_difference_needed_is_where_the_rate_stays_low():
    swaps = Swaps("a", "b", "AP", 3, (5, 5), 3, 0, 0, 0.01, (100, 100, 100, 100, 0), (40, 3, 10, 2, 0), None)  # fmt: skip
    assert swaps.needed(0.05) == pytest.approx(0.03)
    assert swaps.reached(0.05) == pytest.approx(0.25)
    assert swaps.needed(0.5) == 0
    assert swaps.needed(0.001) is None
    assert swaps.reached(0.001) == 0


def test_same_numbers_for_any_number_of_threads():
    random = np.random.default_rng(0)
    a, b = table(random.random((7, 20))), table(random.random((7, 20)))
    assert consistency(a, b, threads=1).to_dict() == consistency(a, b, threads=3).to_dict()


def test_what_does_not_fit_is_refused():
    with pytest.raises(MismatchError, match="in common"):
        consistency(ranked([1, 2]), table(np.ones((2, 3)), systems=["x", "y"]))
    with pytest.raises(OptionError, match="level"):
        consistency(ranked([1, 2]), ranked([2, 1]), level=2)
    with pytest.raises(OptionError, match="split one table"):
        consistency(ranked([1, 2]), ranked([2, 1]), by="kind")
    with pytest.raises(MismatchError, match="sets of items"):
        consistency(ranked([1, 2]), sets={"one": ["q000", "q001"]})


def test_the_command(tmp_path, capsys):
    ranked(EIGHT).save(tmp_path / "a.parquet")
    ranked([7, 8, 6, 5, 4, 3, 2, 1]).save(tmp_path / "b.parquet")
    files = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    assert main(["study", "consistency", *files, "--format", "csv"]) == 0
    assert "0.9285714285714286" in capsys.readouterr().out
    assert main(["study", "consistency", files[0], "--journal", str(tmp_path / "j")]) == 0
    assert "resample" in capsys.readouterr().out
