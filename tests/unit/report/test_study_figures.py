"""Figures of the studies of people are next to their tables."""

from __future__ import annotations

import numpy as np
import pytest

from tare import power
from tare._data.ratings import Ratings
from tare.studies import assessors, learned_measure, measures_and_people
from tests.unit.studies.tables import table

altair = pytest.importorskip("altair")


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(0)
    human = random.random((6, 12)) + np.linspace(0, 1, 6)[:, None]
    measures = np.stack([human + random.normal(size=human.shape) * 0.3, human], axis=2)
    return table(measures, ("ROUGE-1", "ROUGE-2")), table(human, ("helpful",))


def drawn(study) -> set[str]:
    """Return the tables that have charts, after checking the charts."""
    figures = study.figures()
    assert set(figures) <= set(study.tables())
    for figure in (f for group in figures.values() for f in group):
        assert figure.chart.to_dict()
        assert figure.caption
    return {name for name, group in figures.items() if group}


def test_people(scores):
    study = measures_and_people(*scores, models=["s05"], draws=100, chance=5)
    assert {"agreement", "correlations"} <= drawn(study)
    found = study.headlines()
    assert any("with helpful is " in line and "(adjusted p = " in line for line in found)


def test_learned(scores):
    study = learned_measure(*scores, methods=["ridge"], models=["s05"], folds=2, draws=100)
    assert drawn(study) == {"correlations", "coefficients"}
    assert any("learned by ridge" in line for line in study.headlines())


def test_assessors(scores):
    rows = [(f"u{k}", "ab"[k % 2], float(k % 5)) for k in range(12) for _ in range(2)]
    systems = {f"u{k}": f"s0{k % 6}" for k in range(12)}
    items = {f"u{k}": f"q{k:03d}" for k in range(12)}
    ratings = Ratings.of(rows, attributes={"system": systems, "item": items})
    one, other = scores[0]["ROUGE-1"], scores[0]["ROUGE-2"]
    study = assessors(ratings, manual=one, automatic=other, draws=100)
    assert drawn(study) == {"contingency", "differences"}
    assert study.headlines()


def test_power(scores):
    study = power(
        scores[1],
        ["s00", "s01"],
        ["s04", "s05"],
        tests=["t"],
        steps=(0, 1),
        simulations=100,
        null_simulations=200,
    )
    assert drawn(study) == {"power without", "power with"}
