"""Tables of the content units that assessors found in summaries."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tare._data import frames
from tare._data.columns import recognise
from tare._data.formats import delimited, jsonl, parquet
from tare._files.opening import name_of, plain_suffix
from tare.errors import FormatError, raise_all

__all__ = ["Presence", "majority", "read_presence"]

Presence = dict[tuple[str, str], dict[str, list[bool]]]
"""{(system, item): {SCU: the answer of each assessor}}."""

ANSWERS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "y", "present", "p"), True),
    **dict.fromkeys(("0", "0.0", "false", "no", "n", "absent", "not present"), False),
}


def read_presence(source: Any) -> Presence:
    """Read a table (.csv, .tsv, .jsonl, .parquet or a data frame) with one row per answer.

    Columns: item, scu, present (1/0, true/false, yes/no, present/absent), and system if there are
    several. Rows of the same SCU and summary are the answers of several assessors.

    >>> import polars as pl
    >>> read_presence(pl.DataFrame({"item": ["d"], "scu": ["1"], "present": ["yes"]}))
    {('system', 'd'): {'1': [True]}}
    """
    name, frame = _table(source)
    columns = {c.strip().lower(): c for c in frame.columns}
    missing = [c for c in ("scu", "present") if c not in columns]
    if missing:
        raise FormatError(
            f"{name}: no column {missing[0]!r}; found {', '.join(map(repr, frame.columns))}. A table "
            "of answers has the columns system, item, scu and present."
        )
    item = recognise(frame.columns, ["item"], name)["item"]
    found: Presence = {}
    problems: list[str] = []
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        given = row[columns["present"]]
        answer = ANSWERS.get(str(given).strip().lower())
        if answer is None:
            problems.append(f"{name}, row {number}: present must be yes or no; found {given!r}.")
            continue
        system = str(row[columns["system"]]) if "system" in columns else "system"
        units = found.setdefault((system, str(row[item])), {})
        units.setdefault(str(row[columns["scu"]]), []).append(answer)
    raise_all(problems)
    return found


def majority(votes: Iterable[bool]) -> bool:
    """Return whether more than half of the answers are yes.

    >>> majority([True, True, False]), majority([True, False])
    (True, False)
    """
    given = list(votes)
    return 2 * sum(given) > len(given)


def _table(source: Any) -> tuple[str, Any]:
    if isinstance(source, str | os.PathLike):
        for module in (delimited, jsonl, parquet):
            if plain_suffix(source) in module.SUFFIXES:
                return name_of(source), module.read(source)
        raise FormatError(
            f"{name_of(source)}: answers are read from .csv, .tsv, .jsonl or .parquet."
        )
    if frames.is_frame(source):
        return "data frame", frames.to_polars(source)
    raise FormatError(f"answers cannot be read from a {type(source).__name__}.")
