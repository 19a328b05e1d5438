"""The page of benchmarks is made from the saved figures, and the figures agree with the goals."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from types import ModuleType

import pytest

from tests.conftest import ROOT

DOCS = ROOT / "docs"
RESULTS = ROOT / "benchmarks" / "results"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_pages", DOCS / "benchmark_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current(pages):
    written = (DOCS / "reference" / "benchmarks.md").read_text(encoding="utf-8")
    assert written == pages.page(), "run python docs/benchmark_pages.py"


def test_every_benchmark_with_goals_has_a_script_and_a_title(pages):
    assert set(pages.TITLES) == set(pages.GOALS)
    for name in pages.GOALS:
        path = ROOT / "benchmarks" / f"{pages.SCRIPTS.get(name, name)}.py"
        assert f'keep("{name}", ' in path.read_text(encoding="utf-8")


def test_no_goal_is_there_twice(pages):
    names = [goal.name for goals in pages.GOALS.values() for goal in goals]
    assert len(names) == len(set(names))


def test_the_saved_goals_are_those_of_today(pages):
    for name, result in pages.kept(RESULTS).items():
        known = {goal.name: goal for goal in pages.GOALS[name]}
        for record in result["goals"]:
            assert record == known[record["name"]].record(record["figure"]), (
                f"run make bench ({name})"
            )


def test_every_explanation_is_of_a_goal(pages):
    text = (ROOT / "benchmarks" / "explanations.toml").read_text(encoding="utf-8")
    names = {goal.name for goals in pages.GOALS.values() for goal in goals}
    assert set(tomllib.loads(text)) <= names


@pytest.mark.parametrize(
    ("figure", "at_least", "met"),
    [(2.0, True, True), (1.9, True, False), (2.0, False, True), (2.1, False, False)],
)
def test_a_figure_meets_its_bound_or_does_not(pages, figure, at_least, met):
    goal = pages.GOALS["start"][0]
    made = type(goal)("a task", 2.0, "×", at_least)
    record = made.record(figure)
    assert record["met"] is met
    assert json.loads(json.dumps(record)) == record
    assert re.fullmatch(r"at (least|most) 2 ×", made.words())
