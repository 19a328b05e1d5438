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

from tare.rankers._ada_rank import AdaRank
from tare.rankers._baselines import Ideal, RandomOrder, SingleFeature
from tare.rankers._coordinate_ascent import CoordinateAscent
from tare.rankers._lambda_mart import LambdaMART
from tare.rankers._list_net import ListNet
from tare.rankers._logistic_regression import LogisticRegression
from tare.rankers._model import Model
from tare.rankers._model_files import load
from tare.rankers._normalisation import NORMALISATIONS
from tare.rankers._random_forest import RandomForest
from tare.rankers._rank_boost import RankBoost
from tare.rankers._rank_net import RankNet
from tare.rankers._ranker import MODES, Ranker
from tare.rankers._registry import BASELINES, RANKERS, ranker

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
