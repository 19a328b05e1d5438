"""Every file is written whole or not at all, so nothing writes but through `tare._files.writing`."""

from __future__ import annotations

import ast

from tests.house.sources import MODULES, nodes_of, relative

WRITERS = {
    "write_text",
    "write_bytes",
    "write_csv",
    "write_parquet",
    "savez",
    "savetxt",
    "save_model",
    "sink_parquet",
    "sink_csv",
}
ADVICE = "write with tare._files.writing: new_file(path), write_text(path, text), write_bytes"


def open_modes(call: ast.Call) -> list[str]:
    """The modes that stand in a call of open."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "mode")]
    return [v.value for v in given if isinstance(v, ast.Constant) and isinstance(v.value, str)]


def writes_a_file(node: ast.AST) -> bool:
    """Whether a call opens a path for writing, or hands one to a writer of another library."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    if name == "open":
        return any(set(m) <= set("rwaxbt+") and set(m) & set("wax+") for m in open_modes(node))
    if name not in WRITERS or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    given = node.args[0]
    return not (isinstance(given, ast.Name) and given.id in ("file", "buffer", "memory"))


def test_files_are_written_by_the_room_of_writing():
    wrong = [
        f"{relative(path)}:{node.lineno}: {ADVICE}"
        for path in MODULES
        if relative(path) != "src/tare/_files/writing.py"
        for node in nodes_of(path)
        if writes_a_file(node)
    ]
    assert wrong == []


def test_the_rule_sees_a_file_that_is_written():
    calls = [
        ("open(path, 'w')", True),
        ("path.open(mode='ab')", True),
        ("open(path)", False),
        ("path.open('rb')", False),
        ("frame.write_csv(path)", True),
        ("frame.write_csv(file)", False),
        ("path.write_text(words)", True),
    ]
    for call, written in calls:
        assert writes_a_file(ast.parse(call, mode="eval").body) == written, call
