"""Robust, non-negative, canonical and ridge fits of all subsets, against other programs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.cross_decomposition import CCA
from sklearn.linear_model import LinearRegression, Ridge

from tare.errors import MismatchError, OptionError
from tare.stats._regression import FITS, all_subsets, fit_subsets, subset_of
from tests.reference.regression import bisquare, canonical


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    x = random.normal(size=(120, 5)) @ random.normal(size=(5, 5)) * [1, 10, 0.1, 3, 1] + 4
    y = x @ [1, -0.2, 5, 0, 0.3] + random.standard_t(3, size=120)
    return x, y


MASKS = all_subsets(5)


def test_robust_is_the_textbook_loop(rows):
    x, y = rows
    found = fit_subsets(x, y, MASKS, method="robust")
    for k, mask in enumerate(MASKS):
        columns = subset_of(int(mask), 5)
        b = bisquare(x[:, columns], y)
        assert found.intercepts[k] == pytest.approx(b[0], rel=1e-5, abs=1e-6)
        assert found.coefficients[k, columns] == pytest.approx(b[1:], rel=1e-5, abs=1e-6)
        outside = np.setdiff1d(np.arange(5), columns)
        assert (found.coefficients[k, outside] == 0).all()


def test_matlabs_scale_leaves_out_one_residual_less(rows):
    x, y = rows[0][:12, :3], rows[1][:12]  # with few rows it matters
    found = fit_subsets(x, y, all_subsets(3), method="robust", scale="matlab")
    other = fit_subsets(x, y, all_subsets(3), method="robust")
    for k, mask in enumerate(all_subsets(3)):
        columns = subset_of(int(mask), 3)
        b = bisquare(x[:, columns], y, left_out=1)
        assert found.intercepts[k] == pytest.approx(b[0], rel=1e-4, abs=1e-5)
        assert found.coefficients[k, columns] == pytest.approx(b[1:], rel=1e-4, abs=1e-5)
    assert np.abs(found.coefficients - other.coefficients).max() > 1e-3
    with pytest.raises(OptionError, match="scale='matlap'.*Did you mean 'matlab'"):
        fit_subsets(x, y, all_subsets(3), method="robust", scale="matlap")


def test_robust_ignores_planted_outliers():
    random = np.random.default_rng(1)
    x = random.normal(size=(200, 3))
    truth = np.array([1.0, -2.0, 0.5])
    y = 3 + x @ truth + random.normal(size=200) * 0.1
    y[:20] += 50
    full = np.array([7])
    robust = fit_subsets(x, y, full, method="robust")
    plain = fit_subsets(x, y, full, method="ridge", ridge=0)
    assert robust.coefficients[0] == pytest.approx(truth, abs=0.05)
    assert robust.intercepts[0] == pytest.approx(3, abs=0.05)
    assert abs(plain.intercepts[0] - 3) > 1


def test_robust_with_a_column_that_others_explain(rows):
    x, y = rows
    doubled = np.column_stack([x[:, :2], 2 * x[:, 0] - x[:, 1], np.ones(len(x))])
    both = fit_subsets(x[:, :2], y, np.array([3]), method="robust")
    found = fit_subsets(doubled, y, np.array([15]), method="robust")
    assert found.predict(doubled)[:, 0] == pytest.approx(both.predict(x[:, :2])[:, 0], abs=1e-4)


def test_least_squares_is_that_of_sklearn(rows):
    x, y = rows
    found = fit_subsets(x, y, MASKS, method="ridge", ridge=0)
    for k, mask in enumerate(MASKS):
        columns = subset_of(int(mask), 5)
        fit = LinearRegression().fit(x[:, columns], y)
        assert found.predict(x)[:, k] == pytest.approx(fit.predict(x[:, columns]))
        assert found.strength[k] == pytest.approx(fit.score(x[:, columns], y))


def test_ridge_is_that_of_sklearn_on_standardised_features(rows):
    x, y = rows
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    found = fit_subsets(x, y, MASKS, method="ridge", ridge=7.0)
    for k, mask in enumerate(MASKS):
        columns = subset_of(int(mask), 5)
        fit = Ridge(alpha=7.0).fit(z[:, columns], y)
        assert found.predict(x)[:, k] == pytest.approx(fit.predict(z[:, columns]))


def test_non_negative_is_that_of_scipy_and_meets_its_conditions(rows):
    x, y = rows
    found = fit_subsets(x, y, MASKS, method="nnls")
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    signs = np.where(z.T @ (y - y.mean()) < 0, -1.0, 1.0)
    assert found.flipped.tolist() == signs.tolist()
    turned, target = z * signs, y - y.mean()
    for k, mask in enumerate(MASKS):
        columns = subset_of(int(mask), 5)
        b, residual = nnls(turned[:, columns], target)
        left = y - found.predict(x)[:, k]
        assert np.linalg.norm(left) == pytest.approx(residual)
        own = found.coefficients[k] * x.std(axis=0) * signs
        assert (own >= 0).all()
        assert own[columns] == pytest.approx(b, abs=1e-9)
        # KKT: the gradient is 0 where a coefficient is positive, and points outwards elsewhere.
        gradient = turned[:, columns].T @ left
        assert np.abs(gradient[own[columns] > 0]).max(initial=0) < 1e-8
        assert gradient.max(initial=-np.inf) < 1e-8


def test_canonical_correlation_is_the_largest(rows):
    x, y = rows
    random = np.random.default_rng(2)
    several = np.column_stack(
        [y, x[:, 1] + random.normal(size=len(y)) * 5, random.normal(size=len(y))]
    )
    found = fit_subsets(x, several, MASKS, method="cca")
    for k, mask in enumerate(MASKS):
        columns = subset_of(int(mask), 5)
        r = canonical(x[:, columns], several)
        assert found.strength[k] == pytest.approx(r**2)
    model = CCA(n_components=1, max_iter=5000, tol=1e-12).fit(x, several)
    u, v = model.transform(x, several)
    assert np.sqrt(found.strength[-1]) == pytest.approx(
        np.corrcoef(u[:, 0], v[:, 0])[0, 1], abs=1e-4
    )
    predicted = found.predict(x)[:, -1]
    assert abs(np.corrcoef(predicted, u[:, 0])[0, 1]) == pytest.approx(1, abs=1e-4)
    # Scaled to predict the first score: no other scale or shift would do it better.
    slope, shift = np.polyfit(predicted, y, 1)
    assert (slope, shift) == (pytest.approx(1), pytest.approx(0, abs=1e-8))
    single = fit_subsets(x, y, MASKS, method="cca")
    plain = fit_subsets(x, y, MASKS, method="ridge", ridge=0)
    assert single.coefficients == pytest.approx(plain.coefficients)


@pytest.mark.parametrize("method", FITS)
def test_scale_and_constant_features_change_nothing(rows, method):
    x, y = rows
    one = fit_subsets(x, y, MASKS, method=method)
    other = fit_subsets(x * 1000 - 5, y, MASKS, method=method, threads=3)
    assert other.predict(x * 1000 - 5) == pytest.approx(one.predict(x), rel=1e-5, abs=1e-5)
    flat = np.column_stack([x, np.full(len(x), 3.0)])
    more = fit_subsets(flat, y, MASKS | 32, method=method)
    assert (more.coefficients[:, 5] == 0).all()
    assert more.predict(flat) == pytest.approx(one.predict(x), rel=1e-5, abs=1e-5)


def test_what_makes_no_sense_is_refused(rows):
    x, y = rows
    with pytest.raises(OptionError, match="subsets"):
        all_subsets(17)
    with pytest.raises(OptionError, match="method"):
        fit_subsets(x, y, MASKS, method="lasso")
    with pytest.raises(MismatchError, match="rows"):
        fit_subsets(x, y[:-1], MASKS, method="ridge")
