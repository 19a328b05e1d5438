"""Rankers by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from tare.errors import OptionError, nearest
from tare.rankers._boosting import AdaRank, RankBoost
from tare.rankers._linear import (
    CoordinateAscent,
    Ideal,
    LogisticRegression,
    RandomOrder,
    SingleFeature,
)
from tare.rankers._nets import ListNet, RankNet
from tare.rankers._ranker import Ranker
from tare.rankers._trees import LambdaMART, RandomForest

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


def ranker(name: str, **options: object) -> Ranker:
    """Create a ranker by name.

    Parameters
    ----------
    name : str
        A name in `RANKERS` or `BASELINES`. Case and punctuation are ignored.
    **options
        Options of the ranker.

    Returns
    -------
    Ranker
        The ranker.

    Raises
    ------
    OptionError
        If the name or an option is unknown, or a value is not accepted.

    Examples
    --------
    >>> import tare
    >>> tare.rankers.ranker("RankBoost", rounds=50).rounds
    50
    """
    known = {**RANKERS, **BASELINES}
    plain = "".join(c for c in name.lower() if c.isalnum())
    if plain not in known:
        raise OptionError(
            f"unknown ranker {name!r}. Known rankers: {', '.join(known)}.{nearest(plain, known)}"
        )
    kind = known[plain]
    accepted = [f.name for f in fields(kind)]
    for option in options:
        if option not in accepted:
            raise OptionError(
                f"{kind.title} has no option {option!r}. Options: {', '.join(accepted)}."
                f"{nearest(option, accepted)}"
            )
    make: Callable[..., Ranker] = kind  # the ranker checks the values of its options
    return make(**options)
