"""Learning to rank: eight methods and three baselines behind one interface.

>>> from tare import rankers
>>> list(rankers.RANKERS)[:3]
['ranknet', 'rankboost', 'adarank']
"""

from tare.rankers.ada_rank import AdaRank
from tare.rankers.baselines import Ideal, RandomOrder, SingleFeature
from tare.rankers.coordinate_ascent import CoordinateAscent
from tare.rankers.lambda_mart import LambdaMART
from tare.rankers.list_net import ListNet
from tare.rankers.logistic_regression import LogisticRegression
from tare.rankers.model import Model
from tare.rankers.model_files import load
from tare.rankers.normalisation import NORMALISATIONS
from tare.rankers.random_forest import RandomForest
from tare.rankers.rank_boost import RankBoost
from tare.rankers.rank_net import RankNet
from tare.rankers.ranker import MODES, Ranker
from tare.rankers.registry import BASELINES, RANKERS, ranker

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
