"""What a log of events amounts to, found the obvious way: by reading it from the start each time."""

from __future__ import annotations


def standing(events):
    """[(assessor, task, role, slot, swapped, submission)] of answers that were not taken back."""
    answers = []
    for event in events:
        data = event.data
        if event.kind == "judged":
            answers.append(
                (
                    event.assessor,
                    data["task"],
                    data["role"],
                    data["slot"],
                    data["swapped"],
                    event.submission,
                )
            )
        elif event.kind == "undone":
            answers = [a for a in answers if a[5] != data["of"]]
        elif event.kind == "revoked" and data["discard"]:
            answers = [a for a in answers if a[0] != event.assessor]
    return answers


def leases(events):
    """{assessor: (task, role, slot)} of what assessors have before them."""
    held = {}
    for event in events:
        if event.kind in ("assigned", "undone"):
            held[event.assessor] = (event.data["task"], event.data["role"], event.data["slot"])
        elif event.kind in ("judged", "expired", "released", "revoked"):
            held.pop(event.assessor, None)
    return held


def taken(events):
    """{task: how many fresh answers it has or is about to have}."""
    counts = {}
    for _, task, role, *_ in standing(events):
        if role == "fresh":
            counts[task] = counts.get(task, 0) + 1
    for task, role, _ in leases(events).values():
        if role == "fresh":
            counts[task] = counts.get(task, 0) + 1
    return counts
