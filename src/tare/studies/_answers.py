"""Answers: what every study gives, tables for people and frames for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tare._reportable import Reportable
from tare._tables import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Answers", "Rows", "plain"]

Rows = list[dict[str, Any]]


def plain(value: Any) -> Any:
    """The same as JSON knows it: what is no finite number becomes None.

    >>> plain({"a": (1.0, float("nan"))})
    {'a': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value


class Answers(Reportable):
    """Several tables, each with the rows behind it; the first is the main one."""

    def tables(self) -> dict[str, Table]:
        """The answers as people read them, by name."""
        raise NotImplementedError

    def all_rows(self) -> dict[str, Rows]:
        """The rows behind the tables and plots, by name."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """What the answers depend on."""
        return {}

    def frames(self) -> dict[str, pl.DataFrame]:
        """The rows as polars frames, by name."""
        import polars as pl

        return {
            name: pl.DataFrame(_filled(rows), infer_schema_length=None)
            for name, rows in self.all_rows().items()
        }

    def table(self) -> Table:
        """The main table."""
        return next(iter(self.tables().values()))

    def to_frame(self) -> pl.DataFrame:
        """The main rows as a polars frame."""
        return next(iter(self.frames().values()))

    def to_dict(self) -> dict[str, Any]:
        """All rows as plain values; an undefined number is None."""
        made: dict[str, Any] = plain(self.all_rows() | self.facts())
        return made

    def __repr__(self) -> str:
        return "\n\n".join(str(table) for table in self.tables().values())

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables().values())


def _filled(rows: Sequence[dict[str, Any]]) -> Rows:
    """Rows with all keys of all rows, in the order of their first appearance."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return [{key: row.get(key) for key in keys} for row in rows]
