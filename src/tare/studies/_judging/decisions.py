"""Decisions: what follows from a request, given the state; each returns the events it caused."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tare.errors import OptionError
from tare.studies._judging.answers import check_answer
from tare.studies._judging.assignment import assign, expired
from tare.studies._judging.events import Event
from tare.studies._judging.state import Assessor, Judged, Lease, State, duration

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
    "turn",
    "undo",
]


class Refusal(Exception):  # noqa: N818 (nothing is wrong with tare)
    """A request that is not granted; `status` is that of HTTP."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Turn:
    """Where an assessor stands: gate, task, finished, later, paused, failed or revoked."""

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
    """Takes back what was not answered in time; comes before every other decision."""
    return [_applied(state, event) for event in expired(state, now)]


def invite(
    state: State, now: float, assessor: str, token: str, label: str = "", *, door: bool = False
) -> list[Event]:
    """A new assessor, known by the digest of a token.

    door: he has come by the link for anyone, which lets a limited number in.
    """
    if assessor in state.assessors or token in state.tokens:
        raise Refusal(409, "there is an assessor of this name already.")
    data: dict[str, Any] = {"token": token, "label": label}
    if door:
        check_door(state)
        data["door"] = True
    return [_applied(state, Event(now, "invited", assessor, None, data))]


def check_door(state: State) -> None:
    """Refuses those who come by the link for anyone when enough have come."""
    if state.enrolled >= state.study.design.door_limit:
        raise Refusal(403, "this study has as many assessors as it can take by this link.")


def join(state: State, now: float, assessor: str, external: str = "") -> list[Event]:
    """The assessor comes; an id from elsewhere is kept once."""
    known = _known(state, assessor)
    if known.joined and (known.external or not external):
        return []
    return [_applied(state, Event(now, "joined", assessor, None, {"external": external}))]


