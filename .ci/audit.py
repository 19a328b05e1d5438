"""`make audit`: the installed packages against the pinned ones, against known vulnerabilities, and as an SBOM.

python .ci/audit.py            what differs from requirements-test.lock; known advisories; pip-audit where it can run
python .ci/audit.py --sbom F   writes a CycloneDX list of what tare needs to run, and prints the licences
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import uuid
from collections.abc import Collection
from importlib import metadata
from pathlib import Path
from typing import Any

from licences import by_licence, licence_of
from lock import LOCK, pins, plain

ROOT = Path(__file__).resolve().parent.parent
ADVISORIES = ROOT / ".ci" / "advisories.tsv"
SCOPES = {"required": "Always needed", "optional": "By an extra"}


def installed() -> dict[str, str]:
    """{name: version} of this environment."""
    return {plain(d.metadata["Name"]): d.version for d in metadata.distributions()}


def advised() -> list[tuple[str, str, str]]:
    """Packages, the versions that mend them, and the advisories, as they are known here."""
    lines = ADVISORIES.read_text().splitlines()[1:]
    return [(name, version, about) for name, version, about in (x.split("\t") for x in lines)]


def older(version: str, other: str) -> bool:
    """Whether a version came before another, by its numbers."""
    one, two = ([int(x) for x in re.findall(r"\d+", v.split("+")[0])[:3]] for v in (version, other))
    return one < two


def needed(
    name: str = "tare-eval", seen: set[str] | None = None, *, extras: Collection[str] = ()
) -> set[str]:
    """What a distribution needs to run, with these extras of it, and what those need."""
    seen = set() if seen is None else seen
    for requirement in metadata.requires(name) or []:
        extra = re.search(r"extra == ['\"]([^'\"]+)['\"]", requirement)
        if extra and extra[1] not in extras:
            continue
        found = re.match(r"([A-Za-z0-9_.-]+)\s*(?:\[([^\]]*)\])?", requirement)
        other = plain(found[1]) if found else ""
        if found and other and other not in seen:
            try:
                metadata.version(other)
            except metadata.PackageNotFoundError:  # for another system or another Python
                continue
            seen.add(other)
            needed(other, seen, extras=(found[2] or "").split(","))
    return seen


def component(name: str) -> dict[str, Any]:
    """One package of the list."""
    version = metadata.version(name)
    return {
        "type": "library",
        "name": plain(name),
        "version": version,
        "purl": f"pkg:pypi/{plain(name)}@{version}",
        "licenses": [{"license": {"name": licence_of(name)}}],
    }


def sbom() -> dict[str, Any]:
    """What tare needs to run, in CycloneDX 1.5."""
    own = component("tare-eval")
    always = needed()
    every = metadata.metadata("tare-eval").get_all("Provides-Extra") or []
    parts = [
        {**component(name), "scope": "required" if name in always else "optional"}
        for name in sorted(always | needed(extras=every))
    ]
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
        made = sbom()
        given.sbom.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
        names = {
            scope: [c["name"] for c in made["components"] if c["scope"] == scope]
            for scope in SCOPES
        }
        print(f"{len(made['components'])} packages listed in {given.sbom}. Licences:")
        for scope, what in SCOPES.items():
            print(f"{what}:")
            for licence, packages in by_licence(names[scope]).items():
                print(f"  {licence}: {', '.join(packages)}")
        return 0
    locked, here = pins(), installed()
    wrong = [
        f"{n} {here[n]} (pinned: {v})" for n, v in locked.items() if n in here and here[n] != v
    ]
    print(
        f"{len(locked)} packages pinned; {len(wrong)} installed in another version.",
        *wrong,
        sep="\n  ",
    )
    bad = [
        f"{name} {here[name]}: {about}, fixed in {version}"
        for name, version, about in advised()
        if name in here and older(here[name], version)
    ]
    print(f"{len(bad)} packages with an advisory of {ADVISORIES.name}.", *bad, sep="\n  ")
    wrong += bad
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
