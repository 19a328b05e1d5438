"""The rankers by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tare.errors import OptionError, nearest
from tare.rankers.ada_rank import AdaRank
from tare.rankers.baselines import Ideal, RandomOrder, SingleFeature
from tare.rankers.coordinate_ascent import CoordinateAscent
from tare.rankers.lambda_mart import LambdaMART
from tare.rankers.list_net import ListNet
from tare.rankers.logistic_regression import LogisticRegression
from tare.rankers.random_forest import RandomForest
from tare.rankers.rank_boost import RankBoost
from tare.rankers.rank_net import RankNet
from tare.rankers.ranker import Ranker

__all__ = ["BASELINES", "RANKERS", "ranker"]

RANKERS: dict[str, type[Ranker]] = {
    kind.name: kind
    for kind in (
        RankNet,
        RankBoost,
        AdaRank,
        RandomForest,
        LambdaMART,
        CoordinateAscent,
        ListNet,
        LogisticRegression,
    )
}
BASELINES: dict[str, type[Ranker]] = {
    kind.name: kind for kind in (SingleFeature, RandomOrder, Ideal)
}


def ranker(name: str, **options: Any) -> Ranker:
    """The ranker of this name, with these options.

    >>> ranker("RankBoost", rounds=50).rounds
    50
    """
    known = {**RANKERS, **BASELINES}
    plain = "".join(c for c in name.lower() if c.isalnum())
    if plain not in known:
        raise OptionError(
            f"there is no ranker {name!r}. Rankers: {', '.join(known)}.{nearest(plain, known)}"
        )
    kind = known[plain]
    accepted = [f.name for f in fields(kind)]
    for option in options:
        if option not in accepted:
            raise OptionError(
                f"{kind.title} has no option {option!r}. Options: {', '.join(accepted)}."
                f"{nearest(option, accepted)}"
            )
    return kind(**options)
