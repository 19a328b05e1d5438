"""Every file is written whole or not at all, so nothing writes but through `tare._writing`."""

from __future__ import annotations

import ast

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "tare"
WRITERS = {"write_text", "write_bytes", "write_csv", "write_parquet", "savez", "savetxt", "save_model", "sink_parquet", "sink_csv"}  # fmt: skip
MODULES = sorted(p for p in SOURCE.rglob("*.py") if p.name != "_writing.py")


def open_modes(call: ast.Call) -> list[str]:
    """The modes that stand in a call of open."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "mode")]
    return [v.value for v in given if isinstance(v, ast.Constant) and isinstance(v.value, str)]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_are_written_by_the_room_of_writing(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        where = f"{path.name}:{node.lineno}"
        advice = "write with tare._writing: new_file(path), write_text(path, text), write_bytes"
        if name == "open":
            modes = [m for m in open_modes(node) if set(m) <= set("rwaxbt+") and set(m) & set("wax+")]  # fmt: skip
            assert not modes, f"{where}: {advice}"
        if name in WRITERS and isinstance(node.func, ast.Attribute):
            given = node.args[0] if node.args else None
            to_open_file = isinstance(given, ast.Name) and given.id in ("file", "buffer", "memory")
            assert given is None or to_open_file, f"{where}: {advice}"
