"""Families of comparisons, against scipy, statsmodels and scikit-posthocs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from tare._kernels.statistics import studentised_range_tail
from tare.stats import (
    Pairs,
    adjust,
    anova,
    friedman,
    kruskal_wallis,
    permutation,
    tukey,
    tukey_randomised,
    tukey_ranks,
)
from tare.stats._tests_of_all_systems import range_quantile

pytestmark = pytest.mark.filterwarnings("ignore")


def matrix(seed: int, m: int = 5, n: int = 20) -> np.ndarray:
    """Systems × items with a system effect, an item effect and ties."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(m, n)) * 0.1
    return np.round(0.03 * np.arange(m)[:, None] + rng.random(n)[None, :] + noise, 1 + seed % 3)


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "hochberg", "bh", "by"])
def test_corrections_against_statsmodels(correction: str) -> None:
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    names = {"hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 100):
        p = np.round(rng.random(size) ** 2, 2)
        theirs = multipletests(p, method=names.get(correction, correction))[1]
        assert adjust(p, correction) == pytest.approx(theirs)


def test_a_missing_p_does_not_count() -> None:
    assert adjust([0.01, np.nan, 0.04], "bonferroni").tolist()[::2] == [0.02, 0.08]
    assert np.isnan(adjust([0.01, np.nan, 0.04], "holm")[1])


@pytest.mark.parametrize(("groups", "freedom"), [(2, 1), (3, 5), (5, 30), (14, 637), (60, 2891)])
def test_studentised_range_against_scipy(groups: int, freedom: float) -> None:
    q = np.array([0.05, 0.5, 1.5, 3.0, 4.5, 6.0, 9.0])
    theirs = scipy_stats.studentized_range.sf(q, groups, freedom)
    assert studentised_range_tail(q, groups, freedom) == pytest.approx(theirs, abs=2e-9)
    critical = scipy_stats.studentized_range.ppf(0.95, groups, freedom)
    assert range_quantile(0.05, groups, freedom) == pytest.approx(critical, rel=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_tukey_against_statsmodels_two_way_layout(seed: int) -> None:
    """q with the residual of statsmodels' additive fit, and scipy's studentised range."""
    pd = pytest.importorskip("pandas")
    formula = pytest.importorskip("statsmodels.formula.api")
    values = matrix(seed)
    m, n = values.shape
    frame = pd.DataFrame(
        [(f"s{s}", f"i{i}", values[s, i]) for s in range(m) for i in range(n)],
        columns=["system", "item", "y"],
    )
    fit = formula.ols("y ~ C(system) + C(item)", frame).fit()
    ours = tukey(Pairs.of_matrix(values))
    for k, (a, b) in enumerate(itertools.combinations(range(m), 2)):
        q = abs(values[a].mean() - values[b].mean()) / np.sqrt(fit.mse_resid / n)
        assert ours.statistic[k] == pytest.approx(q)
        theirs = scipy_stats.studentized_range.sf(q, m, fit.df_resid)
        assert ours.p[k] == pytest.approx(theirs, abs=1e-8)


def test_tukey_of_two_systems_is_the_paired_t_test() -> None:
    values = matrix(1, m=2)
    theirs = scipy_stats.ttest_rel(values[0], values[1]).pvalue
    assert tukey(Pairs.of_matrix(values)).p[0] == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_rank_tests_against_scikit_posthocs(seed: int) -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    values = np.random.default_rng(seed).random((4, 15))  # posthocs does not correct for ties
    pairs = Pairs.of_matrix(values)
    upper = np.triu_indices(4, 1)
    theirs = posthocs.posthoc_nemenyi(list(values), dist="tukey").to_numpy()[upper]
    assert tukey_ranks(pairs).p == pytest.approx(theirs, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_omnibus_against_scipy(seed: int) -> None:
    values = matrix(seed)
    ours = friedman(values)
    theirs = scipy_stats.friedmanchisquare(*values)
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    values[0, 3] = np.nan  # Kruskal–Wallis takes samples of any sizes
    ours = kruskal_wallis(values)
    theirs = scipy_stats.kruskal(*values, nan_policy="omit")
    assert (ours.statistic, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue))


@pytest.mark.parametrize("seed", range(3))
def test_anova_against_statsmodels(seed: int) -> None:
    pd = pytest.importorskip("pandas")
    formula = pytest.importorskip("statsmodels.formula.api")
    anova_lm = pytest.importorskip("statsmodels.stats.anova").anova_lm
    values = matrix(seed)
    rng = np.random.default_rng(seed)
    values[rng.random(values.shape) < 0.15] = np.nan
    n = values.shape[1]
    attributes = {
        "assessor": tuple(f"a{k}" for k in rng.integers(0, 4, (n,)).tolist()),
        "category": tuple(f"c{k}" for k in rng.integers(0, 3, (n,)).tolist()),
    }
    cells = {
        "system": [f"s{s}" for s in range(len(values)) for _ in range(n)],
        "item": [f"i{i:03d}" for _ in values for i in range(n)],
        **{name: list(column) * len(values) for name, column in attributes.items()},
    }
    frame = pd.DataFrame(
        [
            (
                f"s{s}",
                f"i{i:03d}",
                attributes["assessor"][i],
                attributes["category"][i],
                values[s, i],
            )
            for s in range(len(values))
            for i in range(n)
            if not np.isnan(values[s, i])
        ],
        columns=["system", "item", "assessor", "category", "y"],
    )
    for factors in (
        ("system", "item"),
        ("assessor", "category"),
        ("system", "assessor", "category"),
    ):
        ours = anova(values.ravel(), {name: cells[name] for name in factors})
        fit = formula.ols("y ~ " + " + ".join(f"C({f}, Sum)" for f in factors), frame).fit()
        theirs = anova_lm(fit, typ=2)
        for source, f in zip(ours.sources, factors, strict=False):
            row = theirs.loc[f"C({f}, Sum)"]
            found = (source.squares, source.freedom, source.f, source.p)
            assert found == pytest.approx((row["sum_sq"], row["df"], row["F"], row["PR(>F)"]))
        assert ours.residual.mean_square == pytest.approx(fit.mse_resid)
        assert ours.mean == pytest.approx(fit.params["Intercept"])
        for name, value in fit.params.items():
            if name == "Intercept":
                continue
            factor, level = name[2:].split(", Sum)[S.")
            effect, error = ours.effects[factor][level[:-1]]
            assert (effect, error) == pytest.approx((value, fit.bse[name]))
        for levels in ours.effects.values():
            assert sum(effect for effect, _ in levels.values()) == pytest.approx(0, abs=1e-12)


def test_randomised_tukey_against_a_plain_loop() -> None:
    values = matrix(2, m=4, n=12)
    rng = np.random.default_rng(0)
    ranges = []
    for _ in range(4000):
        means = rng.permuted(values, axis=0).mean(axis=1)
        ranges.append(means.max() - means.min())
    ours = tukey_randomised(Pairs.of_matrix(values), draws=20_000)
    for k, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        gap = abs(values[a].mean() - values[b].mean())
        theirs = np.mean(np.array(ranges) >= gap - 1e-9)
        assert ours.p[k] == pytest.approx(theirs, abs=0.03)


def test_the_largest_t_against_a_plain_loop() -> None:
    rng = np.random.default_rng(4)
    values = rng.random((4, 15)) + np.array([0, 0, 0.2, 0.35])[:, None]
    pairs = Pairs.of_matrix(values, baseline="0")
    ours = permutation(pairs, draws=20_000, largest=True)
    d = pairs.differences

    def t(rows: np.ndarray) -> np.ndarray:
        n = (~np.isnan(rows)).sum(axis=1)
        return np.abs(np.nanmean(rows, axis=1)) / (np.nanstd(rows, axis=1, ddof=1) / np.sqrt(n))

    observed = t(d)
    hits = np.zeros(3)
    for _ in range(4000):
        hits += t(d * rng.choice([-1, 1], size=d.shape[1])).max() >= observed
    theirs = hits / 4000
    assert ours.adjusted == pytest.approx(theirs, abs=0.03)
