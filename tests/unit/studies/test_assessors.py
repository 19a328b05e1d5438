"""Assessors whose carelessness is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tare.cli.main import main
from tare.data.ratings import Ratings
from tare.errors import MismatchError, OptionError
from tare.stats.consistency import self_consistency
from tare.studies import assessors
from tare.studies.rated_outputs import rated_outputs
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
    counts = {a: sum(r["count"] for r in found.contingency_rows() if r["assessor"] == a) for a in ("ann", "carl")}  # fmt: skip
    assert counts == {"ann": 64, "carl": 64}
    assert all(r["count"] == 0 for r in found.contingency_rows() if r["assessor"] == "ann" and r["first"] != r["later"])  # fmt: skip


def test_ratings_become_a_score_table(rated):
    whole = rated_outputs(rated[0])
    assert (len(whole.systems), len(whole.items)) == (8, 24)
    frame = rated[0].to_frame().with_columns(
        pl.col("unit").str.split(" ").list.get(0).alias("s"),
        pl.col("unit").str.split(" ").list.get(1).str.strip_chars("'").alias("i"),
    )  # fmt: skip
    mean = frame.filter((pl.col("s") == "s3") & (pl.col("i") == "q04"))["value"].mean()
    assert whole.values[3, 4, 0] == pytest.approx(mean)
    part = rated_outputs(rated[0], without=["carl"])
    assert np.isnan(part.values[:, 2::3]).all()
    assert not np.isnan(part.values[:, 0::3]).any()
    assert whole.attributes["assessor"][:3] == ("ann", "bob", "carl")


def test_the_order_of_systems_without_the_worst(rated):
    ratings, quality = rated
    found = assessors(ratings, same="text")
    rows = {r["without"]: r for r in found.rows["rankings"]}
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
        rows = [r for r in found.rows[name] if r["measure"] == measure and r["level"] == "item" and r["coefficient"] == "pearson"]  # fmt: skip
        assert [r["left_out"] for r in rows] == [0, 1, 2]
        assert rows[0]["change"] == 0
        assert rows[1]["change"] > 0.05
        assert rows[1]["value"] == pytest.approx(rows[0]["value"] + rows[1]["change"])
    assert set(found.tables()) == {"consistency", "contingency", "rankings", "measures", "learned"}


def test_manual_minus_automatic_by_assessor(rated):
    random = np.random.default_rng(2)
    automatic = random.random((8, 24))
    bias = np.tile([0.0, 0.1, -0.3], 8)
    manual = automatic + bias
    tables = [table(v, (n,), systems=SYSTEMS, items=ITEMS) for v, n in ((manual, "Pyramid"), (automatic, "AutoPyramid"))]  # fmt: skip
    found = assessors(
        rated[0], same="text", manual=tables[0], automatic=tables[1], worst_by="difference"
    )
    means = {r["assessor"]: r["mean"] for r in found.rows["differences"]}
    assert means == pytest.approx({"ann": 0, "bob": 0.1, "carl": -0.3})
    assert found.worst_first == ("carl", "bob", "ann")
    with pytest.raises(OptionError, match="belong together"):
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
            pl.Series(name, [dict(zip(ratings.units, column, strict=True))[u] for u in ratings.to_frame()["unit"]])
            for name, column in ratings.attributes.items()
        )
    )  # fmt: skip
    frame.write_csv(tmp_path / "rated.csv")
    arguments = ["study", "assessors", str(tmp_path / "rated.csv"), "--same", "text"]
    assert main([*arguments, "--save", str(tmp_path / "out")]) == 0
    assert "carl, bob" in capsys.readouterr().out
    assert (tmp_path / "out/contingency.csv").exists()
    assert main([*arguments, "--same", "colour"]) == 2
