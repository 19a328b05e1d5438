"""What a call loads: a slow start is noticed in every call, and only the modules tell it without timings."""

import io
import json
import subprocess
import sys

import pytest

from tare._cli.front_page import front_page, help_page
from tare._cli.main import EPILOGUE, HELP, VERBS, application

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
LOADED = (
    "import json, sys\n"
    "from tare._cli.main import main\n"
    "code = main(sys.argv[1:])\n"
    "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)\n"
)
DESCRIPTIONS = {verb: text for verb, (_, text) in VERBS.items()}

# Libraries that no plain call needs, and parts of tare that are about something else.
HEAVY = (
    *("scipy", "polars", "pyarrow", "pandas", "narwhals", "cyclopts", "rich", "jinja2", "altair"),
    *("obstore", "tare._stores.connections", "tare._stores.objects", "concurrent"),
)
OTHERS = (
    "tare.chance",
    "tare.stats",
    "tare.studies",
    "tare.report",
    "tare.engines",
    "tare.rankers",
    "tare._app",
    "tare._measures.text",
    "tare._measures.diversity",
    "tare._measures.preference",
    "tare._data.summaries",
    "tare._data.letor",
    "tare._data.formats.parquet",
    "tare._kernels.text",
    "tare._kernels.letor",
    "tare._tables.html",
    "tare._tables.latex",
)
SLOW = ("statistics", "random", "hashlib", "difflib", "shutil", "decimal")  # of Python


def loaded(folder, *words):
    """The modules that a call loads."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    code, modules = json.loads(done.stderr.strip().splitlines()[-1])
    assert code == 0
    return done.stdout, modules


def within(modules, names):
    """The modules that are one of these, or inside one of them."""
    return [m for m in modules if any(m == name or m.startswith(f"{name}.") for name in names)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["-h"], []])
def test_the_front_page_loads_nothing(folder, words):
    printed, modules = loaded(folder, *words)
    assert printed == front_page(words, DESCRIPTIONS, HELP, EPILOGUE)
    ours = [m for m in modules if m.startswith("tare")]
    assert set(ours) <= {
        "tare",
        "tare._lazy",
        "tare._cli",
        "tare._cli.main",
        "tare._cli.front_page",
        "tare._version",
    }
    assert within(modules, ("numpy", *HEAVY, *SLOW, "dataclasses", "inspect")) == []


@pytest.mark.parametrize(
    "words",
    [
        ["score", "qrels.txt", "bm25.run", "-m", "AP", "nDCG@10"],
        ["trec_eval", "-m", "map", "qrels.txt", "bm25.run"],
    ],
    ids=lambda words: words[0],
)
def test_scoring_loads_what_it_uses(folder, words):
    printed, modules = loaded(folder, *words)
    assert "1.0" in printed
    assert within(modules, (*HEAVY, *OTHERS, *SLOW)) == []


def test_chance_is_loaded_if_it_is_asked_for(folder):
    words = ["score", "qrels.txt", "bm25.run", "-m", "Net(AP)", "--pool", "judged"]
    _, modules = loaded(folder, *words)
    assert within(modules, ("tare.chance",)) != []
    assert within(modules, ("scipy", "tare._measures.text")) == []


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_the_front_page_is_the_help_of_the_verbs(width):
    from rich.console import Console

    shown = io.StringIO()
    console = Console(file=shown, width=width, color_system=None, force_terminal=False)
    application().help_print([], console=console)
    ours = help_page(DESCRIPTIONS, HELP, EPILOGUE, width)
    assert [line.rstrip() for line in shown.getvalue().strip().splitlines()] == [
        line.rstrip() for line in ours.strip().splitlines()
    ]


def test_a_stream_without_boxes_gets_the_front_page_too(folder):
    done = subprocess.run(
        [sys.executable, "-m", "tare._cli.main", "--help"],
        cwd=folder,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "score        Score runs against judgements." in done.stdout
