"""Findings: properties of the data that affect how results should be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "listed"]

Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """A property of the data that readers of the results should know.

    Attributes
    ----------
    kind : str
        A short name, such as "tied scores".
    message : str
        One sentence that describes the finding.
    count : int
        How often it occurs.
    severity : {"note", "warning", "error"}
        How important it is.
    examples : tuple of str
        The first cases.
    """

    kind: str
    message: str
    count: int = 1
    severity: Severity = "warning"
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.message} ({', '.join(self.examples)})" if self.examples else self.message


def listed(names: list[str], most: int = 5) -> tuple[str, ...]:
    """Return the first names, and an ellipsis if there are more.

    >>> listed(["a", "b", "c"], most=2)
    ('a', 'b', '…')
    """
    return (*names[:most], "…") if len(names) > most else tuple(names)
