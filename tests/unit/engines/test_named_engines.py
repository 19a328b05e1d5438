"""Engines given by name are closed by the function that made them; an engine that is passed stays open."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tare
from tare import stats, studies
from tare._data.simulation import simulate
from tare._measures import one_system as engines
from tare._signature import Signature
from tare.engines import Local, register_engine
from tare.errors import EngineError
from tests.unit.rankers.planted import planted


class Watched(Local):
    """An engine that counts how often it was closed, and refuses work after that."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.closed = 0
        self.used = 0

    def _use(self) -> None:
        assert not self.closed
        self.used += 1

    def map_partitions(self, *given: Any, **options: Any) -> Any:
        self._use()
        return super().map_partitions(*given, **options)

    def map_blocks(self, *given: Any, **options: Any) -> Any:
        self._use()
        return super().map_blocks(*given, **options)

    def close(self) -> None:
        self.closed += 1


def table(seed: int = 1) -> tare.Scores:
    values = np.round(np.random.default_rng(seed).random((4, 12, 1)), 1)
    items = tuple(f"i{k:02d}" for k in range(12))
    return tare.Scores(tuple("abcd"), items, ("P@5",), values, (Signature("P@5", ()),))


def ranked(engine: Any) -> object:
    train, test = planted(noise=0.6), planted(seed=2, noise=0.6, name="test")
    rankers = {"rankboost": {"rounds": 2}, "listnet": {"epochs": 2}}
    return studies.letor(train, test, rankers=rankers, cutoffs=[3], draws=100, engine=engine)


def evaluated(engine: Any) -> tare.Scores:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "a.run"
        run.write_text("q1 Q0 a 1 3 x\nq2 Q0 b 1 2 x\n")
        return tare.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, run, "RR", engine=engine)


def compared_runs(engine: Any) -> object:
    data = simulate(queries=20, seed=1)
    return studies.run_consistency(
        data.qrels, data.runs, "nDCG@10", pool="judged", draws=100, by_half=False, engine=engine
    )


CALLS: dict[Callable[..., object], Callable[[Any], Any]] = {
    tare.evaluate: evaluated,
    tare.evaluate_texts: lambda e: tare.evaluate_texts(["a b"], ["a c"], "ROUGE-1", engine=e),
    tare.compare: lambda e: tare.compare(table(), test="permutation", draws=100, engine=e),
    studies.consistency: lambda e: studies.consistency(table(), table(2), draws=100, engine=e),
    studies.discrimination: lambda e: studies.discrimination(table(), draws=100, engine=e),
    studies.letor: ranked,
    tare.power: lambda e: tare.power(
        table(),
        ["a", "b"],
        ["c", "d"],
        tests=["permutation"],
        steps=[0, 1],
        simulations=100,
        null_simulations=100,
        draws=100,
        engine=e,
    ),
    studies.run_consistency: compared_runs,
}
EACH = pytest.mark.parametrize(
    "call", CALLS.values(), ids=[function.__name__ for function in CALLS]
)


def fail(_: Watched) -> None:
    raise EngineError("a node is gone.")


@pytest.fixture
def made() -> Iterator[list[Watched]]:
    """The engines that were made by the name "watched"."""
    found: list[Watched] = []

    def make() -> Watched:
        found.append(Watched())
        return found[-1]

    register_engine("watched", make)
    yield found
    engines._REGISTERED.pop("watched")


def test_every_function_that_takes_a_name_is_tried():
    public = [getattr(room, name) for room in (tare, stats, studies) for name in room.__all__]
    kinds = {
        f: inspect.signature(f).parameters["engine"].annotation
        for f in public
        if inspect.isfunction(f) and "engine" in inspect.signature(f).parameters
    }
    assert {f for f, kind in kinds.items() if "str" in kind} == set(CALLS)


@EACH
def test_an_engine_made_by_name_is_closed(call, made):
    call("watched")
    assert [(engine.closed, engine.used > 0) for engine in made] == [(1, True)]


@EACH
def test_an_engine_made_by_name_is_closed_after_an_error(call, made, monkeypatch):
    monkeypatch.setattr(Watched, "_use", fail)
    with pytest.raises(EngineError, match="a node is gone"):
        call("watched")
    assert [engine.closed for engine in made] == [1]


@EACH
def test_an_engine_that_is_passed_stays_open(call, monkeypatch):
    with Watched() as engine:
        call(engine)
        monkeypatch.setattr(Watched, "_use", fail)
        with pytest.raises(EngineError, match="a node is gone"):
            call(engine)
        assert engine.closed == 0
    assert engine.closed == 1


def test_an_engine_without_close_can_be_registered(made):
    class Bare:
        rankings = Local().rankings

    register_engine("bare", Bare)
    try:
        evaluated("bare")
    finally:
        engines._REGISTERED.pop("bare")


@pytest.mark.parametrize("function", [tare.evaluate, tare.evaluate_texts])
def test_ray_is_stopped_and_the_scores_remain(function):
    ray = pytest.importorskip("ray", reason="the extra ray is not installed")
    assert not ray.is_initialized()
    expected = CALLS[function](None)
    made = CALLS[function]("ray")
    assert not ray.is_initialized()
    assert np.array_equal(made.values, expected.values)
    assert made.to_json() == expected.to_json()
