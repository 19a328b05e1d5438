"""`tare score --engine`: the same numbers from the shell, and options that do not go together."""

import json
import random
import re
import signal
import subprocess
import sys
import time

import pytest

ARGUMENTS = (
    "score",
    "qrels.txt",
    "bm25.run",
    "dense.run",
    "-m",
    "AP",
    "nDCG@10",
    "V2(AP,pool=judged)",
    "Net(AP,pool=judged)",
)


def test_the_local_engine_prints_the_same(tare):
    expected = tare(*ARGUMENTS)
    for options in (("--engine", "local"), ("--memory", "1kB")):
        done = tare(*ARGUMENTS, *options)
        assert (done.code, done.out, done.err) == (0, expected.out, expected.err)


def test_standard_input_is_read_as_a_whole(tare):
    run = (tare.folder / "bm25.run").read_bytes()
    expected = tare("score", "qrels.txt", "-", "-m", "AP", stdin=run)
    done = tare("score", "qrels.txt", "-", "-m", "AP", "--memory", "2kB", stdin=run)
    assert (done.code, done.out) == (0, expected.out)
    refused = tare("score", "qrels.txt", "-", "-m", "AP", "--memory", "20", stdin=run)
    assert (refused.code, refused.out) == (3, "")
    assert "standard input: a pipe is read as a whole, and its rows do not fit into" in refused.err


def test_parts_are_counted_on_a_terminal(tare):
    (tare.folder / "many.run").write_text("".join(f"q{k} Q0 a 1 1 t\n" for k in range(500)))
    code, shown = tare.on_a_terminal("score", "qrels.txt", "many.run", "--memory", "20kB")
    assert code == 0
    assert re.search(r"━*─* 1/\d+ parts many\.run", shown)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--address", "auto"),
            "--address is the address of a Ray cluster; it needs --engine ray.",
        ),
        (("--memory", "lots"), "memory='lots' is not an amount of memory"),
        (("--engine", "local", "--kinds"), "--kinds reads all runs into memory"),
    ],
)
def test_options_that_do_not_go_together(tare, options, words):
    done = tare(*ARGUMENTS, *options)
    assert done.code == 2
    assert words in done.err


def test_ray_on_this_machine(tare):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    done = tare(*ARGUMENTS, "--engine", "ray", "--memory", "1GB")
    expected = tare(*ARGUMENTS)
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)


def test_no_cluster_answers(tare):
    pytest.importorskip("ray", reason="the extra ray is not installed")
    done = tare(*ARGUMENTS, "--engine", "ray", "--address", "127.0.0.1:9")
    assert done.code == 3
    assert "no Ray cluster responds at 127.0.0.1:9" in done.err
    assert "ray start --head" in done.err


# `main` reads its arguments where it handles interrupts; before that, Python itself would print a traceback.
BEGUN = """
import sys
from tare._cli.main import main

def arguments():
    print("begun", file=sys.stderr, flush=True)
    yield from sys.argv[1:]

sys.exit(main(arguments()))
"""


@pytest.mark.parametrize(
    "after", [0.5, *(pytest.param(s, marks=pytest.mark.slow) for s in (1.5, 3.5)), 2.5]
)
def test_ray_is_interrupted_at_any_moment(tare, after):
    """While it begins, works or ends: it never crashes."""
    pytest.importorskip("ray", reason="the extra ray is not installed")
    chance = random.Random(3)
    lines = (f"q{k % 500} Q0 d{k} 1 {chance.random()} t\n" for k in range(200_000))
    (tare.folder / "mixed.run").write_text("".join(lines))
    arguments = ("score", "qrels.txt", "mixed.run", "--engine", "ray", "--memory", "200MB")
    with subprocess.Popen(
        [sys.executable, "-c", BEGUN, *arguments],
        cwd=tare.folder,
        env=tare.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr.readline() == "begun\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        try:
            out, words = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail("the interrupted command did not end")
    if out:  # all was done, and Python was about to end
        assert process.returncode in (0, 130, -signal.SIGINT)
    else:
        assert (process.returncode, words) == (130, "tare: interrupted.\n")


def written_texts(folder):
    """Write texts of two systems, and return the command that scores them."""
    rows = [
        {"system": s, "item": f"{k}", "text": f"the cat {k}", "references": ["the cat sat"]}
        for s in "ab"
        for k in range(30)
    ]
    (folder / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ("text", "texts.jsonl", "-m", "ROUGE-1", "TokenF1")


def test_texts_are_scored_on_an_engine(tare):
    arguments = written_texts(tare.folder)
    expected = tare(*arguments)
    assert expected.code == 0
    done = tare(*arguments, "--engine", "local")
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)


def test_a_command_continues_with_its_parts(tare):
    expected = tare(*ARGUMENTS)
    done = tare(*ARGUMENTS, "--resume", "kept")
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)
    again = tare(*ARGUMENTS, "--engine", "local", "--resume", "kept")
    assert (again.code, again.out) == (0, expected.out)
    kept = len(list((tare.folder / "kept").iterdir()))
    assert kept == 1
    assert (
        "kept: found 1 file of a finished part; it is used if complete and of this job."
        in again.err
    )
    refused = tare(*ARGUMENTS, "--resume", "kept", "--depth", "3")
    assert (refused.code, refused.out) == (3, "")
    assert "depth was None and is 3" in refused.err


def test_scoring_texts_continues_with_its_systems(tare):
    arguments = written_texts(tare.folder)
    expected = tare(*arguments)
    done = tare(*arguments, "--resume", "kept")
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)
    kept = sorted((tare.folder / "kept").iterdir())
    assert len(kept) == 2
    again = tare(*arguments, "--resume", "kept")
    assert (again.code, again.out) == (0, expected.out)
    assert (
        "kept: found 2 files of finished systems; they are used if complete and of the same texts and measures."
        in again.err
    )
    assert sorted((tare.folder / "kept").iterdir()) == kept


def test_draws_are_the_same_on_an_engine(tare):
    arguments = ("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "AP", "--draws", "500")
    for test in ("permutation", "bootstrap"):
        expected = tare(*arguments, "--test", test, "--interval", "bca")
        assert expected.code == 0
        done = tare(*arguments, "--test", test, "--interval", "bca", "--engine", "local")
        assert (done.code, done.out, done.err) == (0, expected.out, expected.err)
    assert tare("score", "qrels.txt", "bm25.run", "dense.run", "--save", "scores.parquet").code == 0
    arguments = (
        "power",
        "scores.parquet",
        "-m",
        "AP",
        "--test",
        "permutation",
        "--simulations",
        "100",
    )
    expected = tare(*arguments)
    assert expected.code == 0, expected.err
    done = tare(*arguments, "--engine", "local")
    assert (done.code, done.out, done.err) == (0, expected.out, expected.err)
