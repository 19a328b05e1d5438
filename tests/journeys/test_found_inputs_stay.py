"""Inputs that the call does not name, on standard input or in a folder, are not written over."""

import json
import subprocess

import pytest

TEXTS = "".join(
    json.dumps({"system": s, "item": i, "text": f"{s} said {i}.", "references": [f"It is {i}."]})
    + "\n"
    for s in ("a", "b")
    for i in ("x", "y", "z")
)


@pytest.fixture
def folder(tare):
    (tare.folder / "t.jsonl").write_text(TEXTS)
    return tare.folder


STREAMS = {
    "run": ("bm25.run", ("score", "qrels.txt", "-", "-m", "AP", "--save", "bm25.run")),
    "qrels": ("qrels.txt", ("score", "-", "bm25.run", "-m", "AP", "--save", "qrels.txt")),
    "texts": ("t.jsonl", ("text", "-", "-m", "ROUGE-1", "--save", "t.jsonl")),
    "report": ("bm25.run", ("score", "qrels.txt", "-", "--report", "NO/../bm25.run")),
    "engine": ("bm25.run", ("score", "qrels.txt", "-", "--engine", "local", "--save", "bm25.run")),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_file_on_standard_input_stays(tare, folder, name):
    source, call = STREAMS[name]
    before = (folder / source).read_bytes()
    with (folder / source).open("rb") as stream:
        done = subprocess.run(
            tare.command(*call),
            cwd=folder,
            env=tare.environment,
            stdin=stream,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert (folder / source).read_bytes() == before
    assert done.returncode == 3, done.stderr
    assert f"{source} cannot be written: the file is also an input" in done.stderr


def test_a_pipe_on_standard_input_is_no_file(tare, folder):
    run = (folder / "bm25.run").read_bytes()
    done = tare("score", "qrels.txt", "-", "-m", "AP", "--save", "bm25.run", stdin=run)
    assert done.code == 0, done.err


def judged_in_parts(tare):
    for index in "01":
        call = ("part", "qrels.txt", "bm25.run", "--index", index, "--of", "2", "-o", "parts")
        assert tare(*call).code == 0
    return "parts/part-00000-of-00002.npz"


CALLS = {
    "join": ("join", "qrels.txt", "parts", "-m", "AP"),
    "resume": ("score", "qrels.txt", "bm25.run", "-m", "AP", "--resume", "parts"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_part_in_a_folder_stays(tare, name):
    part = judged_in_parts(tare)
    before = (tare.folder / part).read_bytes()
    done = tare(*CALLS[name], "--save", part)
    assert (tare.folder / part).read_bytes() == before
    assert done.code == 2, done.err  # before any work
    assert "is also an input of this call" in done.err


def test_a_finished_system_of_texts_stays(tare, folder):
    call = ("text", "t.jsonl", "-m", "ROUGE-1", "--resume", "kept")
    assert tare(*call).code == 0
    part, _ = (folder / "kept").iterdir()
    before = part.read_bytes()
    for name in (f"kept/{part.name}", f"NO/../kept/{part.name}"):
        done = tare(*call, "--save", name)
        assert part.read_bytes() == before
        assert done.code == 2, done.err
        assert "is also an input of this call" in done.err
    done = tare(*call, "--save", "kept/scores.parquet")
    assert done.code == 0, done.err


def test_a_part_that_a_pattern_names_stays(tare):
    part = judged_in_parts(tare)
    before = (tare.folder / part).read_bytes()
    (tare.folder / "hard").hardlink_to(tare.folder / part)
    for call in (("join", "qrels.txt", "parts/*", "-m", "AP"), CALLS["join"]):
        done = tare(*call, "--save", "hard")
        assert (tare.folder / part).read_bytes() == before
        assert done.code in (2, 3), done.err
        assert "is also an input" in done.err


def test_parts_are_replaced_by_those_who_made_them(tare):
    """`tare part` judges a part anew, and --resume one that is damaged."""
    part = tare.folder / judged_in_parts(tare)
    sound = part.read_bytes()
    for damaged in (b"", sound[:-40], sound[:99] + b"x" + sound[100:]):
        part.write_bytes(damaged)
        done = tare(*CALLS["resume"])
        assert done.code == 0, done.err
        assert part.read_bytes() == sound
    judged_in_parts(tare)
    assert part.read_bytes() == sound


def test_a_run_among_the_parts_is_not_taken_for_one(tare):
    """A run has the name of the part that is to be written."""
    (tare.folder / "parts").mkdir()
    run = tare.folder / "parts" / "part-00000-of-00001.npz"
    run.write_bytes((tare.folder / "bm25.run").read_bytes())
    call = ("part", "qrels.txt", f"parts/{run.name}", "--index", "0", "--of", "1", "-o", "parts")
    done = tare(*call)
    assert done.code == 3, done.err
    assert run.read_bytes() == (tare.folder / "bm25.run").read_bytes()
