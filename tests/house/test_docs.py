"""Examples in docstrings and documents run, and give what they say."""

import doctest
import importlib
import re

import pytest

from tests.conftest import ROOT
from tests.house.test_exports import MODULES

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# The examples of the API pages are those of the docstrings, which run above.
API = ROOT / "docs" / "reference" / "api"
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if API not in path.parents),
]
FENCED = re.compile(r"^```(?:python|pycon)\n(>>> .*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.filterwarnings("ignore:.* before it was installed")  # other tests import the programs
@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name):
    results = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert results.failed == 0


@pytest.mark.filterwarnings("ignore:.* before it was installed")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_examples_of_a_document(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(FENCED.findall(path.read_text(encoding="utf-8")))
    parsed = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(parsed)
    assert runner.summarize(verbose=False).failed == 0


def test_some_modules_have_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples
    ]
    assert len(found) >= 10
