"""TARE_THREADS: the number of threads of every verb and call that does not name one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

ASKED = """
from tare import _core
from tare.engines import Local
from tare._kernels import cores, default_threads
from tare.rankers import ranker
print(_core.threads(), cores(), default_threads(), Local().workers, ranker("rankboost").threads)
"""


def told(threads: str | None, *words: str) -> subprocess.CompletedProcess[str]:
    """A process with the variable set, or without it."""
    environment = {k: v for k, v in os.environ.items() if k not in ("TARE_THREADS", "TARE_SEAMS")}
    if threads is not None:
        environment["TARE_THREADS"] = threads
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )


def test_it_sets_the_threads_of_everything():
    assert told("3", "-c", ASKED).stdout.split() == ["3"] * 5
    assert told(" 16 ", "-c", ASKED).stdout.split() == ["16"] * 5


@pytest.mark.parametrize("unset", [None, ""])
def test_without_it_all_processors_are_used(unset):
    here = str(len(os.sched_getaffinity(0)))
    assert told(unset, "-c", ASKED).stdout.split() == [here, here, "0", here, "1"]


BAD = ["0", "-1", "x", "1.5", "4097", "9" * 5000, "٣", "1e3", "0x2"]


@pytest.mark.parametrize(
    ("verb", "bad"),
    [*(("score", bad) for bad in BAD), ("list", "0"), ("trec_eval", "x"), ("ndeval", "0")],
    ids=lambda v: v[:9],
)
def test_what_is_no_number_of_threads_is_refused(verb, bad):
    done = told(bad, "-m", "tare._cli.main", verb)
    assert done.returncode == 2
    assert done.stderr.startswith("tare: TARE_THREADS=")
    assert "Accepted: a whole number from 1 to 4,096." in done.stderr
    assert len(done.stderr) < 300
    assert done.stdout == ""


def test_a_call_of_the_library_says_what_is_wrong():
    done = told("none", "-c", "import tare; tare.evaluate")
    assert "tare.errors.OptionError: TARE_THREADS='none' is not a number of threads" in done.stderr


def test_more_threads_than_the_system_gives_are_no_error():
    """Where no more threads can be begun, those there are do the work."""
    code = """
import resource
import tare
tare.evaluate({"q": {"a": 1}}, {"s": {"q": {"a": 1.0}}}, ["RR"])
resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))
qrels = {f"q{i}": {"a": 1} for i in range(5000)}
run = {f"q{i}": {"a": 1.0, "b": 2.0} for i in range(5000)}
print(tare.evaluate(qrels, {"s": run}, ["RR"]).values.mean())
"""
    done = told("4096", "-c", code)
    assert done.stdout.strip() == "0.5", done.stderr
