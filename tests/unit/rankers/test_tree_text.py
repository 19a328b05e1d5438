"""Texts of LightGBM are scored bit for bit as LightGBM does, and no text crashes the process."""

import json
import re

import numpy as np
import pytest

from tare import Letor, rankers
from tare.errors import FormatError
from tare.rankers._model_files import _digest, load
from tare.rankers._tree_text import read_tree_text
from tare.rankers._trees import Trees
from tests.packages import imported_later
from tests.unit.rankers.planted import planted

lightgbm = imported_later("lightgbm", reason="LightGBM is not installed")


def odd_rows(columns: int, count: int = 4_000, seed: int = 7):
    """Return rows with the edge cases of tree evaluation."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((count, columns)).astype(np.float32)
    places = random.random(rows.shape)
    for value, share in (
        (0.0, 0.2),
        (-0.0, 0.05),
        (1e-35, 0.05),
        (-1e-35, 0.03),
        (1e-36, 0.05),
        (2e-35, 0.05),
        (1e-45, 0.02),
        (3e38, 0.01),
        (np.inf, 0.01),
        (-np.inf, 0.01),
        (np.nan, 0.05),
    ):
        rows[places < share] = value
        places = np.where(places < share, 2.0, places - share)
    return rows


def grown(seed: int, **options):
    """Return a LightGBM model of rows with zeros and missing values."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((600, 5)).astype(np.float32)
    rows[random.random(rows.shape) < 0.3] = 0
    if options.pop("missing", False):
        rows[random.random(rows.shape) < 0.2] = np.nan
    grades = np.digitize(np.nan_to_num(rows) @ [2, 1, 0, -1, 0.5], [0.5, 1.5]).astype(float)
    parameters = {"verbose": -1, "num_threads": 1, "seed": seed, "min_data_in_leaf": 1, **options}
    parameters.setdefault("objective", "lambdarank")
    data = lightgbm.Dataset(rows, grades, group=[20] * 30, params=parameters)
    return lightgbm.train(parameters, data, parameters.pop("rounds", 20))


