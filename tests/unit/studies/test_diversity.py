"""The study of diversity on a small collection that it makes itself."""

from __future__ import annotations

import numpy as np
import pytest

import tare
from tare.cli.main import main
from tare.studies import diversity
from tare.studies.systems import perturbed, simulated


@pytest.fixture(scope="module")
def subtopics():
    random = np.random.default_rng(3)
    return tare.read_subtopics(
        [
            (f"q{q}", f"{j}", f"d{d:02d}", int(random.random() < 0.2))
            for q in range(4)
            for d in range(30)
            for j in range(4)
        ]
    )


SMALL = {"systems": 6, "cutoff": 5, "pool": 20, "profiles": 2, "triplets": [20], "repeats": 2, "noise": [0.0, 0.3]}  # fmt: skip


def test_all_four_answers_and_the_same_numbers_twice(subtopics):
    first = diversity(subtopics, **SMALL)
    second = diversity(subtopics, **SMALL)
    assert first == second
    assert len(first.agreement) == 24
    assert set(first.tables()) == set("abcd")
    assert set(first.frames()) == {"agreement", "combinations", "profiles", "incomplete", "noisy", "means"}  # fmt: skip
    assert all(-1 <= row[-1] <= 1 for row in first.agreement)


def test_perturbed_systems_are_as_many_as_asked_for(subtopics):
    runs = simulated(subtopics, 3, depth=10)
    made = perturbed(runs, 9, depth=10, seed=1)
    assert len({run.system for run in made}) == 9
    assert made[3].to_dict() == perturbed(runs, 9, depth=10, seed=1)[3].to_dict()


def test_the_command(subtopics, tmp_path, capsys):
    subtopics.write(tmp_path / "qrels.txt")
    arguments = ["study", "diversity", str(tmp_path / "qrels.txt"), "--systems", "5", "--cutoff", "5",
                 "--pool", "15", "--profiles", "2", "--triplets", "20", "--repeats", "1",
                 "--noise", "0.2", "--save", str(tmp_path / "out")]  # fmt: skip
    assert main(arguments) == 0
    assert "alpha_nDCG@5" in capsys.readouterr().out
    assert (tmp_path / "out/agreement.csv").exists()
