"""The public names: which they are, and that each is documented."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import ROOT


def load_generator() -> ModuleType:
    """Return docs/api_pages.py as a module."""
    spec = importlib.util.spec_from_file_location("api_pages", ROOT / "docs" / "api_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = load_generator()
NAMES = [(module, name) for module in PAGES.MODULES for name in PAGES.public_names(module)]
CALLS = [
    (module, name)
    for module, name in NAMES
    if inspect.isfunction(getattr(importlib.import_module(module), name))
]
CLASSES = [
    (module, name)
    for module, name in NAMES
    if inspect.isclass(getattr(importlib.import_module(module), name))
]


def parameters_of(function: Any) -> set[str]:
    return {name for name in inspect.signature(function).parameters if name not in ("self", "cls")}


def documented(docstring: str, section: str) -> set[str]:
    body = PAGES.sections(docstring).get(section, "")
    heads = [head.partition(" : ")[0] for head, _ in PAGES.entries(body)]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def test_the_public_names_are_these():
    """A name is added or removed here on purpose, together with the CHANGELOG."""
    listed = (ROOT / "tests" / "house" / "public_names.txt").read_text(encoding="utf-8").split()
    assert [f"{module}.{name}" for module, name in NAMES] == listed


@pytest.mark.parametrize(("module", "name"), CALLS)
def test_a_public_function_has_a_numpydoc_docstring(module, name):
    function = getattr(importlib.import_module(module), name)
    found = PAGES.sections(function.__doc__)
    assert found[""].splitlines()[0].endswith(".")
    assert documented(function.__doc__, "Parameters") >= parameters_of(function)
    returns = inspect.signature(function).return_annotation
    assert returns in ("None", None) or "Returns" in found or "Yields" in found


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_a_public_class_and_its_methods_have_docstrings(module, name):
    thing = getattr(importlib.import_module(module), name)
    assert PAGES.sections(thing.__doc__)[""].splitlines()[0].endswith((".", ":"))
    for method, member in vars(thing).items():
        function = member.fget if isinstance(member, property) else member
        function = getattr(function, "__func__", function)
        if inspect.isfunction(function) and not method.startswith("_"):
            assert function.__doc__, f"{name}.{method} has no docstring"
            assert function.__doc__.split("\n\n")[0].rstrip().endswith("."), method


@pytest.mark.parametrize("module", PAGES.MODULES)
def test_the_page_of_a_module_is_current(module):
    written = (PAGES.FOLDER / f"{module}.md").read_text(encoding="utf-8")
    assert written == PAGES.page(module), "run python docs/api_pages.py"
