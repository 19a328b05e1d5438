"""What counts where an assignment, an answer or a readiness to answer is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from tare._choices import Missing
from tare._data.answers import Answers
from tare._data.nuggets import AnswerKey
from tare.errors import MismatchError, choose

__all__ = ["AnswerOptions", "Refusals", "Unassigned"]

Unassigned = Literal["error", "skip", "zero"]
Refusals = Literal["score", "skip"]
MAX_SHOWN = 3


@dataclass(frozen=True)
class AnswerOptions:
    """Nuggets without assignment, answers that are missing, and refusals."""

    missing: Missing = "skip"
    unassigned: Unassigned = "error"
    refusals: Refusals = "score"

    def __post_init__(self) -> None:
        choose("missing", self.missing, get_args(Missing))
        choose("unassigned", self.unassigned, get_args(Unassigned))
        choose("refusals", self.refusals, get_args(Refusals))

    def check(self, answers: Answers) -> None:
        """Raise an error for nuggets without assignment and missing answers, if that is asked for."""
        if self.unassigned == "error":
            self._check_assigned(answers)
        if self.missing == "error":
            there = {*answers.pairs, *answers.known}
            lacking = [
                (system, item)
                for system in answers.systems
                for item in answers.items
                if (system, item) not in there
            ]
            if lacking:
                system, item = lacking[0]
                raise MismatchError(
                    f"{answers.name}: {len(lacking):,} answers are missing; the first is that of "
                    f"{system!r} to topic {item!r}. missing='skip' leaves them out, 'zero' counts them as 0."
                )

    def _check_assigned(self, answers: Answers) -> None:
        lacking: list[tuple[AnswerKey, list[str]]] = []
        for key, own in (*answers.credits.items(), *answers.elsewhere.items()):
            names = [n.id for n in answers.nuggets.get(key.item, ()) if own.get(n.id) is None]
            refused = answers.refused.get((key.system, key.item), False)
            if names and not (refused and len(names) == len(answers.nuggets[key.item])):
                lacking.append((key, names))
        if not lacking:
            return
        key, names = lacking[0]
        shown = ", ".join(f"{name!r:.60}" for name in names[:MAX_SHOWN])
        more = f" and {len(names) - MAX_SHOWN:,} more" if len(names) > MAX_SHOWN else ""
        raise MismatchError(
            f"{answers.name}: {len(lacking):,} answers have nuggets without assignment; the first is that "
            f"of {key.system!r} to topic {key.item!r}, where {shown}{more} have none. unassigned='skip' "
            "scores the nuggets that were assigned, 'zero' counts the others as not supported."
        )

    def facts(self, answers: Answers) -> dict[str, object]:
        """Return what belongs into the signature of a measure."""
        several = len(answers.assigners) > 1
        return {
            "unassigned": None if self.unassigned == "error" else self.unassigned,
            "refusals": None if self.refusals == "score" else self.refusals,
            "assigners": "mean" if several else None,
        }
