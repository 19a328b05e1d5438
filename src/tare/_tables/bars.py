"""Bar charts in text, for terminals."""

from __future__ import annotations

from collections.abc import Sequence

from tare._plain_text import plain
from tare._tables.text import cut, width_of

__all__ = ["bars", "side_by_side"]

EIGHTHS = " ▏▎▍▌▋▊▉█"


def bars(
    rows: Sequence[tuple[str, float]], *, title: str = "", width: int = 48, high: float = 1.0
) -> list[str]:
    """Return one line with a bar per number; numbers below 0 have no bar, `high` fills the width.

    >>> print(*bars([("a", 0.5), ("long name", 1.0)], width=30), sep="\\n")
    a          █████▌       0.500
    long name  ███████████  1.000
    """
    names = [cut(plain(name), max(8, width // 3)) for name, _ in rows]
    widest = max(map(width_of, names), default=0)
    room = max(4, width - widest - 10)
    lines = [title, ""] if title else []
    for name, (_, number) in zip(names, rows, strict=True):
        filled = max(0.0, min(1.0, number / high)) * room
        whole, rest = int(filled), int(8 * (filled - int(filled)))
        bar = "█" * whole + (EIGHTHS[rest] if rest else "")
        label = f"{number:.3f}".replace("-", "−")
        lines.append(f"{name}{' ' * (widest - width_of(name))}  {bar:<{room}}  {label}".rstrip())
    return lines


def side_by_side(left: Sequence[str], right: Sequence[str], *, gap: int = 4) -> list[str]:
    """Put two charts side by side."""
    widest = max(map(width_of, left), default=0)
    height = max(len(left), len(right))
    pairs = zip(
        [*left, *[""] * (height - len(left))], [*right, *[""] * (height - len(right))], strict=True
    )
    return [f"{a}{' ' * (widest - width_of(a) + gap)}{b}".rstrip() for a, b in pairs]
