"""The reference pages of the command line are current."""

from __future__ import annotations

import importlib.util

import pytest

from tare._cli.main import VERBS
from tests.conftest import ROOT

DOCS = ROOT / "docs"
PAGES = DOCS / "reference" / "cli"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("cli_pages", DOCS / "cli_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, str] = module.pages()
    return pages


def test_the_pages_are_current(made):
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert written.keys() == made.keys(), "run python docs/cli_pages.py"
    stale = [name for name, text in made.items() if written[name] != text]
    assert stale == [], "run python docs/cli_pages.py"


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_option_is_described(made, verb):
    page = made[f"{verb}.md"]
    assert "\n: –" not in page
    assert f"# tare {verb}\n" in page
    assert "Examples" in page
