"""Power and design, against statsmodels, simulation and the goldens of the specification."""

from __future__ import annotations

import numpy as np
import pytest

from tare.errors import MismatchError, OptionError
from tare.stats import (
    Pairs,
    document_effect,
    items_for_anova,
    items_for_interval,
    items_for_t,
    items_from_pilot,
    paired_t,
    pilot_variance,
    power_curve,
    relative_efficiency,
    sizes_of_tests,
)
from tare.stats._sample_size import power_of_anova, power_of_t, width_of_interval

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def grades() -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.integers(1, 6, (6, 40)).astype(float)
    values[3:] = np.clip(values[3:] + rng.integers(0, 3, (3, 40)), 1, 5)
    return values


@pytest.mark.parametrize("effect", [0.2, 0.5, 1.1])
@pytest.mark.parametrize("power", [0.7, 0.8, 0.95])
def test_items_for_t_against_statsmodels(effect: float, power: float) -> None:
    solver = pytest.importorskip("statsmodels.stats.power").TTestPower()
    exact = solver.solve_power(effect_size=effect, alpha=0.05, power=power)
    made = items_for_t(effect * 0.2, 0.2, power=power)
    assert made.items == int(np.ceil(exact))
    assert made.reached >= power
    assert made.below is not None
    assert made.below < power
    assert power_of_t(30, effect, 1.0) == pytest.approx(solver.power(effect, 30, 0.05))


@pytest.mark.parametrize("systems", [2, 5, 20])
def test_items_for_anova_against_statsmodels(systems: int) -> None:
    solver = pytest.importorskip("statsmodels.stats.power").FTestAnovaPower()
    made = items_for_anova(systems, 0.1, 0.25)
    effect = 0.1 / 0.25 / np.sqrt(2 * systems)
    reached = solver.power(effect, made.items * systems, 0.05, k_groups=systems)
    assert made.reached == pytest.approx(reached, abs=1e-8)
    below = solver.power(effect, (made.items - 1) * systems, 0.05, k_groups=systems)
    assert below < 0.8 <= reached


def test_anova_power_by_simulation() -> None:
    from scipy.stats import f_oneway

    rng = np.random.default_rng(1)
    shifts = np.array([0.15, 0, 0, -0.15])[:, None]
    found = [
        f_oneway(*(shifts + rng.normal(size=(4, 30)) * 0.4)).pvalue <= 0.05 for _ in range(2000)
    ]
    assert np.mean(found) == pytest.approx(power_of_anova(30, 4, 0.3, 0.4), abs=0.035)


def test_width_of_interval_by_simulation() -> None:
    from scipy.stats import t

    rng = np.random.default_rng(2)
    s = rng.normal(size=(20_000, 12)).std(axis=1, ddof=1) * 0.3
    widths = 2 * t.ppf(0.975, 11) * s / np.sqrt(12)
    assert widths.mean() == pytest.approx(width_of_interval(12, 0.3), rel=0.01)
    made = items_for_interval(0.1, 0.3)
    assert made.reached <= 0.1 < (made.below or 0)


def test_golden_of_document_effects() -> None:
    made = document_effect([0.1, 0.3, 0.3, 0.2, 0.1], [0, 0, 0, 0.5, 0.5])
    assert made.tolist() == pytest.approx([0, 0, 0, 2 / 3, 1 / 3])


@pytest.mark.parametrize("documents", [False, True])
def test_power_curves_rise_from_alpha(grades: np.ndarray, documents: bool) -> None:
    made = power_curve(
        grades,
        [0, 1, 2],
        [3, 4, 5],
        documents=documents,
        steps=(0.5, 1),
        tests=("t", "welch", "wilcoxon", "sign", "permutation"),
        simulations=1000,
        null_simulations=4000,
        draws=199,
    )
    assert made.t.tolist() == [0, 0.5, 1]
    for test, rates in made.rates.items():
        assert rates[0] <= 0.05
        assert made.nominal[test][0] <= 0.06
        assert rates[0] < rates[1] < rates[2]
    again = power_curve(
        grades,
        [0, 1, 2],
        [3, 4, 5],
        documents=documents,
        steps=(0.5, 1),
        tests=("t",),
        simulations=1000,
        null_simulations=4000,
        threads=1,
    )
    assert again.rates["t"].tolist() == made.rates["t"].tolist()


def test_power_curve_matches_the_theory_of_t() -> None:
    """Two-point scores far from the bounds: the simulated power is near the noncentral t's."""
    rng = np.random.default_rng(3)
    values = np.vstack([rng.normal(size=(1, 400)), rng.normal(size=(1, 400)) + 0.5])
    made = power_curve(
        values,
        [0],
        [1],
        steps=(1,),
        items=30,
        tests=("t",),
        simulations=3000,
        null_simulations=4000,
    )
    a, b = values
    theory = power_of_t(30, float(b.mean() - a.mean()), float(np.sqrt(a.var() + b.var())))
    assert made.nominal["t"][-1] == pytest.approx(theory, abs=0.04)


def test_sizes_on_own_data(grades: np.ndarray) -> None:
    made = sizes_of_tests(Pairs.of_matrix(grades), simulations=3000)
    for rate in made.rates.values():
        assert rate <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 3000)
    smooth = Pairs.of_matrix(np.random.default_rng(5).normal(size=(4, 25)))
    made = sizes_of_tests(smooth, simulations=3000)
    for test in ("t", "wilcoxon", "permutation", "bootstrap"):
        assert abs(made.rates[test] - 0.05) < 0.018
    assert made.to_dict() == sizes_of_tests(smooth, simulations=3000, threads=1).to_dict()


def test_items_from_a_pilot_agree_with_theory() -> None:
    rng = np.random.default_rng(6)
    base = rng.random(500)
    pilot = np.vstack([base + rng.normal(size=500) * 0.2 + 0.05, base])
    d = pilot[0] - pilot[1]
    made = items_from_pilot(d, difference=0.05, simulations=2000)
    theory = items_for_t(0.05, float(d.std()))
    assert made.items == pytest.approx(theory.items, rel=0.1)
    assert "its own sampling error is not counted" in made.note
    variance = pilot_variance(pilot)
    assert variance["difference"] == pytest.approx(d.var(ddof=1))
    with pytest.raises(OptionError, match="items reach a power"):
        items_from_pilot(d, difference=0.001, most=50, simulations=200)


def test_relative_efficiency_of_known_distributions() -> None:
    rng = np.random.default_rng(7)
    normal = Pairs.of_rows(rng.normal(size=(200, 50)), np.zeros((200, 50)))
    assert relative_efficiency(normal) == pytest.approx(3 / np.pi, abs=0.06)
    laplace = Pairs.of_rows(rng.laplace(size=(200, 50)), np.zeros((200, 50)))
    assert relative_efficiency(laplace) > 1.2


def test_impossible_designs() -> None:
    with pytest.raises(OptionError, match="above 0"):
        items_for_t(0.0, 0.1)
    with pytest.raises(OptionError, match="between alpha and 1"):
        items_for_t(0.1, 0.1, power=0.01)
    with pytest.raises(OptionError, match="more than 10,000,000"):
        items_for_t(1e-6, 0.1)
    with pytest.raises(MismatchError, match="at least 5"):
        items_from_pilot([0.1, np.nan, 0.2, 0.3, 0.1])
    assert paired_t(Pairs.of_arrays([1, 2], [1, 2])).p.tolist() == [1.0]
