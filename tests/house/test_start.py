"""What a call loads: a slow start is noticed in every call, and only the modules tell it without timings."""

import json
import subprocess
import sys

import pytest

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
TOPICS = "1 1 a 1\n1 2 b 1\n"
NUMBERED_RUN = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n"
LOADED = (
    "import json, sys\n"
    "from tare._cli.main import main\n"
    "code = main(sys.argv[1:])\n"
    "print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)\n"
)

PARSERS = ("cyclopts", "rich")
# Libraries that no plain call needs, and parts of tare that are about something else.
HEAVY = (
    *("scipy", "polars", "pyarrow", "pandas", "narwhals", "rich", "jinja2", "altair"),
    *("obstore", "concurrent", "logging"),
)
OTHERS = (
    "tare.chance",
    *("tare.stats._draws", "tare.stats._named_tests", "tare.stats._paired_differences"),
    *("tare.stats._flips", "tare.stats._intervals", "tare.stats._randomisation"),
    "tare.studies",
    "tare.report",
    "tare.engines",
    "tare.rankers",
    "tare._web.judge",
    "tare._measures.text",
    "tare._measures.diversity",
    "tare._measures.preference",
    "tare._data.summaries",
    "tare._data.letor",
    "tare._data.formats.parquet",
    "tare._kernels.text",
    "tare._kernels.letor",
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
    (tmp_path / "topics.txt").write_text(TOPICS)
    (tmp_path / "numbered.run").write_text(NUMBERED_RUN)
    (tmp_path / "peer.txt").write_text("The cat sat.\n")
    (tmp_path / "files.lst").write_text("peer.txt peer.txt\n")
    return tmp_path


def test_the_version_loads_no_parser(folder):
    printed, modules = loaded(folder, "--version")
    assert printed.strip()
    assert within(modules, ("numpy", *PARSERS, *HEAVY, *SLOW)) == []


@pytest.mark.parametrize(
    "words",
    [
        ["trec_eval", "-m", "map", "qrels.txt", "bm25.run"],
        ["ndeval", "topics.txt", "numbered.run"],
        ["rouge", "-n", "1", "-z", "SPL", "files.lst"],
    ],
    ids=lambda words: words[0],
)
def test_drop_ins_load_no_parser(folder, words):
    printed, modules = loaded(folder, *words)
    assert "1.0" in printed
    assert within(modules, PARSERS) == []


def test_trec_eval_loads_what_it_uses(folder):
    _, modules = loaded(folder, "trec_eval", "-m", "map", "qrels.txt", "bm25.run")
    assert within(modules, (*HEAVY, *OTHERS, *SLOW)) == []


def test_scoring_loads_what_it_uses(folder):
    printed, modules = loaded(folder, "score", "qrels.txt", "bm25.run", "-m", "AP", "nDCG@10")
    assert "1.0" in printed
    assert within(modules, (*HEAVY, *OTHERS)) == []


def test_chance_is_loaded_if_it_is_asked_for(folder):
    words = ["score", "qrels.txt", "bm25.run", "-m", "Net(AP)", "--pool", "judged"]
    _, modules = loaded(folder, *words)
    assert within(modules, ("tare.chance",)) != []
    assert within(modules, ("scipy", "tare._measures.text")) == []


def test_help_fits_a_stream_without_boxes(folder):
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
