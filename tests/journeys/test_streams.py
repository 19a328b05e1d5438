"""Standard streams that are closed, full or not UTF-8: a sentence and an exit code, never a defect."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

VERBS = {
    "score": "score qrels.txt bm25.run",
    "table": "score qrels.txt bm25.run --format table",
    "json": "score qrels.txt bm25.run --format json",
    "trec_eval": "trec_eval qrels.txt bm25.run",
    "ndeval": "ndeval qrels.txt bm25.run",
    "list": "list measures",
    "check": "check qrels.txt bm25.run",
    "help": "score --help",
    "version": "--version",
}


def shell(tare, line, **environment):
    """A command line of sh, where {tare} is the command."""
    command = " ".join(tare.command())
    return subprocess.run(
        ["sh", "-c", line.replace("{tare}", command)],
        cwd=tare.folder,
        env={**tare.environment, **environment},
        capture_output=True,
        timeout=600,
        check=False,
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_closed_standard_output_is_named(tare, verb):
    done = shell(tare, f"{{tare}} {VERBS[verb]} >&-")
    assert done.returncode == 3
    assert done.stderr.decode() == (
        "tare: standard output is closed. Redirect it, for example to /dev/null.\n"
    )


@pytest.mark.parametrize("verb", VERBS)
def test_a_full_standard_output_is_named(tare, verb):
    done = shell(tare, f"{{tare}} {VERBS[verb]} > /dev/full")
    assert done.returncode == 3
    assert "No space left on device" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert "bug in tare" not in done.stderr.decode()


def test_words_do_not_go_to_the_numbers_when_standard_error_is_closed(tare):
    good = shell(tare, "{tare} score qrels.txt bm25.run 2>&-")
    assert good.returncode == 0
    assert good.stdout == shell(tare, "{tare} score qrels.txt bm25.run").stdout
    bad = shell(tare, "{tare} score none bm25.run 2>&-")
    assert (bad.returncode, bad.stdout) == (3, b"")


SILENT = {
    "score": ("score none.txt bm25.run", 3),
    "usage": ("score qrels.txt bm25.run --nothing", 2),
    "check": ("check none.txt bm25.run", 3),
    "findings": ("check qrels.txt bm25.run", 0),
    "missing queries": ("score qrels.txt bm25.run", 0),
    "compare": ("compare qrels.txt none.run", 3),
    "floor": ("floor none.txt", 3),
    "gate": ("gate --baseline none.parquet qrels.txt bm25.run", 2),
}


@pytest.mark.parametrize("case", SILENT)
def test_a_full_standard_error_does_not_change_the_exit_code(tare, case):
    line, code = SILENT[case]
    expected = shell(tare, f"{{tare}} {line}")
    assert expected.returncode == code, expected.stderr
    done = shell(tare, f"{{tare}} {line} 2> /dev/full")
    assert (done.returncode, done.stdout) == (code, expected.stdout)


def test_a_reader_of_standard_error_that_stops_does_not_change_the_exit_code(tare):
    line = "{tare} score none.txt bm25.run 2>&1 >/dev/null"
    done = shell(tare, f"exec 3>&1; {{ {line}; echo $? >&3; }} | true")
    assert done.stdout == b"3\n"


def test_a_closed_standard_input_is_named(tare):
    done = shell(tare, "{tare} score qrels.txt - <&-")
    assert done.returncode == 3
    assert done.stderr.decode().startswith("tare: standard input is closed.")


@pytest.mark.parametrize("verb", [v for v in VERBS if v != "list"])
def test_everything_can_be_printed_in_ascii(tare, verb):
    done = shell(tare, f"{{tare}} {VERBS[verb]}", PYTHONIOENCODING="ascii")
    wide = shell(tare, f"{{tare}} {VERBS[verb]}")
    assert done.returncode == wide.returncode
    assert done.stdout.isascii()
    assert done.stderr.isascii()
    assert "bug in tare" not in done.stderr.decode()
    if verb == "table":
        rule = next(line for line in wide.stdout.decode().splitlines() if "─" in line)
        assert rule.replace("─", "-") in done.stdout.decode().splitlines()


def test_ids_that_ascii_lacks_are_never_changed_in_data(tare):
    (tare.folder / "u.q").write_text("é😀 0 d1 1\n")
    (tare.folder / "u.run").write_text("é😀 Q0 d1 1 2 tü\n")
    call = "{tare} score u.q u.run --by-query"
    for format in ("json", "jsonl"):
        done = shell(tare, f"{call} --format {format}", PYTHONIOENCODING="ascii")
        assert done.returncode == 0
        assert done.stdout.isascii()
        wide = shell(tare, f"{call} --format {format}").stdout.decode()
        if format == "json":
            assert json.loads(done.stdout) == json.loads(wide)
            assert json.loads(wide)["rows"][0]["query"] == "é😀"
    for format in ("csv", "tsv"):
        done = shell(tare, f"{call} --format {format}", PYTHONIOENCODING="ascii")
        assert (done.returncode, done.stdout) == (2, b"")
        assert "PYTHONIOENCODING=utf-8" in done.stderr.decode()
        assert "bug in tare" not in done.stderr.decode()
    table = shell(tare, f"{call} --format table", PYTHONIOENCODING="ascii")
    assert table.returncode == 0
    assert rb"\xe9\U0001f600" in table.stdout


def test_a_table_for_people_is_always_shown(tare):
    done = shell(tare, "{tare} list measures --format table", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_the_demo_can_be_shown_in_ascii(tare):
    done = shell(tare, "{tare} demo --output d", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"####" in done.stdout


@pytest.mark.parametrize(
    "form", ["tsv", "csv", "json", "jsonl", "table", "markdown", "latex", "html"]
)
def test_a_file_whose_name_is_not_utf8_is_scored_in_a_pipe(tare, form):
    name = os.fsencode(tare.folder) + b"/b\xff.run"
    shutil.copy(os.fsencode(tare.folder / "bm25.run"), name)
    run = os.fsdecode(b"b\xff.run")
    done = tare.started("score", "qrels.txt", run, "dense.run", "-m", "AP", "--format", form)
    assert done.code == 0, done.err
    assert "udcff" in done.out
    saved = tare.started("score", "qrels.txt", run, "dense.run", "-m", "AP", "--save", "a.parquet")
    assert saved.code == 0
    compared = tare.started("compare", "a.parquet", "--baseline", "b\\udcff", "--format", form)
    assert compared.code == 0, compared.err


def test_ctrl_c_ends_a_long_call_of_the_core(tmp_path):
    """The call would take hours; without a look at signals it would end the test by its time limit."""
    code = """
import signal, sys, tare
signal.signal(signal.SIGINT, signal.default_int_handler)
rows = [(s, f"q{i}", "m", (i * k % 17) / 17) for k, s in enumerate("abcdefgh", 3) for i in range(400)]
import polars as pl
table = tare.Scores.load(pl.DataFrame(rows, schema=["system", "item", "measure", "value"], orient="row"))
print("ready", flush=True)
try:
    tare.compare(table, draws=100_000_000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(2)  # now it computes
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "interrupted\n"
