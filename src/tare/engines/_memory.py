"""Memory: the amount available, and the limit to use."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tare.errors import OptionError

__all__ = ["budget_of", "format_size", "half_of_memory"]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNKNOWN = 2 << 30  # if the size of the memory is unknown


def half_of_memory() -> int:
    """Return half of the memory of this machine or container."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        total = 2 * UNKNOWN
    for path in LIMITS:
        try:
            total = min(total, int(Path(path).read_text()))
        except (OSError, ValueError):  # no container, or one without a limit ("max")
            continue
    return total // 2


def budget_of(memory: int | str | None) -> int:
    """Return a memory limit in bytes, given as a number or text; None is half of the memory.

    >>> budget_of("1.5 GB"), budget_of("512MiB"), budget_of(1000)
    (1500000000, 536870912, 1000)
    """
    if memory is None:
        return half_of_memory()
    if isinstance(memory, int):
        number = memory
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory.lower())
        if found is None:
            raise OptionError(
                f"memory={memory!r} is not an amount of memory. Accepted: bytes, or a number with a "
                "unit, such as '800MB', '1.5GB' or '2GiB'."
            )
        digits, unit, binary = found.groups()
        if binary and not unit:
            raise OptionError(
                f"memory={memory!r} is not an amount of memory; did you mean a unit such as '2GiB'?"
            )
        base = 1024 ** "kmgt".index(unit) * 1024 if binary else UNITS[unit]
        number = int(float(digits) * base)
    if number < 1:
        raise OptionError(f"memory={memory!r} is not possible: at least one byte is needed.")
    return number


def format_size(amount: int) -> str:
    """Return an amount of memory as text.

    >>> format_size(3_240_000_000), format_size(512)
    ('3.2 GB', '512 bytes')
    """
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount} bytes"
