"""`tare judge`: addresses of links, and examples of each command."""

from __future__ import annotations

import re
import shlex
import socket

import pytest

import tare._web.judge
from tare._cli.main import main
from tare._web.guard import is_same_place
from tare._web.judge import StudyStore
from tests.rooms import study_of

COMMANDS = ("create", "serve", "export", "status", "agreement")


@pytest.fixture
def served(monkeypatch):
    """Record what would be served."""
    calls = []

    def serve(store, *, on_start, **options):
        calls.append(options)
        on_start()

    monkeypatch.setattr(tare._web.judge, "serve", serve)
    return calls


def create(place: str, url: str = "", **more: object) -> None:
    StudyStore.create(study_of(**more), place, url=url)[0].engine.dispose()


def url_of(place: str) -> str:
    with StudyStore.open(place) as store:
        return store.url


def links_in(said: str) -> list[str]:
    return re.findall(r"https?://\S+?/(?:owner|open|join)/", said)


def test_a_study_is_served_on_the_port_of_its_links(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="http://127.0.0.1:9123")
    assert main(["judge", "serve", place]) == 0
    assert served[-1]["port"] == 9123
    assert "before" not in capsys.readouterr().err


def test_links_move_to_the_port_on_which_a_study_is_served(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="http://127.0.0.1:9123")
    assert main(["judge", "serve", place, "--port", "9124"]) == 0
    assert served[-1]["port"] == 9124
    said = capsys.readouterr().err
    new = "http://127.0.0.1:9124"
    assert links_in(said) == [f"{new}/owner/", f"{new}/open/", f"{new}/join/"]
    assert "(before: http://127.0.0.1:9123)" in said
    assert url_of(place) == new
    assert main(["judge", "serve", place]) == 0  # it is the address of the study from now on
    assert served[-1]["port"] == 9124
    assert "before" not in capsys.readouterr().err


def test_links_of_a_study_without_an_open_link_name_none(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="http://127.0.0.1:9123", door=False)
    assert main(["judge", "serve", place, "--host", "::1", "--port", "9124"]) == 0
    assert links_in(capsys.readouterr().err) == [
        "http://[::1]:9124/owner/",
        "http://[::1]:9124/join/",
    ]


def test_a_study_with_public_links_is_served_on_port_8000(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="https://study.example.org")
    assert main(["judge", "serve", place, "--url", "https://study.example.org"]) == 0
    assert served[-1]["port"] == 8000
    assert "begin with" not in capsys.readouterr().err


def test_public_links_do_not_move_to_this_machine(tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="https://study.example.org")
    assert main(["judge", "serve", place, "--port", "9124"]) == 0
    assert "add --url https://study.example.org" in capsys.readouterr().err
    assert url_of(place) == "https://study.example.org"
    assert main(["judge", "serve", place, "--url", "https://new.example.org"]) == 0
    assert links_in(capsys.readouterr().err)[0] == "https://new.example.org/owner/"
    assert url_of(place) == "https://new.example.org"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1"])
def test_links_do_not_move_to_an_address_without_encryption(host, tmp_path, served, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="http://127.0.0.1:9123")
    assert main(["judge", "serve", place, "--host", host, "--port", "9123"]) == 0
    assert "now begin with" not in capsys.readouterr().err
    assert url_of(place) == "http://127.0.0.1:9123"


def test_a_port_in_use_is_reported_and_moves_no_link(tmp_path, capsys):
    place = str(tmp_path / "s.db")
    create(place, url="http://127.0.0.1:9123")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["judge", "serve", place, "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"--port {port}: cannot listen on 127.0.0.1" in said
    assert "Choose another port" in said
    assert f"http://127.0.0.1:{port}" not in said
    assert url_of(place) == "http://127.0.0.1:9123"


def test_names_of_this_machine_are_the_same_place():
    assert is_same_place("http://127.0.0.1:8000", "http://localhost:8000")
    assert not is_same_place("http://127.0.0.1:8000", "http://127.0.0.1:8001")
    assert not is_same_place("https://a.example", "https://b.example")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_ends_with_its_own_examples(
    command, tmp_path, monkeypatch, served, capsys
):
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
        create("study.db")
    for number, example in enumerate(examples):
        words = shlex.split(example)[1:]
        code = main(
            [*words, "-o", f"{number}.db"] if command == "create" and "-o" not in words else words
        )
        # A study without answers has nothing to export and no agreement; the message says so.
        assert code in ((0, 3) if command in ("export", "agreement") else (0,)), example
