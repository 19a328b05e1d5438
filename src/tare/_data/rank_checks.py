"""Checks of a table of ranks: cells that are not valid, and duplicate queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tare._data.candidates import MOST
from tare.errors import MAX_REPORTED, raise_all

if TYPE_CHECKING:
    import polars as pl

__all__ = ["refuse_bad_cells", "refuse_duplicates"]


def refuse_bad_cells(
    name: str,
    first: int,
    spots: list[str],
    cells: list[pl.Series],
    places: list[Any],
    raw: pl.Series,
    counts: Any,
) -> None:
    """Raise one error for all rows whose rank or number of candidates is not valid."""
    low, high = places
    single = spots[0] == spots[1]
    halves = np.where(low == high, 2, 1)  # the mean of tied ranks may end in .5
    problems: dict[int, str] = {}
    for spot, cell, place in zip(spots, cells, places, strict=True):
        steps = halves * place
        with np.errstate(invalid="ignore"):
            bad = ~((place >= 1) & (place <= MOST) & (steps == np.floor(steps)))
        accepted = "a whole number, 1 or more" + (
            " (or a mean of tied ranks, such as 2.5)" if single else ""
        )
        for row in np.flatnonzero(bad):
            problems.setdefault(
                int(row), f"the {spot} {cell[int(row)]!r} is not a rank; accepted: {accepted}."
            )
    for row in np.flatnonzero(low > high):
        problems.setdefault(
            int(row), f"{spots[0]} {low[row]:g} is greater than {spots[1]} {high[row]:g}."
        )
    with np.errstate(invalid="ignore"):
        bad = ~((counts >= 1) & (counts <= MOST) & (counts == np.floor(counts)))
    for row in np.flatnonzero(bad):
        problems.setdefault(
            int(row),
            f"{raw[int(row)]!r} is not a number of candidates; accepted: a whole number, 1 or more.",
        )
    messages = [
        f"{name}, row {row + first}: {problems[row]}" for row in sorted(problems)[:MAX_REPORTED]
    ]
    raise_all(messages, len(problems))


def refuse_duplicates(name: str, first: int, systems: list[str], ids: list[str]) -> None:
    """Raise one error for all rows that repeat a query of the same system."""
    seen: dict[tuple[str, str], int] = {}
    problems = []
    for row, key in enumerate(zip(systems, ids, strict=True), first):
        if key in seen:
            problems.append(
                f"{name}, row {row}: duplicate query {key[1]!r} of system {key[0]!r} (first seen on row "
                f"{seen[key]}). Give each rank its own query id, such as 'head:17' and 'tail:17'."
            )
        seen.setdefault(key, row)
    raise_all(problems)
