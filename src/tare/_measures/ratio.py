"""Ratios of means: measures whose value over a set is one mean divided by another.

Net is one: (mean A − mean E)/(mean U − mean E). Each item has a gain A − E and a room U − E, and an
item without room still counts with its gain.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from tare.errors import MismatchError

if TYPE_CHECKING:
    from tare._measures.measure import Measure

__all__ = ["Ratio", "refuse_without_room", "room_of"]

Array = NDArray[np.float64]
ROUNDING = 1e-12  # what differs by no more is the same


def room_of(tare: Array, ideal: Array) -> Array:
    """Ideal − tare; 0 where the two differ by no more than rounding."""
    gap = ideal - tare
    return np.where(np.abs(gap) <= ROUNDING * np.maximum(1.0, np.abs(ideal)), 0.0, gap)


@dataclass(frozen=True, eq=False)
class Ratio:
    """Systems × items of gross score, tare and ideal; NaN where a system lacks an item."""

    needed: ClassVar[bool] = True  # whether a column without these parts lacks something

    gross: Array
    tare: Array
    ideal: Array

    @classmethod
    def empty(cls, shape: tuple[int, int]) -> Ratio:
        """No value yet; the arrays are filled afterwards."""
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
        """Ideal − tare; 0 where the two differ by no more than rounding."""
        return room_of(self.tare, self.ideal)

    def take(self, systems: list[int], items: list[int]) -> Ratio:
        """Only some systems and items."""
        place = np.ix_(systems, items)
        return type(self)(*(part[place] for part in self.parts))

    def values(self) -> Array:
        """The value of each single item; NaN where it has no room."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.room == 0, np.nan, self.gain / self.room)

    def counts(self) -> NDArray[np.int64]:
        """How many items enter the ratio of each system."""
        counted: NDArray[np.int64] = (~np.isnan(self.gain)).sum(axis=1)
        return counted

    def means(self) -> Array:
        """Σ gain / Σ room of each system; NaN where no item has room."""
        made = np.full(len(self.gain), np.nan)
        for s, (gain, room) in enumerate(zip(self.gain, self.room, strict=True)):
            there = ~np.isnan(gain)
            total = math.fsum(room[there])
            if total != 0:
                made[s] = math.fsum(gain[there]) / total + 0.0  # never −0
        return made

    def mean_rooms(self) -> Array:
        """The mean room of each system; NaN where it is 0."""
        sums = np.array([math.fsum(room[~np.isnan(room)]) for room in self.room])
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Array = sums / self.counts()
        return np.where(found == 0, np.nan, found)

    @property
    def shared(self) -> bool:
        """Whether every system has the same rooms."""
        if len(self.room) == 0:
            return True
        gap = np.abs(self.room - self.room[0])
        return bool(np.nanmax(gap, initial=0.0) <= ROUNDING)

    def contributions(self) -> Array:
        """What each item adds: values whose plain mean is the ratio, for tests of no difference."""
        return np.asarray(self.gain / self.mean_rooms()[:, None])

    def linearised(self) -> Array:
        """Values with the ratio as mean and its standard error as theirs, for intervals and margins.

        Net + [(A − E) − Net·(U − E)]/(mean room).
        """
        net = self.means()[:, None]
        return np.asarray(net + (self.gain - net * self.room) / self.mean_rooms()[:, None])


def refuse_without_room(ratios: Mapping[Measure, Ratio]) -> None:
    """A ratio is undefined where no item has room: chance would score as well as the ideal."""
    for name, ratio in ratios.items():
        if np.nansum(np.abs(ratio.room)) == 0:
            raise MismatchError(
                f"{name} is undefined: on no item is there room between what chance scores and the "
                "ideal. Every document of the pool is equally good, or the cutoff takes in all of it."
            )
