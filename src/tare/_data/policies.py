"""Policies: how a run is read against qrels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from tare._choices import (
    ORDERS,
    PRECISIONS,
    SYSTEM_NAMES,
    TIES,
    UNJUDGED,
    Order,
    Precision,
    SystemNames,
    Ties,
    Unjudged,
)
from tare.errors import OptionError, choose

__all__ = ["JudgingOptions", "Policies"]


class JudgingOptions(TypedDict):
    """The options of `judge` and `judge_text` in the core."""

    ties: Ties
    condensed: bool
    single_precision: bool
    depth: int
    groups: bool


@dataclass(frozen=True)
class Policies:
    """How a run is read against qrels.

    ties: how documents with equal scores are ordered: by descending document id, as in trec_eval
    (`trec`); as given in the run, ignoring all scores (`order`); or not at all, so that every
    measure is the mean over all orders of tied documents (`expected`).
    unjudged: documents without a judgement are not relevant (`nonrelevant`), or are removed before
    ranking (`condensed`). As in trec_eval, a negative grade counts as unjudged.
    depth: use only the first documents of each ranking; None uses all.
    precision: compare scores as 64-bit numbers, or as 32-bit numbers like trec_eval 9.
    order: rank documents by score (`score`), or by the rank column (`rank`) like ndeval.
    groups: keep the last rank of each document's tie group, for measures that need it.
    system_names: name the system of a text file after the file or after its tag.
    """

    ties: Ties = "trec"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    precision: Precision = 64
    order: Order = "score"
    groups: bool = False
    system_names: SystemNames = "file"

    def __post_init__(self) -> None:
        choose("ties", self.ties, TIES)
        choose("unjudged", self.unjudged, UNJUDGED)
        choose("order", self.order, ORDERS)
        choose("system_names", self.system_names, SYSTEM_NAMES)
        if self.depth is not None and self.depth < 1:
            raise OptionError(f"depth={self.depth} is not possible: a depth is 1 or more.")
        if self.precision not in PRECISIONS:
            raise OptionError(f"precision={self.precision} is not known. Accepted: 32, 64.")

    def arguments(self) -> JudgingOptions:
        """Return the options as the core takes them."""
        return {
            "ties": self.ties,
            "condensed": self.unjudged == "condensed",
            "single_precision": self.precision == 32,
            "depth": min(self.depth or 0, 2**62),
            "groups": self.groups and self.ties == "trec",
        }
