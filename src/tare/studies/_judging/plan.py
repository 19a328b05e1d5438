"""Plans: a study in a TOML file, which names its data files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tare._files.opening import read_text
from tare.errors import FormatError, OptionError, TareError, UnreadableError, nearest
from tare.studies._judging.design import YEAR, Dimension, GateQuestion, Study, StudyDesign
from tare.studies._judging.materials import build_study
from tare.studies._judging.plan_values import check_values, list_of_tables, table
from tare.studies._judging.slice_plan import with_slice

__all__ = ["read_study"]

SIMPLE_KEYS = {
    "kind": "text",
    "title": "text",
    "question": "text",
    "guidelines": "text",
    "overlap": "integer",
    "budget": "integer",
    "per_assessor": "integer",
    "policy": "text",
    "repeats": "number",
    "gap": "integer",
    "seed": "integer",
    "equal": "boolean",
    "both_bad": "boolean",
    "cannot": "boolean",
    "code": "text",
    "thanks": "text",
    "gate_pass": "integer",
    "gate_attempts": "integer",
    "door": "boolean",
    "door_limit": "integer",
}
TABLES = ("data", "gold", "judge")
LISTS = {
    "dimensions": (
        {"name": "text", "question": "text", "low": "integer", "high": "integer", "labels": "list"},
        ("name",),
    ),
    "grades": ({"value": "integer", "label": "anything"}, ("value", "label")),
    "gate": (
        {"question": "anything", "options": "list", "answer": "integer"},
        ("question", "options", "answer"),
    ),
}
MOST_MINUTES = YEAR / 60
GOLD = {"every": "integer", "minimum": "number", "items": "tables"}


def read_study(path: str | Path) -> Study:
    """Read a study from a TOML file; file names in it are relative to its folder."""
    path = Path(path)
    try:
        given = tomllib.loads(read_text(path))
    except TareError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: invalid TOML: {error}.") from None
    try:
        design = _design(given, path.parent)
        gold, data = table(given, "gold"), table(given, "data")
        if "judge" not in given:
            return build_study(design, data, path.parent, gold)
        if "policy" in given:
            raise OptionError(
                "policy and [judge] cannot be combined: the draw of the slice sets the order of tasks."
            )
        study = build_study(replace(design, policy="pooled"), data, path.parent, gold)
        return with_slice(study, table(given, "judge"), path.parent)
    except OptionError as error:
        raise FormatError(f"{path}: {error}") from None
    except TareError:
        raise
    except OSError as error:  # an invalid file name in the plan
        raise UnreadableError(
            f"{path}: a file named in it cannot be read: {error.strerror or error}."
        ) from None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FormatError(f"{path}: a value is missing or has the wrong type: {error}.") from None


def _design(given: Mapping[str, Any], folder: Path) -> StudyDesign:
    others = dict.fromkeys((*LISTS, *TABLES), "")
    known = [*SIMPLE_KEYS, "lease_minutes", *others]
    for name in given:
        if name not in known:
            raise OptionError(
                f"unknown key {name!r}. Accepted: {', '.join(known)}.{nearest(name, known)}"
            )
    simple = {name: value for name, value in given.items() if name not in others}
    check_values(simple, SIMPLE_KEYS | {"lease_minutes": "number"}, "")
    for name in TABLES:
        table(given, name)
    if "kind" not in given:
        raise OptionError('kind is missing, such as kind = "preference".')
    for name, (kinds, required) in LISTS.items():
        for number, entry in enumerate(list_of_tables(given, name), 1):
            check_values(entry, kinds, f"{name}[{number}]", required)
    gold = table(given, "gold")
    check_values(gold, GOLD, "gold")
    made = {name: given[name] for name in SIMPLE_KEYS if name in given}
    guidelines = made.get("guidelines", "")
    if guidelines.endswith((".md", ".txt")) and "\n" not in guidelines:
        made["guidelines"] = _file(folder / guidelines)
    if "lease_minutes" in given:
        made["lease"] = 60.0 * _minutes(given["lease_minutes"])
    made |= {f"gold_{k}": gold[k] for k in ("every", "minimum") if k in gold}
    made["dimensions"] = tuple(
        Dimension(**{**d, "labels": tuple(map(str, d.get("labels", ())))})
        for d in given.get("dimensions", ())
    )
    made["grades"] = tuple((g["value"], str(g["label"])) for g in given.get("grades", ()))
    made["gate"] = tuple(
        GateQuestion(str(q["question"]), tuple(map(str, q["options"])), q["answer"])
        for q in given.get("gate", ())
    )
    return StudyDesign(**made)


def _minutes(given: float) -> float:
    """Return how long a task is leased, checked in the unit of the plan."""
    if not 1 / 60 <= given <= MOST_MINUTES:
        raise OptionError(
            f"lease_minutes={given}: expected a number from 1/60 to {MOST_MINUTES:,.0f}, a year."
        )
    return float(given)


def _file(path: Path) -> str:
    return read_text(path)
