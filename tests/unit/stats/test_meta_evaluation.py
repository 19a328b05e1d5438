"""Accuracies of a measure against people: worked numbers and plain computations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tare.errors import MismatchError
from tare.stats._correlation import WITH_PEOPLE
from tare.stats._meta_evaluation import (
    Contingency,
    correlation_draws,
    correlation_with_people,
    one_sided,
    pairwise_accuracy,
    row_correlations,
    significance_agreement,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)

# Rankel (2016), Table 7.4: accuracy, precision, recall, "balanced accuracy" of consensus.
PUBLISHED = [
    (0.76, 0.77, 0.36, 0.76),
    (0.76, 0.76, 0.36, 0.76),
    (0.76, 0.74, 0.40, 0.75),
    (0.76, 0.73, 0.41, 0.75),
    (0.76, 0.71, 0.40, 0.74),
    (0.75, 0.70, 0.40, 0.73),
    (0.75, 0.68, 0.44, 0.73),
    (0.75, 0.66, 0.48, 0.72),
    (0.75, 0.64, 0.52, 0.72),
    (0.74, 0.62, 0.47, 0.70),
    (0.73, 0.57, 0.62, 0.70),
    (0.73, 0.57, 0.58, 0.68),
    (0.71, 0.53, 0.69, 0.68),
    (0.62, 0.43, 0.69, 0.63),
]


def rebuilt(accuracy: float, precision: float, recall: float) -> Contingency:
    """The table of 10,000 pairs with these shares."""
    # accuracy = 1 − misses − false alarms, in units of the share that people find.
    share = (1 - accuracy) / ((1 - recall) + recall * (1 - precision) / precision)
    hits, misses = share * recall, share * (1 - recall)
    alarms = hits * (1 - precision) / precision
    counts = (hits, alarms, misses, 1 - hits - alarms - misses)
    return Contingency(*(round(10_000 * c) for c in counts))


@pytest.mark.parametrize(("accuracy", "precision", "recall", "printed"), PUBLISHED)
def test_the_balanced_accuracy_that_was_printed(accuracy, precision, recall, printed):
    table = rebuilt(accuracy, precision, recall)
    assert table.accuracy == pytest.approx(accuracy, abs=1e-3)
    assert table.precision == pytest.approx(precision, abs=1e-3)
    assert table.recall == pytest.approx(recall, abs=1e-3)
    # The printed inputs are rounded to two digits, hence the room.
    assert table.balanced_predictions == pytest.approx(printed, abs=0.012)


def test_the_first_printed_row_is_no_mean_of_recall_and_specificity():
    """With a recall of .36 that mean cannot exceed .68, whatever the specificity."""
    assert (0.36 + 1) / 2 < 0.76
    assert rebuilt(0.76, 0.77, 0.36).balanced < 0.68


def test_balanced_accuracy_of_a_contingency_table():
    table = Contingency(hits=40, false_alarms=10, misses=20, rejections=30)
    assert table.accuracy == pytest.approx(0.7)
    assert table.precision == pytest.approx(0.8)
    assert table.recall == pytest.approx(2 / 3)
    assert table.specificity == pytest.approx(0.75)
    assert table.balanced == pytest.approx((2 / 3 + 0.75) / 2)
    assert table.balanced_predictions == pytest.approx((0.8 + 0.6) / 2)
    empty = Contingency(0, 0, 0, 5)
    assert np.isnan(empty.precision)
    assert empty.accuracy == 1


def test_differences_found_the_other_way_round_are_wrong():
    table = significance_agreement([1, 1, -1, 0], [1, -1, -1, 0])
    assert (table.hits, table.opposite, table.rejections) == (2, 1, 1)
    assert table.accuracy == 0.75
    assert table.precision == table.recall == pytest.approx(2 / 3)
    with pytest.raises(MismatchError):
        significance_agreement([1, 0], [1])


def brute_ties(people, measure, groups):
    best = (-1.0, 0.0)
    for epsilon in [0.0, *sorted({abs(m) for m in measure})]:
        said = [0 if abs(m) <= epsilon else np.sign(m) for m in measure]
        shares = []
        for g in sorted(set(groups)):
            own = [k for k, h in enumerate(groups) if h == g]
            shares.append(np.mean([said[k] == np.sign(people[k]) for k in own]))
        if np.mean(shares) > best[0] + 1e-12:
            best = (float(np.mean(shares)), epsilon)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_tie_calibration_against_all_thresholds(seed):
    random = np.random.default_rng(seed)
    people = random.integers(-2, 3, 30).astype(float)
    measure = np.round(people * 0.1 + random.normal(size=30) * 0.2, 2)
    groups = random.integers(0, 4, 30)
    found = tie_calibrated_accuracy(people, measure, groups)
    assert found == pytest.approx(brute_ties(people, measure, groups))


def test_a_constant_measure_gets_the_ties_of_people_and_no_order():
    people = np.array([0, 0, 1, -1, 2.0])
    assert tie_calibrated_accuracy(people, np.zeros(5)) == (0.4, 0)
    assert pairwise_accuracy(people, np.zeros(5)) == 0
    assert pairwise_accuracy(people, people) == 1
    assert np.isnan(pairwise_accuracy(np.zeros(3), np.ones(3)))


def test_one_sided_p_against_all_swaps():
    random = np.random.default_rng(0)
    rows = random.normal(size=(3, 10)) + np.array([0, 0.5, -0.5])[:, None]
    signs = np.array(list(itertools.product((-1, 1), repeat=10)))
    exact = (signs @ rows.T > rows.sum(axis=1) + 1e-9).mean(axis=0) + 0.5 / 1024
    assert one_sided(rows, draws=20_000) == pytest.approx(exact, abs=0.01)
    assert one_sided(np.zeros((1, 5))).tolist() == [0.5]
    assert (one_sided(rows) + one_sided(-rows)) == pytest.approx(1, abs=0.1)


def test_soft_accuracy_of_the_same_and_of_the_opposite():
    p = np.array([0.01, 0.4, 0.9])
    assert soft_pairwise_accuracy(p, p) == 1
    assert soft_pairwise_accuracy(p, 1 - p) == pytest.approx(1 - np.mean([0.98, 0.2, 0.8]))


# Correlations of a measure with people, at each level, against plain computations.


PLAIN = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "tau_b": lambda x, y: stats.kendalltau(x, y).statistic,
}


@pytest.fixture(scope="module")
def pair():
    random = np.random.default_rng(0)
    people = np.round(random.random((7, 12)) * 4)
    return people + random.normal(size=people.shape), people


@pytest.mark.parametrize("kind", WITH_PEOPLE)
def test_systems_and_items_against_scipy(pair, kind):
    x, y = pair
    systems = PLAIN[kind](x.mean(axis=1), y.mean(axis=1))
    assert correlation_with_people(x, y, level="system", kind=kind) == pytest.approx(systems)
    items = np.mean([PLAIN[kind](x[:, i], y[:, i]) for i in range(12)])
    assert correlation_with_people(x, y, level="item", kind=kind) == pytest.approx(items)


@pytest.mark.parametrize("kind", WITH_PEOPLE)
def test_missing_cells_are_left_out_of_both(pair, kind):
    x, y = (z.copy() for z in pair)
    x[0, :4] = np.nan
    y[3, 2:9] = np.nan
    known = ~(np.isnan(x) | np.isnan(y))
    items = [PLAIN[kind](x[known[:, i], i], y[known[:, i], i]) for i in range(12)]
    found = correlation_with_people(x, y, level="item", kind=kind)
    assert found == pytest.approx(np.mean(items))
    assert np.isnan(row_correlations(np.array([[1.0, np.nan]]), np.ones((1, 2)), kind)[0])


@pytest.mark.parametrize("level", ["system", "item"])
@pytest.mark.parametrize("kind", ["pearson", "tau_b"])
def test_resamples_against_a_plain_bootstrap(pair, level, kind):
    """Other random numbers, the same distribution: ends of the intervals agree."""
    x, y = pair
    random = np.random.default_rng(1)
    drawn = correlation_draws(x, y, level=level, kind=kind, draws=1500)
    for over, found in drawn.items():
        plain = []
        for _ in range(400):
            s = random.integers(0, 7, 7) if over != "items" else np.arange(7)
            i = random.integers(0, 12, 12) if over != "systems" else np.arange(12)
            a, b = x[np.ix_(s, i)], y[np.ix_(s, i)]
            plain.append(correlation_with_people(a, b, level=level, kind=kind))
        ends = np.nanquantile(found, [0.1, 0.5, 0.9])
        assert ends == pytest.approx(np.nanquantile(plain, [0.1, 0.5, 0.9]), abs=0.09), over


def test_ties_of_means_survive_standardised_scores():
    """Two systems with the same mean are tied also where a cell has no short decimal form."""
    x = np.array([[0.5, 0.9, 0.4, 0.7], [0.8, 0.3, 0.7, 0.5], [0.6, 0.5, 0.9, 0.3]])
    x = (x - x.mean()) / x.std()
    people = np.array([[3.0] * 4, [2.0] * 4, [1.0] * 4])
    expected = stats.kendalltau([3, 2, 2], [3, 2, 1]).statistic
    assert correlation_with_people(x, people, level="system", kind="tau_b") == pytest.approx(
        expected
    )
