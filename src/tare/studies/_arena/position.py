"""Position bias by battles that were judged in both orders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tare._data.battles import Battles
from tare.studies._arena.sign_flips import sign_flip_p

__all__ = ["BothOrders", "both_orders"]


@dataclass(frozen=True)
class BothOrders:
    """Battles of the same systems and prompt, by the same judge, in both orders.

    Attributes
    ----------
    battles : int
        How many were judged in both orders.
    same : int
        The same system won, or both were tied, in both orders.
    first, second : int
        The answer shown first was favoured, or the one shown second.
    bias : float
        (first − second)/battles: 0 without position bias.
    p_value : float
        Exact, by flips of the signs of whole prompts.
    """

    battles: int
    same: int
    first: int
    second: int
    bias: float
    p_value: float


def both_orders(battles: Battles) -> BothOrders | None:
    """Compare the outcomes of battles that were judged in both orders; None if there are none.

    >>> from tare._data.battles import read_battles
    >>> rows = [("p", "x", "y", "a"), ("p", "y", "x", "a"), ("q", "x", "y", "a"), ("q", "y", "x", "b")]
    >>> found = both_orders(read_battles(rows, first="a"))
    >>> found.battles, found.same, found.first, found.second
    (2, 1, 1, 0)
    """
    if not battles.prompts:
        return None
    swapped = pl.col("a") > pl.col("b")
    sign = pl.when(swapped).then(-1).otherwise(1)
    table = battles.frame.filter(pl.col("first") != 0).select(
        "prompt",
        "judge",
        pl.min_horizontal("a", "b").alias("low"),
        pl.max_horizontal("a", "b").alias("high"),
        (pl.col("outcome") * sign).alias("outcome"),
        (pl.col("first") * sign).alias("first"),
    )
    keys = ["prompt", "judge", "low", "high"]
    sides = table.group_by(keys).agg(
        pl.col("outcome").filter(pl.col("first") == 1).sum().sign().alias("when_first"),
        pl.col("outcome").filter(pl.col("first") == -1).sum().sign().alias("when_second"),
        (pl.col("first") == 1).any().alias("has_first"),
        (pl.col("first") == -1).any().alias("has_second"),
    )
    both = sides.filter(pl.col("has_first") & pl.col("has_second"))
    if not both.height:
        return None
    both = both.with_columns((pl.col("when_first") - pl.col("when_second")).alias("lead"))
    lead = both["lead"].to_numpy().astype(np.int64)
    by_prompt = both.group_by("prompt").agg(pl.col("lead").sum())["lead"].to_numpy()
    first, second = int((lead > 0).sum()), int((lead < 0).sum())
    bias = (first - second) / both.height
    return BothOrders(
        both.height, int((lead == 0).sum()), first, second, bias, sign_flip_p(by_prompt)
    )
