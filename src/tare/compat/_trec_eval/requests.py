"""Requests: measure strings of pytrec_eval, such as `ndcg_cut.1,3,10`, and the columns they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from tare.compat._arguments import texts
from tare.compat._trec_eval.columns import Column, columns_of
from tare.compat._trec_eval.measures import ENTRIES, SETS
from tare.compat._trec_eval.refusal import RefusedError
from tare.compat._trec_eval.settings import Settings
from tare.errors import MeasureError, nearest

__all__ = ["NICKNAMES", "SUPPORTED", "Requested", "requested_columns"]

SUPPORTED = tuple(
    name
    for name, entry in ENTRIES.items()
    if entry.since == 9 and entry.judges in (None, "grades") and name != "yaap"
)
"""The measures that pytrec_eval computes."""

NICKNAMES = {name: tuple(n for n in names if ENTRIES[n].since == 9) for name, names in SETS.items()}
"""The sets of measures, by name."""

_CONSTANTS = {"runid": 0.0, "num_q": 1.0, "relstring": 0.0}
_PARAMETERS = re.compile(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")


class Requested(NamedTuple):
    """A key of the result with its column, or with the same value for every query."""

    name: str
    column: Column | None
    constant: float = 0.0


def requested_columns(measures: Iterable[str], settings: Settings) -> list[Requested]:
    """Return the columns that the strings ask for, in the order of trec_eval.

    Raises `MeasureError`, a ValueError, for an unknown name and for parameters that are not possible.
    """
    asked = _parameters(measures)
    found: list[Requested] = []
    for name, entry in ENTRIES.items():
        if name not in asked:
            continue
        if name in _CONSTANTS:
            found.append(Requested(name, None, _CONSTANTS[name]))
            continue
        try:
            columns = columns_of(entry, ",".join(sorted(asked[name])), settings)
        except RefusedError as error:
            message = str(error).replace("trec_eval: ", "").replace("\n", ". ")
            raise MeasureError(f"unsupported parameters of {name}: {message}") from None
        by_parameter = entry.takes in ("cutoffs", "shares")
        found += [Requested(c.name if by_parameter else name, c) for c in columns]
    return found


def _parameters(measures: Iterable[str]) -> dict[str, set[str]]:
    """Return the parameters of each measure; those of several strings are joined."""
    asked: dict[str, set[str]] = {}
    if isinstance(measures, str):
        raise MeasureError(f"measures is {measures!r}; expected a list or set of names.")
    for measure in texts("measures", measures):
        if measure in NICKNAMES:
            for name in NICKNAMES[measure]:
                asked.setdefault(_supported(name, name), set())
        elif measure in SUPPORTED:
            asked.setdefault(measure, set())
        else:
            found = _PARAMETERS.match(measure)
            name = _supported(found.group(1) if found else "", measure)
            parameters = found.group(2).split(",") if found else []
            asked.setdefault(name, set()).update(parameters)
    return asked


def _supported(name: str, measure: str) -> str:
    if name not in SUPPORTED:
        hint = nearest(measure, [*SUPPORTED, *NICKNAMES])
        raise MeasureError(f"unsupported measure {measure}{'.' if hint else ''}{hint}")
    return name
