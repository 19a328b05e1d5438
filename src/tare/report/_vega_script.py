"""The script that draws charts in a page: Vega, Vega-Lite and Vega-Embed, from the installed vl-convert.

vl-convert takes seconds to bundle it, longer than the rest of a report. The script depends only on
its version, so a copy is kept in a cache folder of the user. A copy is used only if no other user
can have changed it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from tare._files.writing import write_bytes
from tare.report._figure_files import converter

__all__ = ["VARIABLE", "cache_folder", "vega_script"]

VARIABLE = "TARE_CACHE"


def cache_folder() -> Path | None:
    """Return the folder in TARE_CACHE, or that of the user; None if the variable is empty."""
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    home = Path("~").expanduser()
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "tare"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "tare" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "tare"


@cache
def vega_script() -> str:
    """Return the script, from the cache if it is there."""
    vl_convert = converter()
    path = None
    with suppress(OSError, RuntimeError):  # no home folder
        folder = cache_folder()
        path = None if folder is None else folder / f"vega-{vl_convert.__version__}.js"
    if path is not None and (kept := _read(path)) is not None:
        return kept
    made = str(vl_convert.javascript_bundle())
    if path is not None:
        with suppress(OSError):  # a full or read-only disk: the next report makes it again
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(path, _sealed(made.encode()))
            path.chmod(0o600)  # whatever the umask
    return made


def _sealed(script: bytes) -> bytes:
    """Return a script after a line with its digest."""
    return hashlib.sha256(script).hexdigest().encode() + b"\n" + script


def _read(path: Path) -> str | None:
    """Return the script of a file; None if it is absent, damaged, or open to other users."""
    try:
        if not (_own(path.parent.stat()) and _own(path.stat())):
            return None
        data = path.read_bytes()
        script = data.partition(b"\n")[2]
        return script.decode() if data == _sealed(script) else None
    except (OSError, UnicodeDecodeError):
        return None


def _own(found: os.stat_result) -> bool:
    """Return whether only this user can write; Windows keeps others out of a profile itself."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
