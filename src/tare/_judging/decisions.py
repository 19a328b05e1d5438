"""Decisions: the events that follow from a request in a given state."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tare._judging.design import MAX_ANSWERS, MAX_OVERLAP, StudyDesign, Task, stream_id
from tare._judging.state import Assessor, Event, Lease, RecordedAnswer, State, duration
from tare._kernels.random_numbers import uniforms
from tare.errors import OptionError

__all__ = [
    "MAX_REASON",
    "Refusal",
    "Turn",
    "answer_gate",
    "assign",
    "at_limit",
    "check_answer",
    "check_door",
    "expire",
    "expired",
    "extend",
    "invite",
    "join",
    "judge",
    "lapsed_lease",
    "new_name",
    "passes",
    "pause",
    "revoke",
    "seconds_left",
    "stop",
    "tasks_left",
    "turn",
    "undo",
]


# Answers: what each kind of study accepts, checked and normalised.


MAX_REASON = 500
MAX_UNITS, MAX_CONTRIBUTORS, MAX_LABEL = 200, 50, 300


def check_answer(
    design: StudyDesign, task: Task, given: Mapping[str, Any], *, lengths: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return the answer in normal form; raise OptionError if it is not valid.

    lengths: lengths of the displayed texts, to refuse marks beyond their ends.

    >>> check_answer(StudyDesign("preference"), Task("q", ("a", "b")), {"choice": "left"})
    {'choice': 'left'}
    """
    if given.get("choice") == "cannot":
        if not design.cannot:
            raise OptionError("this study does not accept 'cannot judge'.")
        return {"choice": "cannot", "reason": _reason(given.get("reason"))}
    if design.compares:
        choice = given.get("choice")
        if choice not in design.choices:
            raise OptionError(f"please choose one of {', '.join(design.choices)}.")
        return {"choice": choice}
    checks = {"grades": _grade, "ratings": _ratings, "scus": _present}
    if design.kind in checks:
        return checks[design.kind](design, task, given)
    return {"units": _units(task, given.get("units"), lengths)}


def _reason(given: Any) -> str:
    reason = given.strip() if isinstance(given, str) else ""
    if not reason:
        raise OptionError("please explain in a few words why you cannot judge this.")
    if len(reason) > MAX_REASON:
        raise OptionError(f"the reason is too long; the limit is {MAX_REASON} characters.")
    return reason


def _integer(given: Any) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    fits = isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,4}", given)
    return int(given) if fits else None


