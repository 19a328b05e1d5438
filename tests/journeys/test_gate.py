"""The gate as a build uses it: exit codes, files that it writes, and the pytest plugin."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main

pytest_plugins = ["pytester"]


def write_collection(folder, queries=30):
    """Write qrels and three runs: good, the same with noise, and bad."""
    rng = np.random.default_rng(3)
    grades = {f"q{q}": rng.integers(0, 3, 10) for q in range(queries)}
    lines = [f"{q} 0 d{k} {g}" for q, gs in grades.items() for k, g in enumerate(gs)]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    for name, noise in (("good", 0.3), ("near", 0.32), ("bad", 9.0)):
        own = np.random.default_rng(4)
        lines = [
            f"{q} Q0 d{k} 1 {g + own.normal(0, noise):.6f} {name}"
            for q, gs in grades.items()
            for k, g in enumerate(gs)
        ]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    main(["score", "qrels.txt", "good.run", "-m", "nDCG@5", "AP", "--save", "main.parquet"])
    return tmp_path


def gate(*words):
    return main(["gate", "qrels.txt", *words, "--baseline", "main.parquet"])


def test_exit_codes(folder, capsys):
    assert gate("good.run", "-m", "nDCG@5:0.01", "-m", "AP:0.02") == 0
    assert gate("bad.run", "-m", "nDCG@5:0.01") == 1
    capsys.readouterr()
    assert gate("near.run", "-m", "nDCG@5:0.0001") == 4
    assert "cannot tell" in capsys.readouterr().out
    assert gate("near.run", "-m", "nDCG@5:0.0001", "--on-unclear", "pass") == 0
    assert gate("near.run", "-m", "nDCG@5:0.0001", "--on-unclear", "fail") == 1


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["good.run"], 2, "such as -m nDCG@10:0.01"),
        (["good.run", "-m", "nDCG@5"], 2, "-m nDCG@5: expected a measure and the loss"),
        (["good.run", "-m", "nDCG@5:-1"], 2, "expected a measure and the loss"),
        (["good.run", "-m", "nDCG@9:0.01"], 2, "lacks nDCG@9"),
        (["good.run", "-m", "nope@5:0.01"], 2, "nope"),
        (["good.run", "-m", "AP:0.01", "--allow-lower"], 2, "needs --update"),
        (["good.run", "-m", "AP:0.01", "--looks", "5"], 2, "--looks needs --history"),
        (["none.run", "-m", "AP:0.01"], 3, "no such file"),
        (["good.run", "-m", "AP:0.01", "--update"], 2, "--update would remove nDCG@5"),
    ],
)
def test_wrong_usage(folder, capsys, words, code, said):
    before = (folder / "main.parquet").read_bytes()
    assert gate(*words) == code
    assert said in capsys.readouterr().err
    assert (folder / "main.parquet").read_bytes() == before


def test_no_baseline_and_its_creation(folder, capsys):
    (folder / "main.parquet").unlink()
    assert gate("good.run", "-m", "AP:0.02") == 2
    assert "there is no baseline main.parquet" in capsys.readouterr().err
    assert gate("good.run", "-m", "AP:0.02", "--update") == 0
    assert tare.Scores.load("main.parquet").measure_names == ("AP",)


@pytest.mark.parametrize("option", ["--baseline", "--history"])
def test_files_behind_a_missing_folder_are_not_replaced(folder, capsys, option):
    """NO/../main.parquet cannot be read, but a writer that resolves the path would replace main.parquet."""
    kept = folder / "main.parquet"
    before = kept.read_bytes()
    words = [
        "gate",
        "qrels.txt",
        "bad.run",
        "-m",
        "nDCG@5:0.01",
        "-m",
        "AP:0.01",
        "--update",
        "--allow-lower",
    ]
    other = (
        {"--baseline": "NO/../main.parquet"}
        if option == "--baseline"
        else {"--baseline": "first.parquet", "--history": "NO/../main.parquet"}
    )
    (folder / "first.parquet").write_bytes(before)
    assert main([*words, *(word for pair in other.items() for word in pair)]) in (2, 3)
    assert "NO/../main.parquet" in capsys.readouterr().err
    assert kept.read_bytes() == before


def test_the_baseline_is_replaced_only_by_something_as_good(folder, capsys):
    both = ["-m", "nDCG@5:0.5", "-m", "AP:0.5"]
    before = (folder / "main.parquet").read_bytes()
    assert gate("bad.run", *both, "--update") in (0, 1, 4)
    assert "was not updated" in capsys.readouterr().err
    assert (folder / "main.parquet").read_bytes() == before
    gate("bad.run", *both, "--update", "--allow-lower")
    assert tare.Scores.load("main.parquet").systems == ("bad",)
    assert gate("good.run", *both, "--update") == 0
    assert tare.Scores.load("main.parquet").systems == ("good",)


def test_history_counts_looks_and_draws_them(folder, capsys):
    for _ in range(3):
        gate("near.run", "-m", "AP:0.05", "--history", "h.parquet", "--report", "h.html")
    history = pl.read_parquet("h.parquet")
    assert history["look"].to_list() == [1, 2, 3]
    assert history["alpha"].to_list() == pytest.approx(
        [0.05 * 6 / (np.pi * t) ** 2 for t in (1, 2, 3)]
    )
    assert "History of AP" in (folder / "h.html").read_text()
    (folder / "h.parquet").write_bytes((folder / "main.parquet").read_bytes())
    assert gate("near.run", "-m", "AP:0.05", "--history", "h.parquet") == 3
    assert "not a history" in capsys.readouterr().err
    assert (folder / "h.parquet").read_bytes() == (folder / "main.parquet").read_bytes()


def test_summary_and_junit(folder):
    gate("bad.run", "-m", "AP:0.01", "--summary", "s.md", "--junit", "j.xml")
    assert "### Search quality: worse than the baseline" in (folder / "s.md").read_text()
    assert "<failure" in (folder / "j.xml").read_text()


def test_strict_reports_changed_data_by_its_code(folder):
    labels = (folder / "qrels.txt").read_text().splitlines()
    (folder / "qrels.txt").write_text("\n".join(labels[:-10]) + "\n")
    assert gate("good.run", "-m", "AP:0.05") == 0
    assert gate("good.run", "-m", "AP:0.05", "--strict") == 1


def test_a_killed_update_tears_nothing(folder):
    """The process is killed at several moments; the baseline is the old one or the new one."""
    before = (folder / "main.parquet").read_bytes()
    call = [sys.executable, "-m", "tare._cli.main", "gate", "qrels.txt", "bad.run"]
    call += ["--baseline", "main.parquet", "-m", "nDCG@5:9", "-m", "AP:9"]
    call += ["--update", "--allow-lower"]
    for delay in (0.1, 0.3, 0.5, 0.7, 0.9, 1.1):
        (folder / "main.parquet").write_bytes(before)
        process = subprocess.Popen(
            call, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert tare.Scores.load("main.parquet").systems in (("good",), ("bad",))


PLUGIN_TEST = """
import tare

