"""Swap rates between sets of queries, halves of the documents, and data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tare._measures.scores import Scores
from tare.stats._draws import Drawing
from tare.studies._consistency.result import Consistency
from tare.studies._consistency.study import consistency
from tare.studies._letor.measures import StudiedMeasure
from tare.studies._letor.resamples import Resamples

__all__ = ["Side", "swap_rates"]


@dataclass(frozen=True)
class Side:
    """One side of a comparison: its name and its scores, averaged over cutoffs."""

    name: str
    scores: Scores


def swap_rates(
    comparisons: Iterable[tuple[str, str, Side, Side]],
    measures: tuple[StudiedMeasure, ...],
    seed: int,
    drawn: Resamples,
    engine: Drawing | None,
    notify: Callable[[str], None],
) -> dict[str, Consistency]:
    """Return the swap rates of each comparison, with the measures of all case studies.

    A comparison occurs once per case study, and only the measures of that case study are compared:
    a name such as "ideal" means different queries in each case study.
    """
    made: dict[str, Consistency] = {}
    for case, between, one, other in comparisons:
        notify(f"swaps, {between}, {case}")
        own = tuple(m for m in measures if m.case == case)
        a, b = (side.scores.select(measures=[m.name for m in own]) for side in (one, other))
        found = consistency(
            a, b, names=(one.name, other.name), seed=seed, draws=1000, engine=engine
        )
        drawn.add_swaps(between, a, b, own)
        before = made.get(between)
        made[between] = (
            found
            if before is None
            else replace(
                before,
                found=(*before.found, *found.found),
                signatures=(*before.signatures, *found.signatures),
                notes=tuple(dict.fromkeys((*before.notes, *found.notes))),
            )
        )
    return made
