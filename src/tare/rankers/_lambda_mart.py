"""LambdaMART: gradient-boosted trees on the gradient of nDCG, by LightGBM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tare.rankers._ranker import Fitted, Progress, Ranker
from tare.rankers._training import Training
from tare.rankers._trees import Trees, check_whole_grades, dataset, lightgbm

__all__ = ["LambdaMART"]


@dataclass(frozen=True, kw_only=True)
class LambdaMART(Ranker):
    """LightGBM's lambdarank with RankLib's options: `stop_after` rounds without gain on validation data.

    Both modes use the same trees; RankLib's own differ in how ties between splits are broken. The mode
    says which queries are learnt from.

    Burges 2010.
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
            "max_bin": self.bins - 1,  # and one for what is missing
            "min_data_in_leaf": self.least_in_leaf,
            "lambdarank_truncation_level": self.cutoff,
            "num_threads": self.threads,
            "seed": seed & 0x7FFFFFFF,
            "deterministic": True,
            "force_row_wise": True,
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
        notes = () if valid is None else (f"{kept:,} of {self.trees:,} trees kept by validation.",)
        return Fitted(Trees(text), tuple(float(x) for x in found), notes)
