"""What the library may never do: run what a file holds, call a shell, or open a connection of its own."""

from __future__ import annotations

import ast
import re
import tomllib

from tests.conftest import ROOT
from tests.house.sources import MODULES, SOURCE, nodes_of, text_of

RUNS_DATA = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml"}
NETWORK = {
    "socket",
    "http",
    "ftplib",
    "smtplib",
    "requests",
    "httpx",
    "aiohttp",
    "urllib3",
    "telnetlib",
    "ssl",
}
PROCESSES = {"subprocess", "multiprocessing", "pty"}
# Who may, and why.
ALLOWED = {
    ("engines/_ray.py", "socket"): "asks whether the cluster that was named answers",
    ("_web/judge/server.py", "socket"): "listens on the port of the server",
}
CALLS = {"eval", "exec", "compile", "__import__", "breakpoint"}
METHODS = {
    ("os", "system"),
    ("os", "popen"),
    ("os", "execv"),
    ("os", "execve"),
    ("os", "spawnv"),
    ("torch", "load"),
    ("request", "urlopen"),
}


def names_of(node: ast.AST) -> list[str]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def forbidden(node: ast.AST, place: str) -> list[str]:
    """What a statement or call does that this module may not."""
    found = []
    for name in names_of(node):
        first = name.split(".")[0]
        banned = first in RUNS_DATA | NETWORK | PROCESSES or name == "urllib.request"
        if banned and (place, first) not in ALLOWED:
            found.append(f"imports {name}")
    if not isinstance(node, ast.Call):
        return found
    if isinstance(node.func, ast.Name) and node.func.id in CALLS:
        found.append(f"calls {node.func.id}")
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        called = (node.func.value.id, node.func.attr)
        if called in METHODS:
            found.append(f"calls {'.'.join(called)}")
    for keyword in node.keywords:
        on = isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        if keyword.arg in ("shell", "allow_pickle", "trust_remote_code") and on:
            found.append(f"{keyword.arg}=True")
    return found


def test_no_pickle_no_eval_no_shell_no_network():
    wrong = []
    for path in MODULES:
        place = path.relative_to(SOURCE).as_posix()
        wrong += [f"{place}: {what}" for node in nodes_of(path) for what in forbidden(node, place)]
    assert wrong == []


def test_the_rule_sees_what_is_forbidden():
    for text in (
        *("import pickle", "from http import client", "import urllib.request", "eval(text)"),
        *("os.system(text)", "run(text, shell=True)", "np.load(path, allow_pickle=True)"),
    ):
        assert any(forbidden(node, "x.py") for node in ast.walk(ast.parse(text))), text


def test_the_exceptions_are_still_needed():
    for place, module in ALLOWED:
        assert module in (SOURCE / place).read_text(encoding="utf-8")


def test_the_core_is_built_without_fast_mathematics():
    build = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "-ffp-contract=off" in build
    assert not re.search(r"-ffast-math|-Ofast|-funsafe-math|-march=native", build)


def pinned(name):
    """The pins of a lock file, as requirements with their hashes."""
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    return [line for line in lines if not line.lstrip().startswith("#")]


def test_every_package_of_the_tests_is_pinned_with_a_hash():
    lines = pinned("requirements-test.lock")
    assert len(lines) > 150
    form = re.compile(r"[a-z0-9-]+==[^\s=;]+( ; [^#]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert [line for line in lines if not form.fullmatch(line)] == []
    assert pinned("requirements-torch.lock") == ["torch==2.13.0"]


def test_every_dependency_is_in_the_lock_in_a_version_that_fits():
    """`make lock` was run after the last change of pyproject.toml."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = given["project"], given["dependency-groups"]
    optional = project["optional-dependencies"].values()
    asked = {
        Requirement(line)
        for lines in (project["dependencies"], *optional, groups["build"], groups["dev"])
        for line in lines
    }
    assert len(asked) > 60
    lines = [*pinned("requirements-test.lock"), *pinned("requirements-torch.lock")]
    pins = [Requirement(line.split(" --hash")[0]) for line in lines]
    for one in asked:
        name = canonicalize_name(one.name)
        versions = [str(pin.specifier).removeprefix("==") for pin in pins if pin.name == name]
        assert versions, f"{one.name} is not in the lock: run `make lock`"
        assert all(one.specifier.contains(v, prereleases=True) for v in versions), one


def test_every_model_is_loaded_without_its_own_code():
    """Calls of transformers carry NO_CODE; those that load weights ask for safetensors."""
    calls = 0
    for path in MODULES:
        text = text_of(path)
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "from_pretrained":
                calls += 1
                assert "**NO_CODE" in text
                assert any(keyword.arg is None for keyword in node.keywords)  # **options
                called = ast.unparse(node.func)
                if "Tokenizer" not in called and "Config" not in called:
                    assert "use_safetensors=True" in ast.unparse(node)
    assert calls == 5
