"""How many threads are used where a call does not say."""

from __future__ import annotations

import os

from tare import _core
from tare.errors import OptionError

__all__ = ["VARIABLE", "cores", "default_threads", "set_threads"]

VARIABLE = "TARE_THREADS"
MOST = 4096


def _asked() -> int:
    """The number in TARE_THREADS; 0 where it is not set."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= MOST:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise OptionError(
            f"{VARIABLE}={shown!r} is not a number of threads. Accepted: a whole number from 1 to "
            f"{MOST:,}. Unset the variable to use every processor."
        )
    return int(text)


_ASKED = _asked()
_default = _ASKED
_core.set_threads(_default)


def set_threads(threads: int) -> None:
    """The usual number of threads, unless TARE_THREADS is set; 0 is one for each processor."""
    global _default
    _default = _ASKED or threads
    _core.set_threads(_default)


def default_threads() -> int:
    """The number of threads that was asked for, by TARE_THREADS; 0 where it is not set."""
    return _default


def cores() -> int:
    """The usual number of threads: TARE_THREADS, or as many as this process has processors."""
    if _default:
        return _default
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
