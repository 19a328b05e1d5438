"""The gate as a build uses it: exit codes, what it prints, files that it writes, and the pytest plugin."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tare
from tare._cli.main import main

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
FORMATS = ("table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html")


def write_collection(folder, queries=60):
    """Write qrels and runs: good, near (the same with other noise), slight (3 queries worse) and bad."""
    rng = np.random.default_rng(3)
    grades = {f"q{q:02}": rng.integers(0, 3, 10) for q in range(queries)}
    lines = [f"{q} 0 d{k} {g}" for q, gs in grades.items() for k, g in enumerate(gs)]
    (folder / "qrels.txt").write_text("\n".join(lines) + "\n")
    kinds = {"good": (0.6, 4), "near": (0.6, 5), "slight": (0.6, 4), "bad": (9.0, 4)}
    for name, (noise, seed) in kinds.items():
        own = np.random.default_rng(seed)
        lines = []
        for q, gs in grades.items():
            scores = gs + own.normal(0, noise, len(gs))
            if name == "slight" and q in ("q01", "q02", "q03"):
                scores = -scores
            lines += [f"{q} Q0 d{k} 1 {s:.6f} {name}" for k, s in enumerate(scores)]
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    lines = [f"q{q:02},s{q // 4}" for q in range(queries)]
    (folder / "sessions.csv").write_text("\n".join(["query,cluster", *lines]) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    main(["score", "qrels.txt", "good.run", "-m", "nDCG@5", "AP", "--save", "main.parquet"])
    return tmp_path


def gate(*words, baseline="main.parquet"):
    return main(["gate", "qrels.txt", *words, "--baseline", baseline])


def shell(*words, cwd, encoding="utf-8"):
    """Run the real command, as a build does: standard output is a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "tare._cli.main", "gate", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )


def test_a_loss_stops_the_build(folder):
    """Also in a pipe, the verdict is a sentence, followed by the queries that lost most."""
    done = shell("qrels.txt", "bad.run", "--baseline", "good.run", "-m", "nDCG@10", cwd=folder)
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    assert lines[0].startswith("A loss is shown: −0.")
    assert lines[0].endswith("; p < 0.0001.")
    assert lines[1].startswith("nDCG@10: bad 0.")
    assert lines[2].startswith("Lost most: q")
    assert len(lines) == 3


def test_words_and_numbers_in_a_log_without_unicode(folder):
    words = ["qrels.txt", "bad.run", "--baseline", "good.run"]
    said = shell(*words, cwd=folder, encoding="ascii")
    assert said.stdout.startswith("A loss is shown: -0.")
    assert shell(*words, "--format", "tsv", cwd=folder, encoding="ascii").returncode == 1


def test_no_loss_shown_lets_it_pass(folder):
    done = shell("qrels.txt", "near.run", "--baseline", "good.run", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("No loss shown (adjusted p = 0.")
    assert (
        "would be shown in 80 % of such query sets; smaller ones usually stay unseen."
        in done.stdout
    )
    assert "nDCG@10: near 0." in done.stdout  # the default measure of runs


@pytest.mark.parametrize("format", [None, *FORMATS])
def test_identical_inputs_are_green(folder, capsys, format):
    words = [] if format is None else ["--format", format]
    assert gate("good.run", *words) == 0
    out = capsys.readouterr().out
    if format is None:
        assert out.startswith(
            "Nothing changed on 60 queries, by 2 measures.\n\nnDCG@5: Nothing changed"
        )
    assert "hing changed" in out
    assert gate("good.run", *words, baseline="good.run") == 0
    assert main(["gate", "main.parquet", "--baseline", "main.parquet", *words]) == 0
    assert gate("good.run", "-m", "nDCG@5:0.0001", *words) == 0


def test_few_changes_are_listed(folder, capsys):
    assert gate("slight.run", "-m", "nDCG@5") == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "Passed without evidence: 3 queries changed, 3 lost; a loss can be shown from 5 changed queries on."
    )
    assert all(query in out.splitlines()[2] for query in ("Changed: ", "q01", "q02", "q03"))


def test_a_tolerance(folder, capsys):
    assert gate("bad.run", "-m", "nDCG@5:0.01") == 1
    capsys.readouterr()
    assert gate("bad.run", "-m", "nDCG@5:0.9") == 0
    assert capsys.readouterr().out.startswith("A loss is shown (−0.")
    assert gate("bad.run", "-m", "nDCG@5:0.9", "AP:0.01") == 1  # one option for both
    assert "by 1 of 2 measures: AP." in capsys.readouterr().out


