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
    assert sum(place.best for place in found.places) == pytest.approx(1)


@pytest.mark.parametrize("resample", ["queries", "datasets", "both"])
def test_ties_are_admitted(resample):
    found = tare.leaderboard(table(gap=0.0), by="dataset", resample=resample, draws=2000)
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
    with pytest.raises(OptionError, match="several items in each data set"):
        tare.leaderboard(frame, resample="queries")
    with pytest.raises(OptionError, match="no attribute 'year'"):
        tare.leaderboard(frame, by="year")
    with pytest.raises(OptionError, match="needs at least 3 data sets; there are 2"):
        tare.leaderboard(
            frame.filter(pl.col("dataset").is_in(["d0", "d1"])), by="dataset", resample="both"
        )


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
