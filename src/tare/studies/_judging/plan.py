"""Plans: a study in a TOML file, which names its data files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tare._data.source import read_text
from tare.errors import FormatError, OptionError, TareError, UnreadableError, nearest
from tare.studies._judging.design import Dimension, GateQuestion, Study, StudyDesign
from tare.studies._judging.materials import build_study

__all__ = ["read_study"]

SIMPLE_KEYS = {
    "kind": str, "title": str, "question": str, "guidelines": str, "overlap": int, "budget": int,
    "per_assessor": int, "policy": str, "repeats": float, "gap": int, "seed": int, "equal": bool,
    "both_bad": bool, "cannot": bool, "code": str, "thanks": str, "gate_pass": int,
    "gate_attempts": int, "door": bool, "door_limit": int,
}  # fmt: skip
OTHER_KEYS = ("data", "dimensions", "grades", "gate", "gold", "lease_minutes")


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
        return build_study(design, given.get("data", {}), path.parent, given.get("gold", {}))
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
    known = [*SIMPLE_KEYS, *OTHER_KEYS]
    for name, value in given.items():
        if name not in known:
            raise OptionError(f"unknown key {name!r}. Accepted: {', '.join(known)}.{nearest(name, known)}")  # fmt: skip
        wanted = SIMPLE_KEYS.get(name)
        fits = isinstance(value, wanted) if wanted else True
        fits = fits or (wanted is float and isinstance(value, int))
        if not fits or (wanted is int and isinstance(value, bool)):
            raise OptionError(f"{name}: expected a value of type {wanted.__name__ if wanted else 'table'}, found {value!r}.")  # fmt: skip
    if "kind" not in given:
        raise OptionError('kind is missing, such as kind = "preference".')
    made = {name: given[name] for name in SIMPLE_KEYS if name in given}
    guidelines = made.get("guidelines", "")
    if guidelines.endswith((".md", ".txt")) and "\n" not in guidelines:
        made["guidelines"] = _file(folder / guidelines)
    if "lease_minutes" in given:
        made["lease"] = 60.0 * float(given["lease_minutes"])
    gold = given.get("gold", {})
    made |= {f"gold_{k}": gold[k] for k in ("every", "minimum") if k in gold}
    made["dimensions"] = tuple(
        Dimension(**{**d, "labels": tuple(map(str, d.get("labels", ())))})
        for d in given.get("dimensions", ())
    )
    made["grades"] = tuple((_integer(g["value"]), str(g["label"])) for g in given.get("grades", ()))
    made["gate"] = tuple(
        GateQuestion(str(q["question"]), tuple(map(str, q["options"])), _integer(q["answer"]))
        for q in given.get("gate", ())
    )
    return StudyDesign(**made)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected a whole number, found {value!r}")
    return value


def _file(path: Path) -> str:
    return read_text(path)
