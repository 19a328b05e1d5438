"""The page of a report: self-contained, and safe for any names in the data."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

import tare
from tare._data.simulation import simulate
from tare._measures.scores import Scores
from tare._signature import Signature
from tare.chance._net_measures import with_chance
from tare.report import _page, report
from tare.report._page import cache_folder, json_in_html, vega_script

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "\"quotes' & <b>bold</b>",
    "{{ 7 * 7 }}",
    "👩‍🔬 שלום עולם \u202eevil\u202c",
    "x" * 300,
    "\u2028line\u2029",
)


class Elements(HTMLParser):
    """The elements, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._open: str | None = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open == "script":
            attributes, before = self.scripts[-1]
            self.scripts[-1] = attributes, before + data
        elif self._open != "style":
            self.text.append(data)


@pytest.fixture(scope="module")
def scores() -> Scores:
    collection = simulate(queries=20, documents=40, seed=2)
    measures = with_chance(["nDCG@10", "P@5"])
    return tare.evaluate(collection.qrels, collection.runs, measures, pool="judged")


@pytest.fixture(scope="module")
def page(scores) -> str:
    return report(scores, title="A title").html()


def hostile_scores() -> Scores:
    random = np.random.default_rng(1)
    systems = HOSTILE[:5]
    items = tuple(f"{name} {k}" for k, name in enumerate(HOSTILE * 2))
    measures = ("nDCG@10", HOSTILE[0])
    values = random.random((len(systems), len(items), len(measures)))
    signatures = tuple(Signature.of(m, {"n": len(items)}) for m in measures)
    return Scores(systems, items, measures, values, signatures)


def test_chapters_come_in_the_order_of_reading(scores):
    made = report(scores)
    assert [chapter.key for chapter in made.chapters] == [
        *("findings", "systems", "chance", "pairs", "queries", "measures", "methods")
    ]
    assert made.title == "Scores of 5 systems on 20 items"
    assert "7 chapters" not in repr(made)
    assert "Findings, Systems" in repr(made)


def test_the_page_has_no_external_links(page):
    found = Elements(page)
    for tag, attributes in found.tags:
        assert tag not in ("link", "iframe", "img", "object", "embed")
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    own = page.replace(found.scripts[1][1], "")
    assert re.findall(r"https?:|//cdn|@import|url\(", own) == []


def test_only_the_scripts_of_the_page_may_run(page):
    found = Elements(page)
    policy = next(a["content"] for t, a in found.tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    run = [text for attributes, text in found.scripts if "type" not in attributes]
    assert len(run) == 2
    digests = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in run]
    allowed = policy.split("script-src ")[1]
    assert allowed == " ".join(f"'sha256-{digest}'" for digest in digests)
    assert "unsafe-eval" not in policy


def test_every_identifier_is_unique(page):
    ids = [a["id"] for _, a in Elements(page).tags if "id" in a]
    assert len(ids) == len(set(ids))
    targets = [a["href"][1:] for t, a in Elements(page).tags if t == "a"]
    assert set(targets) <= set(ids)


def test_the_numbers_of_the_page_are_those_of_the_scores(page, scores):
    means = scores.means()
    text = " ".join(Elements(page).text)
    for system in scores.systems:
        assert f"{means[system]['nDCG@10']:.3f}" in text
        assert f"{means[system]['Net(nDCG@10)']:.3f}".replace("-", "−") in text
    charts = json.loads(next(t for a, t in Elements(page).scripts if a.get("id") == "data"))
    assert len(charts["charts"]) == page.count('class="chart"')


def test_a_page_of_twenty_systems_and_two_hundred_queries_stays_small():
    random = np.random.default_rng(3)
    names = tuple(f"system-{k}" for k in range(20))
    items = tuple(f"query-{k:03d}" for k in range(200))
    measures = ("nDCG@10", "E(nDCG@10)", "Net(nDCG@10)", "AP")
    values = random.random((20, 200, 4))
    signatures = tuple(Signature.of(m, {"n": 200}) for m in measures)
    text = report(Scores(names, items, measures, values, signatures)).html()
    assert len(text.encode()) < 2_000_000


