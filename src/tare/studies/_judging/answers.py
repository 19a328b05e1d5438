"""Answers: what each kind of study accepts, checked and normalised."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tare.errors import OptionError
from tare.studies._judging.design import StudyDesign
from tare.studies._judging.tasks import Task

__all__ = ["MAX_REASON", "check_answer", "passes"]

MAX_REASON = 500
MAX_UNITS, MAX_CONTRIBUTORS, MAX_LABEL = 200, 50, 300


def check_answer(
    design: StudyDesign, task: Task, given: Mapping[str, Any], *, lengths: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return the answer in normal form; raise OptionError if it is not valid.

    lengths: lengths of the displayed texts, to refuse marks beyond their ends.

    >>> check_answer(StudyDesign("preference"), Task("q", ("a", "b")), {"choice": "left"})
    {'choice': 'left'}
    """
    if given.get("choice") == "cannot":
        if not design.cannot:
            raise OptionError("this study does not accept 'cannot judge'.")
        return {"choice": "cannot", "reason": _reason(given.get("reason"))}
    if design.compares:
        choice = given.get("choice")
        if choice not in design.choices:
            raise OptionError(f"please choose one of {', '.join(design.choices)}.")
        return {"choice": choice}
    checks = {"grades": _grade, "ratings": _ratings, "scus": _present}
    if design.kind in checks:
        return checks[design.kind](design, task, given)
    return {"units": _units(task, given.get("units"), lengths)}


def _reason(given: Any) -> str:
    reason = given.strip() if isinstance(given, str) else ""
    if not reason:
        raise OptionError("please explain in a few words why you cannot judge this.")
    if len(reason) > MAX_REASON:
        raise OptionError(f"the reason is too long; the limit is {MAX_REASON} characters.")
    return reason


def _integer(given: Any) -> int | None:
    if isinstance(given, bool):
        return None
    if isinstance(given, int):
        return given
    fits = isinstance(given, str) and re.fullmatch(r"-?[0-9]{1,4}", given)
    return int(given) if fits else None


def _grade(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    grade = _integer(given.get("grade"))
    if grade not in [value for value, _ in design.grades]:
        raise OptionError("please choose one of the grades.")
    return {"grade": grade}


def _ratings(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("ratings")
    if not isinstance(found, Mapping):
        raise OptionError("please rate every dimension.")
    unknown = set(found) - {d.name for d in design.dimensions}
    if unknown:
        raise OptionError("the answer contains an unknown dimension.")
    made = {}
    for dimension in design.dimensions:
        value = _integer(found.get(dimension.name))
        if value is None or not dimension.low <= value <= dimension.high:
            raise OptionError(
                f"please rate {dimension.name} from {dimension.low} to {dimension.high}."
            )
        made[dimension.name] = value
    return {"ratings": made}


def _present(design: StudyDesign, task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    found = given.get("present")
    units = [unit for unit, _ in task.units]
    if not isinstance(found, Mapping) or set(found) != set(units):
        raise OptionError("please answer yes or no for every statement.")
    answers = {"yes": True, "no": False, True: True, False: False}
    made = {}
    for unit in units:
        value = found[unit]
        if not isinstance(value, str | bool) or value not in answers:
            raise OptionError("the answer to a statement must be yes or no.")
        made[unit] = answers[value]
    return {"present": made}


def _units(task: Task, given: Any, lengths: tuple[int, ...]) -> list[dict[str, Any]]:
    if not isinstance(given, list) or not given:
        raise OptionError("please mark at least one unit.")
    if len(given) > MAX_UNITS:
        raise OptionError(f"too many units; the limit is {MAX_UNITS}.")
    made = []
    for unit in given:
        label = unit.get("label") if isinstance(unit, Mapping) else None
        if not isinstance(label, str) or not label.strip():
            raise OptionError("please name every unit.")
        parts = unit.get("contributors")
        if len(label) > MAX_LABEL:
            raise OptionError(
                f"the name of a unit is too long; the limit is {MAX_LABEL} characters."
            )
        if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_CONTRIBUTORS:
            raise OptionError(
                f"unit {label.strip()!r}: expected 1 to {MAX_CONTRIBUTORS} marked passages."
            )
        made.append(
            {"label": label.strip(), "contributors": [_mark(p, task, lengths) for p in parts]}
        )
    return made


def _mark(given: Any, task: Task, lengths: tuple[int, ...]) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise OptionError("a marked passage needs a reference, a start and an end.")
    reference, start, end = (_strict_integer(given.get(k)) for k in ("reference", "start", "end"))
    if reference is None or start is None or end is None:
        raise OptionError("a marked passage needs a reference, a start and an end.")
    if not 0 <= reference < len(task.shown) or not 0 <= start < end:
        raise OptionError("a marked passage lies outside the texts.")
    if lengths and end > lengths[reference]:
        raise OptionError("a marked passage lies outside the texts.")
    return {"reference": reference, "start": start, "end": end}


def _strict_integer(given: Any) -> int | None:
    return given if isinstance(given, int) and not isinstance(given, bool) else None


def passes(design: StudyDesign, task: Task, answer: Mapping[str, Any], swapped: bool) -> bool:
    """Return whether the answer to a gold task is the expected one."""
    if design.compares:
        sides = {"left": task.shown[int(swapped)], "right": task.shown[1 - int(swapped)]}
        choice = str(answer.get("choice"))
        return sides.get(choice, choice) == task.expected
    if design.kind == "grades":
        return str(answer.get("grade")) == task.expected
    return True
