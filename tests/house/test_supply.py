"""What the library may never do: run what a file holds, call a shell, or open a connection of its own."""

from __future__ import annotations

import ast
import importlib.util
import re

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
    ("engines/_ray_watch.py", "socket"): "asks whether the cluster that was named answers",
    ("_app/server.py", "socket"): "is given the sockets on which the server listens",
    ("_cli/view.py", "socket"): "listens on a free port of 127.0.0.1",
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


def lock_module():
    """The script that writes and installs the lock."""
    spec = importlib.util.spec_from_file_location("lock", ROOT / ".ci" / "lock.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_package_of_the_tests_is_pinned_with_a_hash():
    lines = (ROOT / "requirements-test.lock").read_text().replace("\\\n", "").splitlines()
    lines = [line for line in lines if line[0] != "#"]
    assert len(lines) > 150
    form = re.compile(r"[a-z0-9-]+==[^\s=]+ +--hash=sha256:[0-9a-f]{64}")
    assert [line for line in lines if not form.fullmatch(line)] == []
    torch = (ROOT / "requirements-torch.lock").read_text().splitlines()
    assert [line for line in torch if line[0] != "#"] == ["torch==2.13.0"]


def test_every_dependency_is_in_the_lock_in_a_version_that_fits():
    """`make lock` was run after the last change of pyproject.toml."""
    from packaging.requirements import Requirement

    lock = lock_module()
    pinned = lock.pins() | lock.pins(lock.TORCH)
    asked = [Requirement(line) for line in lock.wanted()]
    assert len(asked) > 60
    here = {"sys_platform": "linux", "python_version": "3.11", "platform_machine": "x86_64"}
    for one in asked:
        if one.marker is None or one.marker.evaluate(here):
            version = pinned.get(lock.plain(one.name))
            assert version is not None, f"{one.name} is not in the lock: run `make lock`"
            assert one.specifier.contains(version, prereleases=True), f"{one}: run `make lock`"


def floors():
    """{package: lowest version that pyproject.toml accepts}, of every list that names it."""
    import tomllib

    given = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = given["project"]
    lists = {"dependencies": project["dependencies"], **project["optional-dependencies"]}
    for group, names in {**lists, **given["dependency-groups"]}.items():
        for name in names:
            found = re.match(r"([A-Za-z0-9_.-]+)(?:\[[a-z]+\])?[>=]=([0-9.]+)", name)
            if found:
                yield group, re.sub(r"[-_.]+", "-", found[1]).lower(), found[2]


def advisories():
    lines = (ROOT / ".ci" / "advisories.tsv").read_text().splitlines()
    assert lines[0] == "package\tfixed in\tadvisory"
    return {name: fixed for name, fixed, _ in (line.split("\t") for line in lines[1:])}


def test_no_floor_allows_a_version_with_a_known_advisory():
    from packaging.version import Version

    known = advisories()
    seen = set()
    for group, name, floor in floors():
        if name in known:
            seen.add(name)
            assert Version(floor) >= Version(known[name]), f"{group}: {name}>={floor}"
    assert seen == set(known)  # what others bring along has a floor of its own


def test_what_is_installed_has_no_known_advisory():
    from importlib import metadata

    from packaging.version import Version

    for name, fixed in advisories().items():
        try:
            assert Version(metadata.version(name)) >= Version(fixed), name
        except metadata.PackageNotFoundError:
            continue


def test_the_list_of_a_release_names_every_licence(tmp_path):
    import json
    import subprocess
    import sys

    path = tmp_path / "sbom.json"
    done = subprocess.run(
        [sys.executable, str(ROOT / ".ci" / "audit.py"), "--sbom", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    listed = {c["name"]: c for c in json.loads(path.read_text())["components"]}
    assert {"numpy", "polars", "cyclopts", "jinja2"} <= {
        n for n, c in listed.items() if c["scope"] == "required"
    }
    for name, about in listed.items():
        licence = about["licenses"][0]["license"]["name"]
        assert licence not in ("", "unknown"), name
        assert not licence.startswith("Copyright"), name
        assert "\n" not in licence
    assert "Always needed:" in done.stdout
    assert re.search(r"MIT.*: .*rich", done.stdout)


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
