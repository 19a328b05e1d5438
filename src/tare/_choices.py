"""Choices shared by the command line, the API and the core, as `Literal` types and as tuples.

This module imports nothing else of tare, so that `--help` stays fast.
"""

from __future__ import annotations

from typing import Literal, get_args

__all__ = [
    "EXPECTED",
    "MISSING",
    "ORDERS",
    "PRECISIONS",
    "RANKS_ABOVE",
    "RANK_TIES",
    "SYSTEM_NAMES",
    "TIES",
    "UNJUDGED",
    "UPPER",
    "Expected",
    "Missing",
    "Order",
    "Precision",
    "RankTies",
    "RanksAbove",
    "SystemNames",
    "Ties",
    "Unjudged",
    "Upper",
]

Ties = Literal["trec", "order", "expected"]
"""How documents with equal scores are ordered."""

RankTies = Literal["expected", "realistic", "optimistic", "pessimistic"]
"""How a range of possible ranks is scored, if only ranks are given."""

Unjudged = Literal["nonrelevant", "condensed"]
"""What happens to documents without a judgement."""

Missing = Literal["zero", "skip", "error"]
"""What happens to a query that a run lacks."""

Order = Literal["score", "rank"]
"""The column of a run that gives the order of its documents."""

Precision = Literal[32, 64]
"""The number of bits with which scores are compared."""

RanksAbove = Literal["refuse", "keep"]
"""What happens to a rank above the number of candidates."""

SystemNames = Literal["file", "tag"]
"""What the system of a run file is named after: the file, or the tag in its lines."""

Expected = Literal["exact", "independent"]
"""How the expected value of a ranking measure is computed."""

Upper = Literal["ideal", "published"]
"""Which upper bound a ranking measure has."""

SYSTEM_NAMES: tuple[SystemNames, ...] = get_args(SystemNames)
TIES: tuple[Ties, ...] = get_args(Ties)
RANK_TIES: tuple[RankTies, ...] = get_args(RankTies)
UNJUDGED: tuple[Unjudged, ...] = get_args(Unjudged)
MISSING: tuple[Missing, ...] = get_args(Missing)
ORDERS: tuple[Order, ...] = get_args(Order)
RANKS_ABOVE: tuple[RanksAbove, ...] = get_args(RanksAbove)
EXPECTED: tuple[Expected, ...] = get_args(Expected)
UPPER: tuple[Upper, ...] = get_args(Upper)
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
