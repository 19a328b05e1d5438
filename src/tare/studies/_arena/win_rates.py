"""Win rates of pairs of systems from people's battles and all battles of a judge."""

from __future__ import annotations

import numpy as np
import polars as pl

from tare._data.battles import Battles
from tare._result import Rows
from tare.stats._ppi.estimates import Estimates
from tare.stats._ppi.estimators import Estimator
from tare.stats._ppi.samples import QuerySample

__all__ = ["win_rate_rows"]

FEWEST = 5  # prompts judged by both, and by the judge alone


def win_rate_rows(people: Battles, judge: Battles, name: str, confidence: float) -> Rows:
    """Estimate the win rate of each pair by prediction-powered inference over prompts.

    A pair needs five prompts that people and the judge have both judged, and five more of the judge.
    """
    mine, theirs = _scores(people, "human"), _scores(judge, "judge")
    whole = theirs.join(mine, on=["low", "high", "prompt"], how="left").sort(
        "low", "high", "prompt"
    )
    made: Rows = []
    for (low, high), part in whole.group_by(["low", "high"], maintain_order=True):
        both, alone = part.drop_nulls("human"), part.filter(pl.col("human").is_null())
        if both.height < FEWEST or alone.height < FEWEST:
            continue
        human, common, others = (
            np.ascontiguousarray(column.to_numpy().astype(np.float64)[None])
            for column in (both["human"], both["judge"], alone["judge"])
        )
        prompts = (*both["prompt"].to_list(), *alone["prompt"].to_list())
        estimator = Estimator("win rate", QuerySample(human, common, others))
        found = Estimates(
            (f"{low} | {high}",),
            tuple(prompts),
            (estimator,),
            "queries",
            "t",
            "all-queries",
            "",
            confidence=confidence,
        ).rows()[0]
        made.append(
            {
                "judge": name,
                "a": low,
                "b": high,
                "prompts": both.height,
                "more": alone.height,
                "win_rate": found["estimate"],
                "low": found["low"],
                "high": found["high"],
                "people": found["people"],
                "people_low": found["people_low"],
                "people_high": found["people_high"],
            }
        )
    return made


def _scores(battles: Battles, name: str) -> pl.DataFrame:
    """Return the mean score of the first system of each pair on each prompt."""
    sign = pl.when(pl.col("a") > pl.col("b")).then(-1).otherwise(1)
    return (
        battles.frame.select(
            "prompt",
            pl.min_horizontal("a", "b").alias("low"),
            pl.max_horizontal("a", "b").alias("high"),
            ((pl.col("outcome") * sign + 1) / 2).alias(name),
        )
        .group_by("low", "high", "prompt")
        .agg(pl.col(name).mean())
    )
