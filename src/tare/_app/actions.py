"""Actions of assessors on the state of a study; each returns the next step as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tare._app.forms import answer_of, number_of
from tare._app.limits import check_submission
from tare._app.security import Session
from tare._app.served_study import ServedStudy, assessor_of
from tare._judging import Event, State, Turn
from tare._judging.decisions import judge, turn

__all__ = ["Act", "TurnAction", "answer_action", "turn_action"]

Act = Callable[[State, float, str], list[Event]]
TurnAction = Callable[[State, float], tuple[list[Event], Turn]]


def turn_action(session: Session, act: Act | None = None) -> TurnAction:
    """Return the action that performs `act` for the assessor of a session, and finds their next step."""

    def act_and_turn(state: State, now: float) -> tuple[list[Event], Turn]:
        who = assessor_of(state, session.digest)
        events = [] if act is None else act(state, now, who)
        more, found = turn(state, now, who)
        return [*events, *more], found

    return act_and_turn


def answer_action(served: ServedStudy, session: Session, fields: Mapping[str, Any]) -> TurnAction:
    """Return the action that records an answer; the same submission counts once."""
    design = served.store.study.design
    submission, number = check_submission(fields.get("submission")), number_of(fields)
    answer = answer_of(design, fields)

    def act(state: State, now: float, who: str) -> list[Event]:
        lengths = _text_lengths(served, state, who) if design.kind == "markup" else ()
        return judge(state, now, who, submission, number, answer, lengths=lengths)

    return turn_action(session, act)


def _text_lengths(served: ServedStudy, state: State, who: str) -> tuple[int, ...]:
    lease, study = state.assessors[who].lease, served.store.study
    if lease is None:
        return ()
    task = study.by_id[lease.task]
    found = [served.store.shown("text", study.key(task.query, name)) for name in task.shown]
    return tuple(len(text.body) if text is not None else 0 for text in found)