def _grade(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    grade = _integer(given.get("grade"))
    if grade not in [value for value, _ in design.grades]:
        raise OptionError("please choose one of the grades.")
    return {"grade": grade}


def _ratings(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("ratings")
    if not isinstance(found, Mapping):
        raise OptionError("please rate every dimension.")
    unknown = set(found) - {d.name for d in design.dimensions}
    if unknown:
        raise OptionError("the answer contains an unknown dimension.")
    made = {}
    for dimension in design.dimensions:
        value = _integer(found.get(dimension.name))
        if value is None or not dimension.low <= value <= dimension.high:
            raise OptionError(
                f"please rate {dimension.name} from {dimension.low} to {dimension.high}."
            )
        made[dimension.name] = value
    return {"ratings": made}


def _present(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("present")
    units = [unit for unit, _ in task.units]
    if not isinstance(found, Mapping) or set(found) != set(units):
        raise OptionError("please answer yes or no for every statement.")
    answers = {"yes": True, "no": False, True: True, False: False}
    made = {}
    for unit in units:
        value = found[unit]
        if not isinstance(value, str | bool) or value not in answers:
            raise OptionError("the answer to a statement must be yes or no.")
        made[unit] = answers[value]
    return {"present": made}


def _units(task: Task, given: Any, lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not given:
        raise OptionError("please mark at least one unit.")
    if len(given) > MAX_UNITS:
        raise OptionError(f"too many units; the limit is {MAX_UNITS}.")
    made = []
    for unit in given:
        label = unit.get("label") if isinstance(unit, Mapping) else None
        if not isinstance(label, str) or not label.strip():
            raise OptionError("please name every unit.")
        parts = unit.get("contributors")
        if len(label) > MAX_LABEL:
            raise OptionError(
                f"the name of a unit is too long; the limit is {MAX_LABEL} characters."
            )
        if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_CONTRIBUTORS:
            raise OptionError(
                f"unit {label.strip()!r}: expected 1 to {MAX_CONTRIBUTORS} marked passages."
            )
        made.append(
            {"label": label.strip(), "contributors": [_mark(p, task, lengths) for p in parts]}
        )
    return made


def _mark(given: Any, task: Task, lengths: tuple[int, ...]) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise OptionError("a marked passage needs a reference, a start and an end.")
    reference, start, end = (_strict_integer(given.get(k)) for k in ("reference", "start", "end"))
    if reference is None or start is None or end is None:
        raise OptionError("a marked passage needs a reference, a start and an end.")
    if not 0 <= reference < len(task.shown) or not 0 <= start < end:
        raise OptionError("a marked passage lies outside the texts.")
    if lengths and end > lengths[reference]:
        raise OptionError("a marked passage lies outside the texts.")
    return {"reference": reference, "start": start, "end": end}


def _strict_integer(given: Any) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def passes(design: StudyDesign, task: Task, answer: Mapping[str, Any], swapped: bool) -> bool:
    """Return whether the answer to a gold task is the expected one."""
    if design.compares:
        sides = {"left": task.shown[int(swapped)], "right": task.shown[1 - int(swapped)]}
        choice = str(answer.get("choice"))
        return sides.get(choice, choice) == task.expected
    if design.kind == "grades":
        return str(answer.get("grade")) == task.expected
    return True


# Assignment: which task comes next, as a function of the design and the events so far.


GOLD_SIDES = 25  # substream


def expired(state: State, now: float) -> list[Event]:
    """Return an event for each lease that has expired."""
    return [
        Event(now, "expired", assessor, None, {"number": lease.number, "task": lease.task})
        for assessor, lease in state.due(now)
    ]


def assign(state: State, now: float, who: Assessor) -> Event | None:
    """Lease the next task to an assessor who has none; None if there is no task for them.

    Gold tasks and repeats come at their rates, repeats only after a gap; otherwise fresh tasks.
    """
    if state.stopped:
        return None
    gold = _gold(state, who)
    if gold is not None:
        coin = uniforms(state.study.design.seed, stream_id(f"{who.id}\x1f{gold}"), [0], GOLD_SIDES)
        return _lease(state, now, who, gold, "gold", -1, bool(coin[0] < 0.5))
    repeat = _repeat(state, who)
    if repeat is not None:
        task, swapped = repeat
        return _lease(state, now, who, task, "repeat", -1, not swapped)
    fresh = _fresh(state, who)
    if fresh is not None:
        slots = state.slots[fresh]
        slot = slots.choose(who.swapped_balance)
        swapped = slots.swapped(slot) and state.study.design.compares
        return _lease(state, now, who, fresh, "fresh", slot, swapped)
    return None


def _fresh(state: State, who: Assessor) -> str | None:
    if state.per_assessor is not None and who.fresh >= state.per_assessor:
        return None
    if state.budget is not None and state.judged + state.outstanding >= state.budget:
        return None
    if state.informed is not None:
        return state.informed.first(state.queue, who.seen)
    return state.queue.first(who.id, who.seen)


def _repeat(state: State, who: Assessor) -> tuple[str, bool] | None:
    """Return the assessor's earliest task that is far enough back, if a repeat is due."""
    design = state.study.design
    owed = math.floor(design.repeats * who.fresh + 1e-9) - len(who.repeated)
    if owed <= 0:
        return None
    for made in who.history[: -design.gap]:
        if made.lease.role == "fresh" and made.lease.task not in who.repeated:
            return made.lease.task, made.lease.swapped
    return None


def _gold(state: State, who: Assessor) -> str | None:
    """Return a gold task after every `gold_every` fresh ones, each once."""
    gold = state.study.gold
    if who.gold >= len(gold) or who.fresh < (who.gold + 1) * state.study.design.gold_every:
        return None
    start = stream_id(who.id) % len(gold)
    order = [gold[(start + i) % len(gold)].id for i in range(len(gold))]
    return next((task for task in order if task not in who.seen), None)


def _lease(
    state: State, now: float, who: Assessor, task: str, role: str, slot: int, swapped: bool
) -> Event:
    data = {
        "number": who.shown + 1,
        "task": task,
        "role": role,
        "slot": slot,
        "swapped": swapped,
        "until": now + state.study.design.lease,
    }
    return Event(now, "assigned", who.id, None, data)


# The work that remains for an assessor: limits, and estimates of tasks and time.


def at_limit(state: State, who: Assessor) -> bool:
    """Return whether an assessor may not answer another fresh task."""
    limit = state.per_assessor
    spent = state.budget is not None and state.judged >= state.budget
    return bool(state.stopped) or spent or (limit is not None and who.fresh >= limit)


def tasks_left(state: State, who: Assessor) -> int:
    """Return an estimate of how many tasks are left for an assessor, including the current one."""
    open_ = len(state.study.tasks) - who.fresh
    counts = [open_, len(state.queue) + 1]
    if state.per_assessor is not None:
        counts.append(state.per_assessor - who.fresh)
    if state.budget is not None:
        counts.append(state.budget - state.judged)
    return max(1, min(counts))


def seconds_left(state: State, who: Assessor, left: int) -> float | None:
    """Return an estimate of the seconds until the end, from the assessor's pace or from that of all."""
    own = sorted([s for j in who.history[-25:] if (s := j.seconds) is not None])
    if len(own) < 3:
        own = sorted(state.seconds)
    return own[len(own) // 2] * left if own else None


# Answers that arrive after their lease has expired.


def lapsed_lease(state: State, who: Assessor, number: int) -> Lease | None:
    """Return an expired lease whose answer is still needed; its slot may be another one with the same sides.

    The task may be leased to the same assessor again. Recording the answer releases their current lease.
    """
    lease = who.lapsed.get(number)
    if lease is None:
        return None
    if lease.role == "repeat":
        fresh = any(m.lease.task == lease.task and m.lease.role == "fresh" for m in who.history)
        return lease if fresh and lease.task not in who.repeated else None
    own = who.lease
    again = own is not None and (own.task, own.role) == (lease.task, lease.role)
    if lease.task in who.seen and not again:
        return None
    if lease.role == "gold":
        return lease
    spent = state.judged + state.outstanding - (own is not None and own.role == "fresh")
    within = state.budget is None or spent < state.budget
    slot = _free_slot(state, lease, own.slot if own is not None and again else -1)
    if slot is None or not within or at_limit(state, who):
        return None
    return replace(lease, slot=slot)


def _free_slot(state: State, lease: Lease, own: int) -> int | None:
    """Return a slot for an answer to the sides that were shown; `own` is the assessor's current slot of the task."""
    slots, compares = state.slots[lease.task], state.study.design.compares
    fitting = [
        slot
        for slot, taken in enumerate(slots.places)
        if (not taken or slot == own) and (not compares or slots.swapped(slot) == lease.swapped)
    ]
    return lease.slot if lease.slot in fitting else next(iter(fitting), None)


class Refusal(Exception):  # noqa: N818 (it is not an error of tare)
    """A refused request; `status` is an HTTP status code."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Turn:
    """The current step of an assessor: comprehension test, task, finished, later, paused, failed or revoked."""

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
    """Extend a running study: more answers per task, more answers in total, or more tasks per assessor."""
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
