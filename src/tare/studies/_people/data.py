"""Measures and human scores of the same systems and items, and groups of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["SideBySide", "side_by_side"]

Floats = NDArray[np.float64]
MIN_SYSTEMS = 3  # for a correlation over systems


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Aligned scores: `measured[m]` and `judged[h]` are matrices of systems × items."""

    systems: tuple[str, ...]
    items: tuple[str, ...]
    measures: tuple[str, ...]
    people: tuple[str, ...]
    measured: dict[str, Floats]
    judged: dict[str, Floats]
    models: tuple[str, ...] = ()
    assessors: tuple[str | None, ...] = ()
    notes: tuple[str, ...] = ()

    def peers(self, human: str, top: Sequence[int] = ()) -> dict[str, NDArray[np.int64]]:
        """Return the indices of the systems in each group: all, machines only, the top k."""
        everyone = np.arange(len(self.systems))
        written = np.array([s in self.models for s in self.systems])
        groups = {"all systems": everyone}
        if self.models:
            groups = {"all peers": everyone, "no models": everyone[~written]}
        machines = everyone[~written]
        means = np.nan_to_num(_means(self.judged[human])[machines], nan=-np.inf)
        order = machines[np.argsort(-means, kind="stable")]
        for k in top:
            if k < MIN_SYSTEMS:
                raise OptionError(
                    f"top={k} is not valid. At least {MIN_SYSTEMS} systems are needed."
                )
            if k < len(machines):
                groups[f"top {k}"] = np.sort(order[:k])
        return {name: places for name, places in groups.items() if len(places) >= MIN_SYSTEMS}


def _means(values: Floats) -> Floats:
    counts = (~np.isnan(values)).sum(axis=1)
    made: Floats = np.divide(
        np.nansum(values, axis=1), counts, out=np.full(len(values), np.nan), where=counts > 0
    )
    return made


def side_by_side(
    scores: Scores, human: Scores, *, models: Sequence[str] = (), assessor: str = "assessor"
) -> SideBySide:
    """Align two score tables by the ids of systems and items; notes name what was skipped."""
    rated = set(human.systems)
    systems = [s for s in scores.systems if s in rated]
    items = sorted(set(scores.items) & set(human.items))
    if len(systems) < MIN_SYSTEMS or not items:
        raise MismatchError(
            f"measures and human scores have {len(systems)} systems and {len(items)} items in common, "
            f"but at least {MIN_SYSTEMS} systems and 1 item are needed. They are matched by id."
        )
    both = set(scores.measure_names) & set(human.measure_names)
    if both:
        raise MismatchError(
            f"{min(both)!r} is the name of both a measure and a human score. Rename one of them."
        )
    for name in models:
        if name not in systems:
            raise OptionError(
                f"models={name!r} is not a system of both tables.{nearest(name, systems)}"
            )
    notes = []
    for what, ours, theirs, kept in (
        ("systems", scores.systems, human.systems, systems),
        ("items", scores.items, human.items, items),
    ):
        gone = len((set(ours) | set(theirs)) - set(kept))
        if gone:
            notes.append(f"{gone:,} {what} are in only one table and were skipped.")
    parts = [t.select(systems=systems, items=items) for t in (scores, human)]
    for table in parts:
        if np.isinf(table.values).any():
            raise MismatchError("a score is infinite, but correlations need finite scores.")
    for whose, table in zip(("measure", "human score"), parts, strict=True):
        for m, name in enumerate(table.measure_names):
            if np.isnan(table.values[:, :, m]).all():
                raise MismatchError(
                    f"the {whose} {name!r} has no value for the {len(systems)} systems and {len(items)} items "
                    "that both tables have. Does a row of its table lack a cell, such as the item?"
                )
    coders = parts[1].attributes.get(assessor, parts[0].attributes.get(assessor, ()))
    return SideBySide(
        tuple(systems),
        tuple(items),
        scores.measure_names,
        human.measure_names,
        {m: np.ascontiguousarray(parts[0].contributions(m)) for m in scores.measure_names},
        {h: np.ascontiguousarray(parts[1].matrix(h)) for h in human.measure_names},
        tuple(models),
        tuple(None if c is None else str(c) for c in coders),
        tuple(notes),
    )
