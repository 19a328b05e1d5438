"""Ratios of means: measures whose value for a set is one mean divided by another.

Net is an example: (mean A − mean E)/(mean U − mean E). Each item has a gain A − E and a room U − E; an
item without room still contributes its gain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare._data.findings import Finding

if TYPE_CHECKING:
    from tare._measures.measure import Measure

__all__ = ["Ratio", "room_of", "without_room"]

Array = NDArray[np.float64]
ROUNDING = 1e-12  # smaller differences count as 0
NO_ROOM = (
    "on every item chance scores as high as the ideal. All documents of the pool are equally good, or the "
    "cutoff covers the whole pool"
)


def room_of(tare: Array, ideal: Array) -> Array:
    """Return ideal − tare; 0 if the two differ only by rounding."""
    gap = ideal - tare
    return np.where(np.abs(gap) <= ROUNDING * np.maximum(1.0, np.abs(ideal)), 0.0, gap)


@dataclass(frozen=True, eq=False)
class Ratio:
    """Gross score, tare and ideal, each systems × items; NaN if a system lacks an item."""

    needed: ClassVar[bool] = True  # whether a column is incomplete without these parts

    gross: Array
    tare: Array
    ideal: Array

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Ratio:
        """Create arrays of NaN, to be filled later."""
        return cls(*(np.full(shape, np.nan) for _ in range(3)))

    @property
    def parts(self) -> tuple[Array, Array, Array]:
        """The three arrays."""
        return self.gross, self.tare, self.ideal

    @cached_property
    def gain(self) -> Array:
        """Gross − tare."""
        return self.gross - self.tare

    @cached_property
    def room(self) -> Array:
        """Ideal − tare; 0 if the two differ only by rounding."""
        return room_of(self.tare, self.ideal)

    def take(self, systems: NDArray[np.intp], items: NDArray[np.intp]) -> Ratio:
        """Select some systems and items."""
        place = np.ix_(systems, items)
        return type(self)(*(part[place] for part in self.parts))

    def values(self) -> Array:
        """Return the value of each item; NaN if it has no room."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.room == 0, np.nan, self.gain / self.room)

    def counts(self) -> NDArray[np.int64]:
        """Return the number of items in the ratio of each system."""
        counted: NDArray[np.int64] = (~np.isnan(self.gain)).sum(axis=1)
        return counted

    def means(self) -> Array:
        """Return Σ gain / Σ room of each system; NaN if no item has room."""
        made = np.full(len(self.gain), np.nan)
        for s, (gain, room) in enumerate(zip(self.gain, self.room, strict=True)):
            there = ~np.isnan(gain)
            total = math.fsum(room[there])
            if total != 0:
                made[s] = math.fsum(gain[there]) / total + 0.0  # never −0
        return made

    def mean_rooms(self) -> Array:
        """Return the mean room of each system; NaN if it is 0."""
        sums = np.array([math.fsum(room[~np.isnan(room)]) for room in self.room])
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = sums / self.counts()
        return np.where(found == 0, np.nan, found)

    @property
    def shared(self) -> bool:
        """Whether all systems have the same rooms."""
        if len(self.room) == 0:
            return True
        gap = np.abs(self.room - self.room[0])
        return bool(np.nanmax(gap, initial=0.0) <= ROUNDING)

    def contributions(self) -> Array:
        """Return values per item whose mean is the ratio, for tests of differences."""
        return np.asarray(self.gain / self.mean_rooms()[:, None])

    def linearised(self) -> Array:
        """Return values with the mean and standard error of the ratio, for confidence intervals.

        Net + [(A − E) − Net·(U − E)]/(mean room).
        """
        net = self.means()[:, None]
        return np.asarray(net + (self.gain - net * self.room) / self.mean_rooms()[:, None])


def without_room(ratios: Mapping[Measure, Ratio], why: str = NO_ROOM) -> list[Finding]:
    """Report ratios that are undefined, because no item has room between chance and the ideal."""
    none = [str(name) for name, ratio in ratios.items() if np.nansum(np.abs(ratio.room)) == 0]
    if not none:
        return []
    text = f"{', '.join(none)} {'is' if len(none) == 1 else 'are'} undefined: {why}"
    return [Finding("no room above chance", text, len(none))]
