"""Labels of nuggets: whether an answer supports a nugget, by those who assigned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tare._data.answers.assignments import Assignments
from tare._data.answers.fields import chosen_fields
from tare._data.answers.nuggets import NuggetLists
from tare._data.answers.records import Record
from tare._data.label_record import LabelRow

__all__ = ["SEPARATOR", "assigned_nuggets"]

SEPARATOR = " | "  # between the system and the nugget


def assigned_nuggets(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Any]]], name: str
) -> list[LabelRow]:
    """Return one label per answer and nugget: 1, ½ or 0, and "failed" if nothing was assigned.

    The pair is the topic, and the system with the nugget. Answers to other topics are left out.
    """
    names = [column.strip().lower() for column in columns]
    records = [
        Record(
            f"{name}, {where}", {k: v for k, v in zip(names, row, strict=False) if v is not None}
        )
        for where, row in rows
    ]
    found = Assignments(NuggetLists())
    found.add(records, chosen_fields({}), elsewhere=False)
    return [
        LabelRow(
            f"topic {key.item!r}",
            key.item,
            f"{key.system}{SEPARATOR}{nugget}",
            "failed" if credit is None else credit,
            key.assigner or None,
        )
        for key, own in found.credits.items()
        if key.about == key.item
        for nugget, credit in own.items()
    ]
