"""How tare is built and released: one version, wheels for every platform and Python, docs without a warning."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

import tare
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_stands_in_one_place():
    version = PROJECT["project"]["version"]
    assert tare.__version__ == version
    for path in (ROOT / "src").rglob("*.py"):
        if path.name != "_version.py":
            assert f'"{version}"' not in path.read_text(encoding="utf-8"), path
    assert version in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_wheels_are_built_for_every_python_and_platform():
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp3{minor}-*" for minor in (11, 12, 13, 14)]
    yaml = pytest.importorskip("yaml")
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    systems = release["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert {name.split("-")[0] for name in systems} == {"ubuntu", "macos", "windows"}
    assert release["jobs"]["publish"]["needs"] == ["wheels", "sources"]


def test_every_python_and_platform_is_tested_and_new_examples_at_night():
    yaml = pytest.importorskip("yaml")
    folder = ROOT / ".github/workflows"
    test = yaml.safe_load((folder / "test.yml").read_text(encoding="utf-8"))
    matrix = test["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in (11, 12, 13, 14)]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    steps = [step for step in test["jobs"]["tests"]["steps"] if "pytest" in step.get("run", "")]
    covered = [step for step in steps if "--cov" in step["run"]]
    assert [step["if"] for step in covered] == [
        "matrix.os == 'ubuntu-latest' && matrix.python == '3.13'"
    ]
    assert len(steps) == 2
    nightly = (folder / "nightly.yml").read_text(encoding="utf-8")
    assert "cron:" in nightly
    assert "make nightly" in nightly
    assert "TARE_HYPOTHESIS=nightly" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_what_the_default_run_leaves_out_is_run_at_night():
    yaml = pytest.importorskip("yaml")
    nightly = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))
    steps = [step.get("run") for job in nightly["jobs"].values() for step in job["steps"]]
    assert "make slow" in steps
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^slow:.*\n\t.*pytest -n 0 -m slow ", targets, re.MULTILINE)


def test_the_hooks_are_those_that_contributors_are_told_of():
    yaml = pytest.importorskip("yaml")
    given = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    hooks = {hook["id"] for repo in given["repos"] for hook in repo["hooks"]}
    assert hooks == {"ruff", "ruff-format", "mypy", "clang-format"}


def test_every_package_is_required_once():
    for group, required in PROJECT["dependency-groups"].items():
        names = [re.split(r"[<>=;\[ ]", one)[0].lower() for one in required]
        assert len(names) == len(set(names)), group


def test_every_extra_that_a_message_names_exists():
    extras = set(PROJECT["project"]["optional-dependencies"])
    named = set()
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"tare-eval\[([a-z]+)\]", text))
        named |= set(re.findall(r'MissingExtraError\(\s*"[^"]+",\s*"([a-z]+)"', text))
    assert named
    assert named <= extras


def test_the_docs_are_built_without_a_warning(tmp_path):
    """Without a browser: its pictures have tests of their own, and take longer than the pages."""
    pytest.importorskip("myst_parser")
    environment = {name: v for name, v in os.environ.items() if name != "TARE_CHROMIUM"}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "dummy",
            ROOT / "docs",
            tmp_path,
        ],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
        env={**environment, "PATH": str(tmp_path)},
    )
    said = [line for line in done.stderr.splitlines() if "chromium is not installed" not in line]
    assert (done.returncode, said) == (0, [])
