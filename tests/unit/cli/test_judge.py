"""`tare judge`: addresses of links, and examples of each command."""

from __future__ import annotations

import re
import shlex

import pytest

import tare._app
from tare._app import StudyStore
from tare._app.addresses import is_same_place
from tare._cli.main import main
from tests.rooms import study_of

COMMANDS = ("create", "serve", "export", "status", "agreement")


@pytest.fixture
def served(monkeypatch):
    """Record what would be served."""
    calls = []
    monkeypatch.setattr(tare._app, "serve", lambda store, **options: calls.append(options))
    return calls


def test_a_study_is_served_on_the_port_of_its_links(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    StudyStore.create(study_of(), place, url="http://127.0.0.1:9123")
    assert main(["judge", "serve", place]) == 0
    assert served[-1]["port"] == 9123
    assert "Replace" not in capsys.readouterr().err
    assert main(["judge", "serve", place, "--port", "9124"]) == 0
    assert served[-1]["port"] == 9124
    said = capsys.readouterr().err
    assert "links of this study begin with http://127.0.0.1:9123" in said
    assert "Replace that part by http://127.0.0.1:9124" in said


def test_a_study_with_public_links_is_served_on_port_8000(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    StudyStore.create(study_of(), place, url="https://study.example.org")
    assert main(["judge", "serve", place, "--url", "https://study.example.org"]) == 0
    assert served[-1]["port"] == 8000
    assert "Replace" not in capsys.readouterr().err


def test_names_of_this_machine_are_the_same_place():
    assert is_same_place("http://127.0.0.1:8000", "http://localhost:8000")
    assert not is_same_place("http://127.0.0.1:8000", "http://127.0.0.1:8001")
    assert not is_same_place("https://a.example", "https://b.example")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_ends_with_its_own_examples(command, tmp_path, monkeypatch, served, capsys):  # fmt: skip
    assert main(["judge", command, "--help"]) == 0
    shown = capsys.readouterr().out.split("Examples:")[1]
    examples = re.findall(r"tare judge .*?(?=tare judge |$)", " ".join(shown.split()))
    assert len(examples) == 2
    assert all(example.startswith(f"tare judge {command} ") for example in examples)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "documents.tsv").write_text("a\tA\nb\tB\n")
    (tmp_path / "queries.tsv").write_text("q\twhat\n")
    plan = 'kind = "preference"\n[data]\nqueries = "queries.tsv"\ndocuments = "documents.tsv"\n'
    (tmp_path / "study.toml").write_text(plan)
    if command != "create":
        StudyStore.create(study_of(), "study.db")
    for number, example in enumerate(examples):
        words = shlex.split(example)[1:]
        code = main([*words, "-o", f"{number}.db"] if command == "create" and "-o" not in words else words)  # fmt: skip
        # A study without answers has nothing to export and no agreement; the message says so.
        assert code in ((0, 3) if command in ("export", "agreement") else (0,)), example
