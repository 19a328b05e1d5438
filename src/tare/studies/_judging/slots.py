"""Slots: one for each answer that a task needs; every other one swaps left and right."""

from __future__ import annotations

from tare._data.counter_random import uniforms
from tare.studies._judging.tasks import stream_id

__all__ = ["Slots"]

SIDES = 24  # substream


class Slots:
    """The slots of a task; when all are filled, the numbers of swapped and unswapped displays differ by at
    most one.

    >>> slots = Slots("t", 1, 2)
    >>> first = slots.choose(0)
    >>> slots.take(first)
    >>> slots.swapped(slots.choose(0)) == slots.swapped(first)
    False
    """

    def __init__(self, task: str, seed: int, overlap: int) -> None:
        self.coin = int(uniforms(seed, stream_id(task), [0], SIDES)[0] < 0.5)
        self.places = [False] * overlap
        self.taken = 0

    @property
    def full(self) -> bool:
        """Whether no further answer is needed."""
        return self.taken >= len(self.places)

    def swapped(self, slot: int) -> bool:
        """Return whether this slot shows the second text on the left."""
        return (slot + self.coin) % 2 == 1

    def choose(self, swapped_balance: int) -> int:
        """Return the free slot on the side shown less often; for equal counts, the one the assessor saw less.

        swapped_balance: swapped minus unswapped displays that the assessor has seen.
        """
        seen = [0, 0]
        for slot, taken in enumerate(self.places):
            seen[self.swapped(slot)] += taken

        def worth(slot: int) -> tuple[int, int, int]:
            side = self.swapped(slot)
            return (seen[side], swapped_balance if side else -swapped_balance, slot)

        return min((s for s, taken in enumerate(self.places) if not taken), key=worth)

    def take(self, slot: int) -> None:
        """Fill a slot."""
        self.taken += not self.places[slot]
        self.places[slot] = True

    def free(self, slot: int) -> None:
        """Empty a slot."""
        self.taken -= self.places[slot]
        self.places[slot] = False

    def widen(self, overlap: int) -> None:
        """Add slots."""
        self.places += [False] * (overlap - len(self.places))
