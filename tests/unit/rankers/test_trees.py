"""Trees from LightGBM: LambdaMART and random forests."""

import numpy as np
import pytest

from tare import Letor, evaluate, rankers
from tare.errors import FormatError, MissingExtraError
from tests.packages import imported_later
from tests.unit.rankers.planted import planted

lightgbm = imported_later("lightgbm", reason="LightGBM is not installed")


def test_lambda_mart_beats_chance_and_a_single_feature():
    train, test = planted(noise=0.2), planted(seed=9, noise=0.2)
    found = {
        kind.name: evaluate(test.qrels(), kind.fit(train, seed=1).run(test), "V2(nDCG@10)").mean
        for kind in (rankers.LambdaMART(trees=50), rankers.SingleFeature(), rankers.RandomOrder())
    }
    assert found["lambdamart"] > found["feature"] > found["random"]
    assert abs(found["random"]) < 0.2


def test_training_stops_without_gain_on_validation_data():
    train, valid = planted(noise=1.0), planted(seed=4, noise=1.0)
    model = rankers.LambdaMART(trees=400, stop_after=10).fit(train, valid)
    kept = int(model.notes[-1].split()[0])
    assert len(model.history) == kept + 10 < 400
    assert max(model.history) == model.history[kept - 1]
    assert model.scorer.text.count("\nTree=") == kept
    whole = rankers.LambdaMART(trees=30, stop_after=0).fit(train, valid)
    assert len(whole.history) == 30


def test_grades_that_lightgbm_does_not_accept_are_refused():
    letor = planted()
    for grade, said in ((0.5, "a grade is 0.5"), (31, "a grade is 31"), (-1, "a grade is -1")):
        grades = letor.grades.copy()
        grades[3] = grade
        odd = Letor("odd", letor.features, grades, letor.queries, letor.offsets)
        with pytest.raises(
            FormatError, match=f"LambdaMART: {said}. Accepted: integers from 0 to 30"
        ):
            rankers.LambdaMART(trees=2).fit(odd)
    high = np.where(letor.grades == 2, 30.0, letor.grades)
    rankers.LambdaMART(trees=2).fit(
        Letor("high", letor.features, high, letor.queries, letor.offsets)
    )


def test_a_forest_has_the_requested_number_of_trees():
    model = rankers.RandomForest(bags=7, leaves=5).fit(planted())
    assert model.scorer.text.count("\nTree=") == 7
    assert "num_leaves=5" in model.scorer.text
    assert "[bagging_by_query: 1]" in model.scorer.text


@pytest.mark.parametrize("title", ["LambdaMART", "RandomForest"])
def test_scores_are_those_of_lightgbm_before_and_after_saving(title, tmp_path):
    options = {"LambdaMART": {"trees": 30}, "RandomForest": {"bags": 30}}[title]
    letor = planted(noise=0.5)
    model = getattr(rankers, title)(**options).fit(letor, seed=2)
    booster = lightgbm.Booster(model_str=model.scorer.text)
    theirs = booster.predict(letor.features, num_threads=1)
    assert len(np.unique(theirs)) > 10
    loaded = rankers.load(model.save(tmp_path / "model.json"))
    for ours in (model, loaded):
        assert ours.score(letor).tobytes() == theirs.tobytes()
    gains = booster.feature_importance(importance_type="gain")
    shares = {letor.first_feature + k: gain / gains.sum() for k, gain in enumerate(gains)}
    assert loaded.importance() == pytest.approx(shares)


def test_a_part_of_the_rows_is_scored_as_in_the_whole():
    letor = planted()
    model = rankers.RandomForest(bags=5).fit(letor)
    part = Letor(
        "part", letor.features[:24].copy(), letor.grades[:24], letor.queries[:2], letor.offsets[:3]
    )
    assert model.score(part).tobytes() == model.score(letor)[:24].tobytes()


def test_a_missing_package_names_the_extra(monkeypatch, tmp_path):
    import builtins

    saved = rankers.LambdaMART(trees=2).fit(planted()).save(tmp_path / "model.json")

    plain = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] in ("lightgbm", "sklearn"):
            raise ImportError(name)
        return plain(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'tare-eval\[rank\]'"):
        rankers.LambdaMART().fit(planted())
    with pytest.raises(MissingExtraError, match=r"pip install 'tare-eval\[rank\]'"):
        rankers.load(saved)
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        rankers.LogisticRegression().fit(planted())


def test_lambda_mart_builds_the_same_trees_on_one_thread_and_on_two():
    one, two = (rankers.LambdaMART(trees=20, threads=k).fit(planted(), seed=1) for k in (1, 2))
    trees_of_one, trees_of_two = (m.scorer.text.split("end of trees")[0] for m in (one, two))
    assert trees_of_one.count("\nTree=") == 20
    assert trees_of_one == trees_of_two  # by columns and by rows
