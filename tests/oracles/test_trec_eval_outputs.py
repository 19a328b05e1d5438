"""trec_eval's own expected outputs, byte for byte.

Made by trec_eval 10.0 (`make quicktest` of usnistgov/trec_eval); the arguments are those of its
Makefile.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tare._cli.dropin.trec_eval import main
from tests.conftest import REAL_DATA

FOLDER = REAL_DATA / "trec/trec_eval"

pytestmark = pytest.mark.usefixtures("real_data")

CASES = {
    "official": ("out.test", "qrels.test results.test"),
    "comments in the qrels": ("out.test", "qrels.test.with-comments results.test"),
    "documents with #": ("out.comment.test", "qrels.comment.test results.comment.test"),
    "all measures": ("out.test.a", "-m all_trec qrels.test results.test"),
    "by query": ("out.test.aq", "-m all_trec -q qrels.test results.test"),
    "missing query": ("out.test.aqc", "-m all_trec -q -c qrels.test results.trunc"),
    "cut": ("out.test.aqcM", "-m all_trec -q -c -M100 qrels.test results.trunc"),
    "level": ("out.test.aql", "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test"),
    "z-scores": ("out.test.aqZ", "-q -m all_trec -Z zscores_file qrels.test results.test"),
    "preferences": ("out.test.prefs", "-m all_prefs -q -R prefs prefs.test prefs.results.test"),
    "preferences with comments": (
        "out.test.prefs",
        "-m all_prefs -q -R prefs prefs.comment.test prefs.results.test",
    ),
    "grades as preferences": (
        "out.test.qrels_prefs",
        "-m all_prefs -q -R qrels_prefs qrels.test results.test",
    ),
    "groups": ("out.test.qrels_jg", "-m qrels_jg -q -R qrels_jg qrels.123 results.test"),
    "groups with comments": (
        "out.test.qrels_jg",
        "-m qrels_jg -q -R qrels_jg qrels.comments.123 results.test",
    ),
    "parameters": (
        "out.test.meas_params",
        "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
        "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 "
        "-mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_output_is_that_of_trec_eval(case, monkeypatch, capfdbinary):
    expected, arguments = CASES[case]
    monkeypatch.chdir(FOLDER)
    assert main(arguments.split()) == 0
    assert capfdbinary.readouterr().out == Path(expected).read_bytes()


def test_a_process_of_its_own_reads_standard_input():
    with (FOLDER / "results.test").open("rb") as run:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from tare._cli.dropin.trec_eval import main; sys.exit(main(sys.argv[1:]))",
                *("-q", "-m", "all_trec", "qrels.test", "-"),
            ],
            cwd=FOLDER,
            stdin=run,
            capture_output=True,
            check=True,
        )
    assert done.stdout == (FOLDER / "out.test.aq").read_bytes()
    assert done.stderr == b""
