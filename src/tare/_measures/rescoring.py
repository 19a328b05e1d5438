"""The data behind a score table, kept so that more measures can be computed on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tare._data.judged import Judged
    from tare._data.pools import Pools
    from tare._measures.scores import Scores

__all__ = ["Rescoring"]


@dataclass(frozen=True)
class Rescoring:
    """A function that scores more measures on the same data, and the pools of the queries.

    If there are rankings, the function also takes some of them, to score only these.
    """

    score: Callable[..., Scores]
    pool_known: bool  # whether chance can be computed without asking the user for a pool
    rankings: Sequence[Judged] = ()
    pools: Pools | None = None
