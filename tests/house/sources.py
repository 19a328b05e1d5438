"""The files that house rules are about. Each is read and parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "tare"
FOLDERS = ("src", "cpp", "tests", "docs", "benchmarks")
SUFFIXES = {".py", ".pyi", ".cpp", ".hpp", ".md", ".toml", ".txt", ".cmake"}
TEXTS = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES and "__pycache__" not in path.parts
) + [
    ROOT / name
    for name in (
        *("Makefile", "pyproject.toml", "CMakeLists.txt", "requirements-test.lock"),
        *("requirements-torch.lock", "README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    )
]
PYTHON = [path for path in TEXTS if path.suffix == ".py"]
MODULES = [path for path in PYTHON if path.is_relative_to(SOURCE)]


def relative(path: Path) -> str:
    """The path from the root of the project."""
    return path.relative_to(ROOT).as_posix()


@cache
def text_of(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a Python file."""
    return tuple(ast.walk(tree_of(path)))
