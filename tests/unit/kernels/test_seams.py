"""Sizes of blocks and shares: the usual ones, drawn ones, and those of other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import asdict, fields, replace

import pytest

from tare import _core
from tare._kernels.threads_and_blocks import SEAMS_VARIABLE, Seams, cut, drawn_seams, seams


def test_the_usual_sizes_are_those_of_the_core():
    of_core = _core.seams()
    assert {name: asdict(Seams())[name] for name in of_core} == of_core


def test_drawn_sizes_are_tiny_and_the_same_for_a_seed():
    assert drawn_seams(7) == drawn_seams("7")
    assert len({drawn_seams(seed) for seed in range(50)}) == 50
    for seed in range(200):
        for each in fields(Seams):
            least, most = each.metadata["tiny"]
            size = getattr(drawn_seams(seed), each.name)
            assert least <= size <= most or size == each.default
    assert {drawn_seams(seed).deal for seed in range(20)} == {0, 1}


def test_sizes_are_set_for_a_while():
    usual = seams()
    with cut(replace(usual, judging_share=5, block=3)) as sizes:
        assert seams() is sizes
        assert _core.seams()["judging_share"] == 5
    assert seams() == usual
    assert _core.seams()["judging_share"] == usual.judging_share


def test_the_core_refuses_sizes_that_cannot_be():
    with pytest.raises(ValueError, match="1 or more"):
        _core.set_seam("judging_share", 0)
    with pytest.raises(ValueError, match="no such size"):
        _core.set_seam("bogus", 1)


def test_other_processes_draw_the_same_sizes():
    code = "from tare._kernels.threads_and_blocks import seams; print(seams())"
    told = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, SEAMS_VARIABLE: "some seed"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == str(drawn_seams("some seed"))
