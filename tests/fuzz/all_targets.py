"""All targets by name."""

from __future__ import annotations

from typing import Any

from tests.fuzz.grammar import GRAMMAR
from tests.fuzz.targets import readers


def all_targets() -> dict[str, Any]:
    """Readers and the grammar."""
    found: dict[str, Any] = {t.name: t for t in (*readers(), GRAMMAR)}
    return found


def target_of(name: str) -> Any:
    """One of them."""
    return all_targets()[name]