def test_hostile_names_are_only_text():
    scores = hostile_scores()
    page = report(scores, title=HOSTILE[0]).html()
    found = Elements(page)
    tags = {tag for tag, _ in found.tags}
    assert not tags & {"img", "b"}
    assert len(found.scripts) == 3
    text = "".join(found.text)
    for system in scores.systems:
        assert system in text
    assert "{{ 7 * 7 }}" in text
    charts = json.loads(next(t for a, t in found.scripts if a.get("id") == "data"))
    assert HOSTILE[1] in json.dumps(charts, ensure_ascii=False)


@pytest.mark.parametrize("name", HOSTILE)
def test_json_in_a_page_cannot_end_its_element(name):
    text = json_in_html({"name": name})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"name": name}


def test_json_has_only_finite_numbers():
    assert json_in_html([float("nan"), float("inf"), 1 / 3]) == "[null,null,0.3333]"


def test_a_lone_surrogate_does_not_break_the_page():
    scores = hostile_scores()
    names = ("lone \ud800 surrogate", *scores.systems[1:])
    bad = Scores(names, scores.items, scores.measures, scores.values, scores.signatures)
    assert "lone ? surrogate" in report(bad).html()


def test_write_creates_folders_and_returns_the_path(scores, tmp_path):
    path = scores.report(tmp_path / "new" / "r.html", title="T")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_notebook_gets_the_page_in_a_frame(scores):
    shown = report(scores)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype')


# The chart script is made once, and a copy that others can change is not used.


SCRIPT = "let chart = 'é\u2028';\r\n"


@pytest.fixture
def made(monkeypatch, tmp_path):
    """A converter that counts its bundles; its copy is in the folder `cache`."""
    calls = []
    fake = SimpleNamespace(__version__="9.9", javascript_bundle=lambda: calls.append(1) or SCRIPT)
    monkeypatch.setattr(_page, "converter", lambda: fake)
    monkeypatch.setenv("TARE_CACHE", str(tmp_path / "cache"))
    vega_script.cache_clear()
    yield calls
    vega_script.cache_clear()


def again():
    """Return the script as another process would."""
    vega_script.cache_clear()
    return vega_script()


def kept_in(folder):
    return folder / "cache" / "vega-9.9.js"


def test_it_is_made_once(made, tmp_path):
    assert [again(), again(), again()] == [SCRIPT] * 3
    assert len(made) == 1
    digest, _, script = kept_in(tmp_path).read_bytes().partition(b"\n")
    assert script == SCRIPT.encode()
    assert digest.decode() == hashlib.sha256(script).hexdigest()


@pytest.mark.parametrize("change", [b"", b"x", b"\n", b"\xff\xfe", None])
def test_a_damaged_copy_is_made_again(made, tmp_path, change):
    again()
    path = kept_in(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] if change is None else change)
    assert again() == SCRIPT
    assert len(made) == 2
    assert path.read_bytes() == whole


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("part", ["file", "folder"])
def test_a_copy_that_others_can_change_is_not_used(made, tmp_path, part, mode):
    again()
    path = kept_in(tmp_path)
    foreign = b"alert(1)"
    path.write_bytes(hashlib.sha256(foreign).hexdigest().encode() + b"\n" + foreign)
    changed = path if part == "file" else path.parent
    changed.chmod(changed.stat().st_mode | mode)
    assert again() == SCRIPT
    assert len(made) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_copy_is_private_whatever_the_umask(made, tmp_path):
    before = os.umask(0)
    try:
        again()
    finally:
        os.umask(before)
    assert kept_in(tmp_path).stat().st_mode & 0o777 == 0o600
    assert kept_in(tmp_path).parent.stat().st_mode & 0o777 == 0o700
    again()
    assert len(made) == 1


def test_without_a_folder_it_is_made_each_time(made, tmp_path, monkeypatch):
    monkeypatch.setenv("TARE_CACHE", "")
    assert cache_folder() is None
    assert again() == again() == SCRIPT
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TARE_CACHE", str(tmp_path / "file" / "cache"))  # cannot be made
    assert again() == again() == SCRIPT
    assert len(made) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.skipif(sys.platform != "linux", reason="folders of Linux")
def test_the_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.delenv("TARE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    assert cache_folder() == tmp_path / "there" / "tare"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "tare"
