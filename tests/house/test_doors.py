"""How rooms find each other: imports at the top, one door upward, and names of modules in few strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import MODULES, SOURCE, nodes_of, tree_of

# Where names of modules may stand in strings: the registry, tables of public names, the table of verbs.
REGISTRIES = ("_measures/registry.py", "_cli/main.py", "compat/_installation.py")
# Strings that name a module for another reason: engines by name, a logger, and what an error is about.
NAMES = {
    "_measures/one_system.py": {"tare.engines._local", "tare.engines._ray"},
    "_measures/evaluate_rankings.py": {"tare._data.summaries"},
    "_web/base.py": {"tare._web.judge"},
    "_web/judge/store.py": {"tare._web.judge"},
    "compat/ir_measures.py": {"tare.compat.ir_measures"},
    "compat/sentence_transformers.py": {"tare.compat.sentence_transformers"},
}
# Where an import inside a function may be of a room of our own: the door, and what loads by name.
DOORS = (
    "_result.py",
    "_lazy.py",
    "_measures/registry.py",
    "_cli/main.py",
    "compat/_installation.py",
)
# Those that are left elsewhere; the number only falls.
LEFT = 56


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def imports_in_functions(path: Path) -> Iterator[str]:
    """Imports of tare inside functions: `from tare… import`, `import tare…`, relative, and by name."""
    seen: set[int] = set()
    for function in nodes_of(path):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if id(node) in seen or not isinstance(node, ast.stmt | ast.expr):
                continue
            seen.add(id(node))
            own = (
                (isinstance(node, ast.ImportFrom) and (node.level or _is_own(node.module)))
                or (isinstance(node, ast.Import) and any(_is_own(a.name) for a in node.names))
                or (isinstance(node, ast.Call) and _imports_own(node))
            )
            if own:
                yield f"{named(path)}:{node.lineno}: {ast.unparse(node)}"


def _is_own(module: str | None) -> bool:
    return (module or "").split(".")[0] == "tare"


def _imports_own(call: ast.Call) -> bool:
    """Whether a call imports a module of ours, or one whose name is made."""
    if ast.unparse(call.func).split(".")[-1] not in ("import_module", "__import__"):
        return False
    asked = call.args[0]
    if isinstance(asked, ast.Constant):
        return _is_own(str(asked.value))
    return not isinstance(asked, ast.Name) or "encoder" not in ast.unparse(call)


def test_imports_inside_functions_are_doors():
    elsewhere = [
        found
        for path in MODULES
        if named(path) not in DOORS and path.name != "__init__.py"
        for found in imports_in_functions(path)
    ]
    assert len(elsewhere) <= LEFT, "\n".join(elsewhere)


def test_there_is_one_door_upward():
    upward = [
        found
        for path in MODULES
        if not named(path).startswith(("report/", "_cli/", "_web/", "compat/"))
        for found in imports_in_functions(path)
        if "tare.report" in found
    ]
    assert {found.split(":")[0] for found in upward} <= {"_result.py"}
    assert len(upward) <= 4


def test_modules_are_named_in_strings_in_three_kinds_of_places():
    wrong = []
    for path in MODULES:
        if named(path) in REGISTRIES or path.name == "__init__.py":
            continue
        data = {  # folders of data files, for importlib.resources
            id(argument)
            for node in nodes_of(path)
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "files"
            for argument in node.args
        }
        wrong += [
            f"{named(path)}:{node.lineno}: {node.value}"
            for node in nodes_of(path)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.fullmatch(r"tare(\.\w+)+(:\w+)?", node.value)
            and id(node) not in data
            and node.value not in NAMES.get(named(path), ())
        ]
    assert wrong == []


def test_no_import_is_relative():
    for path in MODULES:
        relative = [n for n in ast.walk(tree_of(path)) if isinstance(n, ast.ImportFrom) and n.level]
        assert relative == [], named(path)
