"""`tare view` of answers: what the verb accepts, and what it rejects."""

import json

import pytest

from tare._cli.main import main
from tests.journeys.test_verbs import answers_of_examples


@pytest.fixture
def folder(tmp_path, monkeypatch):
    answers_of_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_index_of_answers_is_built_once(folder, capsys):
    call = ["view", "--answers", "assignments.jsonl", "--index", "index.sqlite", "--index-only"]
    assert main(call) == 0
    first = capsys.readouterr()
    assert first.out == "index.sqlite\n"
    assert "Indexing" in first.err
    assert "topics and" in first.err
    assert main(call) == 0
    assert "Indexing" not in capsys.readouterr().err
    rows = (folder / "assignments.jsonl").read_text().splitlines()
    changed = json.loads(rows[0])
    changed["run_id"] = "another"
    (folder / "assignments.jsonl").write_text("\n".join([*rows, json.dumps(changed)]) + "\n")
    assert main(call) == 0
    assert "The files have changed" in capsys.readouterr().err
    assert main([*call, "--unassigned", "zero"]) == 0  # another setting, another index
    assert "Indexing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (("--nuggets", "nuggets.jsonl"), 2, "--nuggets needs --answers"),
        (("--unassigned", "skip"), 2, "--unassigned needs --answers"),
        (("qrels.txt", "--answers", "assignments.jsonl"), 2, "--answers replaces qrels"),
        (("--answers", "assignments.jsonl", "--column", "x"), 2, "expected part=column"),
        (("--answers", "nowhere.jsonl"), 3, "nowhere.jsonl: no such file"),
        (("--answers", "assignments.jsonl", "-m", "nDCG@10"), 2, "does not measure answers"),
    ],
)
def test_what_is_rejected(folder, capsys, words, code, reason):
    assert main(["view", *words, "--index", "index.sqlite", "--index-only"]) == code
    assert reason in " ".join(capsys.readouterr().err.split())
    assert not (folder / "index.sqlite").exists()