def turn(state: State, now: float, assessor: str) -> tuple[list[Event], Turn]:
    """What an assessor is to do now; gives him a task if there is one for him."""
    who = _known(state, assessor)
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
            events.append(_applied(state, given))
    left = _left(state, who)
    if who.lease is None:
        later = any(t not in who.met for t, _ in state.leased) and not _at_limit(state, who)
        step = "later" if later else "finished"
        return events, Turn(step, assessor, None, len(who.history), undo=undo, shown=who.shown)
    return events, Turn(
        "task", assessor, who.lease, len(who.history), left, _pace(state, who, left), undo
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
    """An answer to the display with this number; the same submission again changes nothing."""
    who = _known(state, assessor)
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if known is not None:
        if isinstance(known, Judged) and known.assessor == assessor:
            return []  # it was taken before, and the acknowledgement was lost
        raise Refusal(409, "this id was used for something else.")
    if state.paused:
        raise Refusal(423, "the study is paused; your answer was not saved.")
    if state.study.design.gate and not who.gate_passed:
        raise Refusal(403, "the questions at the beginning come first.")
    lease = who.lease
    if lease is None or lease.number != number:
        lease = _lapsed(state, who, number)
    if lease is None:
        raise Refusal(
            409, "this was answered, taken back or given to somebody else since; here is the next."
        )
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
    return [_applied(state, Event(now, "judged", assessor, submission, data))]


def undo(state: State, now: float, assessor: str, submission: str) -> list[Event]:
    """Takes the assessor's last answer back; its task is before him again."""
    who = _known(state, assessor)
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if known is not None:
        if isinstance(known, Event) and known.assessor == assessor:
            return []
        raise Refusal(409, "this id was used for something else.")
    if state.paused:
        raise Refusal(423, "the study is paused.")
    if not who.history:
        raise Refusal(409, "there is nothing to take back.")
    last = who.history[-1]
    data = {
        "number": who.shown + 1,
        "task": last.lease.task,
        "role": last.lease.role,
        "slot": last.lease.slot,
        "swapped": last.lease.swapped,
        "until": now + state.study.design.lease,
        "of": last.submission,
    }
    return [_applied(state, Event(now, "undone", assessor, submission, data))]


def answer_gate(
    state: State, now: float, assessor: str, submission: str, chosen: list[int]
) -> list[Event]:
    """Answers to the questions of comprehension, by number of option from 1."""
    who, design = _known(state, assessor), state.study.design
    if who.revoked:
        raise Refusal(403, "this invitation was withdrawn.")
    known = state.submissions.get(submission)
    if who.gate_passed or (isinstance(known, Event) and known.assessor == assessor):
        return []
    if known is not None:
        raise Refusal(409, "this id was used for something else.")
    if who.gate_attempts >= design.gate_attempts:
        raise Refusal(403, "there are no attempts left.")
    if len(chosen) != len(design.gate):
        raise Refusal(422, "answer every question.")
    right = sum(c == q.answer for c, q in zip(chosen, design.gate, strict=True))
    passed = right >= (len(design.gate) if design.gate_pass is None else design.gate_pass)
    data = {"answers": chosen, "right": right, "passed": passed}
    return [_applied(state, Event(now, "gate", assessor, submission, data))]


def pause(state: State, now: float, paused: bool) -> list[Event]:
    """Stops or resumes the whole study."""
    if state.paused == paused:
        return []
    return [_applied(state, Event(now, "paused" if paused else "resumed"))]


def extend(state: State, now: float, **more: int) -> list[Event]:
    """More answers a task, more answers in all, or more tasks an assessor."""
    if not any(more.values()) or any(not 0 <= n <= 100_000 for n in more.values()):
        raise Refusal(422, "extend by a whole number between 1 and 100,000.")
    if more.get("overlap", 0) > 100:
        raise Refusal(422, "at most 100 more answers a task at once.")
    return [_applied(state, Event(now, "extended", data={k: n for k, n in more.items() if n}))]


def revoke(state: State, now: float, assessor: str, *, discard: bool = False) -> list[Event]:
    """Withdraws an invitation; the answers stay unless they are to be discarded."""
    who = _known(state, assessor)
    if who.revoked:
        return []
    return [_applied(state, Event(now, "revoked", assessor, data={"discard": discard}))]


def new_name(state: State) -> str:
    """A name for the next assessor, that tells nothing of him."""
    while (name := f"a{len(state.assessors) + 1}") in state.assessors:
        name = f"a{secrets.token_hex(4)}"
    return name


def _applied(state: State, event: Event) -> Event:
    state.apply(event)
    return event


def _known(state: State, assessor: str) -> Assessor:
    if assessor not in state.assessors:
        raise Refusal(404, "there is no such assessor.")
    return state.assessors[assessor]


def _at_limit(state: State, who: Assessor) -> bool:
    limit = state.per_assessor
    spent = state.budget is not None and state.judged >= state.budget
    return spent or (limit is not None and who.fresh >= limit)


def _lapsed(state: State, who: Assessor, number: int) -> Lease | None:
    """A lease that ran out and that nobody else has taken since: the answer is still wanted."""
    lease = who.lapsed
    if lease is None or lease.number != number:
        return None
    if lease.role != "fresh":
        known = who.repeated if lease.role == "repeat" else who.met
        return None if lease.task in known else lease
    free = lease.task not in who.met and not state.slots[lease.task].places[lease.slot]
    own = who.lease is not None and who.lease.role == "fresh"
    spent = state.judged + state.outstanding - own
    within = state.budget is None or spent < state.budget
    return lease if free and within and not _at_limit(state, who) else None


def _left(state: State, who: Assessor) -> int:
    """About how many tasks there are still for him, that before him included."""
    open_ = len(state.study.tasks) - who.fresh
    counts = [open_, len(state.queue) + 1]
    if state.per_assessor is not None:
        counts.append(state.per_assessor - who.fresh)
    if state.budget is not None:
        counts.append(state.budget - state.judged)
    return max(1, min(counts))


def _pace(state: State, who: Assessor, left: int) -> float | None:
    """Seconds until the end, by his own pace or that of all."""
    own = sorted(j.seconds for j in who.history[-25:] if j.seconds is not None)
    if len(own) < 3:
        own = sorted(state.seconds)
    return own[len(own) // 2] * left if own else None
