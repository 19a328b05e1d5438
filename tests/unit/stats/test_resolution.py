"""Families that the draws or the items cannot resolve: said, and never chosen by default."""

from __future__ import annotations

import numpy as np
import pytest

from tare import compare
from tare._decide.pairs import pairs_of
from tare.stats._corrections import CORRECTIONS, adjust
from tare.stats._named_tests import pairs_needed, smallest_p
from tests.unit.studies.tables import table


def _scores(systems: int, items: int, *, gap: float = 5.0):
    """Systems far apart, the same on every item but for a little noise."""
    random = np.random.default_rng(1)
    values = gap * np.arange(systems)[:, None] + 0.01 * random.random((systems, items))
    return table(values)


def test_holm_on_many_pairs_with_few_draws_is_impossible_and_said() -> None:
    scores = _scores(30, 20)  # 435 pairs; 435/(1000 + 1) > .05
    made = compare(scores, test="permutation", correction="holm", draws=1000)
    assert not made.families[0].significant.any()
    (finding,) = [f for f in made.findings if f.kind == "resolution"]
    assert finding.severity == "warning"
    assert "1,000 draws p cannot fall below 0.000999" in str(finding)
    assert "no difference can be significant at 0.05" in str(finding)
    assert "correction='max-t' or draws=8,700 or more" in str(finding)
    for way_out in ({"correction": "max-t", "draws": 1000}, {"correction": "holm", "draws": 8700}):
        better = compare(scores, test="permutation", **way_out)
        assert better.families[0].significant.all()
        assert not [f for f in better.findings if f.kind == "resolution"]


@pytest.mark.parametrize(
    ("options", "correction"),
    [
        ({"baseline": "s00"}, "max-t"),
        ({"test": "permutation"}, "max-t"),
        ({"test": "bootstrap"}, "max-t"),
        ({"test": "wilcoxon"}, "holm"),
    ],
)
def test_the_automatic_choice_never_lands_there(options: dict, correction: str) -> None:
    made = compare(_scores(30, 20), draws=100, **options)
    assert made.correction == correction
    assert "correction" in made.chosen
    assert not [f for f in made.findings if f.kind == "resolution" and f.severity == "warning"]
    assert made.families[0].significant.any()


def test_family_wise_error_is_never_given_up_silently() -> None:
    made = compare(_scores(30, 20), test="hybrid", draws=100)
    assert made.correction == "holm"
    assert [f for f in made.findings if f.kind == "resolution" and f.severity == "warning"]


def test_holm_gets_the_draws_that_its_first_step_needs() -> None:
    made = compare(_scores(30, 20), baseline="s00", correction="holm", draws=100)
    assert made.test == "permutation"
    assert made.options.draws == 40 * 29
    assert made.families[0].significant.all()
    assert compare(_scores(4, 20), baseline="s00", correction="holm").test == "permutation"


def test_too_few_items_are_said_too() -> None:
    made = compare(_scores(2, 5), test="sign")
    (finding,) = made.findings
    assert "with 5 queries p cannot fall below 0.0625" in str(finding)
    assert "at least 6 queries, or test='t'" in str(finding)
    assert not compare(_scores(2, 6), test="sign").findings


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_as_many_pairs_are_needed_as_a_search_finds(correction: str, alpha: float) -> None:
    pairs = pairs_of(_scores(9, 12))  # 36 pairs
    for draws in (100, 400, 1000, 4000):
        least = smallest_p("hybrid", pairs, draws)
        found = None
        for count in range(1, len(pairs) + 1):
            p = np.where(np.arange(len(pairs)) < count, least, 1.0)
            if adjust(p, correction).min() <= alpha:
                found = count
                break
        assert pairs_needed("hybrid", correction, pairs, draws=draws, alpha=alpha) == found


@pytest.mark.parametrize("test", ["permutation", "wilcoxon", "sign", "hybrid", "bootstrap"])
@pytest.mark.parametrize("items", [3, 6, 9])
def test_no_p_is_smaller_than_the_smallest(test: str, items: int) -> None:
    pairs = pairs_of(_scores(4, items))
    made = compare(_scores(4, items), test=test, correction="none", draws=100)
    least = smallest_p(test, pairs, 100)
    assert (made.families[0].result.p >= least * (1 - 1e-12)).all()
    if test in ("permutation", "wilcoxon", "sign"):
        assert made.families[0].result.p.min() == pytest.approx(least.min(), rel=1e-12)


def test_a_single_pair_that_bh_cannot_find_is_a_note() -> None:
    scores = _scores(30, 20)
    made = compare(scores, test="hybrid", correction="bh", draws=1000)
    (finding,) = [f for f in made.findings if f.kind == "resolution"]
    assert finding.severity == "note"
    assert "at least 9 pairs" in str(finding)
