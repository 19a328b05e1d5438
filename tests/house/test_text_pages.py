"""The pages of text measures are those that the registry makes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tare._measures import definitions

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = DOCS / "reference" / "measures"
TEXTS = [d for d in definitions() if d.family == "text"]


def generator():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("measure_pages", DOCS / "measure_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_those_of_the_registry() -> None:
    page = generator().page
    for definition in TEXTS:
        written = (PAGES / f"{definition.name}.md").read_text(encoding="utf-8")
        assert written == page(definition), f"{definition.name}: run python docs/measure_pages.py"
