"""Influences: degrees of freedom of errors of any size."""

from __future__ import annotations

import numpy as np
import pytest

from tare._decide.ppi.influences import Influences, Part


@pytest.mark.parametrize("size", [2.0**-200, 1.0, 2.0**300])
def test_freedom_does_not_depend_on_the_scale(size):
    rng = np.random.default_rng(1)
    rows = [rng.standard_normal((3, k)) for k in (20, 40)]
    spread = Influences(
        np.zeros(3), tuple(Part(size * r, r.shape[1] - 1) for r in rows), np.ones(3)
    ).systems()
    plain = [np.sum(r**2, axis=1) for r in rows]
    expected = sum(plain) ** 2 / (plain[0] ** 2 / 19 + plain[1] ** 2 / 39)
    np.testing.assert_allclose(spread.freedom, expected, rtol=1e-12)
    np.testing.assert_allclose(spread.error, size * np.sqrt(sum(plain)), rtol=1e-12)
