"""Random Forest: trees grown on bags of whole queries, by LightGBM."""

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
    """Regression trees on grades, each on a bag of `bag_share` of the queries, whole.

    Each split looks at `feature_share` of the features. Bags are drawn without replacement; 1 − 1/e of
    the queries is what a bootstrap sample holds. Queries of one grade teach such trees too and stay in.

    Breiman 2001.
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
    chooses: ClassVar[bool] = False

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
