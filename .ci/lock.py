"""`make lock`: pins the packages that the tests run with, and `make test` installs them.

python .ci/lock.py             writes requirements-test.lock; pins that still fit are kept
python .ci/lock.py --upgrade   writes it anew, with the newest versions
python .ci/lock.py --install   installs from it, or from pyproject.toml on another platform or Python

torch has a file without a hash and is installed first: its builds for CPU and GPU share a version but no
file. The others are installed with their hashes and without looking for dependencies; the lock is complete.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-test.lock"
TORCH = ROOT / "requirements-torch.lock"
PYTHON, SYSTEM, MACHINE = "3.11", "Linux", "x86_64"
GROUPS = ("build", "dev")
# Brought along by torch for a GPU; they have no place on a machine without one.
WITH_TORCH = re.compile(r"torch|triton|nvidia-.*|cuda-.*")
HEADER = f"""\
# Every package of the test environment, for Python {PYTHON} on {SYSTEM} {MACHINE}. Written by `make lock`.
# `make test` installs {TORCH.name} first, then this file: pip install --no-deps -r {LOCK.name}
"""


def plain(name: str) -> str:
    """Return a name as packages are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(path: Path = LOCK) -> dict[str, str]:
    """Return {name: version} of a lock file."""
    found = re.findall(r"^([A-Za-z0-9_.-]+)==([^\s\\]+)", path.read_text(), re.MULTILINE)
    return {plain(name): version for name, version in found}


def fits() -> bool:
    """Return whether the lock is for this Python on this platform."""
    here = (platform.python_version().rsplit(".", 1)[0], platform.system(), platform.machine())
    return here == (PYTHON, SYSTEM, MACHINE)


def pip(*arguments: str | Path) -> None:
    """Run pip in the project's folder; raises if it fails."""
    subprocess.run([sys.executable, "-m", "pip", *map(str, arguments)], cwd=ROOT, check=True)


def wanted() -> list[str]:
    """Return what pyproject.toml asks for: dependencies, all extras, and the groups of the tests."""
    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = given["project"], given["dependency-groups"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return sorted({name for names in (*lists, *(groups[g] for g in GROUPS)) for name in names})


def resolved(keep: dict[str, str]) -> list[dict[str, Any]]:
    """Return what pip would install in an empty environment, as its report lists it."""
    with tempfile.TemporaryDirectory() as folder:
        asked, limits = Path(folder, "asked.txt"), Path(folder, "limits.txt")
        report = Path(folder, "report.json")
        asked.write_text("\n".join(wanted()) + "\n")
        limits.write_text("".join(f"{name}=={version}\n" for name, version in keep.items()))
        pip(
            *("install", "--quiet", "--dry-run", "--ignore-installed", "--report", report),
            *("--requirement", asked, "--constraint", limits),
        )
        found: list[dict[str, Any]] = json.loads(report.read_text())["install"]
        return found


def line_of(package: dict[str, Any]) -> str:
    """Return the lines of one package: its version and the hash of the file that pip chose."""
    about, archive = package["metadata"], package["download_info"]["archive_info"]
    return f"{plain(about['name'])}=={about['version']} \\\n    --hash=sha256:{archive['hashes']['sha256']}\n"


def write(upgrade: bool) -> int:
    """Write both files."""
    if not fits():
        print(f"The lock is for Python {PYTHON} on {SYSTEM} {MACHINE}: run `make lock` there.")
        return 1
    before = pins() if LOCK.exists() else {}
    try:
        found = resolved({} if upgrade else before)
    except subprocess.CalledProcessError:
        print("No versions were found. If a pin is in the way: make lock UPGRADE=--upgrade")
        return 1
    by_name = {plain(p["metadata"]["name"]): p for p in found}
    torch = by_name["torch"]["metadata"]["version"].split("+")[0]
    hashed = {name: p for name, p in sorted(by_name.items()) if not WITH_TORCH.fullmatch(name)}
    TORCH.write_text(
        f"# Installed first, without a hash. Written by `make lock`.\ntorch=={torch}\n"
    )
    LOCK.write_text(HEADER + "".join(map(line_of, hashed.values())))
    after = pins()
    changed = [n for n in sorted({*before, *after}) if before.get(n) != after.get(n)]
    print(f"{len(after)} packages in {LOCK.name}, {len(changed)} of them changed.")
    for name in changed:
        print(f"  {name}: {before.get(name, 'new')} -> {after.get(name, 'removed')}")
    return 0


def install() -> int:
    """Install what the tests need."""
    try:
        if fits():
            pip("install", "--requirement", TORCH)
            pip("install", "--no-deps", "--require-hashes", "--requirement", LOCK)
        else:
            print(
                f"The lock is for Python {PYTHON} on {SYSTEM} {MACHINE}; installing the newest versions."
            )
            pip("install", *(option for group in GROUPS for option in ("--group", group)))
        pip("check")
    except subprocess.CalledProcessError as failed:
        return failed.returncode
    return 0


def main() -> int:
    """Write the lock, or install from it."""
    options = argparse.ArgumentParser(description="Pin the packages of the tests, or install them.")
    options.add_argument("--install", action="store_true")
    options.add_argument("--upgrade", action="store_true")
    given = options.parse_args()
    return install() if given.install else write(given.upgrade)


if __name__ == "__main__":
    sys.exit(main())
