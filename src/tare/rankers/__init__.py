"""Learning to rank: eight methods and three baselines with one interface.

`RANKERS` and `BASELINES` are dictionaries of the classes by name. `MODES` and `NORMALISATIONS` are the
accepted values of the options `mode` and `normalise`.

Examples
--------
>>> from tare import rankers
>>> list(rankers.RANKERS)[:3]
['ranknet', 'rankboost', 'adarank']
>>> list(rankers.BASELINES)
['feature', 'random', 'ideal']
>>> rankers.MODES, rankers.NORMALISATIONS
(('corrected', 'ranklib'), ('none', 'sum', 'zscore', 'linear'))
"""

from tare.rankers._boosting import AdaRank, RankBoost
from tare.rankers._linear import (
    CoordinateAscent,
    Ideal,
    LogisticRegression,
    RandomOrder,
    SingleFeature,
)
from tare.rankers._model_files import load
from tare.rankers._nets import ListNet, RankNet
from tare.rankers._ranker import MODES, NORMALISATIONS, Model, Ranker
from tare.rankers._registry import BASELINES, RANKERS, ranker
from tare.rankers._trees import LambdaMART, RandomForest

__all__ = [
    "BASELINES",
    "MODES",
    "NORMALISATIONS",
    "RANKERS",
    "AdaRank",
    "CoordinateAscent",
    "Ideal",
    "LambdaMART",
    "ListNet",
    "LogisticRegression",
    "Model",
    "RandomForest",
    "RandomOrder",
    "RankBoost",
    "RankNet",
    "Ranker",
    "SingleFeature",
    "load",
    "ranker",
]
