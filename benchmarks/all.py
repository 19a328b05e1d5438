"""Run every benchmark that has goals, one after the other, and print the table of all goals.

    python benchmarks/all.py [--small] [--only start files …] [--table]

Each benchmark runs in its own process and saves its results in benchmarks/results. A benchmark that fails
does not stop the others, but the exit code is then 1. `engines.py`, `nuggets.py`, `object_stores.py`, `people.py`
and `validity.py` have no goals here; they belong to other pages of the docs and are run alone.
"""

from __future__ import annotations

import subprocess
import sys
import time

from _goals import GOALS
from _records import HERE, folder, goal_lines, kept, options

SCRIPTS = {"statistics": "significance"}  # a module `statistics` would hide that of Python


def main() -> None:
    """Run the benchmarks and print the table."""
    parser = options(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(GOALS), default=list(GOALS))
    parser.add_argument("--table", action="store_true", help="print the table of saved results")
    given = parser.parse_args()
    failed = []
    for name in () if given.table else given.only:
        script = HERE / f"{SCRIPTS.get(name, name)}.py"
        words = [sys.executable, str(script), "--repeats", str(given.repeats)]
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        done = subprocess.run([*words, *(["--small"] if given.small else [])], check=False)
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
        if done.returncode:
            failed.append(name)
    print()
    print("\n".join(goal_lines(kept(folder(given.small)))))
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
