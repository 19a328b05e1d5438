"""Settings: what changes the values of trec_eval's measures."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass
class Settings:
    """Settings of an evaluation as in trec_eval, with its options in parentheses.

    level: the least relevant grade (-l).
    judged_only: remove documents without a judgement (-J).
    complete: count queries that the run lacks (-c).
    most: the number of documents used per query (-M).
    collection: the number of documents in the collection (-N).
    query: evaluate only this query.
    compat: the version of trec_eval, 9 or 10.
    """

    level: int = 1
    judged_only: bool = False
    complete: bool = False
    most: int | None = None
    collection: int = 0
    query: str | None = None
    compat: int = 10
