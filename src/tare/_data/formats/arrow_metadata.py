"""Metadata of Arrow tables: polars panics, and prints a trace, if they are not UTF-8."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["without_metadata"]


def without_metadata(table: pa.Table) -> pa.Table:
    """Return a table without the metadata of its schema and its columns.

    Those of nested columns cannot be removed without a copy. They are decoded, so that a UnicodeDecodeError is
    raised instead of a panic.
    """
    import pyarrow as pa

    for column in table.schema:
        _decode_nested(column)
    columns = [column.remove_metadata() for column in table.schema]
    return pa.Table.from_arrays(table.columns, schema=pa.schema(columns))


def _decode_nested(column: pa.Field) -> None:
    for number in range(column.type.num_fields):
        inner = column.type.field(number)
        for text in chain(*(inner.metadata or {}).items()):
            text.decode()
        _decode_nested(inner)
