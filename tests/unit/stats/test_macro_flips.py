"""Flips of the queries of fixed data sets: all patterns, drawn ones, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from tare.errors import MismatchError
from tare.stats import _macro_flips as module
from tare.stats import macro_max_t, max_t
from tests.reference.statistics import macro_flips


@pytest.mark.parametrize("seed", range(12))
def test_all_patterns_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, int(rng.integers(1, 4)))
    tables = [rng.integers(0, 6, (int(n), 3)) / 5 for n in sizes]
    adjusted, alone = macro_flips([x.tolist() for x in tables])
    found = macro_max_t(tables)
    assert found.exact
    assert dict(zip(adjusted, found.p, strict=True)) == pytest.approx(adjusted, abs=1e-12)
    assert dict(zip(alone, found.alone, strict=True)) == pytest.approx(alone, abs=1e-12)


def test_one_data_set_is_max_t():
    scores = np.round(np.random.default_rng(0).random((9, 4)), 2)
    one, plain = macro_max_t([scores]), max_t(scores)
    assert one.p == pytest.approx(plain.p, abs=1e-12)
    assert one.difference == pytest.approx(plain.difference)


def test_differences_and_errors_are_those_of_fixed_data_sets():
    rng = np.random.default_rng(1)
    tables = [rng.random((n, 2)) for n in (7, 4, 12)]
    found = macro_max_t(tables)
    gaps = [x[:, 0] - x[:, 1] for x in tables]
    assert found.difference[0] == pytest.approx(np.mean([d.mean() for d in gaps]))
    variance = sum(d.var(ddof=1) / len(d) for d in gaps) / 9
    assert found.error[0] == pytest.approx(np.sqrt(variance))
    assert found.n == 23


def test_drawn_flips_agree_with_all_patterns():
    rng = np.random.default_rng(3)
    tables = [rng.random((n, 4)) for n in (6, 7)]
    exact, drawn = macro_max_t(tables), macro_max_t(tables, draws=4000, seed=1)
    assert exact.exact
    assert not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.04)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    tables = [rng.random((n, 5)) for n in (30, 41)]
    whole = macro_max_t(tables, draws=500)
    monkeypatch.setattr(module, "CACHED", 70)
    monkeypatch.setattr(module, "CELLS", 90)
    cut = macro_max_t(tables, draws=500)
    assert (cut.p == whole.p).all()
    assert (cut.alone == whole.alone).all()


@pytest.mark.parametrize("sizes", [(3, 4), (30, 20)])
def test_another_system_changes_no_unadjusted_p_and_lowers_no_adjusted_one(sizes):
    rng = np.random.default_rng(5)
    tables = [np.round(rng.random((n, 4)), 1) for n in sizes]
    few, many = macro_max_t([x[:, :3] for x in tables]), macro_max_t(tables)
    place = {(a, b): k for k, (a, b) in enumerate(zip(many.first, many.second, strict=True))}
    at = [place[a, b] for a, b in zip(few.first, few.second, strict=True)]
    assert (many.alone[at] == few.alone).all()
    assert (many.p[at] >= few.p).all()


def test_few_changed_queries_are_enumerated_beside_others():
    rng = np.random.default_rng(6)
    tables = [rng.random((20, 3)), rng.random((25, 3))]
    for x in tables:
        x[:, 1] = x[:, 0]
    tables[0][:4, 1] -= 0.1
    found = macro_max_t(tables)
    assert found.alone[0] == 1 / 8
    assert found.differing[0] == 4


@pytest.mark.parametrize("noise", [0.0, 1e-16])
def test_a_copy_is_never_significant(noise):
    rng = np.random.default_rng(7)
    tables = [rng.random((20, 3)) for _ in range(3)]
    for x in tables:
        x[:, 2] = x[:, 0] + noise
    found = macro_max_t(tables, draws=200)
    assert (found.p[1], found.alone[1], found.difference[1]) == (1, 1, 0)


def test_equal_differences_have_no_error_and_no_claim():
    found = macro_max_t([[[0.5, 0.4]] * 8, [[0.7, 0.6]] * 8])
    assert found.p.tolist() == [1.0]


def test_what_is_refused():
    with pytest.raises(MismatchError, match="two queries per data set"):
        macro_max_t([[[0.1, 0.2]]])
    with pytest.raises(MismatchError, match="same systems"):
        macro_max_t([np.zeros((3, 2)), np.zeros((3, 3))])
    with pytest.raises(MismatchError, match="missing or infinite"):
        macro_max_t([[[0.1, np.nan], [0.2, 0.1]]])


def test_size_with_tied_systems_on_three_data_sets():
    rng = np.random.default_rng(8)
    worlds, kept = 200, 0
    for seed in range(worlds):
        tables = [rng.normal(size=(n, 10)) + rng.normal(size=(n, 1)) for n in (10, 20, 30)]
        kept += int((macro_max_t(tables, draws=300, seed=seed).p > 0.05).all())
    assert kept / worlds >= 0.90
