"""Swap rates of the study of rankers: between sets of queries, halves of documents, and data sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tare._measures.scores import Scores
from tare.studies._consistency.result import Consistency
from tare.studies._consistency.study import consistency
from tare.studies._letor.measures import Family
from tare.studies._letor.resamples import Resamples

__all__ = ["Swapped", "swapped"]


@dataclass(frozen=True)
class Swapped:
    """One side of a comparison: its name, and scores averaged over cutoffs."""

    name: str
    scores: Scores


def swapped(
    couples: Iterable[tuple[str, str, Swapped, Swapped]],
    families: tuple[Family, ...],
    seed: int,
    drawn: Resamples,
    say: Callable[[str], None],
) -> dict[str, Consistency]:
    """An answer for each couple of sides, with the measures of all case studies.

    A couple comes once per case study, whose measures alone are compared on it: the same name may
    stand for other queries in another case study.
    """
    made: dict[str, Consistency] = {}
    for case, between, one, other in couples:
        say(f"swaps, {between}, {case}")
        own = tuple(f for f in families if f.case == case)
        a, b = (side.scores.select(measures=[f.name for f in own]) for side in (one, other))
        found = consistency(a, b, names=(one.name, other.name), seed=seed, draws=1000)
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
