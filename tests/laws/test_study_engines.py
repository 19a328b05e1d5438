"""Studies on engines: the same answers in any blocks of draws, and models trained anywhere."""

from __future__ import annotations

import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest

import tare
from tare import studies
from tare._kernels.threads_and_blocks import Seams, cut
from tare._signature import Signature
from tare.engines import Local
from tare.errors import OptionError
from tare.studies._letor.data import Fold, StudyFolder, TrainingData, trained_models
from tests.laws.test_blocks import Cutter, Pickling
from tests.unit.rankers.planted import planted

ENGINES = [
    Cutter(1, 32, 33, 149),
    Pickling(75),
    Local(threads=2),
    "local",
]


class Distant(Pickling):
    """An engine whose tasks, data and results are pickled, and run from the last to the first."""

    def map_partitions(self, task, shared, partitions, *, into=None, what=""):
        assert into is None
        found = []
        for partition in reversed(partitions):
            sent = pickle.loads(pickle.dumps((task, shared, partition)))
            found.append(pickle.loads(pickle.dumps(sent[0](*sent[1:]))))
        return found[::-1]


def table(missing: bool, seed: int = 1) -> tare.Scores:
    """Four systems on 25 items and two measures, rounded so that there are ties; perhaps with gaps."""
    values = np.round(np.random.default_rng(seed).random((4, 25, 2)), 1)
    if missing:
        values[1, 3] = values[2, 7:9] = np.nan
    items = tuple(f"i{k:02d}" for k in range(25))
    names = ("P@5", "P@10")
    return tare.Scores(tuple("abcd"), items, names, values, tuple(Signature(n, ()) for n in names))


def answer(found) -> str:
    return json.dumps(found.to_dict(), sort_keys=True)


def assert_same_anywhere(study) -> None:
    expected = answer(study(engine=None))
    for engine in ENGINES:
        assert answer(study(engine=engine)) == expected, engine
    for blocks, cells in ((3, 1), (7, 200), (150, 40)):  # of draws, and of pairs within them
        with cut(Seams(draw_blocks=blocks, resampled_cells=cells)):
            assert answer(study(engine="local")) == expected
            assert answer(study(engine=None)) == expected


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "how",
    [{}, {"test": "permutation", "correction": "max-t"}, {"test": "tukey-randomised"}],
    ids=["bootstrap", "max-t", "tukey"],
)
def test_discrimination(how, missing):
    scores = table(missing)
    sets = {"some": scores.items[:13]}
    if missing and how.get("correction") == "max-t":
        with pytest.raises(OptionError, match="needs|lack a system"):
            studies.discrimination(scores, sets=sets, draws=150, seed=5, **how)
        return
    assert_same_anywhere(
        lambda engine: studies.discrimination(
            scores, sets=sets, draws=150, seed=5, engine=engine, **how
        )
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("second", [True, False], ids=["two tables", "resamples"])
def test_consistency(second, missing):
    other = table(False, seed=2) if second else None
    assert_same_anywhere(
        lambda engine: studies.consistency(table(missing), other, draws=150, seed=5, engine=engine)
    )


def test_consistency_of_runs():
    from tare._data.simulation import simulate

    data = simulate(queries=20, seed=1)
    assert_same_anywhere(
        lambda engine: studies.run_consistency(
            data.qrels, data.runs, "nDCG@10", pool="judged", draws=150, engine=engine
        )
    )


def test_power():
    scores = table(True).select(measures=["P@10"])
    assert_same_anywhere(
        lambda engine: tare.power(
            scores,
            ["a", "b"],
            ["c", "d"],
            tests=["t", "permutation"],
            steps=[0, 0.5, 1],
            simulations=150,
            null_simulations=150,
            draws=100,
            seed=4,
            engine=engine,
        )
    )


def test_correlations():
    for over in ("items", "both"):
        expected = tare.stats.correlate(*halves(), over=over, draws=150)
        for engine in ENGINES[:-1]:
            assert tare.stats.correlate(*halves(), over=over, draws=150, engine=engine) == expected
    with pytest.raises(OptionError, match=r"engine='local'.*tare\.engines\.Local\(\)"):
        tare.stats.correlate(*halves(), draws=150, engine="local")


def halves() -> tuple[np.ndarray, np.ndarray]:
    return table(True).matrix("P@5"), table(True).matrix("P@10")


RANKERS = {
    "rankboost": {"rounds": 5},
    "listnet": {"epochs": 5},
    "adarank": {"rounds": 5},
    "ranknet": {"epochs": 3},
    "coordinateascent": {"restarts": 1},
    "logisticregression": {"iterations": 20},
    "lambdamart": {"trees": 5},
    "randomforest": {"bags": 2},
}


def rank(engine, folder=None):
    train, test = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
    return studies.letor(
        train,
        test,
        rankers={"rankboost": {"rounds": 5}, "listnet": {"epochs": 5}},
        cutoffs=(3, 5),
        draws=120,
        seed=1,
        engine=engine,
        folder=folder,
    )


def models(engine) -> dict[tuple[str, str], str]:
    """The models of all rankers, as JSON."""
    train, test = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
    folds = [Fold("one", train, test), Fold("two", test, train, test)]
    made = trained_models(
        [tare.rankers.ranker(name, **options) for name, options in RANKERS.items()],
        TrainingData(folds, 1, StudyFolder(None)),
        engine,
        lambda _: None,
    )
    return {key: model_as_json(model) for key, model in made.items()}


def model_as_json(model) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return model.save(Path(folder) / "model.json").read_text()


def test_models_of_all_rankers():
    pytest.importorskip("lightgbm", reason="the extra rank is not installed")
    expected = models(None)
    assert len(expected) == 16
    for engine in (Distant(), Local(threads=3)):
        assert models(engine) == expected


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_folder_of_a_study_is_the_same(tmp_path):
    expected = rank(None, tmp_path / "plain")
    for name, engine in (("distant", Distant(1, 119)), ("local", Local(threads=2))):
        assert answer(rank(engine, tmp_path / name)) == answer(expected)
        assert files(tmp_path / name) == files(tmp_path / "plain")


def test_a_study_that_was_interrupted_keeps_its_models(tmp_path):
    """The second ranker fails; the model of the first is there and is used again."""
    train, test = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
    how = {"cutoffs": (3,), "draws": 100, "engine": Local(threads=1), "folder": tmp_path}
    good = tare.rankers.ranker("rankboost", rounds=5)
    with pytest.raises(tare.errors.EngineError, match="Broken on whole"):
        studies.letor(train, test, rankers=[good, Broken()], **how)
    assert [path.name for path in tmp_path.rglob("models/*/*.json")] == ["rankboost.json"]


class Broken(tare.rankers.ListNet):
    """A ranker that cannot be trained."""

    title = "Broken"

    def _learn(self, training, valid, seed, progress):
        raise RuntimeError("broken")
