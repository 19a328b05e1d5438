"""Decisions: the events that follow from a request in a given state."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tare.errors import OptionError
from tare.studies._judging.answers import check_answer
from tare.studies._judging.assignment import assign, expired
from tare.studies._judging.design import MAX_ANSWERS, MAX_OVERLAP
from tare.studies._judging.events import Event
from tare.studies._judging.late_answers import lapsed_lease
from tare.studies._judging.remaining import at_limit, seconds_left, tasks_left
from tare.studies._judging.state import Assessor, Lease, RecordedAnswer, State, duration

__all__ = [
    "Refusal",
    "Turn",
    "answer_gate",
    "check_door",
    "expire",
    "extend",
    "invite",
    "join",
    "judge",
    "new_name",
    "pause",
    "revoke",
    "stop",
    "turn",
    "undo",
]


class Refusal(Exception):  # noqa: N818 (it is not an error of tare)
    """A refused request; `status` is an HTTP status code."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Turn:
    """The current step of an assessor: gate, task, finished, later, paused, failed or revoked."""

    step: str
    assessor: str
    lease: Lease | None = None
    done: int = 0
    left: int = 0
    seconds_left: float | None = None
    undo: bool = False
    attempts: int = 0
    shown: int = 0


def expire(state: State, now: float) -> list[Event]:
    """Record expired leases; called before every other decision."""
    return [_apply(state, event) for event in expired(state, now)]


def invite(
    state: State, now: float, assessor: str, token: str, label: str = "", *, door: bool = False
) -> list[Event]:
    """Add an assessor with the digest of their token.

    door: the assessor comes by the open link, which admits a limited number.
    """
    if assessor in state.assessors or token in state.tokens:
        raise Refusal(409, "an assessor with this name already exists.")
    data: dict[str, Any] = {"token": token, "label": label}
    if door:
        check_door(state)
        data["door"] = True
    return [_apply(state, Event(now, "invited", assessor, None, data))]


def check_door(state: State) -> None:
    """Refuse further assessors if the limit of the open link is reached."""
    if state.enrolled >= state.study.design.door_limit:
        raise Refusal(403, "this study has reached the number of assessors that this link admits.")


def join(state: State, now: float, assessor: str, external: str = "") -> list[Event]:
    """Record that an assessor signed in; an external id is recorded once."""
    known = _assessor(state, assessor)
    if known.joined and (known.external or not external):
        return []
    return [_apply(state, Event(now, "joined", assessor, None, {"external": external}))]


def turn(state: State, now: float, assessor: str) -> tuple[list[Event], Turn]:
    """Return an assessor's current step; lease a task to them if there is one."""
    who = _assessor(state, assessor)
    events: list[Event] = []
    design = state.study.design
    undo = bool(who.history) and not state.paused
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    if design.gate and not who.gate_passed:
        left = design.gate_attempts - who.gate_attempts
        return events, Turn("gate" if left > 0 else "failed", assessor, attempts=left)
    if state.paused:
        return events, Turn("paused", assessor, done=len(who.history))
    if who.lease is None:
        given = assign(state, now, who)
        if given is not None:
            events.append(_apply(state, given))
    left = tasks_left(state, who)
    if who.lease is None:
        later = any(t not in who.seen for t, _ in state.leased) and not at_limit(state, who)
        step = "later" if later else "finished"
        return events, Turn(step, assessor, None, len(who.history), undo=undo, shown=who.shown)
    return events, Turn(
        "task", assessor, who.lease, len(who.history), left, seconds_left(state, who, left), undo
    )


def judge(
    state: State,
    now: float,
    assessor: str,
    submission: str,
    number: int,
    answer: Mapping[str, Any],
    *,
    lengths: tuple[int, ...] = (),
) -> list[Event]:
    """Record an answer to the display with this number; the same submission again has no effect."""
    who = _assessor(state, assessor)
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if known is not None:
        if isinstance(known, RecordedAnswer) and known.assessor == assessor:
            if any(made is known for made in reversed(who.history)):
                return []  # already recorded; the reply was lost
            raise Refusal(
                409,
                "this answer was saved and later undone, so it does not count. Here is the current task.",
            )
        raise Refusal(409, "this submission id is already in use.")
    if state.paused:
        raise Refusal(423, "the study is paused; your answer was not saved.")
    if state.study.design.gate and not who.gate_passed:
        raise Refusal(403, "please answer the questions at the beginning first.")
    lease = who.lease
    if lease is None or lease.number != number:
        lease = lapsed_lease(state, who, number)
    if lease is None:
        raise Refusal(409, "this task is no longer assigned to you. Here is the next one.")
    task = state.study.by_id[lease.task]
    try:
        kept = check_answer(state.study.design, task, answer, lengths=lengths)
    except OptionError as error:
        raise Refusal(422, str(error)) from None
    data = {
        "number": lease.number,
        "task": lease.task,
        "role": lease.role,
        "slot": lease.slot,
        "swapped": lease.swapped,
        "seconds": duration(now - lease.since, state.study.design.lease),
        "answer": kept,
    }
    return [_apply(state, Event(now, "judged", assessor, submission, data))]


