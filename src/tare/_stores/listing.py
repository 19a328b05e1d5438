"""Objects whose addresses match a pattern, or that are in a folder."""

from __future__ import annotations

import fnmatch
import re

from tare._stores import connections
from tare._stores.addresses import parsed, shown
from tare._stores.failures import reading
from tare.errors import OptionError

__all__ = ["addresses_like"]


def addresses_like(pattern: str) -> list[str]:
    """Return the sorted addresses that match a glob pattern, or that begin with a folder."""
    where = parsed(pattern)
    if where.store.startswith("https://"):
        raise OptionError(f"{shown(pattern)}: objects of https:// cannot be listed. Name each one.")
    fixed = re.split(r"[*?\[]", where.key, maxsplit=1)[0]
    folder = fixed[: fixed.rfind("/") + 1]
    with reading(pattern):
        store = connections.connection(where.store)
        listed = connections.library().list(store, folder.rstrip("/") or None)
        keys = sorted(one["path"] for page in listed for one in page)
    found = [key for key in keys if fixed == where.key or _matches(key, where.key)]
    return [f"{where.store}/{key}" for key in found]


def _matches(key: str, pattern: str) -> bool:
    """Match as glob does: a star stays within one folder, and two stars match any folders."""
    parts, wanted = key.split("/"), pattern.split("/")
    if "**" in wanted:
        at = wanted.index("**")
        return fnmatch.fnmatchcase("/".join(parts[:at]), "/".join(wanted[:at])) and any(
            _matches("/".join(parts[k:]), "/".join(wanted[at + 1 :])) for k in range(at, len(parts))
        )
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