MODELS = {
    "boosted": {},
    "many leaves": {"num_leaves": 100},
    "missing": {"missing": True},
    "zero is missing": {"zero_as_missing": True},
    "zero and missing": {"zero_as_missing": True, "missing": True},
    "forest": {
        "objective": "regression",
        "boosting": "rf",
        "bagging_fraction": 0.6,
        "bagging_freq": 1,
    },
    "regression": {"objective": "regression", "missing": True},
    "single leaves": {"min_data_in_leaf": 500, "objective": "regression"},
    "forest of single leaves": {
        "min_data_in_leaf": 500,
        "objective": "regression",
        "boosting": "rf",
        "bagging_fraction": 0.6,
        "bagging_freq": 1,
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_scores_are_those_of_lightgbm_to_the_last_bit(name):
    for seed in (1, 2, 3):
        booster = grown(seed, **MODELS[name])
        rows = odd_rows(5, seed=seed)
        ours = Trees(booster.model_to_string())
        theirs = np.asarray(booster.predict(rows, num_threads=1))
        assert ours.scores(rows, None).tobytes() == theirs.tobytes()
        gained = booster.feature_importance(importance_type="gain")
        assert ours.importance() == pytest.approx(gained, rel=1e-6)


@pytest.mark.parametrize("name", ["lambdamart", "randomforest"])
def test_rankers_score_as_lightgbm_does(name):
    options = {"lambdamart": {"trees": 300}, "randomforest": {"bags": 100}}[name]
    valid = planted(seed=5, noise=0.5) if name == "lambdamart" else None
    model = rankers.ranker(name, **options).fit(planted(noise=0.5), valid, seed=2)
    booster = lightgbm.Booster(model_str=model.scorer.text)
    rows = odd_rows(5)
    theirs = np.asarray(booster.predict(rows, num_threads=1))
    assert model.scorer.scores(rows, None).tobytes() == theirs.tobytes()


def test_a_model_scores_without_lightgbm(tmp_path, monkeypatch):
    letor = planted()
    model = rankers.LambdaMART(trees=5).fit(letor)
    model.save(tmp_path / "m.json")
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    assert load(tmp_path / "m.json").score(letor).tobytes() == model.score(letor).tobytes()


def test_rows_without_features_are_refused_with_the_count():
    text = grown(1).model_to_string()
    with pytest.raises(ValueError, match="5 features"):
        Trees(text).scores(np.zeros((3, 4), np.float32), None)


def first(pattern: str, to: str):
    return lambda text: re.sub(pattern, to, text, count=1, flags=re.MULTILINE)


# Manual changes of the text, and the message for each.
EDITS = {
    "a child out of range": (first(r"^(left_child=)\S+", r"\g<1>99999"), "do not form a tree"),
    "a child far below": (first(r"^(left_child=)\S+", r"\g<1>-99999"), "do not form a tree"),
    "a child beyond 32 bits": (first(r"^(left_child=)\S+", r"\g<1>9999999999"), "out of range"),
    "a circle": (first(r"^(left_child=)\S+", r"\g<1>0"), "do not form a tree"),
    "a leaf reached twice": (
        lambda t: re.sub(
            r"^right_child=.*$", lambda m: m[0].rsplit(" ", 1)[0] + " -1", t, count=1, flags=re.M
        ),
        "do not form a tree",
    ),
    "a feature out of range": (first(r"^(split_feature=)\S+", r"\g<1>12345"), "beyond the 5"),
    "a negative feature": (first(r"^(split_feature=)\S+", r"\g<1>-1"), "beyond the 5"),
    "thresholds too few": (first(r"^(threshold=)\S+ ", r"\g<1>"), "threshold has"),
    "leaves too few": (first(r"^(leaf_value=)\S+ ", r"\g<1>"), "leaf_value has"),
    "leaves too many": (first(r"^(leaf_value=)", r"\g<1>1 "), "leaf_value has"),
    "no leaves": (first(r"^leaf_value=.*\n", ""), "leaf_value has 0"),
    "a leaf that is not a number": (first(r"^(leaf_value=)\S+", r"\g<1>nan"), "not a number"),
    "an infinite leaf": (first(r"^(leaf_value=)\S+", r"\g<1>1e999"), "not finite"),
    "a leaf in Python's way": (first(r"^(leaf_value=)\S+", r"\g<1>1_0"), "not a number"),
    "num_leaves enormous": (
        first(r"^num_leaves=\d+", "num_leaves=2147483647"),
        "num_leaves is 2,147,483,647",
    ),
    "num_leaves one more": (first(r"^num_leaves=7", "num_leaves=8"), "values; expected 7"),
    "num_leaves zero": (first(r"^num_leaves=\d+", "num_leaves=0"), "num_leaves is 0"),
    "num_leaves negative": (first(r"^num_leaves=\d+", "num_leaves=-5"), "num_leaves is -5"),
    "num_leaves no number": (first(r"^num_leaves=\d+", "num_leaves=many"), "not an integer"),
    "categorical": (first(r"^num_cat=0", "num_cat=1"), "categorical splits"),
    "a categorical split": (
        first(r"^(decision_type=)\S+", r"\g<1>1"),
        "not that of a numeric split",
    ),
    "a decision of 255": (
        first(r"^(decision_type=)\S+", r"\g<1>255"),
        "not that of a numeric split",
    ),
    "linear leaves": (first(r"^is_linear=0", "is_linear=1"), "linear leaves"),
    "a key twice": (first(r"^num_cat=0", "num_cat=0\nnum_leaves=7"), "duplicate key"),
    "a tree less": (lambda t: t[: t.index("Tree=1\n")] + t[t.index("Tree=2\n") :], "tree_sizes"),
    "two classes": (first(r"^num_class=1", "num_class=2"), "num_class is '2'"),
    "trees by class": (
        first(r"^num_tree_per_iteration=1", "num_tree_per_iteration=100000"),
        "num_tree_per_iteration",
    ),
    "no objective": (first(r"^objective=.*\n", ""), "objective is missing"),
    "a square root": (first(r"^objective=.*$", "objective=regression sqrt"), "objective is"),
    "another version": (first(r"^version=v4", "version=v9"), "version is"),
    "features enormous": (
        first(r"^max_feature_idx=\d+", "max_feature_idx=2147483647"),
        "out of range",
    ),
    "features fewer": (
        first(r"^max_feature_idx=\d+", "max_feature_idx=3"),
        "beyond the 4|different number",
    ),
    "features negative": (first(r"^max_feature_idx=\d+", "max_feature_idx=-2"), "out of range"),
    "cut off": (lambda t: t[: t.index("end of trees")], "cut off"),
    "no trees": (lambda t: t[: t.index("Tree=0")] + "end of trees\n", "no trees"),
    "escapes": (first(r"^num_class=1", "num_class=\x1b[31m"), r"num_class is '\\x1b\[31m'"),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model file of five trees with seven leaves each, as plain values."""
    letor = planted(noise=0.3)
    path = tmp_path_factory.mktemp("model") / "m.json"
    rankers.LambdaMART(trees=5, leaves=7).fit(letor).save(path)
    return json.loads(path.read_text())


def with_text(model, text: str):
    """Return the model with another text, and with correct sizes and digest."""
    blocks = re.split(r"(?m)^(?=Tree=)", text.partition("end of trees\n")[0])[1:]
    sizes = " ".join(str(len(block.encode())) for block in blocks)
    scorer = {
        "kind": "trees",
        "lightgbm": re.sub(r"(?m)^tree_sizes=.*$", f"tree_sizes={sizes}", text),
    }
    return {**model, "scorer": scorer, "scorer_digest": _digest(scorer)}


@pytest.mark.parametrize("edit", EDITS)
def test_a_text_that_was_tampered_with_is_refused(edit, saved, tmp_path):
    change, said = EDITS[edit]
    before = saved["scorer"]["lightgbm"]
    after = change(before)
    assert after != before
    path = tmp_path / "crafted.json"
    made = with_text(saved, after)
    if said == "tree_sizes":
        made["scorer"]["lightgbm"] = after
        made["scorer_digest"] = _digest(made["scorer"])
    path.write_text(json.dumps(made))
    with pytest.raises(FormatError, match=said) as caught:
        load(path).score(planted())
    assert "crafted.json: not a tare model" in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_an_edit_that_keeps_valid_trees_is_accepted(saved, tmp_path):
    """The digest detects damage; a deliberate, valid change with a new digest is accepted."""
    letor = planted()
    text = first(r"^(leaf_value=)\S+", r"\g<1>0.25")(saved["scorer"]["lightgbm"])
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(with_text(saved, text)))
    theirs = lightgbm.Booster(model_str=with_text(saved, text)["scorer"]["lightgbm"])
    rows = np.ascontiguousarray(letor.features)
    assert load(path).score(letor).tobytes() == theirs.predict(rows, num_threads=1).tobytes()


def test_the_kernel_refuses_invalid_trees():
    from dataclasses import replace

    from tare._kernels.rankers import forest_scores

    forest = read_tree_text(grown(1).model_to_string()).forest
    rows = np.zeros((2, 5), np.float32)
    assert len(forest_scores(forest, rows)) == 2
    for field, value in (("left", 10**6), ("left", 0), ("right", -(10**6)), ("features", 5)):
        array = getattr(forest, field).copy()
        array[0] = value
        with pytest.raises(ValueError, match="not sound"):
            forest_scores(replace(forest, **{field: array}), rows)
    with pytest.raises(ValueError, match="not sound"):
        forest_scores(replace(forest, leaves=forest.leaves[:-1]), rows)


def test_rows_from_a_file_are_scored_the_same(tmp_path):
    letor = planted()
    model = rankers.RandomForest(bags=5).fit(letor)
    order = Letor(
        "part", letor.features[:24].copy(), letor.grades[:24], letor.queries[:2], letor.offsets[:3]
    )
    assert model.score(order).tobytes() == model.score(letor)[:24].tobytes()
