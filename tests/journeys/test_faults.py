"""A small share of `make faults`: killed, interrupted, disk full; nothing is lost and nothing is left."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9 and tmpfs are of Unix")


@pytest.fixture(scope="module")
def faults():
    spec = importlib.util.spec_from_file_location("faults", ROOT / "benchmarks" / "faults.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults"] = module
    spec.loader.exec_module(module)
    return module


def test_killed_while_writing(faults):
    found = faults.kills(4, seed=11)
    assert found["torn"] == []
    assert found["files checked"] > 0
    assert found["left after the next writing"] == 0


def test_a_full_disk(faults):
    found = faults.full_disk(24, seed=12)
    if not found["runs"]:
        pytest.skip(found["left out"])
    assert found["wrong"] == 0
    assert found["refused for lack of room"] > 12


def test_the_command_on_a_full_disk_and_interrupted(faults):
    assert faults.command_faults(3, seed=13)["wrong"] == []


def test_a_study_that_was_killed_is_resumed_to_the_same_bits(faults):
    found = faults.resumed(2, seed=14)
    assert found["answers that differ"] == 0
