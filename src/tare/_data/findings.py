"""Findings: properties of the data that affect how results should be read; and the types of sources that readers accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tare._files.opening import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

__all__ = [
    "Finding",
    "Frame",
    "Grades",
    "QrelsSource",
    "Record",
    "RunSource",
    "Source",
    "TableSource",
    "listed",
]


# Findings: properties of the data that affect how results should be read.


Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """A finding: a property of the data that readers of the results should know.

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
    """Return the first names, as a finding or a message lists them, and an ellipsis if there are more.

    >>> listed(["a", "b", "c"], most=2)
    ('a', 'b', '…')
    """
    return (*names[:most], "…") if len(names) > most else tuple(names)


# Types of the sources that readers accept.


Frame: TypeAlias = "IntoFrame"
"""A data frame of pandas, polars, Arrow or any other library that narwhals supports."""

Grades: TypeAlias = Mapping[Any, Mapping[Any, float]]
"""{query: {document: value}}."""

Record: TypeAlias = Mapping[str, Any] | Sequence[Any]
"""One row: a dictionary by column, or a sequence of cells."""

Source: TypeAlias = "PathLike | Frame | Grades"
"""A path ("-" is standard input), a data frame, or a dictionary by query and document."""

TableSource: TypeAlias = "PathLike | Frame | Mapping[Any, Any] | Iterable[Record]"
"""A path ("-" is standard input), a data frame, a dictionary, or rows."""

RunSource: TypeAlias = "Source | Mapping[Any, Iterable[Any]] | Iterable[Any]"
"""The same, {query: [documents]}, or rows: tuples, dictionaries or objects."""

QrelsSource: TypeAlias = RunSource
"""The same for judgements."""
