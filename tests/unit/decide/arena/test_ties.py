"""The models of ties: derivatives and probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.arena_model import derivatives, log_likelihood, probabilities

RULES = [("davidson", -0.4), ("davidson", None), ("rao-kupper", 0.7), ("half", None)]


@pytest.mark.parametrize(("rule", "tau"), RULES)
def test_derivatives_equal_finite_differences(rule, tau):
    eta = np.tile(np.array([-3.0, -0.4, 0.0, 1.7]), 3)
    outcome = (
        np.repeat([1.0, -1.0, 0.0], 4)
        if tau is not None or rule == "half"
        else np.repeat([1.0, -1.0, 1.0], 4)
    )
    step = 1e-5

    def at(e=0.0, t=0.0):
        return log_likelihood(outcome, eta + e, None if tau is None else tau + t, rule)

    parts = derivatives(outcome, eta, tau, rule)
    np.testing.assert_allclose(parts.eta, (at(step) - at(-step)) / (2 * step), atol=1e-8)
    bend = (at(1e-4) + at(-1e-4) - 2 * at()) / 1e-8
    np.testing.assert_allclose(parts.eta_eta, -bend, atol=1e-6)
    if tau is not None:
        np.testing.assert_allclose(parts.tau, (at(0, step) - at(0, -step)) / (2 * step), atol=1e-8)
        mixed = (at(1e-4, 1e-4) - at(1e-4, -1e-4) - at(-1e-4, 1e-4) + at(-1e-4, -1e-4)) / 4e-8
        np.testing.assert_allclose(parts.eta_tau, -mixed, atol=1e-6)
        bend = (at(0, 1e-4) + at(0, -1e-4) - 2 * at()) / 1e-8
        np.testing.assert_allclose(parts.tau_tau, -bend, atol=1e-6)
    assert sum(probabilities(eta, tau, rule)) == pytest.approx(np.ones(12))
