"""Tables as JSON and JSON lines: full precision, for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tare._tables.table import Table

__all__ = ["render_json", "render_jsonl", "render_several"]


def _objects(table: Table) -> list[dict[str, Any]]:
    names, rows = table.plain()
    return [
        {
            name: None if isinstance(cell, float) and not math.isfinite(cell) else cell
            for name, cell in zip(names, row, strict=True)
        }
        for row in rows
    ]


def _whole(table: Table) -> dict[str, Any]:
    return {"title": table.title, "rows": _objects(table), "notes": list(table.notes)}


def render_json(table: Table) -> str:
    """Return one JSON object with the title, the rows and the notes."""
    return json.dumps(_whole(table), ensure_ascii=False, indent=1) + "\n"


def render_several(tables: Mapping[str, Table]) -> str:
    """Return one JSON object with each table under its name."""
    made = {name: _whole(table) for name, table in tables.items()}
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def render_jsonl(table: Table) -> str:
    """Return one JSON object per line, for each row."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _objects(table))
