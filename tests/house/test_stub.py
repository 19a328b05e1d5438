"""The types of the compiled core are those of the module that was built."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="the stub is written with Python 3.11 (make stub)"
)
def test_the_stub_is_what_make_stub_writes():
    pytest.importorskip("nanobind.stubgen")
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "stub.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
