"""House rules: what may not be in a file."""

import ast
import re
import subprocess

from tests.conftest import ROOT
from tests.house.sources import MODULES, SOURCE, TEXTS, nodes_of, relative, text_of

# Each word is written in two parts, so that this file does not hold what it looks for.
MACHINE = ("/ho" + "me/", "/Us" + "ers/", "/wo" + "rk/", "file" + "://", "/opt/" + "pypi")
REGISTRIES = (
    "py" + "pi.org",
    "python" + "hosted",
    "index-" + "url",
    "npm" + "js",
    "arti" + "factory",
)


def test_nothing_tells_of_one_machine_or_registry():
    for path in TEXTS:
        text = text_of(path)
        assert [word for word in (*MACHINE, *REGISTRIES) if word in text] == [], relative(path)


def test_no_assertion_is_about_user_input():
    """An assertion in the sources may only tell the type checker what is known."""
    for path in MODULES:
        for line in text_of(path).splitlines():
            if line.strip().startswith("assert "):
                assert re.match(r"\s*assert (isinstance|.* is not None)", line), relative(path)


def test_nothing_that_was_made_is_kept():
    kept = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if kept.returncode == 0:
        made = re.compile(r"(\.so|\.pyd|\.pyc|\.parquet|\.whl)$|__pycache__|^build/|^\.venv/")
        assert [name for name in kept.stdout.splitlines() if made.search(name)] == []


def test_every_message_goes_through_one_place():
    """`say` makes text plain; a message printed past it could hand an id to the terminal as it is."""
    may = {SOURCE / "_cli" / name for name in ("output.py", "progress.py", "streams.py")}
    wrong = [
        f"{relative(path)}:{node.lineno}: use tare._cli.output.say"
        for path in MODULES
        if path not in may
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute)
        and node.attr in ("stderr", "__stderr__")
        and ast.unparse(node).startswith("sys.")
    ]
    assert wrong == []
