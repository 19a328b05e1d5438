"""Files that version 0.1.0 wrote are read today, with the same numbers (see tests/fixtures/0.1.0)."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import tare
from tare import rankers, studies
from tare._app import StudyStore
from tare._app.exports import export
from tare.errors import FormatError
from tare.studies import _journal
from tare.studies._letor import analysis

OLD = Path(__file__).parents[1] / "fixtures" / "0.1.0"
EXPECTED = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(params=["0.1.0", "9.9.9"])
def version(request, monkeypatch):
    """Today's version, and a later one."""
    for module in (_journal, analysis):
        monkeypatch.setattr(module, "tare_version", lambda: request.param)
    return request.param


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the files; the current folder."""
    shutil.copytree(OLD, tmp_path / "old")
    monkeypatch.chdir(tmp_path / "old")
    return tmp_path / "old"


@pytest.mark.parametrize("name", ["scores", "texts"])
def test_a_score_table(name):
    found, wanted = tare.Scores.load(OLD / f"{name}.parquet"), EXPECTED[name]
    assert [list(found.systems), list(found.items)] == [wanted["systems"], wanted["items"]]
    assert list(found.measure_names) == wanted["measures"]
    values = np.array(wanted["values"], dtype=float)
    np.testing.assert_array_equal(found.values, values)
    assert [str(s) for s in found.signatures] == wanted["signatures"]


def test_a_score_table_holds_what_is_computed_today():
    old = tare.Scores.load(OLD / "scores.parquet")
    qrels = tare.read_qrels(OLD / "data/qrels.txt")
    for k, system in enumerate(old.systems):  # the pool of 0.1.0 was the union with one run
        run = tare.read_run(OLD / f"data/runs/{system}.run")
        new = tare.evaluate(qrels, run, old.measures, pool="union")
        assert (new.systems, new.items) == ((system,), old.items)
        np.testing.assert_allclose(new.values[0], old.values[k], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", EXPECTED["rankers"])
def test_a_model(name):
    model = rankers.load(OLD / f"models/{name}.json")
    test = tare.read_letor(OLD / "data/test.txt")
    np.testing.assert_allclose(model.score(test), EXPECTED["rankers"][name], rtol=1e-12)


def test_a_learned_measure(folder):
    texts = tare.read_summaries("data/summaries.jsonl")
    found = tare.evaluate_texts(texts, ["Learned(path=models/learned.json)"])
    np.testing.assert_allclose(found.values, EXPECTED["learned"], rtol=1e-12)


def table(name):
    return tare.Scores.load(OLD / f"{name}.parquet")


STUDIES = {
    "learned": lambda **more: studies.learned_measure(
        table("features"), table("human"), methods=["ridge", "nnls"], folds=3, draws=100, **more
    ),
    "discrimination": lambda **more: studies.discrimination(
        table("scores"), draws=100, seed=1, **more
    ),
    "consistency": lambda **more: studies.consistency(table("scores"), draws=100, seed=1, **more),
    "people": lambda **more: studies.measures_and_people(
        table("features"), table("human"), models=["s05"], top=3, draws=100, chance=5, **more
    ),
    "power": lambda **more: studies.power(
        table("features"),
        ("s00", "s01", "s02"),
        ("s03", "s04", "s05"),
        measure="ROUGE-2",
        items=6,
        simulations=50,
        null_simulations=100,
        steps=(0, 1),
        tests=("t", "wilcoxon"),
        draws=100,
        **more,
    ),
}


def alike(found: object, wanted: object) -> bool:
    """Whether two results are equal; floats may differ in their last digits.

    The journal was written on another machine, and LAPACK adds in another order on another processor.
    """
    if isinstance(found, dict) and isinstance(wanted, dict):
        return list(found) == list(wanted) and all(alike(found[k], wanted[k]) for k in found)
    if isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(alike, found, wanted))
    if isinstance(found, float) and isinstance(wanted, float):
        return bool(np.isclose(found, wanted, rtol=1e-9, atol=1e-12, equal_nan=True))
    return type(found) is type(wanted) and found == wanted


def test_results_are_alike_or_not():
    assert alike({"a": [0.1, float("nan"), "x"]}, {"a": [0.1 + 1e-15, float("nan"), "x"]})
    for other in ({"a": [0.1001]}, {"b": [0.1]}, {"a": []}, {"a": ["0.1"]}):
        assert not alike({"a": [0.1]}, other)


@pytest.mark.parametrize("name", STUDIES)
def test_a_journal(name, version, folder):
    path = folder / f"journals/{name}.jsonl"
    before = path.read_bytes()
    continued = STUDIES[name](journal=path)
    added = path.read_bytes().removeprefix(before)
    assert path.read_bytes().startswith(before)
    # Intervals of correlations and the coefficients of tested models are new since 0.1.0.
    steps = [json.loads(line)["step"] for line in added.decode().splitlines()]
    new = (
        ("correlations, bias-corrected\t", "q009, ", "q0") if name in ("people", "learned") else ()
    )
    assert all(step.startswith(new) for step in steps), "a step was computed again"
    assert alike(continued.to_dict(), STUDIES[name]().to_dict())
    again = path.read_bytes()
    assert repr(STUDIES[name](journal=path).to_dict()) == repr(continued.to_dict())
    assert path.read_bytes() == again


LETOR = {
    "rankers": {
        "rankboost": {"rounds": 10},
        "listnet": {"epochs": 5},
        "feature": {"feature": 3},
    },
    "cutoffs": (3, 5),
    "draws": 100,
    "seed": 1,
    "kind_size": 3,
}


def test_the_folder_of_a_learning_to_rank_study(version, folder):
    models = sorted((folder / "letor/models/whole").iterdir())
    before = [(path.read_bytes(), path.stat().st_mtime_ns) for path in models]
    assert len(models) == 3
    found = studies.letor("data/train.txt", "data/test.txt", folder="letor", **LETOR)
    assert [(path.read_bytes(), path.stat().st_mtime_ns) for path in models] == before
    fresh = studies.letor("data/train.txt", "data/test.txt", **LETOR)
    np.testing.assert_array_equal(found.scores.values, fresh.scores.values)
    assert repr(found.mean_rows()) == repr(fresh.mean_rows())
    old = tare.Scores.load(OLD / "letor/scores.parquet")
    same = [m for m in old.measure_names if m in found.scores.measure_names]
    assert same
    for measure in same:
        np.testing.assert_allclose(
            found.scores[measure].values, old[measure].values, rtol=1e-12, err_msg=measure
        )


def test_the_folder_of_0_1_0_as_the_other_study_must_be_run_again(folder):
    arguments = ("data/train.txt", "data/test.txt")
    with pytest.raises(FormatError, match="written by tare 0.1.0.*Run its study again"):
        studies.letor(*arguments, against="letor", **LETOR)
    studies.letor(*arguments, folder="letor", **LETOR)
    assert studies.letor(*arguments, against="letor", **LETOR).swaps


@pytest.mark.parametrize("kind", EXPECTED["judging"])
def test_a_judging_study(kind, folder):
    what, form, wanted = EXPECTED["judging"][kind]
    store = StudyStore.open(str(folder / f"judging/{kind}.db"))
    try:
        assert export(store, what, form).decode() == wanted
    finally:
        store.engine.dispose()
