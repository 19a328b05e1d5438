"""Assessors read the texts of the files as they are, and a file with a doubtful text is rejected."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from tare._web.judge import StudyStore
from tests.journeys.conftest import Shell
from tests.journeys.test_view_notes import ENDS
from tests.rooms import Serving, Visitor

GRADES = """
kind = "grades"
{more}
[data]
queries = "{queries}"
documents = "{documents}"
[[grades]]
value = 0
label = "no"
[[grades]]
value = 1
label = "yes"
"""
BODIES = {f"d{n}": f"the start{end}the end of {n}" for n, end in enumerate(ENDS)}


def create(tare: Shell, documents: str, queries: str = "queries.tsv", more: str = ""):
    plan = GRADES.format(documents=documents, queries=queries, more=more)
    (tare.folder / "study.toml").write_text(plan)
    if not (tare.folder / "queries.tsv").exists():
        (tare.folder / "queries.tsv").write_text("q1\tcoffee\n")
    return tare("judge", "create", "study.toml", "--invite", "1", "--format", "json")


def shown_to_an_assessor(folder: Path, links: str) -> list[str]:
    """Judge everything as the first assessor; return the pages."""
    (link,) = [row["link"] for row in json.loads(links)["rows"] if row["for"] == "assessor"]
    store = StudyStore.open(str(folder / "study.db"))
    with Serving(store) as url:
        who = Visitor(url)
        who.open(f"/join/{link.rpartition('/')[2]}")
        pages = [who.open("/work")]
        while 'name="number"' in pages[-1]:
            assert who.judge({"grade": "1"}).status_code == 200
            pages.append(who.open("/work"))
        who.client.close()
    return pages[:-1]


def write_texts(path: Path, form: str) -> str:
    if form == "folder":
        path.mkdir()
        for key, body in BODIES.items():
            (path / f"{key}.txt").write_bytes(body.encode())
        return path.name
    rows = {
        "tsv": [f"{key}\t{body}" for key, body in BODIES.items()],
        "jsonl": [json.dumps({"id": k, "text": b}, ensure_ascii=False) for k, b in BODIES.items()],
    }
    rows["header.tsv"] = ["docid\ttext", *rows["tsv"]]
    rows["document.tsv"] = ["document\ttext", *rows["tsv"]]
    rows["bom.tsv"] = ["\ufeff" + rows["tsv"][0], *rows["tsv"][1:]]
    file = path.with_suffix(f".{form}")
    file.write_bytes("".join(f"{row}\n" for row in rows[form]).encode())
    return file.name


@pytest.mark.parametrize(
    "form", ["tsv", "header.tsv", "document.tsv", "bom.tsv", "jsonl", "folder"]
)
def test_every_document_is_shown_with_every_character(tare, form):
    made = create(tare, write_texts(tare.folder / "documents", form))
    assert made.code == 0, made.err
    pages = shown_to_an_assessor(tare.folder, made.out)
    assert len(pages) == len(BODIES)
    for body in BODIES.values():
        assert sum(html.escape(body) in page for page in pages) == 1, body
    done = tare("judge", "export", "study.db", "--what", "qrels", "-o", "qrels.txt")
    assert done.code == 0
    ids = {line.split(" ")[2] for line in (tare.folder / "qrels.txt").read_text().split("\n")[:-1]}
    assert ids == set(BODIES)


@pytest.mark.parametrize("form", ["txt", "csv", "jsonl", "parquet"])
def test_ids_and_names_with_every_character_come_back_from_every_export(tare, form):
    names = {f"d{end}x": f"text {n}" for n, end in enumerate(ENDS)}
    rows = [json.dumps({"id": k, "text": b}) for k, b in names.items()]
    (tare.folder / "documents.jsonl").write_text("".join(f"{row}\n" for row in rows))
    query = json.dumps({"id": "q\u2028one", "text": "coffee"}, ensure_ascii=False)
    (tare.folder / "queries.jsonl").write_bytes(f"{query}\n".encode())
    made = create(tare, "documents.jsonl", "queries.jsonl")
    assert made.code == 0, made.err
    shown_to_an_assessor(tare.folder, made.out)
    for what in ("qrels", "ratings", "events"):
        done = tare("judge", "export", "study.db", "--what", what, "-o", f"of_{what}.{form}")
        if form == "txt":
            assert done.code in (2, 3)  # a line of TREC text cannot hold such an id
            assert not (tare.folder / f"of_{what}.txt").exists()
            continue
        assert done.code == 0, done.err
    if form == "txt":
        return
    from tare import read_qrels

    assert read_qrels(tare.folder / f"of_qrels.{form}").to_dict() == {
        "q\u2028one": dict.fromkeys(names, 1.0)
    }
    if form == "jsonl":
        lines = (tare.folder / "of_events.jsonl").read_bytes().decode().split("\n")[:-1]
        assert {"judged", "assigned"} <= {json.loads(line)["kind"] for line in lines}


WRONG = {
    "an id twice in lines": (
        "d.tsv",
        "d1\tone\nd2\ttwo\nd1\tother\n",
        "d.tsv, line 3: duplicate id 'd1' (first on line 1)",
    ),
    "an id twice in JSON": (
        "d.jsonl",
        '{"id": 1, "text": "one"}\n{"id": "1", "text": "two"}\n',
        "d.jsonl, line 2: duplicate id '1' (first on line 1)",
    ),
    "no text": ("d.jsonl", '{"id": "d1", "text": null}\n', "d.jsonl, line 1: text is missing"),
    "no id": ("d.jsonl", '{"id": null, "text": "x"}\n', "d.jsonl, line 1: id is missing"),
    "a list": ("d.jsonl", '{"id": "d1", "text": ["x"]}\n', "d.jsonl, line 1: text: expected text"),
    "a number": ("d.jsonl", '{"id": 1.0, "text": "x"}\n', "d.jsonl, line 1: id: expected text"),
    "half a character": (
        "d.jsonl",
        '{"id": "d1", "text": "\\ud800"}\n',
        "d.jsonl, line 1: text contains a lone surrogate",
    ),
    "not UTF-8": ("d.tsv", b"d1\tone\nd2\t\xff\n", "d.tsv, line 2: the text is not valid UTF-8"),
    "fewer columns": (
        "d.tsv",
        "id\ttext\tlang\nd1\tone\n",
        "d.tsv, line 2: expected 3 columns as in the first line, found 2",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_doubtful_text_is_named_and_no_study_is_made(tare, kind):
    name, body, told = WRONG[kind]
    (tare.folder / name).write_bytes(body if isinstance(body, bytes) else body.encode())
    done = create(tare, name)
    assert done.code == 3
    assert told in done.err
    assert not (tare.folder / "study.db").exists()


def test_two_files_of_a_folder_with_one_id_are_named(tare):
    (tare.folder / "pages").mkdir()
    for name in ("d1.txt", "d1.md", "d2.txt"):
        (tare.folder / "pages" / name).write_text("x")
    done = create(tare, "pages")
    assert done.code == 3
    assert "d1.md and d1.txt" in done.err


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"query": "q1", "left": null, "right": "b"}', "tasks.jsonl, line 1: left is missing"),
        ('{"query": null, "left": "a", "right": "b"}', "tasks.jsonl, line 1: query is missing"),
        ('{"query": "q1", "left": "a", "right": "b", "given": [null]}', "line 1: given: expected"),
        ('{"query": "q1", "left": "a", "right": "b", "depth": "1e9"}', "line 1: depth: expected"),
        ('{"query": "q\\ud800", "left": "a", "right": "b"}', "line 1: query contains a lone"),
    ],
)
def test_a_doubtful_task_is_named(tare, row, told):
    (tare.folder / "documents.tsv").write_text("a\tone\nb\ttwo\nNone\tnothing\n")
    (tare.folder / "tasks.jsonl").write_text(f"{row}\n")
    plan = 'kind = "conditional"\n[data]\ndocuments = "documents.tsv"\ntasks = "tasks.jsonl"\n'
    (tare.folder / "study.toml").write_text(plan)
    done = tare("judge", "create", "study.toml")
    assert done.code == 3
    assert told in done.err


@pytest.mark.parametrize(
    ("kind", "expected", "accepted"),
    [("grades", "2", "0, 1"), ("grades", "1.0", "0, 1"), ("preference", "d3", "d0, d1, equal")],
)
def test_a_gold_answer_that_nobody_can_give_is_named(tare, kind, expected, accepted):
    shown = 'document = "d0"' if kind == "grades" else 'left = "d0", right = "d1"'
    more = f'[gold]\nitems = [{{query = "q1", {shown}, expected = "{expected}"}}]\n'
    (tare.folder / "queries.tsv").write_text("query\ttext\nq1\tcoffee\n")
    name = write_texts(tare.folder / "documents", "tsv")
    plan = GRADES.format(documents=name, queries="queries.tsv", more="") + more
    (tare.folder / "study.toml").write_text(plan.replace('"grades"', f'"{kind}"'))
    done = tare("judge", "create", "study.toml")
    assert done.code == 3
    assert f"{expected!r}" in done.err
    assert accepted in done.err
