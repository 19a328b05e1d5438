"""Answers that arrive after their lease has expired."""

from __future__ import annotations

from dataclasses import replace

from tare.studies._judging.remaining import at_limit
from tare.studies._judging.state import Assessor, Lease, State

__all__ = ["lapsed_lease"]


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