def test_certification(folder, capsys):
    assert gate("good.run", "-m", "nDCG@5:0.05", "--certify") == 0
    assert capsys.readouterr().out.startswith(
        "Certified: in at most 5 % of query sets would a mean loss of"
    )
    assert gate("good.run", "-m", "nDCG@5:0.04", "--certify") == 4  # identical, but too few queries
    assert (
        "with 60 queries a margin of 0.04 can be certified only for a candidate that gains; without any "
        "change 74 are needed." in (capsys.readouterr().out)
    )
    assert gate("bad.run", "-m", "nDCG@5:0.05", "--certify") == 1
    assert " Not certified: a mean loss of 0.05 is not ruled out" in capsys.readouterr().out
    assert gate("slight.run", "-m", "nDCG@5:0.05", "--certify") == 4
    assert gate("slight.run", "-m", "nDCG@5:0.05", "AP:0.9", "--certify") == 4
    assert "Not certified by 1 of 2 measures: nDCG@5." in capsys.readouterr().out


def test_measures_without_closed_bounds_need_a_range(folder, capsys):
    words = ["good.run", "-m", "DCG@5:0.5", "--certify"]
    assert gate(*words, baseline="good.run") == 2
    assert "DCG@5 has no closed bounds" in capsys.readouterr().err
    assert gate(*words, "--range", "0:8", baseline="good.run") in (0, 4)
    assert gate(*words, "--range", "0:2", baseline="good.run") == 3
    assert "outside its range of 0 to 2" in capsys.readouterr().err


def test_several_measures_are_listed_with_adjusted_p(folder, capsys):
    assert gate("bad.run") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A loss is shown by 2 of 2 measures: nDCG@5, AP."
    assert lines[2].startswith("nDCG@5: A loss is shown: −0.")
    assert "; adjusted p = 0.0002." in lines[2]
    assert [line[:2] for line in lines[3:5]] == ["  ", "  "]
    assert gate("bad.run", "--alpha", "0.00001") == 0


def test_programs_read_the_same(folder, capsys):
    assert gate("bad.run", "-m", "nDCG@5", "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["exit_code"], told["rows"][0]["verdict"]) == (
        "block",
        1,
        "loss shown",
    )
    assert told["answer"].startswith("A loss is shown: −0.")
    assert told["sentences"] == {"nDCG@5": told["answer"]}
    assert len(told["losses"]["nDCG@5"]) == 5
    assert gate("bad.run", "-m", "nDCG@5", "--format", "tsv") == 1
    head, row = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert dict(zip(head, row, strict=True))["p_adjusted"] == str(told["rows"][0]["p_adjusted"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["good.run", "-m", "nDCG@5:-1"], 2, "a loss above 0, such as nDCG@10:0.02"),
        (["good.run", "-m", "nDCG@5:0"], 2, "a loss above 0"),
        (["good.run", "-m", "nDCG@5", "-m", "nDCG@5:0.1"], 2, "nDCG@5 is given twice"),
        (["good.run", "-m", "nDCG@9:0.01"], 2, "the baseline lacks nDCG@9; it has nDCG@5, AP"),
        (["good.run", "-m", "nope@5:0.01"], 2, "nope"),
        (["good.run", "-m", "AP", "--certify"], 2, "AP has no margin"),
        (["good.run", "-m", "AP:0.1", "--range", "0:1"], 2, "--range is for a certificate"),
        (["good.run", "-m", "AP:0.1", "--certify", "--range", "5"], 2, "--range 5: expected"),
        (["good.run", "-m", "AP:0.01", "--allow-lower"], 2, "needs --update"),
        (["good.run", "near.run", "-m", "AP:0.01"], 2, "average them with --replicates"),
        (["good.run", "-m", "AP", "--cluster", "none"], 2, "none"),
        (["none.run", "-m", "AP:0.01"], 3, "no such file"),
        (["good.run", "-m", "AP:0.01", "--update"], 2, "--update would remove nDCG@5"),
        (["good.run", "-m", "AP", "--baseline", "good.run"], 2, "a run and a score table"),
        (
            ["good.run", "-m", "AP", "--baseline", "near.run", "--update"],
            2,
            "2 baselines were given",
        ),
        (["good.run", "--history", "h.parquet"], 2, "Unknown option"),
    ],
)
def test_wrong_usage(folder, capsys, words, code, said):
    before = (folder / "main.parquet").read_bytes()
    assert gate(*words) == code
    assert said in capsys.readouterr().err
    assert (folder / "main.parquet").read_bytes() == before


def test_a_run_is_no_baseline_to_update(folder, capsys):
    before = (folder / "near.run").read_bytes()
    assert gate("good.run", "--update", baseline="near.run") == 2
    assert "near.run is a run" in capsys.readouterr().err
    assert (folder / "near.run").read_bytes() == before


