"""Trees trained by LightGBM, LambdaMART and random forests, stored in its text format and evaluated without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.letor import Letor
from tare.errors import FormatError, MissingExtraError
from tare.rankers._ranker import Columns, Fitted, Progress, Ranker, Training

__all__ = ["LambdaMART", "RandomForest", "Trees", "check_whole_grades", "dataset", "lightgbm"]


# Trees of LightGBM, stored in its text format.


HIGHEST_GRADE = 30  # 2^30 − 1 is the largest gain that LightGBM accepts


def lightgbm(purpose: str) -> Any:
    """Return the lightgbm package, or raise a message on how to install it."""
    try:
        import lightgbm as found
    except ImportError:
        raise MissingExtraError("lightgbm", "rank", purpose) from None
    return found


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees in the text format of LightGBM, which reads and scores them."""

    text: str

    @cached_property
    def booster(self) -> Any:
        """The model of LightGBM; ValueError if LightGBM does not read the text."""
        package = lightgbm("A model of trees")
        try:
            return package.Booster(model_str=self.text)
        except package.basic.LightGBMError as error:
            raise ValueError(f"LightGBM does not read the trees: {error}") from None

    def scores(self, features: NDArray[np.float32], letor: Letor) -> NDArray[np.float64]:
        """Return the prediction of LightGBM for each row."""
        return np.asarray(self.booster.predict(features, num_threads=1), dtype=np.float64)

    def importance(self) -> NDArray[np.float64]:
        """Return the total gain of the splits of the trees on each feature."""
        found = self.booster.feature_importance(importance_type="gain")
        return np.asarray(found, dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return the text of LightGBM."""
        return {"kind": "trees", "lightgbm": self.text}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Trees:
        """Return the scorer that `to_dict` describes."""
        if not isinstance(given["lightgbm"], str):
            raise ValueError("the trees are not in the text format of LightGBM")
        return cls(given["lightgbm"])


def dataset(
    package: Any, training: Training, parameters: Mapping[str, Any], reference: Any = None
) -> Any:
    """Return the rows as a LightGBM dataset."""
    return package.Dataset(
        training.features,
        training.grades,
        group=np.diff(training.offsets),
        reference=reference,
        params=dict(parameters),
    )


def check_whole_grades(title: str, *parts: Training | None) -> int:
    """Return the highest grade; raise unless all grades are integers from 0 to 30."""
    highest = 1
    for part in parts:
        if part is None:
            continue
        wrong = (part.grades < 0) | (part.grades > HIGHEST_GRADE) | (part.grades % 1 != 0)
        if wrong.any():
            raise FormatError(
                f"{title}: a grade is {float(part.grades[wrong][0]):g}. Accepted: integers from 0 to "
                f"{HIGHEST_GRADE}."
            )
        highest = max(highest, int(part.grades.max(initial=0)))
    return highest


# LambdaMART: gradient-boosted trees that optimise nDCG, by LightGBM.


@dataclass(frozen=True, kw_only=True)
class LambdaMART(Ranker):
    """LambdaMART: gradient-boosted trees that optimise nDCG, by LightGBM.

    Needs LightGBM: ``pip install 'tare-eval[rank]'``.

    Parameters
    ----------
    trees : int, default 1000
        Maximum number of trees.
    leaves : int, default 10
        Leaves per tree.
    rate : float, default 0.1
        Learning rate.
    bins : int, default 256
        Number of bins per feature.
    least_in_leaf : int, default 1
        Minimum number of rows per leaf.
    stop_after : int, default 100
        Stop after this many rounds without a gain on the validation data; 0 never stops early.
    mode : {"corrected", "ranklib"}
        Both modes use the trees of LightGBM, which break ties between splits in another way than RankLib.
        "corrected" leaves out queries whose documents all have the same grade.
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    References
    ----------
    C. Burges. From RankNet to LambdaRank to LambdaMART: an overview. MSR-TR-2010-82, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.LambdaMART(trees=5).fit(letor)
    >>> model.score(letor).shape
    (4,)
    """

    trees: int = 1000
    leaves: int = 10
    rate: float = 0.1
    bins: int = 256
    least_in_leaf: int = 1
    stop_after: int = 100

    name: ClassVar[str] = "lambdamart"
    title: ClassVar[str] = "LambdaMART"
    citation: ClassVar[str] = (
        "C. Burges. From RankNet to LambdaRank to LambdaMART: an overview. MSR-TR-2010-82, 2010."
    )

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        package = lightgbm("LambdaMART")
        highest = check_whole_grades(self.title, training, valid)
        parameters: dict[str, Any] = {
            "objective": "lambdarank",
            "metric": "ndcg" if valid is not None else "none",
            "eval_at": [self.cutoff],
            "label_gain": (np.exp2(np.arange(highest + 1)) - 1).tolist(),
            "num_leaves": self.leaves,
            "learning_rate": self.rate,
            "max_bin": self.bins - 1,  # one bin is for missing values
            "min_data_in_leaf": self.least_in_leaf,
            "lambdarank_truncation_level": self.cutoff,
            "num_threads": self.threads,
            "seed": seed & 0x7FFFFFFF,
            "deterministic": True,
            # Both ways build the same trees; on one thread, column by column is a quarter faster.
            "force_col_wise" if self.threads == 1 else "force_row_wise": True,
            "verbose": -1,
        }
        rows = dataset(package, training, parameters)
        callbacks = [lambda env: progress(env.iteration, self.trees)]
        history: dict[str, Any] = {}
        if valid is not None:
            callbacks.append(package.record_evaluation(history))
            if self.stop_after:
                callbacks.append(package.early_stopping(self.stop_after, verbose=False))
        booster = package.train(
            parameters,
            rows,
            self.trees,
            valid_sets=[dataset(package, valid, parameters, rows)] if valid is not None else None,
            valid_names=["valid"] if valid is not None else None,
            callbacks=callbacks,
        )
        kept = booster.best_iteration if booster.best_iteration > 0 else booster.current_iteration()
        text = booster.model_to_string(num_iteration=kept)
        found = history.get("valid", {}).get(f"ndcg@{self.cutoff}", ())
        notes = (
            ()
            if valid is None
            else (f"{kept:,} of {self.trees:,} trees were best on the validation data.",)
        )
        return Fitted(Trees(text), tuple(float(x) for x in found), notes)


# Random forest: regression trees on samples of queries, by LightGBM.


@dataclass(frozen=True, kw_only=True)
class RandomForest(Ranker):
    """Random forest: regression trees on samples of queries, by LightGBM.

    Each tree is fitted to the grades of a sample of whole queries, drawn without replacement. Needs
    LightGBM: ``pip install 'tare-eval[rank]'``.

    Parameters
    ----------
    bags : int, default 300
        Number of trees.
    leaves : int, default 100
        Leaves per tree.
    feature_share : float, default 0.3
        Share of the features that each split considers.
    bag_share : float, default 0.632
        Share of the queries per tree. The default, 1 − 1/e, is the expected share of distinct queries in a
        bootstrap sample.
    bins : int, default 256
        Number of bins per feature.
    least_in_leaf : int, default 1
        Minimum number of rows per leaf.
    mode : {"corrected", "ranklib"}
        Has no effect: queries whose documents all have the same grade are always used.
    normalise, cutoff, threads
        See `Ranker`.

    Raises
    ------
    OptionError
        If an option has an unknown value or is out of range.

    References
    ----------
    L. Breiman. Random forests. Machine Learning 45(1), 2001.

    Examples
    --------
    >>> import numpy as np
    >>> import tare
    >>> features = np.array([[0.9, 0.1], [0.2, 0.3], [0.8, 0.5], [0.1, 0.4]])
    >>> letor = tare.Letor("train", features, [2, 0, 1, 0], ("q1", "q2"), [0, 2, 4])
    >>> model = tare.rankers.RandomForest(bags=5).fit(letor)
    >>> model.score(letor).shape
    (4,)
    """

    bags: int = 300
    leaves: int = 100
    feature_share: float = 0.3
    bag_share: float = 0.632
    bins: int = 256
    least_in_leaf: int = 1

    name: ClassVar[str] = "randomforest"
    title: ClassVar[str] = "RandomForest"
    citation: ClassVar[str] = "L. Breiman. Random forests. Machine Learning 45(1), 2001."
    uses_validation: ClassVar[bool] = False

    def _training(self, letor: Letor, columns: Columns) -> Training:
        return Training.of(letor, columns, self.normalise, self.cutoff, "ranklib")

    def _learn(
        self, training: Training, valid: Training | None, seed: int, progress: Progress
    ) -> Fitted:
        package = lightgbm("RandomForest")
        parameters: dict[str, Any] = {
            "objective": "regression",
            "boosting": "rf",
            "metric": "none",
            "num_leaves": self.leaves,
            "bagging_fraction": min(self.bag_share, 0.999),
            "bagging_freq": 1,
            "bagging_by_query": True,
            "feature_fraction_bynode": self.feature_share,
            "max_bin": self.bins - 1,
            "min_data_in_leaf": self.least_in_leaf,
            "num_threads": self.threads,
            "seed": seed & 0x7FFFFFFF,
            "deterministic": True,
            "force_row_wise": True,
            "verbose": -1,
        }
        booster = package.train(
            parameters,
            dataset(package, training, parameters),
            self.bags,
            callbacks=[lambda env: progress(env.iteration, self.bags)],
        )
        return Fitted(Trees(booster.model_to_string()))
