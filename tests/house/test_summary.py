"""What a run of the tests says at its end, and how hypothesis searches."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("workers", ["0", "1"])
def test_tests_without_real_data_are_counted_in_one_line(workers, tmp_path):
    done = run(
        "-n",
        workers,
        "tests/oracles/test_dlhard.py",
        "tests/oracles/test_people_studies.py",
        TARE_DATA=str(tmp_path / "none"),
    )
    said = [line for line in done.stdout.splitlines() if "TARE_DATA" in line]
    assert len(said) == 1, done.stdout
    assert "skipped tests need real data: set TARE_DATA to their folder." in said[0]


@pytest.mark.parametrize(("profile", "derandomized"), [("tare", True), ("nightly", False)])
def test_new_examples_are_tried_only_at_night(profile, derandomized):
    code = "import tests.conftest; from hypothesis import settings; print(settings().derandomize, settings().deadline)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "TARE_HYPOTHESIS": profile},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(derandomized), "None"]
