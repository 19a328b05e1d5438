"""The page on engines names every function with `engine=`, and every one with random draws that has none."""

import importlib
import inspect
import re

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "how-to" / "engines.md").read_text(encoding="utf-8")
SECTION = PAGE.split("### Which functions take `engine=`")[1].split("\n## ")[0]
WITH, WITHOUT = SECTION.split("Other functions with random draws")
VARIANTS = re.compile(r"(permutation|hybrid)_[tw]")


def functions():
    for module in ("tare", "tare.stats", "tare.chance", "tare.studies"):
        public = importlib.import_module(module)
        for name in public.__all__:
            found = getattr(public, name)
            if inspect.isfunction(found) and not VARIANTS.fullmatch(name):
                yield name, set(inspect.signature(found).parameters)


def named(text):
    return {word.rpartition(".")[2] for word in re.findall(r"`([\w.]+)`", text)}


@pytest.mark.parametrize("taken", [True, False])
def test_the_lists_are_complete(taken):
    wanted = {
        name
        for name, options in functions()
        if (
            "engine" in options
            if taken
            else options & {"draws", "samples"} and "engine" not in options
        )
    }
    tables = named("".join(re.findall(r"^\|([^|]*)\|", WITH if taken else WITHOUT, re.MULTILINE)))
    assert tables - {"tare", "stats", "studies", "chance"} == wanted
