"""`tare answers` as a user sees it: scores, files, reports, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tare._cli.main import main
from tests.journeys.test_verbs import answers_of_examples


@dataclass(frozen=True)
class Done:
    """The exit code and what was printed."""

    code: int
    out: str
    err: str


class Caller:
    """The command, called in this process."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, *words: str) -> Done:
        code = main(words)
        return Done(code, *self.capsys.readouterr())


@pytest.fixture
def answered(tmp_path, monkeypatch, capsys):
    answers_of_examples(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    monkeypatch.chdir(tmp_path)
    return Caller(tmp_path, capsys)


def rows_of(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out), delimiter="\t"))


def test_scores_are_saved_and_compared(answered):
    done = answered(
        "answers",
        "assignments.jsonl",
        "-m",
        "NuggetVital",
        "NuggetAll",
        "--save",
        "scores.parquet",
        "--report",
        "page.html",
    )
    assert done.code == 0
    found = {(r["system"], r["measure"]): float(r["mean"]) for r in rows_of(done.out)}
    assert found["a", "NuggetVital"] == pytest.approx(2.5 / 4)
    assert found["a", "NuggetAll"] == pytest.approx(0.5)
    assert "Scores written to scores.parquet." in done.err
    page = (answered.folder / "page.html").read_text()
    assert "Nuggets by topic" in page
    assert "NuggetVital against NuggetAll" in page
    assert answered("compare", "scores.parquet", "--test", "t").code == 0


def test_estimates_from_people_and_a_model(answered):
    lines = (answered.folder / "assignments.jsonl").read_text().splitlines()
    some = [line for line in lines if json.loads(line)["qid"] != "q3"]
    (answered.folder / "people.jsonl").write_text("\n".join(some) + "\n")
    for name in ("people", "assignments"):
        assert (
            answered(
                "answers", f"{name}.jsonl", "-m", "NuggetAll", "--save", f"{name}.parquet"
            ).code
            == 0
        )
    done = answered("estimate", "people.parquet", "assignments.parquet")
    assert done.code == 0
    assert len(rows_of(done.out)) == 2


def test_net_scores(answered):
    call = ("answers", "assignments.jsonl", "-m", "NuggetAll", "Net(NuggetAll)")
    done = answered(*call)
    assert done.code == 3
    assert "the mean score of answers to other topics" in done.err
    assert "--elsewhere FILE" in done.err
    done = answered(*call, "--elsewhere", "elsewhere.csv")
    assert done.code == 0
    found = {(r["system"], r["measure"]): float(r["mean"]) for r in rows_of(done.out)}
    assert found["a", "Net(NuggetAll)"] == pytest.approx(found["a", "NuggetAll"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("matches.csv", "--nuggets", "nuggets.jsonl"), 3, "nuggets without assignment"),
        (("matches.csv", "-m", "NuggetVital"), 3, "nuggets without assignment"),
        (
            ("matches.csv", "-m", "NuggetVital", "--unassigned", "skip"),
            3,
            "needs the importance of each nugget",
        ),
        (("assignments.jsonl", "-m", "AP"), 2, "AP does not measure answers"),
        (("assignments.jsonl", "-m", "Support"), 3, "Support needs citations"),
        (("assignments.jsonl", "--column", "importance"), 2, "expected part=column"),
        (("assignments.jsonl", "--column", "vital=x"), 2, "there is no field 'vital'"),
        (("assignments.jsonl", "--by-item", "--show", "nuggets"), 2, "leave out --show nuggets"),
        (("assignments.jsonl", "--assigner", "ann"), 2, "nobody of that name assigned"),
        (("--nuggets", "nuggets.jsonl"), 2, "no answers given"),
        (("nowhere.jsonl",), 3, "nowhere.jsonl: no such file"),
        (
            ("nuggets.jsonl",),
            3,
            "nuggets.jsonl, row 1: the answer of 'system' to topic 'q0' has no assignments",
        ),
        (("qrels.txt",), 3, "qrels.txt: assignments are read from .jsonl, .csv, .tsv or .parquet"),
    ],
)
def test_what_is_refused(answered, arguments, code, message):
    done = answered("answers", *arguments)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_bad_rows_are_named(answered):
    (answered.folder / "bad.csv").write_text(
        "system,item,nugget,importance,assignment\na,q,1,vital,support\na,q,2,,support\na,q,3,-2,maybe\n"
    )
    done = answered("answers", "bad.csv")
    assert done.code == 3
    assert "bad.csv, row 4: the weight -2 is negative" in done.err
    (answered.folder / "bad.csv").write_text(
        "system,item,nugget,importance,assignment\na,q,1,vital,support\na,q,2,,support\n"
    )
    assert "nugget '2' of topic 'q' has no importance" in answered("answers", "bad.csv").err


def test_tables_by_topic_and_strictness(answered):
    done = answered(
        "answers",
        "matches.csv",
        "--nuggets",
        "nuggets.jsonl",
        "--unassigned",
        "skip",
        "--show",
        "topics",
        "--strict",
    )
    assert done.code == 1
    assert {r["topic"] for r in rows_of(done.out)} == {f"q{k}" for k in range(4)}
    assert "1 answers have nuggets without assignment" in done.err
    by_item = answered("answers", "assignments.jsonl", "-m", "NuggetAll", "--by-item")
    assert len(rows_of(by_item.out)) == 8


def test_judges_that_assign_nuggets(answered):
    text = (answered.folder / "assignments.jsonl").read_text()
    (answered.folder / "model.jsonl").write_text(text.replace("partial_support", "support"))
    done = answered(
        "study",
        "judges",
        "assignments.jsonl",
        "model.jsonl",
        "-m",
        "NuggetAll",
        "--draws",
        "100",
        "--splits",
        "2",
        "--report",
        "audit.html",
    )
    assert done.code == 0, done.err
    assert "model and people agree on 66.7 % of 24 pairs of 4 queries" in done.err
    assert "NuggetAll" in (answered.folder / "audit.html").read_text()


def test_standard_input(answered, monkeypatch):
    expected = answered("answers", "assignments.jsonl", "-m", "NuggetAll").out
    with (answered.folder / "assignments.jsonl").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert answered("answers", "-", "-m", "NuggetAll").out == expected


def test_topics_in_clusters(answered):
    header, *rows = (answered.folder / "matches.csv").read_text().splitlines()
    topics = {row.split(",")[1] for row in rows}
    half = dict.fromkeys(sorted(topics)[:2], "law")
    lines = [f"{row},{half.get(row.split(',')[1], 'health')}" for row in rows]
    (answered.folder / "grouped.csv").write_text("\n".join([f"{header},domain", *lines]) + "\n")
    call = ("answers", "grouped.csv", "-m", "NuggetAll", "--unassigned", "skip")
    plain, grouped = (rows_of(answered(*call, *more).out) for more in ((), ("--cluster", "domain")))
    assert [row["mean"] for row in plain] == [row["mean"] for row in grouped]
    assert [row["low"] for row in plain] != [row["low"] for row in grouped]
