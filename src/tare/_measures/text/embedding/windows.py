"""Windows: overlapping pieces of texts that are too long for a model."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Window", "windows"]


@dataclass(frozen=True)
class Window:
    """Tokens start … end − 1 are read; keep_from … keep_to − 1 are used."""

    start: int
    end: int
    keep_from: int
    keep_to: int


def windows(length: int, size: int) -> list[Window]:
    """Return windows of at most `size` tokens that overlap by half.

    Each token counts in the window in which it is farthest from an edge, so that all but the
    text's first and last have a quarter of a window before and behind them.

    >>> [(w.start, w.end, w.keep_from, w.keep_to) for w in windows(10, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 10)]
    """
    if length <= size:
        return [Window(0, length, 0, length)]
    step = max(size // 2, 1)
    starts = [*range(0, length - size, step), length - size]
    made = []
    for k, start in enumerate(starts):
        first = 0 if k == 0 else (start + starts[k - 1] + size) // 2
        last = length if k + 1 == len(starts) else (starts[k + 1] + start + size) // 2
        made.append(Window(start, start + size, first, last))
    return made
