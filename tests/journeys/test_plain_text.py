"""Ids and file names with terminal escapes: they reach files as they are, and terminals written out."""

import json
import re
import unicodedata

import polars as pl
import pytest

EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\r"
OURS = re.compile(r"\x1b\[K|\r(?=\x1b\[K)")  # the progress bar clears its line


def refuse_escapes(text: str) -> None:
    """Fails if a terminal would obey anything in the text."""
    left = [
        c for c in OURS.sub("", text) if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"
    ]
    assert not left, f"{left!r} in {text!r}"


@pytest.fixture
def evil(tare):
    """Judgements and runs whose queries, documents, systems and names are hostile."""
    rows = [(f"q{i}{EVIL}", f"d{j}{EVIL}", (i + j) % 3) for i in range(4) for j in range(5)]
    (tare.folder / f"q{EVIL}.jsonl").write_text(
        "".join(json.dumps({"query": q, "document": d, "grade": g}) + "\n" for q, d, g in rows)
    )
    id_ = "t\x1b[31m\x9b2J\u202e"  # what TREC text can hold
    (tare.folder / f"n{EVIL}.txt").write_text(f"{id_}1 1 d 1\n{id_}2 1 d 1\n")
    (tare.folder / f"n{EVIL}.run").write_text(f"{id_}1 Q0 d 1 1 s\n{id_}3 Q0 d 1 1 s\n")
    for name, drop in (("a", 1), ("b", 0)):  # the first run lacks a query, which is a finding
        frame = pl.DataFrame(rows[5 * drop :], schema=["query", "document", "score"], orient="row")
        frame = frame.with_columns(pl.col("score") * (1 if drop else -1))
        frame.write_parquet(tare.folder / f"{name}{EVIL}.parquet")
    return tare


def names(shell):
    return (f"q{EVIL}.jsonl", f"a{EVIL}.parquet", f"b{EVIL}.parquet")


CALLS = {
    "score": lambda q, a, b: ("score", q, a, b, "-m", "nDCG@10", "V2(AP)", "--pool", "judged"),
    "by query": lambda q, a, b: ("score", q, a, b, "--by-query"),
    "markdown": lambda q, a, b: ("score", q, a, "--by-query", "--format", "markdown"),
    "html": lambda q, a, b: ("score", q, a, "--by-query", "--format", "html"),
    "latex": lambda q, a, b: ("score", q, a, "--by-query", "--format", "latex"),
    "check": lambda q, a, b: ("check", q, a, b),
    "compare": lambda q, a, b: ("compare", q, a, b, "-m", "AP"),
    "saved": lambda q, a, b: ("score", q, a, "--save", f"s{EVIL}.parquet"),
    "report": lambda q, a, b: ("score", q, a, "--report", f"r{EVIL}.html"),
    "report verb": lambda q, a, b: ("report", q, a, "-o", f"r{EVIL}.html"),
    "engine": lambda q, a, b: ("score", q, a, b, "--engine", "local"),
    "no such file": lambda q, a, b: ("score", f"none{EVIL}", a),
    "no such folder": lambda q, a, b: ("score", f"none{EVIL}/{EVIL}", a),
    "a folder": lambda q, a, b: ("score", q, "."),
    "swapped": lambda q, a, b: ("score", a, q),
    "not writable": lambda q, a, b: ("score", q, a, "--save", f"{q}/{EVIL}.parquet"),
    "a measure": lambda q, a, b: ("score", q, a, "-m", f"nDCG{EVIL}@10"),
    "an option": lambda q, a, b: ("score", q, a, f"--x{EVIL}"),
    "a value": lambda q, a, b: ("score", q, a, "--ties", EVIL),
    "a number": lambda q, a, b: ("score", q, a, "--depth", EVIL),
    "a verb": lambda q, a, b: (f"x{EVIL}",),
    "cite": lambda q, a, b: ("cite", EVIL),
    "list": lambda q, a, b: ("list", EVIL),
    "trec_eval": lambda q, a, b: ("trec_eval", f"none{EVIL}", a),
    "trec_eval measure": lambda q, a, b: ("trec_eval", "-m", EVIL, q, a),
    "ndeval": lambda q, a, b: ("ndeval", f"none{EVIL}", a),
    "rouge": lambda q, a, b: ("rouge", f"-{EVIL}", "-a", f"none{EVIL}.xml"),
    "ndeval topics": lambda q, a, b: ("ndeval", f"n{EVIL}.txt", f"n{EVIL}.run"),
    "rank": lambda q, a, b: ("rank", f"none{EVIL}", q),
    "letor": lambda q, a, b: ("rank", q, q, "--ranker", EVIL),
    "study": lambda q, a, b: ("study", "discrimination", f"none{EVIL}"),
    "study name": lambda q, a, b: ("study", EVIL),
    "text": lambda q, a, b: ("text", f"none{EVIL}"),
    "learn": lambda q, a, b: ("learn", f"none{EVIL}"),
    "agree": lambda q, a, b: ("agree", q),
    "power": lambda q, a, b: ("power", q, a, b, "-m", f"AP{EVIL}"),
    "judge": lambda q, a, b: ("judge", "create", f"none{EVIL}.toml"),
    "demo": lambda q, a, b: ("demo", "--output", f"d{EVIL}"),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_escape_reaches_a_terminal(evil, name):
    code, shown = evil.on_a_terminal(*CALLS[name](*names(evil)))
    assert code in (0, 1, 2, 3)
    assert "bug in tare" not in shown
    refuse_escapes(shown)


@pytest.mark.parametrize("name", CALLS)
def test_no_escape_reaches_the_messages_of_a_pipe(evil, name):
    done = evil(*CALLS[name](*names(evil)))
    refuse_escapes(done.err)


def test_data_keep_the_ids_as_they_are(evil):
    wanted = {f"q{i}{EVIL}" for i in range(4)}
    q, a, _ = names(evil)
    said = evil("score", q, a, "--by-query", "--format", "jsonl")
    assert {json.loads(line)["query"] for line in said.out.split("\n") if line} == wanted
    evil("score", q, a, "--save", "s.parquet")
    assert set(pl.read_parquet(evil.folder / "s.parquet")["item"]) == wanted
    for format in ("csv", "tsv"):
        out = evil("score", q, a, "--by-query", "--format", format).out
        assert all(f"q{i}{EVIL[:-1]}" in out for i in range(4))


def test_a_name_cannot_fake_a_line_of_ours(evil):
    done = evil("score", "x\ntare: all is well", "bm25.run")
    assert [line for line in done.err.splitlines() if line.startswith("tare:")] == [
        r"tare: x\ntare: all is well: no such file."
    ]


def test_the_file_of_a_part_is_shown_plainly_on_a_terminal_and_as_it_is_in_a_pipe(evil):
    call = ("part", "qrels.txt", "bm25.run", "--index", "0", "--of", "1", "-o", f"p{EVIL}")
    code, shown = evil.on_a_terminal(*call)
    assert code == 0
    refuse_escapes(shown)
    assert f"p{EVIL}" in evil(*call).out.replace("\r\n", "\n")
