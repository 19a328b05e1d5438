"""Rows that are appended to the log: many of them with one statement.

SQLite's driver passes Python's lock on for each row of `executemany`, and SQLAlchemy prepares each row. The
thread with the event loop waits for the same lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from tare._app.store import tables

__all__ = ["insert_events"]

MAX_ROWS = 64  # per statement


def insert_events(connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert events, as tuples with a value for each column; numbers of rows are powers of two, for few statements."""
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    start = 0
    while start < len(rows):
        count = min(MAX_ROWS, 1 << (len(rows) - start).bit_length() - 1)
        values = tuple(chain.from_iterable(rows[start : start + count]))
        connection.exec_driver_sql(_statement(count, mark), values)
        start += count


@lru_cache(maxsize=32)
def _statement(rows: int, mark: str) -> str:
    columns = tables.events.columns.keys()
    row = f"({', '.join([mark] * len(columns))})"
    return f"INSERT INTO events ({', '.join(columns)}) VALUES {', '.join([row] * rows)}"
