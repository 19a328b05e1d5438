"""Who may import whom."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "tare"
MODULES = sorted(SOURCE.rglob("*.py"))

# What each room may take from outside; a room has its own and those of the rooms below it.
STANDARD = set(sys.stdlib_module_names) | {"tare", "__future__"}
THIRD_PARTIES = {
    "errors": set(),
    "_choices": set(),
    "_signature": set(),
    "_result": {"polars", "pandas"},
    "_files": {"numpy", "obstore", "zstandard", "isal"},
    "_writing": set(),
    "_places": set(),
    "_spelling": set(),
    "_plain_text": set(),
    "_lazy": set(),
    "_tables": {"polars"},
    "_kernels": {"numpy"},
    "_data": {"numpy", "polars", "narwhals", "zstandard", "isal", "ir_datasets"},
    "_measures": {
        "numpy",
        "polars",
        "pyarrow",
        "scipy",
        "Stemmer",
        "sacrebleu",
        "spacy",
        "torch",
        "transformers",
    },
    "chance": {"numpy", "polars"},
    "stats": {"numpy", "scipy"},
    "engines": {"numpy", "polars", "ray"},
    "rankers": {"numpy", "polars", "scipy", "sklearn", "lightgbm"},
    "_decide": {"numpy", "polars", "scipy"},
    "studies": {"numpy", "polars", "scipy"},
    "_judging": {"numpy", "polars", "scipy"},
    "report": {"numpy", "polars", "jinja2", "markupsafe", "altair", "vl_convert"},
    "_web": {
        "numpy",
        *("fastapi", "starlette", "uvicorn", "sqlalchemy", "alembic", "jinja2"),
        *("pydantic", "pydantic_settings", "nh3", "psycopg", "markdown_it", "markupsafe", "polars"),
    },
    "_view": {
        *("numpy", "fastapi", "starlette", "jinja2", "markupsafe"),
    },
    "compat": {"numpy", "pandas", "nltk", "ir_measures", "sentence_transformers", "torch"},
    "_version": set(),
    "_cli": {"numpy", "cyclopts", "docstring_parser", "pytest"},
    "__init__": set(),
}


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports by a relative path"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_contracts_of_import_linter_hold():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_the_kernels_open_the_door_to_the_core():
    """import-linter cannot see a compiled module, so this is asked of the sources."""
    openers = {room_of(path) for path in MODULES if "tare._core" in imports_of(path)}
    assert openers == {"_kernels"}


@pytest.mark.parametrize("room", sorted({room_of(path) for path in MODULES}))
def test_a_room_takes_from_outside_only_what_it_may(room):
    outside = {
        name.split(".")[0] for path in MODULES if room_of(path) == room for name in imports_of(path)
    }
    assert outside - STANDARD <= THIRD_PARTIES[room]


def test_the_core_knows_no_python():
    for path in sorted((ROOT / "cpp" / "core").rglob("*.[ch]pp")):
        text = path.read_text(encoding="utf-8")
        assert "nanobind" not in text
        assert "Python.h" not in text


def enforced_layers() -> list[set[str]]:
    """The layers of import-linter's contract, the lowest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [set(re.findall(r"tare\.(\w+)", layer)) for layer in reversed(layers)]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/explanation/design.md"])
def test_the_map_of_layers_is_the_one_that_is_enforced(page):
    drawn = re.findall(
        r"^ +(_plain_text .* < .*)$", (ROOT / page).read_text(encoding="utf-8"), re.M
    )
    assert [set(layer.split()) for layer in drawn[0].split(" < ")] == enforced_layers()


def test_every_room_is_in_a_layer():
    rooms = {room_of(path) for path in MODULES} - {"__init__", "_version"}
    assert rooms == set().union(*enforced_layers())


def test_every_layer_is_explained_in_the_design():
    page = (ROOT / "docs/explanation/design.md").read_text(encoding="utf-8")
    table = page[page.index("| layer |") : page.index("Users import")]
    explained = {
        name
        for row in table.splitlines()[2:]
        if row
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert explained == set().union(*enforced_layers())
