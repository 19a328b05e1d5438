"""`make audit`: the installed packages against the pinned ones, against known vulnerabilities, and as an SBOM.

python .ci/audit.py            what differs from requirements-test.lock; pip-audit where it can run
python .ci/audit.py --sbom F   writes a CycloneDX list of what tare needs to run
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import uuid
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-test.lock"


def plain(name: str) -> str:
    """A name as packages are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    """{name: version} of the lock file."""
    lines = [line for line in LOCK.read_text().splitlines() if line and not line.startswith("#")]
    return {plain(name): version for name, _, version in (line.partition("==") for line in lines)}


def installed() -> dict[str, str]:
    """{name: version} of this environment."""
    return {plain(d.metadata["Name"]): d.version for d in metadata.distributions()}


def needed(name: str = "tare-eval", seen: set[str] | None = None) -> set[str]:
    """What a distribution needs to run, and what those need; extras are left out."""
    seen = set() if seen is None else seen
    for requirement in metadata.requires(name) or []:
        if "extra ==" in requirement:
            continue
        found = re.match(r"[A-Za-z0-9_.-]+", requirement)
        other = plain(found[0]) if found else ""
        if other and other not in seen:
            try:
                metadata.version(other)
            except metadata.PackageNotFoundError:  # for another system or another Python
                continue
            seen.add(other)
            needed(other, seen)
    return seen


def component(name: str) -> dict[str, Any]:
    """One package of the list."""
    about = metadata.metadata(name)
    licence = about.get("License-Expression") or about.get("License") or "unknown"
    version = metadata.version(name)
    return {
        "type": "library",
        "name": plain(name),
        "version": version,
        "purl": f"pkg:pypi/{plain(name)}@{version}",
        "licenses": [{"license": {"name": licence.splitlines()[0][:80]}}],
    }


def sbom() -> dict[str, Any]:
    """What tare needs to run, in CycloneDX 1.5."""
    own = component("tare-eval")
    parts = [component(name) for name in sorted(needed())]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(parts, sort_keys=True))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {"component": {**own, "type": "application"}},
        "components": parts,
    }


def main() -> int:
    """Exits with 1 where a version differs from its pin or a vulnerability is known."""
    options = argparse.ArgumentParser()
    options.add_argument("--sbom", type=Path)
    given = options.parse_args()
    if given.sbom:
        given.sbom.parent.mkdir(parents=True, exist_ok=True)
        given.sbom.write_text(json.dumps(sbom(), indent=1, ensure_ascii=False) + "\n")
        print(f"{len(sbom()['components'])} packages listed in {given.sbom}")
        return 0
    locked, here = pinned(), installed()
    wrong = [
        f"{n} {here[n]} (pinned: {v})" for n, v in locked.items() if n in here and here[n] != v
    ]
    print(
        f"{len(locked)} packages pinned; {len(wrong)} installed in another version.",
        *wrong,
        sep="\n  ",
    )
    if importlib.util.find_spec("pip_audit") is None:
        print(
            "Known vulnerabilities were not looked up: pip-audit is not installed, and it needs the network."
        )
        print(
            "Where there is one: pip install pip-audit && pip-audit -r requirements-test.lock --no-deps"
        )
        return 1 if wrong else 0
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "-r", str(LOCK), "--no-deps", "--disable-pip"],
        check=False,
    )
    return 1 if wrong or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
