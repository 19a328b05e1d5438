"""Texts that are missing, and people who are both systems and authors of references."""

from __future__ import annotations

import numpy as np

from tare._data.findings import Finding, listed
from tare._measures.text.grid import TextGrid
from tare.errors import MismatchError

__all__ = ["missing_findings", "people_findings", "policy_of"]


def policy_of(grid: TextGrid, system: str, missing: str | None) -> str:
    """Return the policy for items without a text of a system; people write on some items only."""
    return missing or ("skip" if system in grid.people else "zero")


def people_findings(grid: TextGrid) -> list[Finding]:
    """Report systems that are scored only against the references of others."""
    if not grid.people:
        return []
    names = sorted(grid.people)
    message = (
        f"{len(names):,} of the systems also wrote references; each is scored only against the references "
        "of others. To compare them with systems, use refs=jackknife or refs=jackknife-micro."
    )
    examples = listed(names)
    return [Finding("people", message, len(names), severity="note", examples=examples)]


def missing_findings(grid: TextGrid, missing: str | None) -> list[Finding]:
    """Report systems without a text on some items, and how these are counted."""
    found = []
    gone = grid.missing.reshape(len(grid.systems), len(grid.items))
    for s, system in enumerate(grid.systems):
        names = [grid.items[i] for i in np.flatnonzero(gone[s])]
        if not names:
            continue
        policy = policy_of(grid, system, missing)
        if policy == "error":
            raise MismatchError(
                f"{system}: no text on item {names[0]!r} and {len(names) - 1:,} others. "
                "missing='zero' counts them as empty texts, missing='skip' leaves them out."
            )
        outcome = "count as empty texts" if policy == "zero" else "are left out"
        message = (
            f"{system}: no text on {len(names):,} of {len(grid.items):,} items; they {outcome}."
        )
        if missing is None and policy == "skip":
            message += " (This person also wrote references; missing='zero' counts them.)"
        found.append(Finding("missing texts", message, len(names), examples=listed(names)))
    return found
