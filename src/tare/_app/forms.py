"""Fields of submitted forms, from HTML forms or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tare._judging import Refusal, StudyDesign

__all__ = ["answer_of", "chosen_of", "number_of"]


def number_of(fields: Mapping[str, Any], name: str = "number") -> int:
    """Return a non-negative integer field."""
    given = fields.get(name)
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 10:
        return int(given)
    if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 10**9:
        return given
    raise Refusal(422, f"{name} must be a whole number.")


def answer_of(design: StudyDesign, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer in a form, as `check_answer` expects it; scripts send it as an object."""
    if isinstance(fields.get("answer"), dict):
        return dict(fields["answer"])
    made: dict[str, Any] = {k: fields[k] for k in ("choice", "reason", "grade") if k in fields}
    if design.kind == "ratings":
        made["ratings"] = {
            d.name: fields[f"rating-{i}"]
            for i, d in enumerate(design.dimensions)
            if f"rating-{i}" in fields
        }
    elif design.kind == "scus":
        made["present"] = {
            name.removeprefix("present-"): value
            for name, value in fields.items()
            if name.startswith("present-")
        }
    elif design.kind == "markup" and "units" in fields:
        try:
            made["units"] = json.loads(str(fields["units"]))
        except (ValueError, RecursionError):
            raise Refusal(422, "the marked units cannot be read.") from None
    return made


def chosen_of(design: StudyDesign, fields: Mapping[str, Any]) -> list[int]:
    """Return the options chosen in the comprehension test, counted from 1."""
    return [
        number_of(fields, f"gate-{i}") if f"gate-{i}" in fields else 0
        for i in range(len(design.gate))
    ]
