"""The index of the explorer: whose it is, when it is built again, and what it rejects."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.journeys.conftest import BM25, Shell
from tests.journeys.test_view_notes import ENDS, window

VIEW = ("view", "qrels.txt", "bm25.run", "dense.run", "-m", "nDCG@10", "--index-only")
DOCUMENTS = {name: f"text of {name}{end}and more" for name, end in zip("abcde", ENDS, strict=False)}


def in_place(path: Path, old: bytes, new: bytes) -> None:
    """Change a file, but neither its size nor its times."""
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(old, new))
    assert path.stat().st_size == before.st_size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def write_documents(folder: Path, form: str) -> str:
    if form == "folder":
        (folder / "docs").mkdir()
        for name, text in DOCUMENTS.items():
            (folder / "docs" / f"{name}.txt").write_text(text)
        return "docs"
    if form == "tsv":
        rows = [f"{name}\t{text}" for name, text in DOCUMENTS.items()]
    else:
        rows = [json.dumps({"id": n, "text": t}, ensure_ascii=False) for n, t in DOCUMENTS.items()]
    body = "".join(f"{row}\n" for row in rows).encode()
    path = folder / f"docs.{form}"
    path.write_bytes(gzip.compress(body) if form.endswith("gz") else body)
    return path.name


def test_only_its_owner_can_read_it(tare):
    old = os.umask(0o022)
    try:
        assert tare.started(*VIEW).code == 0
        (made,) = (tare.folder / ".tare-view").iterdir()
        assert made.stat().st_mode & 0o777 == 0o600
        assert made.parent.stat().st_mode & 0o777 == 0o700
        made.chmod(0o644)  # as another program may have left it
        (tare.folder / "bm25.run").write_text(BM25.replace("3", "4"))
        assert tare.started(*VIEW).code == 0
        assert made.stat().st_mode & 0o777 == 0o600
        assert tare.started(*VIEW, "--index", "here.sqlite").code == 0
        assert (tare.folder / "here.sqlite").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)


CHANGES = {
    "qrels.txt": (b"a 2", b"a 0"),
    "bm25.run": (b"1 3 ", b"1 9 "),
    "queries.tsv": (b"tea", b"pea"),
    "docs.jsonl": (b"more", b"mice"),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_file_changed_in_place_is_indexed_again(tare, changed):
    (tare.folder / "queries.tsv").write_text("q1\tcoffee\nq2\ttea\nq3\tmilk\n")
    write_documents(tare.folder, "jsonl")
    call = (*VIEW, "--queries", "queries.tsv", "--documents", "docs.jsonl")
    assert tare(*call).code == 0
    assert "Indexing" not in tare(*call).err
    in_place(tare.folder / changed, *CHANGES[changed])
    assert "The files have changed" in tare(*call).err
    assert "Indexing" not in tare(*call).err


@pytest.mark.parametrize("form", ["tsv", "jsonl", "jsonl.gz", "folder"])
def test_every_character_of_a_document_is_shown(tare, form):
    documents = write_documents(tare.folder, form)
    with window(tare, "--documents", documents) as opened:
        for name, text in DOCUMENTS.items():
            page = opened.client.get("/document", params={"id": name})
            assert page.status_code == 200
            kept, _, cut = text.partition(text[len(f"text of {name}")])
            assert kept in page.text
            assert cut in page.text


def test_a_file_that_was_replaced_shows_no_other_text(tare):
    documents = tare.folder / "docs.tsv"
    documents.write_text("a\tone text\nb\ttwo text\n")
    with window(tare, "--documents", documents.name) as opened:
        assert "one text" in opened.client.get("/document", params={"id": "a"}).text
        documents.write_text("b\ttwo text\na\tone text\n")
        assert opened.client.get("/document", params={"id": "a"}).status_code == 404


@pytest.mark.parametrize("form", ["tsv", "jsonl", "jsonl.gz"])
def test_an_id_twice_names_both_lines(tare, form):
    path = tare.folder / write_documents(tare.folder, form)
    packed = form.endswith("gz")
    body = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    body += b"\n" + body.split(b"\n")[1] + b"\n"
    path.write_bytes(gzip.compress(body) if packed else body)
    done = tare(*VIEW, "--documents", path.name)
    assert done.code == 3
    assert f"{path.name}, line 7: duplicate id 'b' (first on line 2)" in done.err
    if not packed:
        done = tare(*VIEW, "--queries", path.name)
        assert done.code == 0  # of the queries, only those of the qrels are kept
    queries = tare.folder / "queries.tsv"
    queries.write_text("q1\tone\nq2\ttwo\nq1\tother\n")
    done = tare(*VIEW, "--queries", queries.name)
    assert done.code == 3
    assert "queries.tsv, line 3: duplicate id 'q1' (first on line 1)" in done.err


def test_two_files_of_a_folder_with_one_id_are_named(tare: Shell):
    write_documents(tare.folder, "folder")
    (tare.folder / "docs" / "b.md").write_text("another")
    done = tare(*VIEW, "--documents", "docs")
    assert done.code == 3
    assert "b.md and b.txt have the same id 'b'" in done.err


def test_a_file_that_is_no_index_is_not_replaced(tare):
    (tare.folder / "old.run").write_text(BM25)
    for name in ("old.run", "study.db"):
        if name == "study.db":
            (tare.folder / "texts.tsv").write_text("q1\tone\n")
            plan = 'kind = "grades"\n[data]\nqueries = "texts.tsv"\ndocuments = "texts.tsv"\n'
            grades = "".join(f'[[grades]]\nvalue = {v}\nlabel = "{v}"\n' for v in (0, 1))
            (tare.folder / "study.toml").write_text(plan + grades)
            assert tare("judge", "create", "study.toml").code == 0
        before = (tare.folder / name).read_bytes()
        done = tare(*VIEW, "--index", name)
        assert done.code == 2
        assert f"{name} is not an index of tare view" in done.err
        assert (tare.folder / name).read_bytes() == before


def test_a_pipe_or_a_link_is_not_replaced(tare):
    os.mkfifo(tare.folder / "pipe")
    done = tare(*VIEW, "--index", "pipe")
    assert done.code == 2
    assert "pipe cannot be written: it is not a regular file" in done.err
    assert (tare.folder / "pipe").is_fifo()
    (tare.folder / "link").symlink_to("elsewhere.sqlite")
    assert tare(*VIEW, "--index", "link").code == 0
    assert (tare.folder / "link").is_symlink()
    assert (tare.folder / "elsewhere.sqlite").stat().st_mode & 0o777 == 0o600
