"""Leaderboards: macro means, what is resampled, and what is refused."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main
from tare.errors import OptionError


def table(seed=0, systems=4, datasets=5, items=30, gap=0.1):
    """Scores of systems on queries of several data sets; each system is better than the next."""
    rng = np.random.default_rng(seed)
    rows = []
    for d in range(datasets):
        size = items + 3 * d
        hard = rng.normal(0, 0.1, size)
        for s in range(systems):
            values = 0.6 - gap * s + hard + rng.normal(0, 0.05, size)
            rows += [(f"s{s}", f"d{d}-{k}", "AP", float(v), f"d{d}") for k, v in enumerate(values)]
    return pl.DataFrame(
        rows, schema=["system", "item", "measure", "value", "dataset"], orient="row"
    )


def test_means_are_means_over_data_sets():
    frame = table()
    found = tare.leaderboard(frame, by="dataset")
    by_dataset = frame.group_by("system", "dataset").agg(pl.col("value").mean())
    macro = dict(by_dataset.group_by("system").agg(pl.col("value").mean()).iter_rows())
    for place in found.places:
        assert place.mean == pytest.approx(macro[place.system], abs=1e-12)
    assert [place.system for place in found.places] == ["s0", "s1", "s2", "s3"]
    assert [(place.low, place.high) for place in found.places] == [(k, k) for k in (1, 2, 3, 4)]
    assert found.over == "queries"


@pytest.mark.parametrize("over", ["queries", "datasets"])
def test_ties_are_admitted(over):
    found = tare.leaderboard(table(gap=0.0, datasets=6), by="dataset", over=over, draws=2000)
    assert [(place.low, place.high) for place in found.places] == [(1, 4)] * 4
    assert len(found.tied_with_best) == 3
    assert "not significantly different" in found.notes()[1]


def test_the_order_of_rows_changes_nothing():
    frame = table()
    one = tare.leaderboard(frame, by="dataset", draws=500)
    other = tare.leaderboard(
        frame.sample(fraction=1, shuffle=True, seed=1), by="dataset", draws=500
    )
    assert one.places == other.places


def test_what_is_refused():
    frame = table()
    with pytest.raises(OptionError, match="one score per data set"):
        tare.leaderboard(frame, over="queries")
    with pytest.raises(OptionError, match="both"):
        tare.leaderboard(frame, by="dataset", over="both")
    with pytest.raises(OptionError, match="no attribute 'year'"):
        tare.leaderboard(frame, by="year")


@pytest.mark.parametrize(("tied", "words"), [(1, "1 system is not"), (2, "2 systems are not")])
def test_the_number_of_tied_systems_is_in_good_english(tied, words):
    rng = np.random.default_rng(3)
    rows = [
        (f"s{s}", f"t{t}", "x", (0.9 if s <= tied else 0.1) + rng.normal(0, 0.01))
        for s in range(5)
        for t in range(12)
    ]
    frame = pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")
    found = tare.leaderboard(frame, draws=500)
    assert words in found.notes()[1]


def test_a_matrix_and_tables_from_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"m{s},{s * 100},{0.9 - 0.1 * s},{0.8 - 0.1 * s},{0.7 - 0.1 * s}" for s in range(3)]
    (tmp_path / "matrix.csv").write_text("model,size,t1,t2,t3\n" + "\n".join(rows) + "\n")
    assert main(["leaderboard", "matrix.csv", "--without", "size", "--save", "b.json"]) == 0
    assert "m0" in capsys.readouterr().out
    assert (tmp_path / "b.json").exists()
    (tmp_path / "text.csv").write_text("model,note\na,b\n")
    assert main(["leaderboard", "text.csv"]) == 3
    assert "no column of numbers" in capsys.readouterr().err
    frame = table()
    for name in ("d0", "d1", "d2"):
        part = frame.filter(pl.col("dataset") == name).drop("dataset")
        part.write_csv(tmp_path / f"{name}.csv")
    assert main(["leaderboard", "d0.csv", "d1.csv", "d2.csv", "--format", "csv"]) == 0
    printed = pl.read_csv(capsys.readouterr().out.encode())
    assert printed["system"][0] == "s0"


GOLDEN = {
    "a": [0.9, 0.8, 0.7, 0.6, 0.8, 0.9, 0.5, 0.7],
    "b": [0.8, 0.8, 0.6, 0.5, 0.6, 0.9, 0.4, 0.5],
    "c": [0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.2, 0.6],
    "d": [0.9, 0.8, 0.7, 0.6, 0.8, 0.8, 0.5, 0.7],
}


def golden(sets=8, measure="score"):
    rows = [(s, f"q{k}", measure, v) for s, row in GOLDEN.items() for k, v in enumerate(row[:sets])]
    return pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row")


def test_golden_rank_intervals_over_data_sets():
    found = tare.leaderboard(golden())
    assert {p.system: (p.low, p.high) for p in found.places} == {
        "a": (1, 2),
        "b": (2, 4),
        "c": (3, 4),
        "d": (1, 3),
    }
    assert {p.system: p.p_best for p in found.places} == {
        "a": 1,
        "b": 6 / 128,
        "c": 5 / 128,
        "d": 1,
    }
    assert (found.over, found.method[:21]) == ("datasets", "all 128 sign patterns")
    assert found.notes()[0] == (
        "Mean over 8 items, each taken as a data set. The data sets are the unit: ranks are for data sets "
        "like these. All intervals together contain the true ranks in 95 % of samples if differences are "
        "symmetric (82–88 % in strongly skewed worlds)."
    )
    assert "skewed" not in tare.leaderboard(golden(), alpha=0.1).notes()[0]


def test_few_data_sets_without_queries_have_means_and_no_ranks():
    for over in ("auto", "datasets"):
        found = tare.leaderboard(golden(5), over=over)
        assert [(p.rank, p.low, p.high, p.tied) for p in found.places] == [(None,) * 4] * 4
        assert [p.system for p in found.places] == ["a", "d", "b", "c"]
        assert "No ranks: 5 data sets cannot separate ranks" in found.notes()[0]
        assert found.tied_with_best == ()
        assert all("contain the true ranks" not in note for note in found.notes())
        assert "–  –      a" in str(found)
    page = tare.report.report(found).html()
    assert "No ranks: 5 data sets" in page


def test_few_data_sets_with_queries_are_ranked_for_these_data_sets_only():
    found = tare.leaderboard(table(), by="dataset")
    assert found.over == "queries"
    assert "for these data sets only" in found.notes()[0]
    wide = tare.leaderboard(table(), by="dataset", over="datasets")
    assert {(p.low, p.high) for p in wide.places} == {(1, 4)}
    assert (
        "5 data sets cannot separate ranks beyond these data sets; use --over queries for these data "
        "sets only." in wide.notes()[0]
    )


def test_six_data_sets_are_the_unit_by_default():
    assert tare.leaderboard(table(datasets=6), by="dataset").over == "datasets"
    assert tare.leaderboard(table(datasets=6), by="dataset", alpha=0.01).over == "queries"


def test_ranks_over_queries_are_those_of_macro_max_t():
    frame = table(gap=0.01, systems=5, datasets=3)
    found = tare.leaderboard(frame, by="dataset", over="queries", draws=400, seed=3)
    tables = [
        part.pivot(on="system", index="item", values="value")
        .sort("item")
        .select("s0", "s1", "s2", "s3", "s4")
        .to_numpy()
        for (_,), part in frame.sort("dataset", "item").group_by("dataset", maintain_order=True)
    ]
    plain = tare.stats.macro_max_t(tables, draws=400, seed=3)
    better = np.zeros((5, 5), dtype=bool)
    for a, b, gap, apart in zip(
        plain.first, plain.second, plain.difference, plain.significant, strict=True
    ):
        better[(a, b) if gap > 0 else (b, a)] = apart
    for place in found.places:
        s = int(place.system[1:])
        assert place.low == 1 + better[:, s].sum()
        assert place.high == 5 - better[s].sum()


@pytest.mark.parametrize("seed", range(8))
def test_letters_ranks_and_p_agree(seed):
    frame = table(seed=seed, gap=0.004, systems=6, datasets=(4, 9)[seed % 2])
    found = tare.leaderboard(frame, by="dataset", draws=500)
    first = found.places[0]
    for place in found.places:
        shares = {o.system for o in found.places if set(o.letters) & set(place.letters)}
        above = [o for o in found.places if o.mean > place.mean and o.system not in shares]
        below = [o for o in found.places if o.mean < place.mean and o.system not in shares]
        assert (place.low, place.high) == (1 + len(above), 6 - len(below))
        assert place.low <= place.rank <= place.high
        assert place.tied == (
            place.system in {o for o in shares if first.system in shares} or place is first
        )
        assert place is first or (place.p_best <= 0.05) == (not place.tied)


def test_a_copy_shares_letters_and_ranks():
    copy = golden().filter(pl.col("system") == "a").with_columns(system=pl.lit("e"))
    found = tare.leaderboard(pl.concat([golden(), copy]))
    by_name = {p.system: p for p in found.places}
    assert by_name["a"].letters == by_name["e"].letters
    assert (by_name["a"].low, by_name["a"].high) == (by_name["e"].low, by_name["e"].high)


def test_intervals_of_bounded_measures_stay_in_the_possible_range():
    rows = [
        (s, f"d{d}-{k}", "P@1", float(v), f"d{d}")
        for s, v in (("good", 1), ("bad", 0))
        for d in range(3)
        for k in range(8)
    ]
    frame = pl.DataFrame(
        rows, schema=["system", "item", "measure", "value", "dataset"], orient="row"
    )
    found = tare.leaderboard(frame, by="dataset")
    good, bad = found.places
    assert (good.mean, good.mean_high, bad.mean, bad.mean_low) == (1, 1, 0, 0)
    assert 0.8 < good.mean_low < 1
    assert 0 < bad.mean_high < 0.2
    plain = tare.leaderboard(golden(measure="nDCG@10"))
    expected = tare.stats.mean_interval(GOLDEN["a"])
    assert plain.places[0].mean_low == pytest.approx(expected.low)
    assert plain.places[0].mean_high == pytest.approx(expected.high)


def test_one_data_set_has_no_interval_over_data_sets():
    found = tare.leaderboard(table(datasets=1), by="dataset", over="datasets")
    assert all(np.isnan([p.mean_low, p.mean_high]).all() for p in found.places)
    assert "1 data set cannot separate" in found.notes()[0]


def test_few_queries_cannot_separate_ranks():
    found = tare.leaderboard(table(datasets=1, items=4, gap=0.3), by="dataset")
    assert {(p.low, p.high) for p in found.places} == {(1, 4)}
    assert "4 queries cannot separate ranks: at least 6 are needed." in found.notes()[0]


def test_means_over_queries_of_one_data_set_have_the_interval_of_their_queries():
    frame = table(datasets=1).with_columns(pl.col("value").clip(0, 1))
    found = tare.leaderboard(frame, by="dataset")
    values = frame.filter(pl.col("system") == found.places[0].system)["value"].to_numpy()
    expected = tare.stats.mean_interval(values)
    assert found.places[0].mean_low == pytest.approx(expected.low)
    assert found.places[0].mean_high == pytest.approx(expected.high)


@pytest.mark.parametrize("over", ["datasets", "queries"])
def test_equal_means_have_equal_ranks_whatever_the_order_of_their_terms(over):
    values = [0.1, 0.2, 0.3, 0.7, 0.6, 0.15]
    rows = [
        (s, f"d{d}-{k}", "score", v, f"d{d}")
        for d in range(7)
        for s, own in (("x", values), ("y", values[::-1]), ("z", [v - 0.05 for v in values]))
        for k, v in enumerate(own)
    ]
    frame = pl.DataFrame(
        rows, schema=["system", "item", "measure", "value", "dataset"], orient="row"
    )
    found = tare.leaderboard(frame, by="dataset", over=over, draws=500)
    assert [(p.system, p.rank) for p in found.places] == [("x", 1), ("y", 1), ("z", 3)]
