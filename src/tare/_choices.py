"""The values that options accept, shared by the library and the command."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "EXPECTED",
    "MISSING",
    "RANKS_ABOVE",
    "RANK_TIES",
    "TIES",
    "UNJUDGED",
    "UPPER",
    "Expected",
    "Missing",
    "Order",
    "Precision",
    "RankTies",
    "RanksAbove",
    "Ties",
    "Unjudged",
    "Upper",
]

Missing = Literal["zero", "skip", "error"]
MISSING: tuple[Missing, ...] = get_args(Missing)

Ties = Literal["trec", "order", "expected"]
TIES: tuple[Ties, ...] = get_args(Ties)

Unjudged = Literal["nonrelevant", "condensed"]
UNJUDGED: tuple[Unjudged, ...] = get_args(Unjudged)

Order = Literal["score", "rank"]
Precision = Literal[32, 64]

# Ranks without a run
RankTies = Literal["expected", "realistic", "optimistic", "pessimistic"]
RANK_TIES: tuple[RankTies, ...] = get_args(RankTies)

RanksAbove = Literal["refuse", "keep"]
RANKS_ABOVE: tuple[RanksAbove, ...] = get_args(RanksAbove)

# Chance
Expected = Literal["exact", "independent"]
EXPECTED: tuple[Expected, ...] = get_args(Expected)

Upper = Literal["ideal", "published"]
UPPER: tuple[Upper, ...] = get_args(Upper)