QRELS = {f"q{k}": {"a": 1, "b": 0} for k in range(10)}

def test_search(tare_gate):
    import os
    first = "b" if os.environ.get("BROKEN") else "a"
    run = {q: {d: (2.0 if d == first else 1.0) for d in ("a", "b")} for q in QRELS}
    tare_gate(QRELS, run, {"RR": 0.01})
"""


def test_the_plugin_in_a_fresh_project(pytester, monkeypatch):
    pytester.makepyfile(test_quality=PLUGIN_TEST)
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    first = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")
    first.assert_outcomes(failed=1)
    first.stdout.fnmatch_lines(["*run pytest --tare-update to create it*"])
    pytester.runpytest_subprocess("-q", "--tare-update").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=1)
    monkeypatch.setenv("BROKEN", "1")
    broken = pytester.runpytest_subprocess("-q")
    broken.assert_outcomes(failed=1)
    broken.stdout.fnmatch_lines(["*RR: 0.5000 against 1.0000*worse*", "*largest losses: q*"])
    saved = next(pytester.path.glob("baselines/*.parquet"))
    before = saved.read_bytes()
    pytester.runpytest_subprocess("-q", "--tare-update").assert_outcomes(failed=1)
    assert saved.read_bytes() == before
    lower = pytester.runpytest_subprocess("-q", "--tare-update", "--tare-allow-lower")
    lower.assert_outcomes(passed=1)
    assert saved.read_bytes() != before


def test_the_plugin_loads_nothing_until_it_is_used(pytester):
    code = (
        "import sys, tare._cli.pytest_plugin; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'polars', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ).returncode == 0
