"""A PostgreSQL server of the tests' own: in a temporary folder, on a socket, gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["NO_SERVER", "running_server"]

NO_SERVER = "no PostgreSQL here that can be started (apt install postgresql)"


def _program(name: str) -> str | None:
    found = shutil.which(name)
    if found:
        return found
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(places[-1]) if places else None


def _as_nobody_special() -> list[str] | None:
    """PostgreSQL refuses to run as root; Debian's package brings a user for it."""
    if os.getuid() != 0:
        return []
    known = subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode == 0
    return ["runuser", "-u", "postgres", "--"] if known and shutil.which("runuser") else None


@contextmanager
def running_server() -> Iterator[str | None]:
    """The URL of an empty server without its database's name, or None where there is none."""
    initdb, ctl, user = _program("initdb"), _program("pg_ctl"), _as_nobody_special()
    if initdb is None or ctl is None or user is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="tare-pg-", ignore_cleanup_errors=True) as folder:
        if user:
            shutil.chown(folder, "postgres")
        data = f"{folder}/data"
        quiet: dict[str, Any] = {
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": folder,
        }
        made = subprocess.run(
            [*user, initdb, "-D", data, "-U", "tare", "-A", "trust", "-E", "UTF8", "--locale=C"],
            check=False,
            timeout=600,
            **quiet,
        )
        options = f"-c listen_addresses='' -k {folder}"
        started = made.returncode == 0 and (
            subprocess.run(
                [*user, ctl, "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start"],
                check=False,
                timeout=600,
                **quiet,
            ).returncode
            == 0
        )
        if not started:
            yield None
            return
        try:
            yield f"postgresql://tare@/{{name}}?host={folder}"
        finally:
            subprocess.run(
                [*user, ctl, "-D", data, "-m", "immediate", "stop"],
                check=False,
                timeout=600,
                **quiet,
            )