def undo(
    state: State,
    now: float,
    assessor: str,
    submission: str,
    *,
    display: int | None = None,
    done: int | None = None,
) -> list[Event]:
    """Remove the assessor's last answer and lease its task to them again.

    display, done: the number of the display on the assessor's page, and the answers that it counted. An undo
    from a page that does not show the last answer raises a `Refusal`. Without them, the last answer is removed.
    """
    who = _assessor(state, assessor)
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if known is not None:
        if isinstance(known, Event) and known.assessor == assessor:
            return []
        raise Refusal(409, "this submission id is already in use.")
    if state.paused:
        raise Refusal(423, "the study is paused.")
    if not who.history:
        raise Refusal(409, "there is no answer to undo.")
    last = who.history[-1]
    if (done is not None and done != len(who.history)) or (
        display is not None and display < last.shown
    ):
        raise Refusal(
            409,
            "your answers have changed since this page was shown, so nothing was undone. Here is the current task.",
        )
    data = {
        "number": who.shown + 1,
        "task": last.lease.task,
        "role": last.lease.role,
        "slot": last.lease.slot,
        "swapped": last.lease.swapped,
        "until": now + state.study.design.lease,
        "of": last.submission,
    }
    return [_apply(state, Event(now, "undone", assessor, submission, data))]


def answer_gate(
    state: State, now: float, assessor: str, submission: str, chosen: list[int]
) -> list[Event]:
    """Record the answers to the comprehension questions, as numbers of options from 1."""
    who, design = _assessor(state, assessor), state.study.design
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if who.gate_passed or (isinstance(known, Event) and known.assessor == assessor):
        return []
    if known is not None:
        raise Refusal(409, "this submission id is already in use.")
    if who.gate_attempts >= design.gate_attempts:
        raise Refusal(409, "there are no attempts left.")
    if len(chosen) != len(design.gate):
        raise Refusal(422, "please answer every question.")
    right = sum(c == q.answer for c, q in zip(chosen, design.gate, strict=True))
    passed = right >= (len(design.gate) if design.gate_pass is None else design.gate_pass)
    data = {"answers": chosen, "right": right, "passed": passed}
    return [_apply(state, Event(now, "gate", assessor, submission, data))]


def pause(state: State, now: float, paused: bool) -> list[Event]:
    """Pause or resume the study; a study that stopped by itself continues."""
    if state.paused == paused and not (state.stopped and not paused):
        return []
    return [_apply(state, Event(now, "paused" if paused else "resumed"))]


def stop(state: State, now: float, n: int) -> list[Event]:
    """Stop the study because the interval at the look after n queries or rounds is narrow enough."""
    if state.stopped or n <= state.looked:
        return []
    return [_apply(state, Event(now, "stopped", data={"n": n}))]


def extend(state: State, now: float, **more: int) -> list[Event]:
    """Allow more answers per task, more answers in total, or more tasks per assessor."""
    if not any(more.values()) or any(not 0 <= n <= 100_000 for n in more.values()):
        raise Refusal(422, "expected a whole number from 1 to 100,000.")
    if more.get("overlap", 0) > 100:
        raise Refusal(422, "at most 100 more answers per task can be added at once.")
    overlap = state.overlap + more.get("overlap", 0)
    if overlap > MAX_OVERLAP or overlap * len(state.study.tasks) > MAX_ANSWERS:
        raise Refusal(422, "this study cannot hold so many more answers.")
    return [_apply(state, Event(now, "extended", data={k: n for k, n in more.items() if n}))]


def revoke(state: State, now: float, assessor: str, *, discard: bool = False) -> list[Event]:
    """Withdraw an invitation; its answers stay valid unless they are discarded."""
    who = _assessor(state, assessor)
    if who.revoked:
        return []
    return [_apply(state, Event(now, "revoked", assessor, data={"discard": discard}))]


def new_name(state: State) -> str:
    """Return a name for the next assessor; it reveals nothing about them."""
    while (name := f"a{len(state.assessors) + 1}") in state.assessors:
        name = f"a{secrets.token_hex(4)}"
    return name


def _apply(state: State, event: Event) -> Event:
    state.apply(event)
    return event


def _assessor(state: State, assessor: str) -> Assessor:
    if assessor not in state.assessors:
        raise Refusal(404, "unknown assessor.")
    return state.assessors[assessor]
