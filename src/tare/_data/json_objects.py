"""Lines of JSON, one object per line."""

from __future__ import annotations

import json
from typing import Any

from tare.errors import FormatError

__all__ = ["json_object"]


def json_object(line: str | bytes, where: str) -> dict[str, Any]:
    """Return the JSON object of a line.

    >>> json_object("[1]", "runs.jsonl, line 3")
    Traceback (most recent call last):
    tare.errors.FormatError: runs.jsonl, line 3: expected a JSON object, found '[1]'.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: invalid JSON: {str(error)[:80]}.") from None
    if not isinstance(row, dict):
        raise FormatError(f"{where}: expected a JSON object, found {str(row)[:60]!r}.")
    return row
