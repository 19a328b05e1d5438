"""Types of the sources that readers accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from tare._files.opening import PathLike

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

__all__ = ["Frame", "Grades", "QrelsSource", "Record", "RunSource", "Source", "Table"]

Frame: TypeAlias = "IntoFrame"
"""A data frame of pandas, polars, Arrow or any other library that narwhals supports."""

Grades: TypeAlias = Mapping[Any, Mapping[Any, float]]
"""{query: {document: value}}."""

Record: TypeAlias = Mapping[str, Any] | Sequence[Any]
"""One row: a dictionary by column, or a sequence of cells."""

Source: TypeAlias = "PathLike | Frame | Grades"
"""A path ("-" is standard input), a data frame, or a dictionary by query and document."""

Table: TypeAlias = "PathLike | Frame | Mapping[Any, Any] | Iterable[Record]"
"""A path ("-" is standard input), a data frame, a dictionary, or rows."""

RunSource: TypeAlias = "Source | Mapping[Any, Iterable[Any]] | Iterable[Any]"
"""The same, {query: [documents]}, or rows: tuples, dictionaries or objects."""

QrelsSource: TypeAlias = RunSource
"""The same for judgements."""
