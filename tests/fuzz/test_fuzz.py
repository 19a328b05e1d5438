"""A fixed part of `make fuzz`: each reader with damaged inputs of one seed."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.fuzz.all_targets import all_targets
from tests.fuzz.commands import verbs
from tests.fuzz.trial import one

SEED = 20
INPUTS = 120
TARGETS = {name: t for name, t in all_targets().items() if not name.startswith("tare ")}


@pytest.mark.parametrize("name", TARGETS)
def test_broken_inputs_are_read_or_refused(name, tmp_path):
    kinds = set()
    for number in range(INPUTS):
        path, kind, words = one(TARGETS[name], SEED, number, tmp_path)
        assert not kind.startswith("!"), f"{name}, input {number}, {path.name}: {kind}\n{words}"
        kinds.add(kind)
        path.unlink(missing_ok=True)
    assert "read" in kinds  # a search that is refused at the door tests nothing
    assert len(kinds) > 1


@pytest.mark.parametrize("verb", verbs(), ids=lambda verb: verb.name)
def test_the_calls_that_are_broken_are_whole_at_first(verb, tmp_path):
    for call in verb.calls:
        given = tmp_path / "input.json"
        given.write_text(json.dumps({"words": shlex.split(call), "files": {}}))
        assert verb.call(given) in (0, 1), call


def test_the_same_seed_makes_the_same_inputs():
    from random import Random

    target = next(iter(TARGETS.values()))
    made = [[target.input(Random(f"3/{n}")) for n in range(50)] for _ in range(2)]
    assert made[0] == made[1]
