"""The work that remains for an assessor: limits, and estimates of tasks and time."""

from __future__ import annotations

from tare.studies._judging.state import Assessor, State

__all__ = ["at_limit", "seconds_left", "tasks_left"]


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
