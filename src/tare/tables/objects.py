"""Tables as JSON and JSON lines: all digits, for programs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare.tables.table import Table

__all__ = ["render_json", "render_jsonl"]


def _objects(table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    return [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in table.rows
    ]


def render_json(table: Table) -> str:
    """One object with the title, the rows and the notes."""
    whole = {"title": table.title, "rows": _objects(table), "notes": list(table.notes)}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def render_jsonl(table: Table) -> str:
    """One object a row."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _objects(table))
