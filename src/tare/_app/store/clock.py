"""A clock that starts with the machine's time and never jumps."""

from __future__ import annotations

import time

__all__ = ["Clock"]

BOOT = getattr(time, "CLOCK_BOOTTIME", None)  # also counts while the machine sleeps


class Clock:
    """Seconds since 1970 that do not jump when the machine's clock is set.

    >>> clock = Clock()
    >>> clock.now() <= clock.now()
    True
    """

    def __init__(self) -> None:
        self._began, self._steady = time.time(), self._elapsed()

    def now(self) -> float:
        """Return the current time."""
        return self._began + (self._elapsed() - self._steady)

    @staticmethod
    def _elapsed() -> float:
        return time.monotonic() if BOOT is None else time.clock_gettime(BOOT)
