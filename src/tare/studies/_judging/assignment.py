"""Assignment: which task comes next, as a function of the design and the events so far."""

from __future__ import annotations

import math

from tare._data.simulation import uniforms
from tare.studies._judging.events import Event
from tare.studies._judging.state import Assessor, State
from tare.studies._judging.tasks import stream_id

__all__ = ["assign", "expired"]

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
