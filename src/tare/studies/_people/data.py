"""Measures and people side by side: the systems and items that both have, and groups of peers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tare._measures.scores import Scores
from tare.errors import MismatchError, OptionError, nearest

__all__ = ["SideBySide", "side_by_side"]

Floats = NDArray[np.float64]
FEWEST = 3  # systems that a correlation of systems says anything about


@dataclass(frozen=True, eq=False)
class SideBySide:
    """`measured[m]` and `judged[h]` are matrices systems × items of one measure and one human score."""

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
        """Places of the systems in each group: all peers, no models (machines alone), the top k."""
        everyone = np.arange(len(self.systems))
        written = np.array([s in self.models for s in self.systems])
        groups = {"all systems": everyone}
        if self.models:
            groups = {"all peers": everyone, "no models": everyone[~written]}
        machines = everyone[~written]
        means = np.nan_to_num(_means(self.judged[human])[machines], nan=-np.inf)
        order = machines[np.argsort(-means, kind="stable")]
        for k in top:
            if k < FEWEST:
                raise OptionError(f"top={k} is too few; at least {FEWEST} systems are needed.")
            if k < len(machines):
                groups[f"top {k}"] = np.sort(order[:k])
        return {name: places for name, places in groups.items() if len(places) >= FEWEST}


def _means(values: Floats) -> Floats:
    counts = (~np.isnan(values)).sum(axis=1)
    made: Floats = np.divide(
        np.nansum(values, axis=1), counts, out=np.full(len(values), np.nan), where=counts > 0
    )
    return made


def side_by_side(
    scores: Scores, human: Scores, *, models: Sequence[str] = (), assessor: str = "assessor"
) -> SideBySide:
    """Aligns two score tables by the ids of systems and items; others are left out and told."""
    systems = [s for s in scores.systems if s in set(human.systems)]
    items = sorted(set(scores.items) & set(human.items))
    if len(systems) < FEWEST or len(items) < 2:
        raise MismatchError(
            f"measures and people have {len(systems)} systems and {len(items)} items in common; at "
            f"least {FEWEST} systems and 2 items are needed. They are matched by id."
        )
    both = set(scores.measure_names) & set(human.measure_names)
    if both:
        raise MismatchError(
            f"{min(both)!r} is the name of a measure and of a human score; rename one."
        )
    for name in models:
        if name not in systems:
            raise OptionError(
                f"the model {name!r} is no system of both tables.{nearest(name, systems)}"
            )
    notes = []
    for what, ours, theirs, kept in (
        ("systems", scores.systems, human.systems, systems),
        ("items", scores.items, human.items, items),
    ):
        gone = len((set(ours) | set(theirs)) - set(kept))
        if gone:
            notes.append(f"{gone:,} {what} are in one table only and were left out.")
    parts = [t.select(systems=systems, items=items) for t in (scores, human)]
    for table in parts:
        if np.isinf(table.values).any():
            raise MismatchError("a score is infinite; statistics need finite scores.")
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
