"""The page of simulations agrees with its saved figures, and the script behind them runs."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def made():
    """The module that makes the page."""
    spec = importlib.util.spec_from_file_location("validity_page", ROOT / "docs/validity_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_that_of_the_saved_figures(made):
    written = made.PAGE.read_text(encoding="utf-8")
    assert written == made.page(), "run python docs/validity_page.py"


def test_every_section_has_figures_and_most_earlier_ones_are_found_again(made):
    rows = json.loads(made.FIGURES.read_text(encoding="utf-8"))["figures"]["rows"]
    assert {row["section"] for row in rows} == set(made.SECTIONS)
    assert all(len(row["values"]) == len(row["sizes"]) for row in rows)
    found = made._earlier(rows)
    assert found["all"] > 150
    assert found["near"] > 0.95 * found["all"]


def test_the_page_on_tests_quotes_the_worst_family(made):
    found = made.facts(json.loads(made.FIGURES.read_text(encoding="utf-8"))["figures"]["rows"])
    text = " ".join((ROOT / "docs/explanation/tests.md").read_text(encoding="utf-8").split())
    assert f"up to {found['skewed']} % false claims instead of 5" in text
    assert f"(10 items), {found['skewed_many']} % with 200 items" in text


def test_the_script_runs():
    command = [sys.executable, str(ROOT / "benchmarks/validity.py"), "--small", "--only", "means"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tare: bounded" in done.stdout
    assert "earlier figures are found again" in done.stdout
