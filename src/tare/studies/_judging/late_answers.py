"""Answers that arrive after their lease has expired."""

from __future__ import annotations

from tare.studies._judging.remaining import at_limit
from tare.studies._judging.state import Assessor, Lease, State

__all__ = ["lapsed_lease"]


def lapsed_lease(state: State, who: Assessor, number: int) -> Lease | None:
    """Return an expired lease whose answer is still needed."""
    lease = who.lapsed
    if lease is None or lease.number != number:
        return None
    if lease.role != "fresh":
        known = who.repeated if lease.role == "repeat" else who.seen
        return None if lease.task in known else lease
    free = lease.task not in who.seen and not state.slots[lease.task].places[lease.slot]
    own = who.lease is not None and who.lease.role == "fresh"
    spent = state.judged + state.outstanding - own
    within = state.budget is None or spent < state.budget
    return lease if free and within and not at_limit(state, who) else None
