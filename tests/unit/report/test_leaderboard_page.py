"""The page and the figures of a leaderboard, without a browser."""

from __future__ import annotations

import json
import re

import pytest

import tare
from tare.report._leaderboard import joined_groups
from tests.unit.decide.leaderboard.test_leaderboard import table
from tests.unit.decide.leaderboard.test_leaderboard_data import VALUES, matrix


def data_of(page: str):
    found = re.search(r'<script type="application/json" id="board-1-data">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def test_a_leaderboard_draws_ranks_differences_and_data_sets():
    found = tare.leaderboard(table(), by="dataset", draws=300)
    drawn = found.figures()["result"]
    assert [figure.name for figure in drawn] == [
        "rank-intervals",
        "critical-differences",
        "by-data-set",
    ]
    cells = [row for rows in drawn[2].spec()["datasets"].values() for row in rows if "item" in row]
    place = found.places[1]
    values = {row["item"]: row["value"] for row in cells if row["system"] == place.system}
    assert values == pytest.approx(dict(zip(found.datasets, place.by_dataset, strict=True)))


def test_missing_cells_are_crossed_out_and_unranked_systems_are_last():
    found = tare.leaderboard(matrix(VALUES), incomplete="drop", draws=300)
    spec = found.figures()["result"][-1].spec()
    missing = [row for rows in spec["datasets"].values() for row in rows if row.get("state")]
    assert [(row["system"], row["item"]) for row in missing] == [("b", "t5")]
    page = tare.report.report(found).html()
    assert data_of(page)["scores"][2] == [0.5, 0.4, 0.5, 0.4, 0.6, None, 0.5, 0.55, 0.45]
    assert "b on t5" in page


def test_bars_join_the_systems_that_share_a_letter():
    found = tare.leaderboard(table(gap=0.0), by="dataset", draws=300)
    assert joined_groups(found.places) == [[place.system for place in found.places]]
    apart = tare.leaderboard(table(), by="dataset", draws=300)
    assert joined_groups(apart.places) == []
    assert apart.headlines()[1] == "3 of 3 pairs of neighbours in the ranking differ significantly."


def test_scores_on_the_page_are_precise_enough_for_ranks():
    values = [[0.123456789, 0.2, 0.3], [0.123456788, 0.2, 0.3]]
    page = tare.report.report(tare.leaderboard(matrix(values), draws=100)).html()
    assert data_of(page)["scores"][0][0] != data_of(page)["scores"][1][0]


def test_a_leaderboard_with_hostile_names_cannot_run_scripts():
    rows = matrix(
        [[0.9, 0.8, 0.9], [0.1, 0.2, 0.1]], names=["</script><script>alert(1)</script>", "b"]
    )
    page = tare.report.report(tare.leaderboard(rows, draws=100)).html()
    assert "<script>alert" not in page
