"""Blocks of draws: tests and intervals do not depend on how their draws are cut."""

from __future__ import annotations

import pickle
import random
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
    {"test": "bootstrap-sacrebleu"},
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


class Pickling(Cutter):
    """An engine whose tasks and data are pickled, as on their way to another machine."""

    def map_blocks(self, task, shared, draws, *, what=""):
        task, shared = pickle.loads(pickle.dumps((task, shared)))
        return super().map_blocks(task, shared, draws, what=what)


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
    if missing and options == RANDOM[0]:
        pytest.skip("max-t flips whole items of a complete table")
    how = {**options, "interval": interval, "draws": 500, "seed": 12}
    expected = tare.compare(table(missing), **how).to_json()
    for engine in (Cutter(1, 32, 33, 499), Cutter(250), tare.engines.Local(threads=2), "local"):
        assert tare.compare(table(missing), engine=engine, **how).to_json() == expected


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize("test", ["permutation", "bootstrap", "bootstrap-sacrebleu"])
def test_comparisons_of_summed_statistics_do_not_depend_on_blocks(test, interval):
    pytest.importorskip("sacrebleu", reason="the extra mt is not installed")
    chance = random.Random(2)

    def text() -> str:
        return " ".join(chance.choices("abcdef", k=9))

    references = [text() for _ in range(15)]
    systems = {name: [text() for _ in references] for name in "xyz"}
    scores = tare.evaluate_texts(systems, references, ["BLEU", "TER"])
    how = {"test": test, "interval": interval, "draws": 1_200, "seed": 3}
    expected = tare.compare(scores, **how).to_json()
    for engine in (Cutter(1), Cutter(2, 500), Pickling(1, 700), "local"):
        assert tare.compare(scores, engine=engine, **how).to_json() == expected


@pytest.mark.parametrize("documents", [False, True])
def test_power_does_not_depend_on_blocks(monkeypatch, documents):
    monkeypatch.setattr("tare.stats._power.BLOCK", 40)
    how = {
        "tests": ["t", "permutation"],
        "steps": [0.5],
        "simulations": 90,
        "null_simulations": 130,
        "draws": 100,
        "documents": documents,
    }
    expected = tare.stats.power_curve(table(False).matrix(), [0], [1, 2], **how).to_json()
    for engine in (Cutter(1, 2), Pickling(1), tare.engines.Local()):
        found = tare.stats.power_curve(table(False).matrix(), [0], [1, 2], engine=engine, **how)
        assert found.to_json() == expected


def test_sizes_and_pilots_do_not_depend_on_blocks():
    pairs = tare.stats.Pairs.of_matrix(table(False).matrix())
    sizes = {"tests": ["permutation", "bootstrap"], "simulations": 100, "draws": 100}
    pilot = {"test": "permutation", "difference": 0.2, "simulations": 100, "draws": 100}
    expected = [
        tare.stats.sizes_of_tests(pairs, **sizes).to_json(),
        tare.stats.items_from_pilot(pairs.differences[0], **pilot).to_json(),
    ]
    for engine in (Cutter(1, 50), Pickling(9), tare.engines.Local()):
        assert [
            tare.stats.sizes_of_tests(pairs, engine=engine, **sizes).to_json(),
            tare.stats.items_from_pilot(pairs.differences[0], engine=engine, **pilot).to_json(),
        ] == expected


def test_kernels_are_asked_for_every_draw_once():
    def counting(*, draws, first_draw, threads):
        return (np.array([draws, sum(range(first_draw, first_draw + draws))]),)

    def making(*, draws, first_draw, threads):
        return np.arange(first_draw, first_draw + draws, dtype=float)[None, :]

    for engine in (None, Cutter(10, 11, 90)):
        assert summed(counting, draws=100, engine=engine)[0].tolist() == [100, 4950]
        assert drawn(making, draws=100, engine=engine).tolist() == [list(range(100))]
