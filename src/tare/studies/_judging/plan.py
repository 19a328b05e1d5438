"""Plans: a study as a TOML file, with the data files it names beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tare._data.source import read_text
from tare.errors import FormatError, OptionError, TareError, UnreadableError, nearest
from tare.studies._judging.contents import contents_of
from tare.studies._judging.design import Design, Dimension, GateQuestion, Study

__all__ = ["read_study"]

PLAIN = {
    "kind": str, "title": str, "question": str, "guidelines": str, "overlap": int, "budget": int,
    "per_assessor": int, "policy": str, "repeats": float, "gap": int, "seed": int, "equal": bool,
    "both_bad": bool, "cannot": bool, "code": str, "thanks": str, "gate_pass": int,
    "gate_attempts": int, "door": bool, "door_limit": int,
}  # fmt: skip
TABLES = ("data", "dimensions", "grades", "gate", "gold", "lease_minutes")


def read_study(path: str | Path) -> Study:
    """Reads a study from a TOML file; files in it are named relative to its folder."""
    path = Path(path)
    try:
        given = tomllib.loads(read_text(path))
    except TareError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: this is not TOML: {error}.") from None
    try:
        design = _design(given, path.parent)
        return contents_of(design, given.get("data", {}), path.parent, given.get("gold", {}))
    except OptionError as error:
        raise FormatError(f"{path}: {error}") from None
    except TareError:
        raise
    except OSError as error:  # a name in it that no file could have
        raise UnreadableError(f"{path}: a file it names: {error.strerror or error}.") from None
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FormatError(f"{path}: something is missing or of another kind: {error}.") from None


def _design(given: Mapping[str, Any], folder: Path) -> Design:
    known = [*PLAIN, *TABLES]
    for name, value in given.items():
        if name not in known:
            raise OptionError(f"{name!r} is not known. Accepted: {', '.join(known)}.{nearest(name, known)}")  # fmt: skip
        wanted = PLAIN.get(name)
        fits = isinstance(value, wanted) if wanted else True
        fits = fits or (wanted is float and isinstance(value, int))
        if not fits or (wanted is int and isinstance(value, bool)):
            raise OptionError(f"{name} is a {wanted.__name__ if wanted else 'table'}; found {value!r}.")  # fmt: skip
    if "kind" not in given:
        raise OptionError("a study has a kind: preference, conditional, grades, …")
    made = {name: given[name] for name in PLAIN if name in given}
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
    made["grades"] = tuple((_whole(g["value"]), str(g["label"])) for g in given.get("grades", ()))
    made["gate"] = tuple(
        GateQuestion(str(q["question"]), tuple(map(str, q["options"])), _whole(q["answer"]))
        for q in given.get("gate", ())
    )
    return Design(**made)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"a whole number is needed, found {value!r}")
    return value


def _file(path: Path) -> str:
    return read_text(path)
