"""The pages of a view: who may open them, and that foreign texts stay texts."""

import csv
import io
import json
import re

import pytest
from starlette.testclient import TestClient

from tare._web.guard import Access, new_token
from tare._web.view.server import Notes, ServedView, application
from tests.unit.view.conftest import HOSTILE

HOST = "http://127.0.0.1:8123"


@pytest.fixture
def served(index, inputs):
    return ServedView(
        index, Notes(inputs.qrels.with_name("notes.jsonl")), Access(new_token()), "qrels"
    )


@pytest.fixture
def stranger(served):
    return TestClient(application(served), base_url=HOST)


@pytest.fixture
def reader(served):
    client = TestClient(application(served), base_url=HOST)
    assert client.get(f"/open/{served.access.token}").status_code == 200
    return client


PAGES = ["/", "/query/0", "/document?id=a", "/notes.csv", "/find?query=q1"]


@pytest.mark.parametrize("path", PAGES)
def test_only_the_holder_of_the_link_sees_anything(stranger, reader, path):
    refused = stranger.get(path)
    assert refused.status_code == 401
    assert "whales" not in refused.text
    assert "q1" not in refused.text
    assert reader.get(path).status_code == 200


def test_a_wrong_link_is_refused(stranger, served):
    for token in ("x", new_token(), served.access.token[:-1]):
        assert stranger.get(f"/open/{token}").status_code == 404
    assert stranger.get("/").status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8123", "127.0.0.1.evil.example:8123"]
)
def test_other_host_names_are_refused(reader, host):
    assert reader.get("/", headers={"host": host}).status_code == 421


def test_every_answer_has_the_security_headers(reader):
    for path in (*PAGES, "/static/style.css", "/static/view.js", "/nowhere"):
        found = reader.get(path).headers
        assert "default-src 'none'" in found["content-security-policy"]
        assert "unsafe-inline" not in found["content-security-policy"]
        assert found["x-frame-options"] == "DENY"


def test_the_pages_contain_no_inline_script_and_no_foreign_address(reader):
    for path in ("/", "/query/0", "/query/1", "/document?id=a"):
        text = reader.get(path).text
        assert not re.search(r"<script(?! src=\"/static/(rankings|view).js\")", text)
        assert not re.search(r"\son\w+=|style=|javascript:", text)
        assert not re.search(r"(src|href|action)=\"(?!/|#|data:,)", text)


def test_hostile_texts_are_escaped(reader):
    shown = reader.get("/query/0").text + reader.get("/query/1").text + reader.get("/").text
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown
    assert "<b>bold" not in shown
    assert "\x1b" not in shown
    assert "\x1b" not in reader.get("/document?id=a").text


def test_the_words_of_the_query_are_marked(reader):
    text = reader.get("/query/0").text
    assert "<mark>Blue</mark> <mark>whales</mark>" in text
    assert "<mark>Blue</mark>" in reader.get("/document?id=a&words=blue").text


def test_rankings_show_grades_other_ranks_and_contributions(reader):
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", reader.get("/query/0?a=bm25&b=dense").text))
    assert "score 4, other rank 3" in text
    assert "score 3, other rank 1, adds 0." in text
    assert "not in the other ranking" in text
    assert "(not judged)" in text


def test_a_swap_says_what_changes(reader):
    found = reader.get("/query/0?a=bm25&b=dense&m=nDCG%4010&swap=bm25&first=1&second=2").text
    said = re.sub(r"<[^>]+>", "", re.search(r'class="swapped">(.*?)</p>', found)[1])
    before, after, change = re.search(r"nDCG@10 ([\d.]+) → ([\d.]+) \(([+−][\d.]+)", said).groups()
    assert float(after) > float(before)
    assert float(change) == pytest.approx(float(after) - float(before), abs=0.0011)
    none = reader.get("/query/0?a=bm25&b=dense&swap=bm25&first=1&second=99").text
    assert "There are no such ranks." in none


def test_exported_notes_are_not_executed_by_a_spreadsheet(tmp_path):
    notes = Notes(tmp_path / "notes.jsonl")
    notes.keep("=q", "@SUM(A1)")
    (row,) = csv.DictReader(io.StringIO(notes.csv()))
    assert (row["query"], row["note"]) == ("'=q", "'@SUM(A1)")


def test_notes_are_kept_next_to_the_data_and_exported(reader, served):
    form = {"csrf": served.access.csrf, "place": "1", "note": 'odd, "very" odd\n=1+1', "a": "bm25"}
    kept = reader.post("/note", data=form)
    assert kept.status_code == 200
    assert "odd, &#34;very&#34; odd" in kept.text
    rows = list(csv.DictReader(io.StringIO(reader.get("/notes.csv").text)))
    assert [(r["query"], r["note"]) for r in rows] == [("q2", 'odd, "very" odd\n=1+1')]
    (line,) = served.notes.path.read_text().splitlines()
    assert json.loads(line)["query"] == "q2"
    assert list(Notes(served.notes.path).read()) == ["q2"]
    reader.post("/note", data={**form, "note": " "})
    assert Notes(served.notes.path).read() == {}


def test_a_note_without_a_line_feed_at_the_end_is_kept(tmp_path):
    notes = Notes(tmp_path / "notes.jsonl")
    notes.keep("q1", "by hand")
    notes.path.write_bytes(notes.path.read_bytes()[:-1])
    notes.keep("q\ud800", "odd id")
    assert Notes(notes.path).read() == {"q1": "by hand", "q\ud800": "odd id"}


def test_notes_that_another_program_broke_are_named_and_not_replaced(reader, served):
    served.notes.path.write_text("my own words\n")
    form = {"csrf": served.access.csrf, "place": "1", "note": "x"}
    for answer in (reader.get("/"), reader.get("/query/1"), reader.post("/note", data=form)):
        assert answer.status_code == 503
        assert "notes.jsonl, line 1" in answer.text
    assert served.notes.path.read_text() == "my own words\n"


@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}]
)
def test_a_form_of_another_site_is_refused(reader, served, headers):
    form = {"csrf": served.access.csrf, "place": "1", "note": "x"}
    assert reader.post("/note", data=form, headers=headers).status_code == 403
    assert reader.post("/note", data={**form, "csrf": "0" * 64}).status_code == 403
    assert served.notes.read() == {}


@pytest.mark.parametrize(
    "path",
    [
        "/query/4",
        "/query/-1",
        "/query/x",
        "/query/99999999999",
        "/document?id=../qrels.txt",
        "/find?query=q9",
    ],
)
def test_unknown_things_are_not_found(reader, path):
    assert reader.get(path).status_code == 404


def test_the_link_of_a_query_survives_another_order(reader):
    found = reader.get("/find?query=q3&sort=query&order=up&a=dense&b=bm25")
    assert found.url.path == "/query/2"
    assert "q3" in found.text
