"""The default number of threads."""

from __future__ import annotations

import os

from tare import _core
from tare.errors import OptionError

__all__ = ["VARIABLE", "cores", "default_threads", "set_threads"]

VARIABLE = "TARE_THREADS"
MOST = 4096


def _asked() -> int:
    """Return the number in TARE_THREADS; 0 if it is not set."""
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text[:9]) <= MOST:
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        raise OptionError(
            f"{VARIABLE}={shown!r} is not a number of threads. Accepted: a whole number from 1 to "
            f"{MOST:,}. Unset the variable to use all processors."
        )
    return int(text)


_ASKED = _asked()
_default = _ASKED
_core.set_threads(_default)


def set_threads(threads: int) -> None:
    """Set the default number of threads, unless TARE_THREADS is set; 0 means all processors."""
    global _default
    _default = _ASKED or threads
    _core.set_threads(_default)


def default_threads() -> int:
    """Return the number of threads set by TARE_THREADS; 0 if it is not set."""
    return _default


def cores() -> int:
    """Return the default number of threads: TARE_THREADS, or the processors of this process."""
    if _default:
        return _default
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