def test_runs_in_other_formats_are_baselines(folder, capsys):
    rows = [line.split() for line in (folder / "good.run").read_text().splitlines()]
    frame = pl.DataFrame([(q, d, float(s)) for q, _, d, _, s, _ in rows], orient="row")
    frame.columns = ["qid", "docno", "score"]
    frame.write_parquet("frame.parquet")
    frame.write_csv("frame.csv")
    for name in ("frame.parquet", "frame.csv"):
        assert gate("good.run", "-m", "AP", baseline=name) == 0
        assert "Nothing changed on 60 queries." in capsys.readouterr().out
    main(["score", "qrels.txt", "good.run", "-m", "AP", "--save", "table.csv"])
    assert gate("bad.run", baseline="table.csv") == 1


def test_a_table_with_one_column_per_measure_is_no_run(folder, capsys):
    rows = "".join(f"{s},t{k},{k % 5}\n" for s in ("old",) for k in range(20))
    (folder / "old.csv").write_text(f"system,doc_id,fluency\n{rows}")
    (folder / "new.csv").write_text(f"system,doc_id,fluency\n{rows.replace('old', 'new')}")
    assert main(["gate", "new.csv", "--baseline", "old.csv"]) == 0
    assert "Nothing changed on 20 items." in capsys.readouterr().out
    certify = ["-m", "fluency:1", "--certify", "--range", "0:4", "--update"]
    assert main(["gate", "new.csv", "--baseline", "old.csv", *certify]) == 0
    assert (
        "fluency: new 2.00 against old 2.00: 0 on 20 items; 0 lost, 0 gained; lower bound −0.556."
        in (capsys.readouterr().out)
    )


