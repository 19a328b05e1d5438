"""`make stub`: writes src/tare/_core.pyi, the types of the compiled core, from the built module.

python .ci/stub.py            writes the file
python .ci/stub.py --check    exits with 1 if the file differs from what would be written

nanobind knows the types of arguments and most results. It cannot see into a tuple, list or dict that a
binding makes; RETURNS lists those.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

ROOT = Path(__file__).resolve().parent.parent
STUB = ROOT / "src" / "tare" / "_core.pyi"
HEADER = '"""Types of the compiled core. Written by `make stub`; do not edit."""\n\n'
ARRAYS = "dict[str, NDArray[Any]]"
VALUES = "tuple[NDArray[numpy.float64], NDArray[numpy.float64]]"
PROBLEMS = "list[tuple[int, str, bytes]]"
RETURNS = {
    "SubtopicQrels.arrays": ARRAYS,
    "evaluate_diversity": "tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]",
    "JsonPairs.fault": "tuple[str, int, int, bytes]",
    "JsonPairs.parts": "list[tuple[list[str], Rows]]",
    "LetorReader.finish": "dict[str, Any] | None",
    "LetorReader.problems": PROBLEMS,
    "Rows.duplicates": "tuple[int, list[tuple[str, str, int, int]]]",
    "Rows.documents": "tuple[list[str], NDArray[numpy.float64]]",
    "TrecReader.problems": PROBLEMS,
    "split_rows": "list[bytes]",
    "seams": "dict[str, int]",
    "Qrels.columns": "tuple[NDArray[Any], ...]",
    "judge_dicts": "tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.int64]]",
    "judge": ARRAYS,
    "JudgingReader.judged": ARRAYS,
    "JudgingReader.problems": PROBLEMS,
    "evaluate": VALUES,
    "cohesion": ARRAYS,
}
# Objects of Python in an argument.
ARGUMENTS = {": dict": ": dict[Any, Any]", ": list": ": list[Any]"}
ARRAY = re.compile(r"Annotated\[(NDArray\[[\w.]+\]|NDArray), dict\((?:[^()]|\([^()]*\))*\)\]")
FUNCTION = re.compile(r"( *)def (\w+)\((.*)\) -> (.+?):( \.\.\.)?$")


def generated() -> str:
    """Return what nanobind's stubgen writes for the built module."""
    import tare._core

    stub = StubGen(module=tare._core, quiet=True, include_docstrings=False)
    stub.put(tare._core)
    text: str = stub.get()
    return text


def precise(text: str) -> str:
    """Return the stub with plain array types, and with the types that nanobind cannot see."""
    lines, owner, used = [], "", set()
    for line in ARRAY.sub(r"\1", text).splitlines():
        if found := re.match(r"class (\w+)", line):
            owner = f"{found[1]}."
        elif line and not line.startswith(" "):
            owner = ""
        if found := FUNCTION.match(line):
            indent, name, arguments, result, end = found.groups()
            arguments = re.sub(r": (?:dict|list)(?=[,=\s]|$)", lambda m: ARGUMENTS[m[0]], arguments)
            if result in ("dict", "list", "tuple", "object"):
                used.add(owner + name)
                result = RETURNS.get(owner + name, result)
            line = f"{indent}def {name}({arguments}) -> {result}:{end or ''}"
        lines.append(
            re.sub(r"NDArray(?!\[)", "NDArray[Any]", line) if "import" not in line else line
        )
    if used != set(RETURNS):
        raise SystemExit(
            f"RETURNS in {Path(__file__).name} does not fit: unknown types of "
            f"{sorted(used - set(RETURNS))}, not needed for {sorted(set(RETURNS) - used)}."
        )
    return "\n".join(lines).replace("from typing import Annotated", "from typing import Any") + "\n"


def formatted(text: str) -> str:
    """Return the text with sorted imports and in the style of the project."""
    ruff = Path(sys.executable).parent / "ruff"
    for command in (("check", "--select=I,F401", "--fix", "--quiet"), ("format",)):
        text = subprocess.run(
            [ruff, *command, "--stdin-filename", STUB, "-"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        ).stdout
    return text


def main() -> int:
    """Write the stub, or compare it."""
    options = argparse.ArgumentParser(description="Write the types of the compiled core.")
    options.add_argument("--check", action="store_true")
    check = options.parse_args().check
    text = formatted(HEADER + precise(generated()))
    if not check:
        STUB.write_text(text, encoding="utf-8")
    elif text != STUB.read_text(encoding="utf-8"):
        print(f"{STUB.relative_to(ROOT)} does not fit the built core: run `make stub`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
