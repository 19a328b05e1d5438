"""What each nugget adds to the score of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tare._data.answers import Answers, Credits
from tare._data.nuggets import AnswerKey, Nugget
from tare._measures.answers import evaluate_answers
from tare._measures.names import parse
from tare._view.stored_answers import StoredAnswer
from tare.errors import MismatchError

__all__ = ["MAX_NUGGETS", "nugget_contributions"]

MAX_NUGGETS = 500
TOPIC = "topic"


def nugget_contributions(
    measure: str, nuggets: Sequence[Nugget], answer: StoredAnswer, policies: dict[str, Any]
) -> list[float] | None:
    """Return, for each nugget, what the score would lose if the answer did not support it.

    These add up to the score. None if the measure is not one of nuggets.
    """
    chosen = parse(measure)
    if chosen.inner is not None or chosen.definition.needs != "nuggets" or not answer.credits:
        return None
    if not nuggets or len(nuggets) > MAX_NUGGETS:
        return None
    credits: Credits = {}
    for k in range(len(nuggets) + 1):  # the last one loses nothing
        for who, own in answer.credits:
            kept = {n.id: own[i] for i, n in enumerate(nuggets)}
            if k < len(nuggets) and own[k] is not None:
                kept[nuggets[k].id] = 0.0
            credits[AnswerKey(str(k), TOPIC, who, TOPIC)] = kept
    names = [(str(k), TOPIC) for k in range(len(nuggets) + 1)]
    given = Answers(
        "answers",
        {TOPIC: tuple(nuggets)},
        credits,
        words={} if answer.words is None else dict.fromkeys(names, answer.words),
        refused={} if answer.refused is None else dict.fromkeys(names, answer.refused),
    )
    try:
        found = evaluate_answers(given, chosen, **policies)
    except MismatchError:  # such as a length that is not known
        return None
    values = dict(zip(found.systems, found.matrix()[:, 0].tolist(), strict=True))
    whole = values[str(len(nuggets))]
    added = [whole - values[str(k)] for k in range(len(nuggets))]
    return None if whole != whole else added
