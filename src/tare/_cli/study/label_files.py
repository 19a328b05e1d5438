"""Arguments of the audit of judges: which files are runs, maps of labels, and cuts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tare._data.columns import COLUMNS
from tare._data.labels import LABEL
from tare._data.recognised_files import is_run_text
from tare._data.table_files import table_in
from tare._files.opening import STDIN
from tare.errors import OptionError

__all__ = ["cuts_of", "is_run", "maps_of"]


def is_run(path: str) -> bool:
    """Return whether a file is a run, by its first lines or by its columns."""
    if path == STDIN:
        return False
    table = table_in(path)
    if table is not None:
        columns = {c.strip().lower() for c in table.columns}
        labelled = columns & set(LABEL) - {"score"}
        return bool(columns & {*COLUMNS["score"], "rank"}) and not labelled
    return is_run_text(path)


def maps_of(
    given: Sequence[str] | None,
) -> dict[float, float] | dict[str, dict[float, float]] | None:
    """Return the maps of labels: one for all judges, or by judge.

    >>> maps_of(["0=0,1=1,2=1"])
    {0.0: 0.0, 1.0: 1.0, 2.0: 1.0}
    """
    if not given:
        return None
    named: dict[str, dict[float, float]] = {}
    for text in given:
        head, _, entries = text.rpartition(":")
        table = named.setdefault(head, {})
        for entry in entries.split(","):
            left, _, right = entry.partition("=")
            label, grade = _number(left), _number(right)
            if label is None or grade is None:
                raise OptionError(
                    f"--map {text}: {entry!r} is not label=grade. Write 0=0,1=1,2=1, or llm:0=0,1=3 for one "
                    "judge."
                )
            table[label] = grade
    if "" in named and len(named) > 1:
        raise OptionError("--map: give one map for all judges, or a map for each judge by name.")
    return named.get("", named)


def cuts_of(given: Sequence[str] | None) -> float | dict[str, float] | None:
    """Return the cuts: one for all judges, or by judge.

    >>> cuts_of(["0.5"]), cuts_of(["llm=0.5"])
    (0.5, {'llm': 0.5})
    """
    if not given:
        return None
    named: dict[str, float] = {}
    for text in given:
        name, _, value = text.rpartition("=")
        number = _number(value)
        if number is None:
            raise OptionError(f"--cut {text}: {value!r} is not a number. Write 0.5, or llm=0.5.")
        named[name] = number
    if "" in named and len(named) > 1:
        raise OptionError("--cut: give one cut for all judges, or a cut for each judge by name.")
    return named.get("", named)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