def test_replicates(folder, capsys):
    assert (
        gate(
            "good.run",
            "near.run",
            "--replicates",
            "-m",
            "AP",
            "--baseline",
            "bad.run",
            baseline="bad.run",
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert "AP: good and 1 more 0." in out
    assert "mean of" not in err
    words = ["-m", "AP", "--baseline", "near.run"]
    assert gate("bad.run", *words, baseline="good.run") == 1
    assert "the mean of 1 run and the baseline of 2." in capsys.readouterr().err
    assert (
        gate("bad.run", *words, "--strict", "-m", "AP:0.9", baseline="good.run") == 2
    )  # given twice
    assert gate("good.run", *words, "--strict", baseline="good.run") == 1
    capsys.readouterr()
    for name in ("good", "near"):
        main(["score", "qrels.txt", f"{name}.run", "-m", "AP", "--save", f"{name}.parquet"])
    tables = ["gate", "good.parquet", "near.parquet", "--replicates"]
    assert main([*tables, "--baseline", "near.parquet", "--baseline", "good.parquet"]) == 0
    assert "Nothing changed on 60 queries." in capsys.readouterr().out


def test_clusters(folder, capsys):
    assert gate("bad.run", "-m", "AP", "--cluster", "sessions.csv") == 1
    assert (
        " on 60 queries in 15 clusters; 15 clusters lost, 0 gained; p = 0.0002."
        in capsys.readouterr().out
    )


def test_no_baseline_and_its_creation(folder, capsys):
    (folder / "main.parquet").unlink()
    assert gate("good.run", "-m", "AP:0.02") == 2
    assert "there is no baseline main.parquet" in capsys.readouterr().err
    assert gate("good.run", "-m", "AP:0.02", "--update") == 0
    assert tare.Scores.load("main.parquet").measure_names == ("AP",)


def test_files_behind_a_missing_folder_are_not_replaced(folder, capsys):
    """NO/../main.parquet cannot be read, but a writer that resolves the path would replace main.parquet."""
    kept = folder / "main.parquet"
    before = kept.read_bytes()
    words = ["bad.run", "-m", "nDCG@5", "AP", "--update", "--allow-lower"]
    assert gate(*words, baseline="NO/../main.parquet") in (2, 3)
    assert "NO/../main.parquet" in capsys.readouterr().err
    assert kept.read_bytes() == before


def test_the_baseline_is_replaced_unless_a_loss_is_shown(folder, capsys):
    before = (folder / "main.parquet").read_bytes()
    both = ["-m", "nDCG@5:0.9", "-m", "AP:0.9"]
    assert gate("bad.run", *both, "--update") == 0  # within the tolerance, but a loss
    assert "was not updated: a loss is shown" in capsys.readouterr().err
    small = ["-m", "nDCG@5:0.01", "-m", "AP:0.01"]
    assert gate("near.run", *small, "--update", "--certify") == 4
    assert "was not updated: it is not certified" in capsys.readouterr().err
    assert (folder / "main.parquet").read_bytes() == before
    assert gate("slight.run", "--update") == 0
    assert tare.Scores.load("main.parquet").systems == ("slight",)
    gate("bad.run", *both, "--update", "--allow-lower")
    assert tare.Scores.load("main.parquet").systems == ("bad",)
    assert gate("good.run", *both, "--update", "--certify") == 0
    assert tare.Scores.load("main.parquet").systems == ("good",)


def test_an_averaged_baseline_remembers_its_runs(folder, capsys):
    words = ["good.run", "near.run", "--replicates", "-m", "AP"]
    assert gate(*words, "--update", baseline="mean.parquet") == 0
    assert gate(*words, baseline="mean.parquet") == 0
    assert "mean of" not in capsys.readouterr().err
    assert gate("good.run", "-m", "AP", baseline="mean.parquet") == 0
    assert "the mean of 1 run and the baseline of 2." in capsys.readouterr().err


def test_summary_junit_and_report(folder):
    files = ["--summary", "s.md", "--junit", "j.xml", "--report", "r.html"]
    gate("bad.run", "-m", "AP:0.01", *files)
    assert "### Search quality: a loss is shown" in (folder / "s.md").read_text()
    suite = ET.fromstring((folder / "j.xml").read_text())
    assert suite.attrib["failures"] == "1"
    assert suite[0][0].attrib["message"].startswith("A loss is shown: −0.")
    page = (folder / "r.html").read_text()
    assert "A loss is shown: −0." in page
    assert "Changed queries: AP" in page
    gate("good.run", *files)
    assert "### Search quality: passed" in (folder / "s.md").read_text()
    assert ET.fromstring((folder / "j.xml").read_text()).attrib["failures"] == "0"


def test_strict_reports_changed_data_by_its_code(folder):
    labels = (folder / "qrels.txt").read_text().splitlines()
    (folder / "qrels.txt").write_text("\n".join(labels[:-10]) + "\n")
    assert gate("good.run", "-m", "AP:0.05") == 0
    assert gate("good.run", "-m", "AP:0.05", "--strict") == 1


def test_a_killed_update_tears_nothing(folder):
    """The process is killed at several moments; the baseline is the old one or the new one."""
    before = (folder / "main.parquet").read_bytes()
    call = [sys.executable, "-m", "tare._cli.main", "gate", "qrels.txt", "bad.run"]
    call += ["--baseline", "main.parquet", "--update", "--allow-lower"]
    for delay in (0.1, 0.3, 0.5, 0.7, 0.9, 1.1):
        (folder / "main.parquet").write_bytes(before)
        process = subprocess.Popen(
            call, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert tare.Scores.load("main.parquet").systems in (("good",), ("bad",))


def test_the_action_says_what_it_does():
    text = (ROOT / ".github" / "actions" / "gate" / "action.yml").read_text()
    assert "description: Fail the job if a loss of search quality is shown" in text
    assert "on-unclear" not in text
    assert "--certify" in text


PLUGIN_TEST = """
import tare

QRELS = {f"q{k}": {"a": 1, "b": 0} for k in range(10)}

def run():
    import os
    first = "b" if os.environ.get("BROKEN") else "a"
    return {q: {d: (2.0 if d == first else 1.0) for d in ("a", "b")} for q in QRELS}

def test_search(tare_gate):
    tare_gate(QRELS, run(), ["RR"])

def test_tolerance(tare_gate):
    tare_gate(QRELS, run(), {"RR": 0.9})

def test_certificate(tare_gate):
    tare_gate(QRELS, {"a.1": run(), "a.2": run()}, {"RR": 0.3}, certify=True, replicates=True)
"""


def test_the_plugin_in_a_fresh_project(pytester, monkeypatch):
    pytester.makepyfile(test_quality=PLUGIN_TEST)
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
    first = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider")
    first.assert_outcomes(failed=3)
    first.stdout.fnmatch_lines(["*run pytest --tare-update to create it*"])
    pytester.runpytest_subprocess("-q", "--tare-update").assert_outcomes(passed=3)
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=3)
    monkeypatch.setenv("BROKEN", "1")
    broken = pytester.runpytest_subprocess("-q")
    broken.assert_outcomes(failed=2, passed=1)  # the tolerance lets the loss pass
    broken.stdout.fnmatch_lines(
        [
            "*A loss is shown: −0.500 on 10 queries; 10 lost, 0 gained; p = 0.0010.*",
            "*Lost most: q*",
        ]
    )
    before = {path: path.read_bytes() for path in pytester.path.glob("baselines/*.parquet")}
    assert len(before) == 3
    update = pytester.runpytest_subprocess("-q", "--tare-update")
    update.assert_outcomes(failed=3)
    update.stdout.fnmatch_lines(["*was not written: a loss is shown. Add --tare-allow-lower*"])
    assert all(path.read_bytes() == old for path, old in before.items())
    lower = pytester.runpytest_subprocess("-q", "--tare-update", "--tare-allow-lower")
    lower.assert_outcomes(passed=3)
    assert all(path.read_bytes() != old for path, old in before.items())


def test_the_plugin_loads_nothing_until_it_is_used(pytester):
    code = (
        "import sys, tare._cli.pytest_plugin; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'polars', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ).returncode == 0
