"""Findings: what was met in the data that a reader of the numbers should know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "listed"]

Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One kind of thing that was met: how often, and the first examples."""

    kind: str
    message: str
    count: int = 1
    severity: Severity = "warning"
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.message} ({', '.join(self.examples)})" if self.examples else self.message


def listed(names: list[str], most: int = 5) -> tuple[str, ...]:
    """The first few names, and an ellipsis where there are more.

    >>> listed(["a", "b", "c"], most=2)
    ('a', 'b', '…')
    """
    return (*names[:most], "…") if len(names) > most else tuple(names)
