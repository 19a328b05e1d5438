"""Systems that lack scores are named, and never averaged over other data sets."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare._decide.leaderboard import pair_tests
from tare._decide.leaderboard_data import Board
from tare.errors import MeasureError, MismatchError, OptionError
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
    [0.9, 0.8, 0.9, 0.8, 0.9, 0.85, 0.9, 0.95, 0.8],
    [0.5, 0.4, 0.5, 0.4, 0.6, None, 0.5, 0.55, 0.45],
    [0.1, 0.2, 0.1, 0.2, 0.1, 0.15, 0.1, 0.15, 0.2],
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
    assert "Holm" in found.method


def test_a_hard_data_set_that_is_missing_is_no_advantage():
    """The mean over its own data sets would put the second system first."""
    values = [
        [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.2],
        [0.8, 0.8, 0.8, 0.8, 0.8, 0.8, None],
        [0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.1],
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
    assert imputed.mean == pytest.approx(
        (0.5 + 0.4 + 0.5 + 0.4 + 0.6 + used + 0.5 + 0.55 + 0.45) / 9
    )
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


@pytest.mark.parametrize("over", ["datasets", "queries"])
def test_pairs_are_compared_on_their_common_data_sets(over):
    """Differences and p-values against the tests of each pair alone, with Holm's correction."""
    rng = np.random.default_rng(5)
    items = 1 if over == "datasets" else 7
    systems, sets, draws = 4, 9, 5000
    cells = [rng.normal(0.5, 0.1, (systems, items + k * (items > 1))) for k in range(sets)]
    for values in cells:
        values[0] += 0.1
    cells[1][2] = np.nan
    cells[4][2] = np.nan
    cells[3][1, 0] = np.nan
    missing = np.stack([np.isnan(values).any(axis=1) for values in cells], axis=1)
    board = Board(tuple("wxyz"), tuple("123456789"), tuple(cells), missing, tuple(cells))
    found = pair_tests(board, over, draws=draws, seed=3, alpha=0.05)
    above = np.triu_indices(systems, 1)
    alone = []
    for i, j in zip(*above, strict=True):
        common = [k for k in range(sets) if not missing[i, k] and not missing[j, k]]
        pair = [cells[k][[i, j]] for k in common]
        gaps = [x[0].mean() - x[1].mean() for x in pair]
        assert found.differences[i, j] == pytest.approx(np.mean(gaps), abs=1e-10)
        if over == "datasets":
            means = np.array([x.mean(axis=1) for x in pair])
            alone.append(tare.stats.flip_test(means[:, 0], means[:, 1]).pvalue)
        else:
            alone.append(tare.stats.macro_max_t([x.T for x in pair], draws=draws, seed=3).alone[0])
    expected = tare.stats.adjust(alone, "holm")
    assert found.p[above] == pytest.approx(expected, abs=1e-9)
    assert (found.p == found.p.T).all()


@pytest.mark.parametrize("over", ["datasets", "queries"])
def test_too_many_flips_give_way_to_t_tests(over, monkeypatch):
    from tare._decide import families
    from tare._decide import leaderboard as module

    monkeypatch.setattr(families, "MOST_FLIPPED", 1000)
    monkeypatch.setattr(module, "MOST_FLIPPED", 1000)
    frame = table(datasets=9, items=4, gap=0.03)
    gaps = frame.filter(~((pl.col("system") == "s1") & (pl.col("dataset") == "d0")))
    found = tare.leaderboard(gaps, by="dataset", over=over, incomplete="rank")
    assert found.method.startswith("t-tests")
    assert "if differences are normal." in found.notes()[0]
    assert any("assume" in str(finding) for finding in found.findings)
    whole = tare.leaderboard(frame, by="dataset", over=over)
    assert [p.system for p in found.places] == [p.system for p in whole.places]


def test_holm_that_cannot_be_reached_is_said():
    rng = np.random.default_rng(1)
    values = [[0.1 * s + 0.001 * rng.random() for _ in range(7)] for s in range(6)]
    values[2][3] = None
    found = tare.leaderboard(matrix(values), incomplete="rank")
    assert {(p.low, p.high) for p in found.places} == {(1, 6)}
    assert "15 pairs a difference needs 10 common data sets" in " ".join(found.notes())
    assert "--incomplete drop" in " ".join(found.notes())


def test_systems_without_common_data_sets_are_not_different():
    high, low = [0.9, 0.9, 0.91] * 3, [0.1, 0.1, 0.11] * 3
    values = [[*high, *[None] * 9], [*[None] * 9, *low], [0.5, 0.5, 0.51] * 6]
    found = tare.leaderboard(matrix(values), incomplete="rank", draws=300)
    by_name = {place.system: place for place in found.places}
    assert (by_name["a"].low, by_name["a"].high) == (1, 2)
    assert (by_name["b"].low, by_name["b"].high) == (2, 3)
    nothing = [[*high, *[None] * 9], [*[None] * 9, *low]]
    with pytest.raises(MismatchError, match="have a data set in common"):
        tare.leaderboard(matrix(nothing), incomplete="rank")


def test_from_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text(
        "model,t1,t2,t3,t4,t5,t6,t7\na,.9,.8,.9,.8,.9,.8,.9\nb,.5,,.4,.5,.4,.5,.4\nc,.1,.2,.1,.2,.1,.2,.1\n"
    )
    assert main(["leaderboard", "m.csv"]) == 3
    assert "b on t2" in capsys.readouterr().err
    assert main(["leaderboard", "m.csv", "--incomplete", "rank", "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert "b on t2" in captured.err
    printed = pl.read_csv(captured.out.encode())
    assert printed["missing"].to_list() == [None, "t2", None]
    assert main(["leaderboard", "m.csv", "--incomplete", "impute=worst"]) == 0
    assert main(["leaderboard", "m.csv", "--incomplete", "guess"]) == 2


# The net column: a macro mean of ratios of means.


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
