"""Systems that lack scores are named, and never averaged over other data sets."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare._decide.leaderboard.data import Board
from tare._decide.leaderboard.pair_differences import common_pairs
from tare._kernels.resampling import bootstrap_means
from tare.errors import MismatchError, OptionError
from tests.unit.decide.leaderboard.test_leaderboard import table


def matrix(values, names="abcdefghij"):
    """A table with one score per system and task; None is missing."""
    rows = [
        (names[s], f"t{t}", "score", float(v))
        for s, row in enumerate(values)
        for t, v in enumerate(row)
        if v is not None
    ]
    return pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")


VALUES = [
    [0.9, 0.8, 0.9, 0.8, 0.9, 0.85],
    [0.5, 0.4, 0.5, 0.4, 0.6, None],
    [0.1, 0.2, 0.1, 0.2, 0.1, 0.15],
]


def test_missing_cells_are_named_and_refused():
    with pytest.raises(MismatchError, match="1 of 3 systems lacks scores, in 1 cell .* b on t5"):
        tare.leaderboard(matrix(VALUES))
    with pytest.raises(MismatchError, match=r"s0 on d0 \(1 of 30 items\)"):
        tare.leaderboard(table()[1:], by="dataset")
    with pytest.raises(OptionError, match="impute=NUMBER"):
        tare.leaderboard(matrix(VALUES), incomplete="impute=best")


def test_dropped_systems_are_named():
    found = tare.leaderboard(matrix(VALUES), incomplete="drop", draws=300)
    assert [place.system for place in found.places] == ["a", "c"]
    assert [row.system for row in found.left_out] == ["b"]
    assert found.missing == (("b", "t5"),)
    assert "it is left out. (b on t5)" in str(found.findings[0])
    with pytest.raises(MismatchError, match="there is 1"):
        tare.leaderboard(matrix(VALUES[:2]), incomplete="drop")


def test_an_incomplete_system_has_a_rank_and_no_mean():
    found = tare.leaderboard(matrix(VALUES), incomplete="rank", draws=300)
    assert [(p.system, p.rank, p.low, p.high) for p in found.places] == [
        ("a", 1, 1, 1),
        ("b", 2, 2, 2),
        ("c", 3, 3, 3),
    ]
    assert math.isnan(found.places[1].mean)
    assert found.rows()[1]["mean"] is None
    assert found.rows()[1]["missing"] == "t5"
    assert found.rows()[1]["on t5"] is None
    assert sum(place.best for place in found.places) == pytest.approx(1)


def test_a_hard_data_set_that_is_missing_is_no_advantage():
    """The mean over its own data sets would put the second system first."""
    values = [
        [0.9, 0.9, 0.9, 0.9, 0.2],
        [0.8, 0.8, 0.8, 0.8, None],
        [0.7, 0.7, 0.7, 0.7, 0.1],
    ]
    found = tare.leaderboard(matrix(values), incomplete="rank", draws=300)
    assert [place.system for place in found.places] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("policy", "used"), [("impute=worst", 0.15), ("impute=mean", 0.5), ("impute=0.33", 0.33)]
)
def test_imputed_scores(policy, used):
    found = tare.leaderboard(matrix(VALUES), incomplete=policy, draws=300)
    imputed = next(place for place in found.places if place.system == "b")
    assert imputed.by_dataset[5] == pytest.approx(used)
    assert imputed.mean == pytest.approx((0.5 + 0.4 + 0.5 + 0.4 + 0.6 + used) / 6)
    assert imputed.missing == ("t5",)
    assert "imputed" in str(found.findings[0])


def test_the_worst_of_a_measure_that_should_be_low_is_the_highest():
    ranks = matrix([[None if v is None else 1 + 10 * v for v in row] for row in VALUES])
    scores = tare.Scores.load(ranks.with_columns(measure=pl.lit("MeanRank")))
    assert scores.measures[0].better == "lower"
    found = tare.leaderboard(scores, incomplete="impute=worst", draws=300)
    assert [place.system for place in found.places] == ["c", "b", "a"]
    assert found.places[1].by_dataset[5] == pytest.approx(9.5)
    assert "lowest mean" in found.notes()[1]
    given = tare.leaderboard(scores, incomplete="impute=7", draws=300)
    assert given.places[1].by_dataset[5] == pytest.approx(7)


@pytest.mark.parametrize("over", ["datasets", "queries", "both"])
def test_pairs_are_compared_on_their_common_data_sets(over):
    """Differences, errors and deviations against loops over the definition."""
    rng = np.random.default_rng(5)
    items = 1 if over == "datasets" else 7
    systems, sets, draws = 4, 9, 40
    cells = [rng.normal(0.5, 0.1, (systems, items + k * (items > 1))) for k in range(sets)]
    cells[1][2] = np.nan
    cells[4][2] = np.nan
    cells[3][1, 0] = np.nan
    missing = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    board = Board(tuple("wxyz"), tuple("123456789"), tuple(cells), missing)
    found = common_pairs(board, over, draws, 3)
    weights = (
        bootstrap_means(np.eye(sets), draws, 3)
        if over != "queries"
        else np.full((sets, draws), 1 / sets)
    )
    inside = [
        np.repeat(values.mean(axis=1)[:, None], draws, axis=1)
        if over == "datasets"
        else bootstrap_means(values, draws, 3 + 1 + k)
        for k, values in enumerate(cells)
    ]
    largest = np.zeros(draws)
    for i in range(systems):
        for j in range(systems):
            if i == j:
                continue
            common = [k for k in range(sets) if not missing[i, k] and not missing[j, k]]
            gaps = [cells[k][i].mean() - cells[k][j].mean() for k in common]
            if over == "queries":
                parts = [
                    np.var(cells[k][i] - cells[k][j], ddof=1) / cells[k].shape[1] for k in common
                ]
                error = math.sqrt(sum(parts)) / len(common)
                free = sum(cells[k].shape[1] - 1 for k in common)
            else:
                error = np.std(gaps, ddof=1) / math.sqrt(len(common))
                free = len(common) - 1
            assert found.differences[i, j] == pytest.approx(np.mean(gaps), abs=1e-12)
            assert found.errors[i, j] == pytest.approx(error, abs=1e-12)
            assert found.freedom[i, j] == free
            if {i, j} & {1, 2}:
                drawn = sum(weights[k] * (inside[k][i] - inside[k][j]) for k in common)
                drawn = drawn / sum(weights[k] for k in common)
                largest = np.fmax(largest, np.abs(drawn - np.mean(gaps)) / error)
    assert found.largest == pytest.approx(largest, abs=1e-9)
    assert found.wins.sum(axis=0) == pytest.approx(np.full(draws, systems * (systems - 1) / 2))


def test_systems_without_common_data_sets_are_not_different():
    values = [
        [0.9, 0.9, 0.91, None, None, None],
        [None, None, None, 0.1, 0.1, 0.11],
        [0.5, 0.5, 0.51, 0.5, 0.5, 0.51],
    ]
    found = tare.leaderboard(matrix(values), incomplete="rank", draws=300)
    by_name = {place.system: place for place in found.places}
    assert (by_name["a"].low, by_name["a"].high) == (1, 2)
    assert (by_name["b"].low, by_name["b"].high) == (2, 3)
    nothing = [[0.9, 0.8, None, None], [None, None, 0.1, 0.2]]
    with pytest.raises(MismatchError, match="enough data sets in common"):
        tare.leaderboard(matrix(nothing), incomplete="rank")


def test_from_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text("model,t1,t2,t3\na,0.9,0.8,0.9\nb,0.5,,0.4\nc,0.1,0.2,0.1\n")
    assert main(["leaderboard", "m.csv"]) == 3
    assert "b on t2" in capsys.readouterr().err
    assert main(["leaderboard", "m.csv", "--incomplete", "rank", "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert "b on t2" in captured.err
    printed = pl.read_csv(captured.out.encode())
    assert printed["missing"].to_list() == [None, "t2", None]
    assert main(["leaderboard", "m.csv", "--incomplete", "impute=worst"]) == 0
    assert main(["leaderboard", "m.csv", "--incomplete", "guess"]) == 2
