"""Memory: how much there is, and how much may be used."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tare._kernels import seams
from tare.errors import OptionError

__all__ = ["budget_of", "half_of_memory", "in_words"]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
UNKNOWN = 2 << 30  # where the machine does not tell how much it has


def half_of_memory() -> int:
    """Half of what this machine, or the container it runs in, may use."""
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
    """Bytes of a budget given as a number or in words; None is half of the memory.

    >>> budget_of("1.5 GB"), budget_of("512MiB"), budget_of(1000)
    (1500000000, 536870912, 1000)
    """
    if memory is None:
        return seams().budget or half_of_memory()
    if isinstance(memory, int):
        number = memory
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", memory.lower())
        if found is None:
            raise OptionError(
                f"memory={memory!r} is no amount of memory. Accepted: bytes, or a number with a "
                "unit, such as '800MB', '1.5GB' or '2GiB'."
            )
        digits, unit, binary = found.groups()
        if binary and not unit:
            raise OptionError(f"memory={memory!r} is no amount of memory; '2GiB' is one.")
        base = 1024 ** "kmgt".index(unit) * 1024 if binary else UNITS[unit]
        number = int(float(digits) * base)
    if number < 1:
        raise OptionError(f"memory={memory!r} is not possible: at least one byte is needed.")
    return number


def in_words(amount: int) -> str:
    """An amount of memory as people read it.

    >>> in_words(3_240_000_000), in_words(512)
    ('3.2 GB', '512 bytes')
    """
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount} bytes"
