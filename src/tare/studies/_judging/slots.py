"""Slots: one for each answer that a task needs; every other one swaps left and right."""

from __future__ import annotations

from tare._data.simulation import uniforms
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
        seen, first = [0, 0], [-1, -1]  # of each side: answers, and the first free slot
        for slot, taken in enumerate(self.places):
            side = (slot + self.coin) % 2
            if taken:
                seen[side] += 1
            elif first[side] < 0:
                first[side] = slot
        plain, swapped = first
        if plain < 0 and swapped < 0:
            raise ValueError("no slot is free")
        if plain < 0 or swapped < 0:
            return max(plain, swapped)
        # On equal terms, the earlier slot.
        is_plain = (seen[0], -swapped_balance, plain) < (seen[1], swapped_balance, swapped)
        return plain if is_plain else swapped

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
