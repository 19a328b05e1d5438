"""Discriminative power, ASL curves, conflicts and PAD against plain computations."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from scipy import stats

from tare._cli.main import main
from tare._measures.names import parse
from tare.chance._kinds_of_queries import Kinds
from tare.errors import FormatError, OptionError
from tare.studies import discrimination
from tare.studies._discrimination import percentage_distance
from tests.unit.studies.tables import table

MEASURES = ("nDCG@5", "nDCG@10", "V2(nDCG@5,pool=judged)", "V2(nDCG@10,pool=judged)")


@pytest.fixture(scope="module")
def scores():
    random = np.random.default_rng(5)
    return table(random.random((6, 30, 4)) + random.random((6, 1, 4)) * 0.6, MEASURES)


def test_significant_pairs_are_those_of_a_plain_t_test(scores):
    found = discrimination(scores, test="t")
    for m, measure in enumerate(MEASURES):
        p = [
            stats.ttest_rel(scores.values[a, :, m], scores.values[b, :, m]).pvalue
            for a, b in itertools.combinations(range(6), 2)
        ]
        assert found.significant(measure).tolist() == [x <= 0.05 for x in p]
        row = next(r for r in found.measure_rows() if r["measure"] == measure)
        assert (row["pairs"], row["significant"]) == (15, sum(x <= 0.05 for x in p))
        assert row["power"] == pytest.approx(np.mean([x <= 0.05 for x in p]))
        asl = [r["asl"] for r in found.curve_rows() if r["measure"] == measure]
        assert asl == pytest.approx(sorted(p, reverse=True))


def test_a_family_adds_up_its_cutoffs(scores):
    found = discrimination(scores, test="t")
    rows = {r["family"]: r for r in found.family_rows()}
    assert set(rows) == {"nDCG", "V2(nDCG,pool=judged)"}
    at = {r["measure"]: r["significant"] for r in found.measure_rows()}
    assert rows["nDCG"]["significant"] == at["nDCG@5"] + at["nDCG@10"]
    assert (rows["nDCG"]["pairs"], rows["nDCG"]["cutoffs"]) == (30, 2)
    means = scores.values[:, :, :2].mean(axis=(1, 2))
    pad = [100 * abs(x - y) / max(x, y) for x, y in itertools.combinations(means, 2)]
    assert rows["nDCG"]["pad"] == pytest.approx(np.mean(pad))
    assert rows["nDCG"]["pad_published"] == pytest.approx(np.mean(pad))  # all means are positive


def test_the_four_way_table_adds_up(scores):
    found = discrimination(scores, test="t", alpha=0.2)
    (row,) = found.conflict_rows()
    counts = np.zeros(4, dtype=int)
    for first, second in (
        ("nDCG@5", "V2(nDCG@5,pool=judged)"),
        ("nDCG@10", "V2(nDCG@10,pool=judged)"),
    ):
        a, b = found.significant(first), found.significant(second)
        counts += [(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()]
    assert [row[k] for k in ("both", "only_first", "only_second", "neither")] == counts.tolist()
    assert row["conflicts"] == counts[1] + counts[2]
    assert row["comparisons"] == 30
    means = scores.values.mean(axis=1)
    tau = stats.kendalltau(means[:, :2].mean(axis=1), means[:, 2:].mean(axis=1)).statistic
    assert row["tau"] == pytest.approx(tau)


def test_measures_that_disagree_about_the_direction_are_counted():
    random = np.random.default_rng(0)
    values = random.random((2, 40, 2)) * 0.1
    values[0, :, 0] += 1
    values[1, :, 1] += 1
    (row,) = discrimination(table(values, ("AP", "RR")), test="t").conflict_rows()
    assert (row["both"], row["opposite"], row["conflicts"]) == (1, 1, 0)


def test_pad_with_negative_means_is_as_the_errata_say():
    means = np.array([0.4, -0.07])
    right, _ = percentage_distance(means)
    assert right == pytest.approx(100 * 0.47 / 0.4)
    both = np.array([-0.2, -0.1])
    assert percentage_distance(both)[0] == pytest.approx(50)
    assert percentage_distance(both, published=True)[0] == pytest.approx(-100)
    value, undefined = percentage_distance(np.zeros(2))
    assert np.isnan(value)
    assert undefined == 1


def test_sets_by_name_by_kind_and_by_attribute(scores):
    halves = {"left": scores.items[:15], "right": scores.items[15:], "tiny": scores.items[:1]}
    found = discrimination(scores, sets=halves, test="t")
    assert list(found.sets) == ["all", "left", "right"]
    assert any("tiny" in note for note in found.notes)
    alone = discrimination(scores.select(items=scores.items[:15]), test="t")
    assert found.significant("nDCG@5", "left").tolist() == alone.significant("nDCG@5").tolist()
    marked = scores.with_attribute(
        "half", {i: "left" if k < 15 else "right" for k, i in enumerate(scores.items)}
    )
    again = discrimination(marked, by="half", test="t")
    assert again.family_rows() == found.family_rows()
    place = np.linspace(0, 1, 30)
    kinds = Kinds((parse("nDCG@5"),), scores.items, place, place * 0.5, 5, 0.3, 0.7, 0.2, ())
    by_kind = discrimination(scores, sets=kinds, test="t")
    assert by_kind.sets["ideal"] == scores.items[-5:]
    assert {"uninformative", "hard"} <= set(by_kind.sets)
    with pytest.raises(OptionError, match="one of them"):
        discrimination(marked, by="half", sets=halves)


def test_random_scores_are_told_apart_about_as_often_as_the_level_says():
    random = np.random.default_rng(1)
    found = discrimination(table(random.random((30, 40))), draws=1000)
    (row,) = found.measure_rows()
    assert 0.01 < row["power"] < 0.12
    corrected = discrimination(table(random.random((30, 40))), draws=1000, correction="holm")
    assert corrected.measure_rows()[0]["power"] < 0.01


def test_missing_cells_pairs_without_common_items_have_no_test():
    values = np.random.default_rng(0).random((3, 10))
    values[0, 5:] = np.nan
    values[1, :5] = np.nan
    found = discrimination(table(values), test="t")
    assert found.measure_rows()[0]["pairs"] == 2


def test_an_interrupted_study_goes_on_where_it_was(scores, tmp_path):
    whole = discrimination(scores, draws=200)
    path = tmp_path / "journal.jsonl"
    seen = []

    def interrupt(name):
        seen.append(name)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        discrimination(scores, draws=200, journal=path, progress=interrupt)
    assert len(path.read_text().splitlines()) == 3  # what it belongs to, and two steps
    path.write_text(path.read_text() + '{"step": "all\\tV2(nD')  # a line cut short
    resumed = discrimination(scores, draws=200, journal=path)
    assert resumed.to_dict() == whole.to_dict()
    assert len(path.read_text().splitlines()) == 5
    with pytest.raises(FormatError, match="belongs to another study"):
        discrimination(scores, draws=300, journal=path)
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(FormatError, match="not a journal"):
        discrimination(scores, journal=tmp_path / "other")


def test_the_command(scores, tmp_path, capsys):
    scores.save(tmp_path / "scores.parquet")
    arguments = ["study", "discrimination", str(tmp_path / "scores.parquet"), "--test", "t"]
    assert main([*arguments, "--save", str(tmp_path / "out")]) == 0
    assert "V2(nDCG,pool=judged)" in capsys.readouterr().out
    assert (tmp_path / "out/curves.csv").exists()
    assert main([*arguments, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["test"] == "t"
    assert main([*arguments, "--correction", "max-t"]) == 2
    assert main([*arguments, "--kinds"]) == 2
    assert main([*arguments, "--by", "colour"]) == 2


@pytest.mark.parametrize(("count", "pairs"), [(2, 0), (5, 0), (6, 3)])
def test_few_items_are_not_resampled(count, pairs):
    """Two items that agree would be significant in every resample."""
    noise = np.random.default_rng(0).random((3, count)) / 100
    values = np.arange(3.0)[:, None] / 10 + noise
    found = discrimination(table(values), draws=100)
    row = found.measure_rows()[0]
    assert (row["pairs"], row["significant"]) == (pairs, pairs)
    assert any("too few for the bootstrap test" in note for note in found.notes) is not bool(pairs)
