"""Numbers in the sentences of a gate, rounded so that they never contradict the verdict."""

from __future__ import annotations

import math

__all__ = ["number", "signed"]

MOST = 8  # digits after the decimal point


def number(value: float, digits: int | None = None, limit: float | None = None) -> str:
    """Return a number with two or three digits, and more if it would seem to reach a limit.

    >>> number(0.0437), number(0.512), number(0.05001, 2, 0.05), number(0.0)
    ('0.044', '0.512', '0.05001', '0')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    size = float(f"{abs(value):.3g}")  # 0.0999… is 0.1
    wanted = digits or (2 if size < 0.1 else 3)
    places = max(0, wanted - 1 - math.floor(math.log10(size)))
    while True:
        text = f"{value:.{places}f}"
        if limit is None or places >= MOST or _side(float(text), limit) == _side(value, limit):
            return text.replace("-", "−")
        places += 1


def signed(value: float, limit: float | None = None) -> str:
    """Return a difference with its sign.

    >>> signed(-0.0312), signed(0.25), signed(0.0)
    ('−0.031', '+0.250', '0')
    """
    text = number(value, None, limit)
    return f"+{text}" if value > 0 else text


def _side(value: float, limit: float) -> bool:
    return value <= limit
