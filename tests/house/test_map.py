"""The map of the layers in CONTRIBUTING and in the design page is that of the import contract."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.conftest import ROOT


def contract() -> list[set[str]]:
    """The layers of pyproject.toml, lowest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [set(re.findall(r"tare\.(\w+)", layer)) for layer in reversed(layers)]


@pytest.mark.parametrize("path", ["CONTRIBUTING.md", "docs/explanation/design.md"])
def test_the_map_of_the_layers(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    line = next(
        line for line in text.splitlines() if line.strip().startswith("errors ") and "<" in line
    )
    assert [set(layer.split()) for layer in line.split("<")] == contract()
