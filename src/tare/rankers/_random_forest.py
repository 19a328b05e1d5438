"""Random forest: regression trees on samples of queries, by LightGBM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tare._data.letor import Letor
from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._training import Columns, Training
from tare.rankers._trees import Trees, dataset, lightgbm

__all__ = ["RandomForest"]


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
