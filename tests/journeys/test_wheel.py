"""The wheel of `make dist`: a fresh environment without a compiler runs the demo."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = sorted((ROOT / "dist").glob("tare_eval-*.whl"))
    if not found:
        pytest.skip("there is no wheel in dist/; make dist builds one")
    return found[-1]


def test_the_wheel_is_for_many_linuxes(wheel):
    if sys.platform == "linux":
        assert "manylinux" in wheel.name


@pytest.mark.parametrize("extra", ["", "[report]"], ids=["bare", "report"])
def test_the_demo_runs_where_there_is_no_compiler(wheel, tmp_path, extra):
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "CC", "CXX")}
    environment["PATH"] = str(programs)  # nothing else: no cc, no cmake, no git
    install = [
        programs / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        f"{wheel}{extra}",
    ]
    subprocess.run(install, env=environment, check=True, timeout=600)
    done = subprocess.run(
        [programs / "tare", "demo"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "tare-demo" / "report.html").read_text(encoding="utf-8")
    assert ('class="chart"' in page) == bool(extra)
    assert ("no charts" in done.stderr) == (not extra)
    assert "Findings" in page
