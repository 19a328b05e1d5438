"""Measures against people where the truth is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from tare._cli.main import main
from tare.errors import FormatError, MismatchError, OptionError
from tare.stats import adjust, exchange_test, win_test
from tare.studies import measures_and_people
from tests.unit.studies.tables import table

FAST = {"draws": 100, "chance": 20}


@pytest.fixture(scope="module")
def tables():
    """Eight machines and two people; one measure is the human score, one is noise."""
    random = np.random.default_rng(4)
    human = random.random((10, 30)) + np.linspace(0, 0.8, 10)[:, None]
    noise = random.random((10, 30))
    rough = human + random.normal(size=human.shape) * 0.5
    measures = np.stack([human, rough, noise, 100 - 3 * human], axis=2)
    scores = table(measures, ("same", "rough", "noise", "against"))
    return scores, table(human, ("helpful",))


@pytest.fixture(scope="module")
def found(tables):
    return measures_and_people(*tables, models=["s08", "s09"], top=5, **FAST)


def row(found, kind, **wanted):
    (only,) = found.find(kind, **wanted)
    return only


def test_a_measure_that_equals_people_is_always_right(found):
    for peers in ("all peers", "no models", "top 5"):
        same = row(found, "agreement", peers=peers, measure="same")
        for share in ("accuracy", "pairwise", "tie_calibrated", "soft"):
            assert same[share] == pytest.approx(1, abs=1e-12), (peers, share)
    same = row(found, "agreement", peers="all peers", measure="same")
    assert [same[k] for k in ("precision", "recall", "specificity", "balanced")] == [1, 1, 1, 1]
    for r in found.find("correlations", measure="same"):
        assert r["value"] == pytest.approx(1)
    for r in found.find("correlations", measure="against"):
        assert r["value"] == pytest.approx(-1)
    against = row(found, "agreement", peers="all peers", measure="against")
    assert against["hits"] == 0
    assert against["pairwise"] == 0


def test_a_random_measure_is_at_chance_within_its_interval(tables):
    human = tables[1]
    random = np.random.default_rng(11)
    noise = table(random.random((10, 30, 12)), tuple(f"noise {k}" for k in range(12)))
    found = measures_and_people(noise, human, consensus=[], draws=100, chance=200)
    chance = row(found, "agreement", measure="(chance)")
    for share in ("accuracy", "pairwise", "tie_calibrated", "soft"):
        low, high = chance[f"{share}_low"], chance[f"{share}_high"]
        assert low < chance[share] < high
        inside = [
            low - 1e-9 <= r[share] <= high + 1e-9
            for r in found.find("agreement")
            if r["measure"].startswith("noise")
        ]
        assert sum(inside) >= 10, share
    assert chance["pairwise"] == pytest.approx(0.5, abs=0.05)


def test_a_constant_measure_stands_beside(found):
    constant = row(found, "agreement", peers="all peers", measure="(constant)")
    assert (constant["hits"], constant["false_alarms"], constant["pairwise"]) == (0, 0, 0)
    assert constant["accuracy"] == constant["rejections"] / 45
    assert constant["balanced"] == 0.5


def test_significance_is_that_of_scipy(tables, found):
    scores, human = tables
    a, b = np.triu_indices(10, 1)

    def signs(x):
        p = np.array([stats.wilcoxon(x[i], x[j]).pvalue for i, j in zip(a, b, strict=True)])
        return np.where(p < 0.05, np.sign(x[a].mean(axis=1) - x[b].mean(axis=1)), 0)

    truth, said = signs(human.values[:, :, 0]), signs(scores.matrix("rough"))
    r = row(found, "agreement", peers="all peers", measure="rough")
    assert r["hits"] == ((truth == said) & (truth != 0)).sum()
    assert r["false_alarms"] == ((truth == 0) & (said != 0)).sum()
    assert r["accuracy"] == pytest.approx((truth == said).mean())


def test_consensus_is_significant_only_where_all_agree(found):
    rows = {r["measures"]: r for r in found.find("consensus", peers="all peers")}
    assert len(rows) == 15
    assert rows["same + rough"]["hits"] == rows["rough"]["hits"]
    assert rows["same + rough"]["false_alarms"] == 0
    assert rows["same + against"]["hits"] + rows["same + against"]["false_alarms"] == 0
    single = row(found, "agreement", peers="all peers", measure="rough")
    assert rows["rough"]["accuracy"] == single["accuracy"]


def test_tests_between_measures(found):
    r = row(found, "tests", peers="all peers", level="item", first="same", second="noise")
    assert r["difference"] > 0.5
    assert r["p"] < 0.05
    assert r["p_adjusted"] >= r["p"]


def test_peers_are_told_apart(found):
    sizes = {r["peers"]: r["systems"] for r in found.find("correlations")}
    assert sizes == {"all peers": 10, "no models": 8, "top 5": 5}
    gaps = found.find("systems", measure="rough")
    assert [r["system"] for r in gaps if r["model"]] == ["s08", "s09"]
    machines = [r for r in gaps if not r["model"]]
    line = stats.linregress([r["measured"] for r in machines], [r["judged"] for r in machines])
    for r in gaps:
        fitted = line.intercept + line.slope * r["measured"]
        assert r["gap"] == pytest.approx(r["judged"] - fitted)


def test_improvement_by_normalisation():
    random = np.random.default_rng(0)
    human = random.random((6, 10))
    raw = human + random.normal(size=human.shape)
    scores = table(np.stack([raw, human], axis=2), ("ROUGE-1", "V2(ROUGE-1)"))
    found = measures_and_people(scores, table(human, ("helpful",)), **FAST)
    r = row(found, "improvements", level="item", coefficient="pearson")
    inside = row(found, "correlations", level="item", coefficient="pearson", measure="ROUGE-1")
    assert r["pai"] == pytest.approx(100 * (1 - inside["value"]) / abs(inside["value"]))


def test_improvement_on_nothing_is_undefined():
    human = np.array([[1.0, 2], [2, 3], [3, 4], [4, 5]])
    raw = np.array([[2.0, 2], [4, 4], [1, 1], [3, 3]])  # three pairs alike, three not: τ = 0
    scores = table(np.stack([raw, human], axis=2), ("ROUGE-1", "V2(ROUGE-1)"))
    found = measures_and_people(scores, table(human, ("helpful",)), **FAST)
    r = row(found, "improvements", level="system", coefficient="tau_b")
    assert (r["inside_value"], r["value"], r["pai"]) == (0, 1, None)


def test_win_lose_tie(tables):
    human = table(np.array([[3.0, 1], [1, 1], [2, 5]]), ("helpful",))
    one = np.array([[3.0, 1], [1, 2], [2, 5]])
    other = np.array([[1.0, 2], [3, 1], [2, 5]])
    scores = table(np.stack([one, other], axis=2), ("one", "other"))
    (r,) = measures_and_people(scores, human, **FAST).rows_by_name["wins"]
    # q0: s0–s1 (one is right), s0–s2 (one), s1–s2 (one); q1: s0–s1 people tie.
    assert (r["disagreements"], r["win"], r["lose"], r["tie"]) == (4, 3, 0, 1)
    votes = [
        ("q000", "s01", "s00", "s01"),
        ("q000", "s01", "s00", "s01"),
        ("q000", "s00", "s01", "s00"),
    ]
    (r,) = measures_and_people(scores, human, preferences=votes, **FAST).rows_by_name["wins"]
    assert (r["disagreements"], r["win"], r["lose"], r["tie"]) == (1, 0, 1, 0)


def test_assessors_are_looked_at_one_by_one(tables):
    scores, human = tables
    said = human.with_attribute("assessor", {i: "AB"[k % 2] for k, i in enumerate(human.items)})
    found = measures_and_people(scores, said, **FAST)
    r = row(found, "assessors", assessor="A", measure="rough", coefficient="spearman")
    x, y = scores.matrix("rough")[:, ::2].ravel(), human.matrix()[:, ::2].ravel()
    assert r["value"] == pytest.approx(stats.spearmanr(x, y).statistic)
    assert r["outputs"] == 150


def test_ids_decide_and_what_is_missing_is_told(tables):
    scores, human = tables
    shuffled = human.select(systems=human.systems[::-1], items=human.items[::-1][:25])
    found = measures_and_people(scores, shuffled, **FAST)
    assert row(found, "agreement", measure="same")["accuracy"] == 1
    assert any("5 items" in note for note in found.notes)
    with pytest.raises(MismatchError, match="in common"):
        measures_and_people(scores, table(np.ones((3, 3)), ("x",), systems=["a", "b", "c"]))
    with pytest.raises(OptionError, match="not a system of both"):
        measures_and_people(scores, human, models=["s99"])
    with pytest.raises(MismatchError, match="Rename"):
        measures_and_people(scores, scores)


def test_an_interrupted_study_goes_on(tables, tmp_path):
    scores, human = tables
    path = tmp_path / "journal"
    whole = measures_and_people(scores, human, **FAST)
    calls = []

    def interrupt(name):
        calls.append(name)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measures_and_people(scores, human, journal=path, progress=interrupt, **FAST)
    again = measures_and_people(scores, human, journal=path, **FAST)
    assert json.dumps(again.to_dict()) == json.dumps(whole.to_dict())
    with pytest.raises(FormatError, match="another study"):
        measures_and_people(scores, human, journal=path, alpha=0.1, **FAST)


def test_the_command(tables, tmp_path, capsys):
    scores, human = tables
    scores.save(tmp_path / "scores.parquet")
    human.save(tmp_path / "human.parquet")
    files = [str(tmp_path / "scores.parquet"), str(tmp_path / "human.parquet")]
    options = ["--draws", "100", "--chance", "5", "--model", "s09", "--save", str(tmp_path / "out")]
    assert main(["study", "people", *files, *options]) == 0
    assert "balanced predictions" in capsys.readouterr().out
    assert (tmp_path / "out/consensus.csv").exists()
    assert main(["study", "people", *files, "--test", "tukey", "--correction", "holm"]) == 2


def test_a_row_that_lacks_its_item_is_reported(tmp_path, capsys):
    cells = [(s, f"i{i}", (3 * i + 7 * ord(s)) % 11 / 11) for s in "ABCD" for i in range(6)]
    for name, measure in (("scores", "AP"), ("human", "helpful")):
        rows = [f"{s},{i},{measure},{v}\n" for s, i, v in cells]
        rows.insert(2, "A,AP,0.5\n" if name == "scores" else "")
        (tmp_path / f"{name}.csv").write_text("system,item,measure,value\n" + "".join(rows))
    files = [str(tmp_path / name) for name in ("scores.csv", "human.csv")]
    assert main(["study", "people", *files, "--draws", "100"]) == 3
    said = capsys.readouterr().err
    assert "the measure '0.5' has no value" in said
    assert "lack a cell, such as the item" in said


def test_a_better_measure_is_named_with_its_test():
    """No sentence says which measure is better unless its p-value is next to it."""
    random = np.random.default_rng(1)
    human = random.random((8, 12)) + np.arange(8)[:, None] / 2
    good, bad = human + random.normal(size=human.shape) * 0.1, random.random(human.shape)
    scores = table(np.stack([good, bad, good * 2], axis=2), ("good", "bad", "twice"))
    found = measures_and_people(scores, table(human, ("helpful",)), **FAST)
    for sentence in found.headlines():
        assert sentence.endswith("no difference is shown (adjusted p = 1.0000).")
    two = scores.select(measures=["good", "bad"])
    found = measures_and_people(two, table(human, ("helpful",)), **FAST)
    assert "a difference is shown (adjusted p = 0.0" in found.headlines()[1]
    one = measures_and_people(scores["good"], table(human, ("helpful",)), **FAST)
    assert not any("p = " in sentence for sentence in one.headlines())


def test_all_pairs_of_measures_are_corrected_together():
    random = np.random.default_rng(1)
    human = random.random((20, 6))
    values = human[:, :, None] + random.normal(size=(20, 6, 5)) * 0.5
    names = ("a", "b", "c", "d", "e")
    scores, people = table(values, names), table(human, ("helpful",))
    found = measures_and_people(scores, people, draws=100, chance=1)
    wins = found.find("wins")
    assert [r["p_adjusted"] for r in wins] == pytest.approx(adjust([r["p"] for r in wins], "holm"))
    # 100 draws could never be significant over 10 pairs; 400 are made.
    assert min(r["p"] for r in wins) * 401 == pytest.approx(round(min(r["p"] for r in wins) * 401))
    assert "10 pairs of measures" in " ".join(found.tables()["wins"].notes)
    for r in wins:
        x, y = (scores.matrix(r[k]) for k in ("first", "second"))
        assert r["p"] == win_test(x, y, human, draws=400).pvalue
    r = row(found, "tests", level="system", first="a", second="c")
    how = {"kind": "tau_b", "draws": 400}
    expected = exchange_test(scores.matrix("a"), scores.matrix("c"), human, **how)
    assert (r["p"], r["difference"]) == (expected.pvalue, expected.difference)


def test_one_item_has_what_can_be_said():
    human = table(np.array([[3.0], [1], [2], [4]]), ("helpful",))
    scores = table(np.array([[2.0], [1], [3], [4]]), ("one",))
    found = measures_and_people(scores, human, **FAST)
    r = row(found, "correlations", level="system", coefficient="tau_b")
    assert r["value"] == pytest.approx(2 / 3)
    assert (r["low_items"], r["high_items"]) == (None, None)
