"""The types of the compiled core are those of the module that was built."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the stub is written with Python 3.11 (make stub)"
)
def test_the_stub_is_what_make_stub_writes(tmp_path):
    pytest.importorskip("nanobind.stubgen")
    made = tmp_path / "_core.pyi"
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", ROOT / "pyproject.toml", made]
    for command in (
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-D", "-m", "tare._core", "-o", made],
        [*ruff, "check", "-q", "--select", "I,F401", "--fix", *settings],
        [*ruff, "format", "-q", *settings],
    ):
        subprocess.run(command, cwd=ROOT, check=True, timeout=600)
    written = (ROOT / "src/tare/_core.pyi").read_text(encoding="utf-8")
    assert made.read_text(encoding="utf-8") == written, "run `make stub`"
