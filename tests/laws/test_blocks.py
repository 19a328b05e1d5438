"""Blocks of draws: tests and intervals do not depend on how their draws are cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import tare
from tare._signature import Signature
from tare.stats._draws import drawn, summed

RANDOM = [
    {"test": "permutation", "correction": "max-t"},
    {"test": "permutation", "correction": "holm", "baseline": "b"},
    {"test": "hybrid"},
    {"test": "bootstrap", "correction": "max-t"},
    {"test": "tukey-randomised"},
]


class Cutter:
    """An engine that cuts draws at given places, and works from the last block to the first."""

    def __init__(self, *cuts: int) -> None:
        self.cuts = cuts

    def map_blocks(self, task, shared, draws, *, what=""):
        edges = [0, *(cut for cut in self.cuts if cut < draws), draws]
        blocks = list(pairwise(edges))
        return [task(shared, *block) for block in reversed(blocks)][::-1]

    def threads_for(self, partitions):
        return 1


def table(missing: bool) -> tare.Scores:
    """Four systems on 25 items, rounded so that there are ties; perhaps with gaps."""
    values = np.round(np.random.default_rng(1).random((4, 25, 1)), 1)
    if missing:
        values[1, 3] = values[2, 7:9] = np.nan
    items = tuple(f"i{k:02d}" for k in range(25))
    return tare.Scores(tuple("abcd"), items, ("AP",), values, (Signature("AP", ()),))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("interval", ["percentile", "bca", "studentised"])
@pytest.mark.parametrize("options", RANDOM, ids=lambda o: "-".join(o.values()))
def test_comparisons_do_not_depend_on_blocks(options, interval, missing):
    how = {**options, "interval": interval, "draws": 500, "seed": 12}
    expected = tare.compare(table(missing), **how).to_json()
    for engine in (Cutter(1, 32, 33, 499), Cutter(250), tare.engines.Local(threads=2), "local"):
        assert tare.compare(table(missing), engine=engine, **how).to_json() == expected


def test_kernels_are_asked_for_every_draw_once():
    def counting(*, draws, first_draw, threads):
        return (np.array([draws, sum(range(first_draw, first_draw + draws))]),)

    def making(*, draws, first_draw, threads):
        return np.arange(first_draw, first_draw + draws, dtype=float)[None, :]

    for engine in (None, Cutter(10, 11, 90)):
        assert summed(counting, draws=100, engine=engine)[0].tolist() == [100, 4950]
        assert drawn(making, draws=100, engine=engine).tolist() == [list(range(100))]
