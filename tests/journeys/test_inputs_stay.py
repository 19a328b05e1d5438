"""No verb writes over a file that it was given to read."""

import json
import os

import pytest

LETOR = "".join(f"{i % 3} qid:{q} 1:{i / 7} 2:{(i * q) % 5}\n" for q in (1, 2) for i in range(6))
SUMMARIES = "".join(
    json.dumps({"system": s, "item": i, "text": f"{s} said {i}.", "references": [f"It is {i}."]})
    + "\n"
    for s in ("a", "b")
    for i in ("x", "y", "z")
)
SCORES = "system,item,measure,value,assessor\n" + "".join(
    f"{s},{i},AP,{(k * n) % 7 / 7},p{k}\n"
    for k, s in enumerate("abc")
    for n, i in enumerate("tuvwxyz")
)

CALLS = {
    "score --save": ("score", "qrels.txt", "bm25.run", "--save", "bm25.run"),
    "score --save=": ("score", "qrels.txt", "bm25.run", "--save=./bm25.run"),
    "score --save qrels": ("score", "qrels.txt", "bm25.run", "--save", "qrels.txt"),
    "score --report": ("score", "qrels.txt", "bm25.run", "--report", "dense.run", "dense.run"),
    "a hard link": ("score", "qrels.txt", "bm25.run", "--save", "hard"),
    "a symbolic link": ("score", "qrels.txt", "bm25.run", "--save", "soft"),
    "a missing folder": ("score", "qrels.txt", "bm25.run", "--save", "NO/../bm25.run"),
    "a missing folder, report": ("report", "scores.csv", "-o", "NO/../scores.csv"),
    "a missing folder, text": ("text", "s.jsonl", "-m", "ROUGE-1", "--save", "NO/../s.jsonl"),
    "a missing folder, rank": (
        "rank",
        "l.txt",
        "l2.txt",
        "--ranker",
        "feature",
        "-o",
        "NO/../l2.txt",
    ),
    "a missing folder, view": ("view", "qrels.txt", "bm25.run", "--index=NO/../bm25.run"),
    "a glob": ("score", "qrels.txt", "*.run", "--save", "dense.run"),
    "compare --report": ("compare", "qrels.txt", "bm25.run", "dense.run", "--report", "qrels.txt"),
    "text --save": ("text", "s.jsonl", "-m", "ROUGE-1", "--save", "s.jsonl"),
    "rank --save": ("rank", "l.txt", "l2.txt", "--ranker", "feature", "--save", "l.txt"),
    "rank --valid": (
        "rank",
        "l.txt",
        "l2.txt",
        "--valid",
        "v.txt",
        "--ranker",
        "feature",
        "--save",
        "v.txt",
    ),
    "report -o": ("report", "scores.csv", "-o", "scores.csv"),
    "report --output": ("report", "qrels.txt", "bm25.run", "--output", "bm25.run"),
    "study --save": ("study", "discrimination", "scores.csv", "--save", "scores.csv"),
    "study --journal": ("study", "discrimination", "scores.csv", "--journal", "scores.csv"),
    "study power --report": (
        *("study", "power", "scores.csv", "--first", "a", "--second", "b"),
        *("--report", "scores.csv"),
    ),
    "learn --save": ("learn", "scores.csv", "other.csv", "--save", "other.csv"),
    "learn -o": ("learn", "scores.csv", "other.csv", "-o", "scores.csv"),
    "rank -o": ("rank", "l.txt", "l2.txt", "--ranker", "feature", "-o", "l2.txt"),
    "rank a model": ("rank", "m.json", "l2.txt", "-o", "m.json"),
    "joined by a plus": ("study", "letor", "l.txt+v.txt", "l2.txt", "--report", "v.txt"),
}


@pytest.fixture
def filled(tare):
    """The folder, with data for every verb."""
    folder = tare.folder
    (folder / "l.txt").write_text(LETOR)
    (folder / "l2.txt").write_text(LETOR)
    (folder / "v.txt").write_text(LETOR)
    (folder / "s.jsonl").write_text(SUMMARIES)
    (folder / "scores.csv").write_text(SCORES)
    (folder / "other.csv").write_text(SCORES)
    (folder / "m.json").write_text("{}")
    os.link(folder / "bm25.run", folder / "hard")
    (folder / "soft").symlink_to("bm25.run")
    return tare


@pytest.mark.parametrize("name", CALLS)
def test_an_input_is_never_written_over(filled, name):
    before = {p: p.read_bytes() for p in filled.folder.iterdir()}
    done = filled(*CALLS[name])
    assert {p: p.read_bytes() for p in filled.folder.iterdir()} == before
    assert done.code == 2, done.err
    assert "is also an input of this call" in done.err
    assert done.out == ""


def test_a_file_that_only_a_folder_names_is_kept_too(filled):
    """`study letor` finds its files itself; the writer knows what was read in this command."""
    folds = filled.folder / "MQ" / "Fold1"
    folds.mkdir(parents=True)
    for part in ("train", "vali", "test"):
        (folds / f"{part}.txt").write_text(LETOR)
    call = ("study", "letor", "--folds", "MQ", "--ranker", "feature", "random", "--draws", "100")
    done = filled(*call, "--report", "MQ/Fold1/test.txt")
    assert (folds / "test.txt").read_text() == LETOR, done.err
    assert done.code == 3
    assert "test.txt cannot be written: the file is also an input" in done.err


def test_a_library_may_write_what_it_read(filled):
    import tare as library

    path = filled.folder / "bm25.run"
    run = library.read_run(path)
    run.write(path)
    assert library.read_run(path).to_dict() == run.to_dict()


def test_another_file_may_be_replaced(filled):
    (filled.folder / "s.parquet").write_text("old")
    done = filled("score", "qrels.txt", "bm25.run", "--save", "s.parquet")
    assert done.code == 0
    assert (filled.folder / "s.parquet").read_bytes()[:4] == b"PAR1"


def test_every_parameter_that_names_a_file_is_known_as_input_or_output():
    """A new option of a verb must say by its type whether it is read or written."""
    from pathlib import Path
    from typing import get_args

    from tare._cli.files import role_of
    from tare._cli.main import DROP_INS, VERBS, application
    from tare._cli.types import Role

    def parameters(app):
        for argument in app.assemble_argument_collection() if app.default_command else ():
            if not argument.parse:
                continue
            names = {name.lstrip("-") for name in argument.names}
            name = argument.keys[-1] if argument.keys else argument.field_info.name
            role = role_of(argument.field_info.annotation)
            if Path in (argument.hint, *get_args(argument.hint)):
                assert argument.parameter.converter is not None, (
                    "not a type of files: loses addresses"
                )
                assert role is not None
            if role in (Role.FILE, Role.FOLDER):
                assert name in names  # messages speak of the option
                written.add(name)
        for name in app:
            if not name.startswith("-"):
                parameters(app[name])

    written = set()
    for verb in VERBS:
        if verb not in DROP_INS:
            parameters(application(verb)[verb])
    assert {"save", "report", "output", "journal", "figures", "summary", "junit"} <= written
    assert {"index", "notes", "resume"} <= written
