"""The reference pages of the Python API are current, and every public name is on one."""

from __future__ import annotations

import importlib
import importlib.util
import inspect

import pytest

from tests.conftest import ROOT
from tests.house.public_names import NAMES
from tests.packages import need_package

DOCS = ROOT / "docs"
PAGES = DOCS / "reference" / "api"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    need_package("torch", "no torch here: tare.compat.sentence_transformers cannot be imported")
    spec = importlib.util.spec_from_file_location("api_pages", DOCS / "api_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    pages: dict[str, str] = module.pages()
    return pages


def test_the_pages_are_current(made):
    written = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    assert written.keys() == made.keys(), "run python docs/api_pages.py"
    stale = [name for name, text in made.items() if written[name] != text]
    assert stale == [], "run python docs/api_pages.py"


@pytest.mark.parametrize("module", NAMES)
def test_every_public_name_is_on_the_page_of_its_module(module):
    page = (PAGES / f"{module}.md").read_text(encoding="utf-8")
    loaded = importlib.import_module(module)
    for name in loaded.__all__:
        if name != "__version__" and not inspect.ismodule(getattr(loaded, name)):
            assert f"\n## {name}\n" in page, f"run python docs/api_pages.py ({name} is missing)"
