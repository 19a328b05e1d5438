"""How long the build takes: `make demo` from nothing, and a wheel from the sources.

    python benchmarks/build.py [--small] [--keep-ccache]

Both work on a copy of the committed files in a new folder, without ccache. `make demo` makes a new environment;
its wheels come from pip's cache if they are there. Processor time is that of all processes. `--small` makes
the copy and builds nothing.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from _records import HERE, Comparison, keep, machine, options


def copied(folder: Path) -> Path:
    """Copy the committed files to a new folder."""
    folder.mkdir()
    packed = subprocess.run(
        ["git", "archive", "HEAD"], cwd=HERE.parent, capture_output=True, check=True
    )
    subprocess.run(["tar", "x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def timed(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Return the wall and processor seconds of a command and all its processes."""
    used, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def main() -> None:
    """Measure, print and save."""
    parser = options(__doc__)
    parser.add_argument("--keep-ccache", action="store_true", help="do not disable ccache")
    given = parser.parse_args()
    about = machine(["nanobind", "scikit-build-core"])
    environment = {
        k: v
        for k, v in os.environ.items()
        if k not in ("PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    if not given.keep_ccache:
        environment["CCACHE_DISABLE"] = "1"
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        "made",
        ".",
    ]
    tasks = {"`make demo` from nothing": ["make", "demo"], "wheel from the sources": wheel}
    if given.small:
        tasks = {"wheel from the sources": ["cmake", "--version"]}
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        for number, (name, command) in enumerate(tasks.items()):
            folder = copied(Path(place) / f"copy{number}")
            wall, processor = timed(command, folder, environment)
            found[name] = {"seconds": wall, "processor seconds": processor}
            print(f"{name}: {wall:.1f} s, {processor:.1f} s of processor time", flush=True)
    goals = {name: row["seconds"] for name, row in found.items()}
    rows = [Comparison(name, row["seconds"]) for name, row in found.items()]
    keep("build", found, about=about, goals=goals, comparisons=rows, small=given.small)


if __name__ == "__main__":
    main()
