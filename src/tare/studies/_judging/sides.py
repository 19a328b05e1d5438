"""Slots: one for each answer that a task needs, every other one with its sides changed."""

from __future__ import annotations

from tare._data.counter_random import uniforms
from tare.studies._judging.tasks import stream_of

__all__ = ["Slots"]

SIDES = 24  # substream


class Slots:
    """The places of a task; a full task has its sides balanced within one, whatever happened.

    >>> slots = Slots("t", 1, 2)
    >>> first = slots.choose(0)
    >>> slots.take(first)
    >>> slots.swapped(slots.choose(0)) == slots.swapped(first)
    False
    """

    def __init__(self, task: str, seed: int, overlap: int) -> None:
        self.coin = int(uniforms(seed, stream_of(task), [0], SIDES)[0] < 0.5)
        self.places = [False] * overlap
        self.taken = 0

    @property
    def full(self) -> bool:
        """Whether no further answer is wanted."""
        return self.taken >= len(self.places)

    def swapped(self, slot: int) -> bool:
        """Whether the second of the two things stands on the left."""
        return (slot + self.coin) % 2 == 1

    def choose(self, rights: int) -> int:
        """The free slot on the side seen less; where both are even, on that which an assessor saw less.

        rights: how many more displays with changed sides than without he has seen.
        """
        seen = [0, 0]
        for slot, taken in enumerate(self.places):
            seen[self.swapped(slot)] += taken

        def worth(slot: int) -> tuple[int, int, int]:
            side = self.swapped(slot)
            return (seen[side], rights if side else -rights, slot)

        return min((s for s, taken in enumerate(self.places) if not taken), key=worth)

    def take(self, slot: int) -> None:
        """Fills a slot."""
        self.taken += not self.places[slot]
        self.places[slot] = True

    def free(self, slot: int) -> None:
        """Empties a slot."""
        self.taken -= self.places[slot]
        self.places[slot] = False

    def widen(self, overlap: int) -> None:
        """More slots."""
        self.places += [False] * (overlap - len(self.places))
