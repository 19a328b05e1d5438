"""The model of running time: its arithmetic and its intervals."""

from __future__ import annotations

import importlib.util
import json
import math
import random
import subprocess
import sys
from types import ModuleType

import pytest

from tests.conftest import ROOT

STAGES = {
    "judge text": [2e-7],
    "parse Parquet": [1e-7],
    "judge": [3e-7],
    "split": [4e-7],
    "unpack": [2e-7],
    "join": [1e-5],
    "bytes of text": [50.0],
    "bytes of parquet": [10.0],
    "bytes of shuffled parquet": [12.0],
    "bytes moved": [60.0],
}


@pytest.fixture(scope="module")
def model() -> ModuleType:
    path = ROOT / "benchmarks" / "_scale_model.py"
    spec = importlib.util.spec_from_file_location("_scale_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_the_time_of_a_run_by_hand(model):
    one = {name: values[0] for name, values in STAGES.items()}
    # 10^9 rows on 2 × 4 cores: cores take 50 s, the disks 10^10 bytes ÷ (2 × 10^9 per second) = 5 s.
    grouped = model.Work("parquet", 1e9, 1e6, 2, 4, 3.0, 1e9, 1e9)
    assert grouped.seconds(one) == pytest.approx(3 + 1e9 * 4e-7 / 8 + 1e6 * 1e-5)
    assert grouped.seconds(one, 1.5) == pytest.approx(3 + 1.5 * 60)
    # Half of 6 × 10^10 bytes leave their node; two nodes send 10^9 per second each.
    mixed = model.Work("shuffled parquet", 1e9, 1e6, 2, 4, 3.0, 1e9, 1e9)
    assert mixed.seconds(one) == pytest.approx(3 + 1e9 * 1e-6 / 8 + 3e10 / 2e9 + 10)
    # With a slow disk, reading determines the time; one node moves nothing.
    slow = model.Work("text", 1e9, 0, 1, 4, 0.0, 1e8)
    assert slow.seconds(one) == pytest.approx(5e10 / 1e8)


def test_the_interval_holds_as_many_runs_as_it_says(model):
    """Runs whose logarithms are normal around the model: 90 % of new ones are in their intervals."""
    chance = random.Random(5)
    one = {name: values[0] for name, values in STAGES.items()}
    work = model.Work("parquet", 1e8, 1e5)
    held = 0
    for seed in range(200):
        runs = [(work, work.seconds(one) * math.exp(chance.gauss(0.3, 0.2))) for _ in range(6)]
        made = fitted_quickly(model, runs, seed)
        _, low, high = made.predict(work)
        held += low <= work.seconds(one) * math.exp(chance.gauss(0.3, 0.2)) <= high
    assert 164 <= held <= 195  # 180 expected; five standard deviations


def fitted_quickly(model, runs, seed):
    """The same fit with fewer draws, so that 200 of them take seconds."""
    before, model.DRAWS = model.DRAWS, 300
    try:
        return model.fitted(STAGES, runs, seed)
    finally:
        model.DRAWS = before


def test_the_page_is_written_from_figures(tmp_path):
    """Twice, with the same result; other text stays."""
    runs = [
        ("parquet", 1e7, 4.5),
        ("parquet", 5e7, 21.0),
        ("text", 1e7, 2.2),
        ("shuffled parquet", 1e7, 11.0),
    ]
    figures = {
        "machine": {"cores": 2, "date": "2026-01-01"},
        "stages": STAGES,
        "moved per second": [1e9, 2e9, 3e9],
        "runs": [
            {"work": {"form": form, "rows": rows, "queries": 1e4}, "seconds": seconds}
            for form, rows, seconds in runs
        ],
    }
    (tmp_path / "scale.json").write_text(json.dumps(figures))
    page = tmp_path / "scale.md"
    page.write_text("# Time\n\nBefore.\n")
    made = []
    for _ in range(2):
        command = [sys.executable, str(ROOT / "docs/scale_pages.py")]
        subprocess.run(
            [*command, "--figures", str(tmp_path / "scale.json"), "--page", str(page)], check=True
        )
        made.append(page.read_text())
    assert made[0] == made[1]
    assert made[0].startswith("# Time\n\nBefore.\n\n<!-- predictions")
    assert "send 2 GB/s" in made[0]
    assert made[0].count(" billion |") == 9
    assert "e+" not in made[0]
