"""Trees from LightGBM: LambdaMART and random forests."""

import numpy as np
import pytest

from tare import Letor, evaluate, rankers
from tare.errors import FormatError, MissingExtraError
from tare.rankers import _trees as trees
from tests.unit.rankers.planted import planted


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


def test_a_missing_package_names_the_extra(monkeypatch):
    import builtins

    plain = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] in ("lightgbm", "sklearn"):
            raise ImportError(name)
        return plain(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'tare-eval\[rank\]'"):
        rankers.LambdaMART().fit(planted())
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        rankers.LogisticRegression().fit(planted())
    with pytest.raises(MissingExtraError):
        trees.lightgbm("A test")


def test_lambda_mart_builds_the_same_trees_on_one_thread_and_on_two():
    one, two = (rankers.LambdaMART(trees=20, threads=k).fit(planted(), seed=1) for k in (1, 2))
    trees_of_one, trees_of_two = (m.scorer.text.split("end of trees")[0] for m in (one, two))
    assert trees_of_one.count("\nTree=") == 20
    assert trees_of_one == trees_of_two  # by columns and by rows
