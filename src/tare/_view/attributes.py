"""Attributes of queries, such as a category: columns of codes in the index, and filters of the table."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping

import numpy as np

from tare._plain_text import plain
from tare._view.index import column_name

__all__ = ["filled_attributes"]

MAX_VALUES = 60  # of an attribute that is offered as a filter
MAX_ATTRIBUTES = 12
MAX_LETTERS = 200  # of a name or a value


def filled_attributes(
    base: sqlite3.Connection, given: Mapping[str, Mapping[int, str]], count: int
) -> tuple[dict[str, list[str]], list[str]]:
    """Store attributes with 2 to 60 values; return their values, and a sentence about each other one.

    given: {attribute: {place of a query: value}}. count: the number of queries.
    """
    kept: dict[str, list[str]] = {}
    left_out = []
    for name, own in given.items():
        values = sorted(set(own.values()))
        if len(values) < 2 or len(name) > MAX_LETTERS or max(map(len, values)) > MAX_LETTERS:
            continue
        if len(values) > MAX_VALUES or len(kept) == MAX_ATTRIBUTES:
            why = f"has {len(values):,} values; the table filters by attributes with at most {MAX_VALUES}"
            many = f"is one of more than {MAX_ATTRIBUTES} attributes"
            left_out.append(
                f"The attribute {plain(name)} {why if len(values) > MAX_VALUES else many}."
            )
            continue
        code = {value: k for k, value in enumerate(values)}
        column = np.full(count, np.nan)
        for place, value in own.items():
            column[place] = code[value]
        body = zlib.compress(column.astype("<f8").tobytes(), 1)
        base.execute(
            "INSERT INTO columns VALUES (?, ?)", (column_name("attribute", name, ""), body)
        )
        kept[name] = values
    return kept, left_out[:8]
