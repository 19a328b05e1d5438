"""The net column: a macro mean of ratios of means."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import tare
from tare.errors import MeasureError


def scores(measures, pool="judged"):
    """Two systems on two data sets of 6 queries; the data sets differ in their room above chance."""
    qrels = {f"q{k}": {f"d{j}": int(j < (1 if k < 6 else 3)) for j in range(5)} for k in range(12)}
    runs = {
        name: {
            f"q{k}": {
                f"d{j}": float((7 * k + j * (3 + shift)) % 11 - 4 * shift * (j < 2))
                for j in range(5)
            }
            for k in range(12)
        }
        for name, shift in (("good", 0), ("bad", 1))
    }
    made = tare.evaluate(qrels, runs, measures, pool=pool)
    return made.with_attribute("dataset", {f"q{k}": "A" if k < 6 else "B" for k in range(12)})


def macro(table, name, system):
    parts = [
        table.select(systems=[system], measures=[name]).filter("dataset", d).mean for d in "AB"
    ]
    return sum(parts) / 2


def test_net_of_each_data_set_is_a_ratio_of_its_own_means():
    table = scores(["nDCG@3", "Net(nDCG@3)"])
    found = tare.leaderboard(table, measure="Net(nDCG@3)", by="dataset", draws=100)
    for place in found.places:
        assert place.mean == pytest.approx(macro(table, "Net(nDCG@3)", place.system), abs=1e-12)
    whole = table.select(systems=["good"], measures=["Net(nDCG@3)"]).mean
    assert macro(table, "Net(nDCG@3)", "good") != pytest.approx(whole, abs=1e-6)


def test_the_net_column(tmp_path):
    table = scores(["nDCG@3", "Net(nDCG@3)"])
    found = tare.leaderboard(table, by="dataset", draws=100)
    assert found.measure == "nDCG@3"
    for place in found.places:
        assert place.net == pytest.approx(macro(table, "Net(nDCG@3)", place.system), abs=1e-12)
    assert "net" in [column.name for column in found.table().columns]
    table.save(tmp_path / "s.parquet")
    again = tare.leaderboard(tmp_path / "s.parquet", by="dataset", draws=100)
    assert [place.net for place in again.places] == [place.net for place in found.places]


def test_net_is_computed_if_the_pool_is_known_and_else_explained():
    table = scores(["nDCG@3"])
    named = scores(["nDCG@3", "Net(nDCG@3)"])
    found = tare.leaderboard(table, by="dataset", draws=100)
    assert found.places[0].net == pytest.approx(macro(named, "Net(nDCG@3)", found.places[0].system))
    bare = tare.leaderboard(replace(table, rescoring=None), by="dataset", draws=100)
    assert not bare.has_net
    assert any("no net column" in note for note in bare.notes())


def test_a_system_without_all_scores_has_no_net():
    table = scores(["nDCG@3", "Net(nDCG@3)"])
    values = table.values.copy()
    values[0, 0, 0] = math.nan
    found = tare.leaderboard(
        replace(table, values=values), by="dataset", incomplete="rank", draws=100
    )
    net = {place.system: place.net for place in found.places}
    assert math.isnan(net[table.systems[0]])
    assert not math.isnan(net[table.systems[1]])


def test_measures_that_are_no_means_are_refused():
    with pytest.raises(MeasureError, match="not a mean over items"):
        tare.leaderboard(scores(["GMAP"]), by="dataset")
