"""The audit of judges as a person calls it, and what it says about bad input."""

import csv
import json

import pytest

from tests.journeys.conftest import QRELS
from tests.journeys.test_bad_input import refused

LLM = [
    {"qid": q, "docid": d, "judgment": min(int(g) + (d == "b"), 2), "explanation": "so"}
    for q, _, d, g in (line.split() for line in QRELS.splitlines())
]


@pytest.fixture
def labelled(tare):
    (tare.folder / "llm.jsonl").write_text("".join(json.dumps(row) + "\n" for row in LLM))
    return tare


def test_files_are_recognised_as_labels_and_runs(labelled):
    done = labelled(
        "study",
        "judges",
        "qrels.txt",
        "llm.jsonl",
        "bm25.run",
        "dense.run",
        "-m",
        "AP",
        "--draws",
        "100",
        "--splits",
        "5",
        "--format",
        "json",
        "--save",
        "out",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["judges"] == ["llm"]
    assert {r["system"] for r in found["systems"]} == {"bm25", "dense"}
    assert found["agreement"][0]["leniency"] == pytest.approx(1 / 6)
    assert "llm and people agree on 83.3 %" in done.err
    with (labelled.folder / "out" / "agreement.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [r["judge"] for r in rows] == ["llm", "(constant)", "(base rates)"]


def test_qrels_with_further_columns_are_no_run(labelled):
    lines = "".join(f"{r['qid']} 0 {r['docid']} {r['judgment']} 0.9 gpt\n" for r in LLM)
    (labelled.folder / "gpt.qrels").write_text(lines)
    done = labelled(
        "study", "judges", "qrels.txt", "gpt.qrels", "--draws", "100", "--format", "json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["judges"] == ["gpt"]


def test_a_wide_table_with_maps_cuts_and_groups(tare):
    rows = "".join(
        f"q{q},d{d},{(q + d) % 3},{(q + d) % 3 * 5},{(q + d) % 3 / 4}\n"
        for q in range(4)
        for d in range(6)
    )
    (tare.folder / "wide.csv").write_text("topic,doc,human,tens,share\n" + rows)
    done = tare(
        "study",
        "judges",
        "wide.csv",
        "--map",
        "tens:0=0,5=1,10=2",
        "--cut",
        "share=0.2",
        "--draws",
        "100",
        "--format",
        "json",
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["agreement"][0]["kappa"] == 1
    assert [r["kappa"] for r in found["binary"]] == [1, 1]


def test_groups_of_systems(labelled):
    (labelled.folder / "systems.csv").write_text("system,family\nbm25,sparse\ndense,neural\n")
    call = (
        "study",
        "judges",
        "qrels.txt",
        "llm.jsonl",
        "bm25.run",
        "dense.run",
        "-m",
        "AP",
        "--draws",
        "100",
        "--splits",
        "2",
    )
    done = labelled(*call, "--systems", "systems.csv", "--group", "family", "--format", "json")
    assert done.code == 0, done.err
    assert {r["group"] for r in json.loads(done.out)["groups"]} == {"sparse", "neural"}
    assert "--group needs --systems" in refused(labelled, 2, *call, "--group", "family")


def test_report_and_figures(labelled):
    done = labelled(
        "study",
        "judges",
        "qrels.txt",
        "llm.jsonl",
        "bm25.run",
        "dense.run",
        "-m",
        "AP",
        "--draws",
        "100",
        "--splits",
        "2",
        "--report",
        "audit.html",
        "--figures",
        "figures",
    )
    assert done.code == 0, done.err
    page = (labelled.folder / "audit.html").read_text(encoding="utf-8")
    assert "llm and people agree on" in page
    drawn = sorted(p.name for p in (labelled.folder / "figures").glob("*.svg"))
    assert len(drawn) == 4
    for part in ("confusion", "leniency", "systems", "conclusions"):
        assert any(part in name for name in drawn)


BAD = {
    "other queries": (
        "j.qrels",
        "x1 0 a 1\nx2 0 b 0\n",
        "have no query in common: the first has q1, q2, q3, the second x1, x2",
    ),
    "other documents": (
        "j.qrels",
        "q1 0 z 1\nq1 0 y 0\n",
        "no pair of query and document in common",
    ),
    "a contradiction": (
        "j.qrels",
        "q1 0 a 1\nq1 0 a 2\n",
        "j.qrels, line 2: document 'a' of query 'q1' has the label 2",
    ),
    "no labels": ("j.jsonl", '{"qid": "q1", "docid": "a", "grade": null}\n', "no labels found"),
    "all failed": ("j.qrels", "q1 0 a -1\nq1 0 b sorry\n", "found -1 (1), 'sorry' (1)"),
    "too few fields": (
        "j.qrels",
        "q1 0 a\n",
        "j.qrels, line 1: expected 4 fields or more, found 3",
    ),
    "binary": ("j.qrels", "q1 0 a \x01\x02\n", "the control character U+0001 found"),
    "no columns": ("j.csv", "a,b\n1,2\n", "no columns of labels found"),
    "broken JSON": ("j.jsonl", '{"qid": \n', "j.jsonl, line 1: not valid JSON"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_labels(tare, case):
    name, text, message = BAD[case]
    (tare.folder / name).write_text(text)
    told = refused(
        tare, 3, "study", "judges", "qrels.txt", name, "--save", "out", "--report", "r.html"
    )
    assert message in told


def test_people_that_contradict_themselves_or_use_one_label(tare):
    (tare.folder / "h.qrels").write_text("q1 0 a 1\nq1 0 a 2\n")
    call = ("--save", "out", "--report", "r.html")
    assert "another one on line 1" in refused(
        tare, 3, "study", "judges", "h.qrels", "qrels.txt", *call
    )
    (tare.folder / "h.qrels").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 a 1\n")
    told = refused(tare, 3, "study", "judges", "h.qrels", "qrels.txt", *call)
    assert "are all 1, so κ is undefined" in told
    told = refused(tare, 3, "study", "judges", "qrels.txt", *call)
    assert "no labels of judges found" in told
    told = refused(tare, 2, "study", "judges", "qrels.txt", "qrels.txt", "--map", "0", *call)
    assert "'0' is not label=grade" in told
