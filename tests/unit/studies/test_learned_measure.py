"""Learned measures where the formula is known."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tare
from tare._cli.main import main
from tare._measures.text.learned import LearnedModel
from tare.errors import FormatError, MeasureError, MismatchError, OptionError, UnreadableError
from tare.report import report
from tare.stats._regression import FITS
from tare.studies import learned_measure
from tests.unit.studies.tables import table

NAMES = ("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-L", "ROUGE-W")
FAST = {"draws": 100, "folds": 3}


@pytest.fixture(scope="module")
def tables():
    """The human score is 1 + 2·ROUGE-2 + 3·ROUGE-L and a little noise; the rest says nothing."""
    random = np.random.default_rng(3)
    x = random.random((9, 40, 5)) + random.random((9, 1, 5))
    y = 1 + 2 * x[:, :, 1] + 3 * x[:, :, 3] + random.normal(size=(9, 40)) * 0.05
    return table(x, NAMES), table(y, ("helpful",))


@pytest.fixture(scope="module")
def found(tables):
    return learned_measure(*tables, level="output", **FAST)


def test_the_search_finds_the_planted_subset(found):
    for row in found.chosen:
        assert {"ROUGE-2", "ROUGE-L"} <= set(row["features"]), row
        assert row["tested"] > 0.99
    for method in FITS:
        model = found.model(method)
        weights = dict(zip(model.features, model.coefficients, strict=True))
        assert weights["ROUGE-2"] == pytest.approx(2, abs=0.05), method
        assert weights["ROUGE-L"] == pytest.approx(3, abs=0.05), method
        assert all(abs(w) < 0.05 for f, w in weights.items() if f not in ("ROUGE-2", "ROUGE-L"))


@pytest.mark.parametrize("protocol", ["items", "systems"])
@pytest.mark.parametrize("level", ["system", "item", "output"])
def test_predictions_are_of_what_took_no_part(tables, protocol, level):
    features, human = tables
    found = learned_measure(
        features, human, methods=["ridge"], protocol=protocol, level=level, **FAST
    )
    value = next(
        r["value"]
        for r in found.correlations
        if (r["measure"], r["level"], r["coefficient"]) == ("learned by ridge", "item", "pearson")
    )
    assert value > 0.95
    # Where people answer at random nothing can be learned, however well the search does.
    random = np.random.default_rng(0)
    noise = table(random.random((9, 40)), ("helpful",))
    found = learned_measure(
        features, noise, methods=["ridge"], protocol=protocol, level=level, **FAST
    )
    by = {
        (r["level"], r["measure"]): r["value"]
        for r in found.correlations
        if r["coefficient"] == "pearson"
    }
    assert abs(by["item", "learned by ridge"]) < 0.25
    selected = np.mean([r["selected"] for r in found.chosen])
    assert selected > by["item", "learned by ridge"]  # the chosen one flatters


def test_a_system_that_is_absent_in_a_year_leaves_the_intervals_alone(tables):
    features, human = tables
    years = {i: 2008 + k // 10 for k, i in enumerate(human.items)}
    values = human.values.copy()
    column = np.array([years[i] for i in human.items])
    values[0, column >= 2010] = np.nan  # never tested
    values[1, column != 2010] = np.nan  # tested in one year only
    part = table(values, ("helpful",)).with_attribute("year", years)
    found = learned_measure(
        features, part, methods=["ridge"], protocol="years", by="year", draws=100
    )
    for row in found.correlations:
        for over in ("systems", "items", "both"):
            low, high = row[f"low_{over}"], row[f"high_{over}"]
            if low is None:  # never tested, or the same in all resamples
                assert high is None
            else:
                assert low <= row["value"] <= high, row
    assert any(row["low_both"] is not None for row in found.correlations)
    report(found).html()


def test_the_coefficients_of_each_tested_model_are_kept(tables):
    features, human = tables
    years = human.with_attribute("year", {i: 2008 + k // 10 for k, i in enumerate(human.items)})
    found = learned_measure(
        features, years, methods=["ridge"], protocol="years", by="year", draws=100
    )
    rows = [r for r in found.tested_coefficients if r["held_out"] == "2008 → 2009 → 2010"]
    weights = {r["feature"]: r["coefficient"] for r in rows}
    tested = np.arange(20, 30)
    predicted = weights.pop("(intercept)") + sum(
        w * features.matrix(f)[:, tested] for f, w in weights.items()
    )
    (chosen,) = [r for r in found.chosen if r["held_out"] == "2008 → 2009 → 2010"]
    assert set(weights) == set(chosen["features"])
    own = np.corrcoef(predicted.ravel(), human.matrix()[:, tested].ravel())[0, 1]
    assert chosen["tested"] == pytest.approx(own, abs=1e-9)
    assert "tested coefficients" in found.tables()
    assert found.frames()["tested_coefficients"].height == len(found.tested_coefficients)


def test_years_and_leave_one_out(tables):
    features, human = tables
    years = human.with_attribute("year", {i: 2008 + k // 10 for k, i in enumerate(human.items)})
    found = learned_measure(
        features, years, methods=["ridge"], protocol="years", by="year", draws=100
    )
    assert [r["held_out"] for r in found.chosen] == ["2008 → 2009 → 2010", "2009 → 2010 → 2011"]
    assert [r["outputs"] for r in found.chosen] == [90, 90]
    out = learned_measure(
        features, years, methods=["ridge"], protocol="leave-one-out", by="year", draws=100
    )
    assert [r["held_out"] for r in out.chosen] == ["2008", "2009", "2010", "2011"]
    with pytest.raises(OptionError, match="by="):
        learned_measure(features, human, protocol="years")


def test_ties_go_to_the_smallest_subset():
    random = np.random.default_rng(0)
    x = random.random((6, 20, 3))
    x[:, :, 2] = x[:, :, 0]  # the same feature twice
    found = learned_measure(
        table(x, ("a", "b", "c")), table(x[:, :, 0], ("people",)), methods=["nnls"], **FAST
    )
    assert all(r["features"] == ["a"] for r in found.chosen)


def test_the_gap_between_people_and_machines(tables):
    features, human = tables
    found = learned_measure(features, human, methods=["ridge"], models=["s08"], **FAST)
    assert {r["peers"] for r in found.correlations} == {"all peers", "no models"}
    assert [r["system"] for r in found.gaps if r["model"]] == ["s08"]


def test_a_saved_model_is_a_measure(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    LearnedModel(("ROUGE-1", "V2(ROUGE-2)"), (0.5, -2.0), 0.25, "helpful").save("model.json")
    rows = [
        {
            "item": str(k),
            "text": t,
            "references": ["the cat sat"],
            "source": "the cat sat down there",
        }
        for k, t in enumerate(["the cat", "a cat sat", "nothing"])
    ]
    scores = tare.evaluate_texts(
        tare.read_summaries(rows), ["Learned(model.json)", "ROUGE-1", "V2(ROUGE-2)"]
    )
    assert scores.measures[0] == "Learned(path=model.json)"
    learned, one, two = (scores.values[0, :, m] for m in range(3))
    assert learned == pytest.approx(0.25 + 0.5 * one - 2 * two)
    assert "model:" in str(scores.signatures[0])
    model = LearnedModel.load("model.json")
    assert model.score(scores).values[0, :, 0] == pytest.approx(learned)
    assert model == LearnedModel(("ROUGE-1", "V2(ROUGE-2)"), (0.5, -2.0), 0.25, "helpful")


def test_models_that_are_none_are_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = tare.read_summaries([{"item": "1", "text": "a", "references": ["a b"]}])
    with pytest.raises(UnreadableError, match="nowhere.json"):
        tare.evaluate_texts(texts, "Learned(nowhere.json)")
    (tmp_path / "bad.json").write_text('{"kind": "something else"}')
    with pytest.raises(FormatError, match="not a learned measure"):
        tare.evaluate_texts(texts, "Learned(bad.json)")
    with pytest.raises(MeasureError, match="needs the file"):
        tare.parse("Learned")
    LearnedModel(("nDCG@10",), (1.0,), 0.0).save("ranking.json")
    with pytest.raises(MeasureError, match="not a plain text measure"):
        tare.evaluate_texts(texts, "Learned(ranking.json)")
    LearnedModel(("ROUGE-1",), (1.0,), 0.0).save("good.json")
    alone = tare.read_summaries([{"item": "1", "text": "a"}])
    with pytest.raises(MismatchError, match="needs references"):
        tare.evaluate_texts(alone, "Learned(good.json)")
    with pytest.raises(MismatchError, match="coefficients"):
        LearnedModel(("ROUGE-1",), (1.0, 2.0), 0.0)


def test_an_interrupted_search_goes_on(tables, tmp_path):
    features, human = tables
    path = tmp_path / "journal"
    whole = learned_measure(features, human, methods=["ridge", "nnls"], **FAST)
    calls = []

    def interrupt(name):
        calls.append(name)
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learned_measure(
            features, human, methods=["ridge", "nnls"], journal=path, progress=interrupt, **FAST
        )
    again = learned_measure(features, human, methods=["ridge", "nnls"], journal=path, **FAST)
    assert json.dumps(again.to_dict()) == json.dumps(whole.to_dict())


def test_missing_cells_and_names(tables):
    features, human = tables
    values = features.values.copy()
    values[0, :5, 2] = np.nan
    some = table(values, NAMES)
    found = learned_measure(some, human, methods=["ridge"], **FAST)
    assert found.outputs == 355
    assert any("5 outputs" in note for note in found.notes)
    with pytest.raises(OptionError, match="folds"):
        learned_measure(features, human, protocol="systems", folds=99)
    with pytest.raises(OptionError, match="methods"):
        learned_measure(features, human, methods=["lasso"])


def test_the_command(tables, tmp_path, capsys):
    for scores, name in zip(tables, ("features", "human"), strict=True):
        scores.save(tmp_path / f"{name}.parquet")
    files = [str(tmp_path / "features.parquet"), str(tmp_path / "human.parquet")]
    options = ["--method", "nnls", "ridge", "--folds", "3", "--draws", "100"]
    model = tmp_path / "model.json"
    assert main(["learn", *files, *options, "-o", str(model), "--save", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert "learned by nnls" in out
    assert f"Learned(path={model})" in err
    assert LearnedModel.load(model).about["method"] == "nnls"
    assert (tmp_path / "out/coefficients.csv").exists()
    assert main(["learn", *files, "--protocol", "years"]) == 2
