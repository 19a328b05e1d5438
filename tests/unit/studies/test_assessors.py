"""Assessors whose carelessness is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tare._cli.main import main
from tare._data.ratings import Ratings
from tare.errors import MismatchError, OptionError
from tare.report import report
from tare.studies import assessors
from tare.studies._assessors import rated_outputs
from tare.studies._self_consistency import self_consistency
from tests.unit.studies.tables import table

SYSTEMS = [f"s{k}" for k in range(8)]
ITEMS = [f"q{k:02d}" for k in range(24)]


@pytest.fixture(scope="module")
def rated():
    """Three assessors with eight items each; ann repeats herself, carl answers at random."""
    random = np.random.default_rng(6)
    quality = {s: k / 2 for k, s in enumerate(SYSTEMS)}
    rows, attributes = [], {"system": {}, "item": {}, "text": {}}
    for k, item in enumerate(ITEMS):
        coder = ("ann", "bob", "carl")[k % 3]
        noise = {"ann": 0.0, "bob": 0.8, "carl": 50.0}[coder]
        for system in SYSTEMS:
            for copy in ("", "'"):
                unit = f"{system} {item}{copy}"
                value = np.clip(round(quality[system] + 1 + random.normal() * noise), 1, 5)
                rows.append((unit, coder, float(value)))
                attributes["system"][unit], attributes["item"][unit] = system, item
                attributes["text"][unit] = f"{system} {item}"
    return Ratings.of(rows, attributes=attributes), quality


def test_assessors_are_ranked_by_how_far_they_repeat_themselves(rated):
    found = assessors(rated[0], same="text", level="interval")
    assert found.consistency.ranking == ("ann", "bob", "carl")
    assert found.worst_first == ("carl", "bob", "ann")
    assert found.consistency.alpha["ann"] == 1
    assert (
        found.consistency.alpha == self_consistency(rated[0], same="text", level="interval").alpha
    )
    counts = {
        a: sum(r["count"] for r in found.contingency_rows() if r["assessor"] == a)
        for a in ("ann", "carl")
    }
    assert counts == {"ann": 64, "carl": 64}
    assert all(
        r["count"] == 0
        for r in found.contingency_rows()
        if r["assessor"] == "ann" and r["first"] != r["later"]
    )


def test_ratings_become_a_score_table(rated):
    whole = rated_outputs(rated[0])
    assert (len(whole.systems), len(whole.items)) == (8, 24)
    frame = (
        rated[0]
        .to_frame()
        .with_columns(
            pl.col("unit").str.split(" ").list.get(0).alias("s"),
            pl.col("unit").str.split(" ").list.get(1).str.strip_chars("'").alias("i"),
        )
    )
    mean = frame.filter((pl.col("s") == "s3") & (pl.col("i") == "q04"))["value"].mean()
    assert whole.values[3, 4, 0] == pytest.approx(mean)
    part = rated_outputs(rated[0], without=["carl"])
    assert np.isnan(part.values[:, 2::3]).all()
    assert not np.isnan(part.values[:, 0::3]).any()
    assert whole.attributes["assessor"][:3] == ("ann", "bob", "carl")


def test_the_order_of_systems_without_the_worst(rated):
    ratings, quality = rated
    found = assessors(ratings, same="text")
    rows = {r["without"]: r for r in found.rows_by_name["rankings"]}
    assert list(rows) == ["nobody", "carl", "carl, bob"]
    assert rows["nobody"]["pearson"] == pytest.approx(1)
    whole, part = (rated_outputs(ratings, without=w).matrix() for w in ((), ["carl"]))
    x, y = np.nanmean(whole, axis=1), np.nanmean(part, axis=1)
    assert rows["carl"]["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert rows["carl"]["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic)
    assert np.corrcoef(y, list(quality.values()))[0, 1] > 0.95


def test_measures_and_learned_measures_gain_without_the_worst(rated):
    ratings, quality = rated
    random = np.random.default_rng(1)
    true = np.array(list(quality.values()))[:, None] + np.zeros((8, 24))
    measures = np.stack(
        [true + random.normal(size=true.shape) * 0.3, random.random(true.shape)], axis=2
    )
    scores = table(measures, ("good", "noise"), systems=SYSTEMS, items=ITEMS)
    found = assessors(
        ratings, same="text", scores=scores, features=scores, methods=["ridge"], draws=100
    )
    for name, measure in (("measures", "good"), ("learned", "learned by ridge")):
        rows = [
            r
            for r in found.rows_by_name[name]
            if r["measure"] == measure and r["level"] == "item" and r["coefficient"] == "pearson"
        ]
        assert [r["left_out"] for r in rows] == [0, 1, 2]
        assert rows[0]["change"] == 0
        assert rows[1]["change"] > 0.05
        assert rows[1]["value"] == pytest.approx(rows[0]["value"] + rows[1]["change"])
    assert set(found.tables()) == {"consistency", "contingency", "rankings", "measures", "learned"}


def test_the_level_of_assessors_pools_what_one_person_judged(rated):
    ratings, quality = rated
    random = np.random.default_rng(1)
    true = np.array(list(quality.values()))[:, None] + random.normal(size=(8, 24))
    scores = table(true, ("good",), systems=SYSTEMS, items=ITEMS)
    found = assessors(ratings, same="text", scores=scores)
    rows = {
        r["left_out"]: r["value"]
        for r in found.rows_by_name["measures"]
        if (r["level"], r["coefficient"]) == ("assessor", "pearson")
    }
    people = rated_outputs(ratings).matrix()
    own = [stats.pearsonr(true[:, k::3].ravel(), people[:, k::3].ravel())[0] for k in range(3)]
    assert rows[0] == pytest.approx(np.mean(own))
    assert rows[1] == pytest.approx(np.mean(own[:2]))  # without carl
    assert rows[1] > rows[0]


def test_continuous_scores_are_counted_in_bins():
    random = np.random.default_rng(3)
    values = random.random(400)
    rows = [(f"u{k}", "ann", v) for k, x in enumerate(values) for v in (x, min(1.0, x + 0.01))]
    found = assessors(Ratings.of(rows))
    assert len(found.consistency.values) == 12
    table_ = found.consistency.contingency["ann"]
    assert table_.sum() == 400
    low, high = min(values), max(min(1.0, v + 0.01) for v in values)
    edges = np.linspace(low, high, 13)
    own, *_ = np.histogram2d(values, np.minimum(1.0, values + 0.01), bins=[edges, edges])
    assert table_.tolist() == own.astype(int).tolist()
    assert found.consistency.values[0] == pytest.approx((edges[0] + edges[1]) / 2)
    assert "12 bins" in str(found.tables()["contingency"].notes)
    assert len(found.contingency_rows()) == 144
    # α is that of the values, not of the bins.
    assert 0.99 < found.consistency.alpha["ann"] < 1
    page = report(found).html()
    assert "12 bins" in page
    bare = report(assessors(Ratings.of([(u, c, round(v)) for u, c, v in rows]))).html()
    assert len(page) < len(bare) + 100_000


def test_many_words_are_counted_as_the_frequent_and_the_others():
    rows = [(f"u{k}", "ann", f"w{k % 20:02d}") for k in range(40) for _ in range(2)]
    rows += [("v", "ann", "w19"), ("v", "ann", "w19")]
    found = self_consistency(Ratings.of(rows))
    assert len(found.values) == 12
    assert found.values[-1] == "others"
    assert "w19" in found.values
    assert found.contingency["ann"].sum() == 41


def test_manual_minus_automatic_by_assessor(rated):
    random = np.random.default_rng(2)
    automatic = random.random((8, 24))
    bias = np.tile([0.0, 0.6, -0.3], 8)  # carl misses what a program finds; bob finds more
    manual = automatic + bias
    tables = [
        table(v, (n,), systems=SYSTEMS, items=ITEMS)
        for v, n in ((manual, "Pyramid"), (automatic, "AutoPyramid"))
    ]
    found = assessors(
        rated[0], same="text", manual=tables[0], automatic=tables[1], worst_by="difference"
    )
    means = {r["assessor"]: r["mean"] for r in found.rows_by_name["differences"]}
    assert means == pytest.approx({"ann": 0, "bob": 0.6, "carl": -0.3})
    assert found.worst_first == ("carl", "ann", "bob")
    # The bias of each assessor is the same on all items: nothing varies.
    assert all(r["low"] is r["high"] is None for r in found.rows_by_name["differences"])
    tables[0] = table(manual + random.random(24), ("Pyramid",), systems=SYSTEMS, items=ITEMS)
    noisy = assessors(rated[0], same="text", manual=tables[0], automatic=tables[1])
    gaps = (tables[0].matrix() - automatic).mean(axis=0)
    for r, own in zip(noisy.rows_by_name["differences"], (0, 1, 2), strict=True):
        expected = stats.t.interval(0.95, 7, gaps[own::3].mean(), stats.sem(gaps[own::3]))
        assert (r["low"], r["high"]) == pytest.approx(expected)
    with pytest.raises(OptionError, match="must be given together"):
        assessors(rated[0], same="text", manual=tables[0])
    with pytest.raises(OptionError, match="needs manual"):
        assessors(rated[0], same="text", worst_by="difference")


def test_ratings_without_systems_have_self_consistency_only():
    rows = [("a", "x", 1), ("a", "x", 2), ("b", "x", 3), ("b", "x", 3)]
    found = assessors(Ratings.of(rows))
    assert set(found.tables()) == {"consistency", "contingency"}
    with pytest.raises(OptionError, match="attribute"):
        assessors(Ratings.of(rows), scores=table(np.ones((2, 2))))
    with pytest.raises(MismatchError, match="nothing twice|anything twice"):
        assessors(Ratings.of([("a", "x", 1), ("b", "x", 2)]))


def test_the_command(rated, tmp_path, capsys):
    ratings = rated[0]
    frame = ratings.to_frame().with_columns(
        *(
            pl.Series(
                name,
                [
                    dict(zip(ratings.units, column, strict=True))[u]
                    for u in ratings.to_frame()["unit"]
                ],
            )
            for name, column in ratings.attributes.items()
        )
    )
    frame.write_csv(tmp_path / "rated.csv")
    arguments = ["study", "assessors", str(tmp_path / "rated.csv"), "--same", "text"]
    assert main([*arguments, "--save", str(tmp_path / "out")]) == 0
    assert "carl, bob" in capsys.readouterr().out
    assert (tmp_path / "out/contingency.csv").exists()
    assert main([*arguments, "--same", "colour"]) == 2
