"""The explorer as a reader uses it: in a browser, by keyboard, on a phone, without other requests."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.journeys.conftest import Shell
from tests.journeys.test_report_in_browser import contrast, luminance

expect = pytest.importorskip("playwright.sync_api").expect

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\u202eevil\u202c",
    "\x1b[31mred",
)
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def collection(folder: Path) -> list[str]:
    """Write 120 queries, three systems, and texts that try to do harm; return the arguments."""
    random = np.random.default_rng(5)
    words = ["whale", "energy", "river", "doctor", "history", "climate"]
    qrels, texts = [], []
    runs: dict[str, list[str]] = {"bm25": [], "dense": [], "<b>odd": []}
    for q in range(120):
        query = f"q{q:03d}"
        grades = {
            f"d{d}": int(random.integers(0, 4)) * int(random.random() < 0.4) for d in range(12)
        }
        qrels += [f"{query} 0 {d} {g}\n" for d, g in grades.items()]
        for k, name in enumerate(runs):
            own = {d: g + random.normal(0, 1 + k) for d, g in grades.items()} | {
                f"x{k}": random.normal(1)
            }
            if q == 0:
                own[HOSTILE[0].replace(" ", "")] = 9.0
            ranked = sorted(own, key=lambda d: -own[d])
            runs[name] += [f"{query} Q0 {d} {r} {own[d]:.4f} t\n" for r, d in enumerate(ranked, 1)]
        texts.append(f"{query}\t{words[q % 6]} and {words[(q + 1) % 6]} {HOSTILE[q % 4]}\n")
    (folder / "qrels.txt").write_text("".join(qrels))
    (folder / "runs").mkdir()
    for name, lines in runs.items():
        (folder / "runs" / f"{name}.run").write_text("".join(lines))
    (folder / "queries.tsv").write_text("".join(texts))
    documents = [
        {
            "id": f"d{d}",
            "title": HOSTILE[d % 4],
            "text": f"A whale, a river, {HOSTILE[d % 4]} and a long text. " * 9,
        }
        for d in range(12)
    ]
    (folder / "docs.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    files = [str(p) for p in sorted((folder / "runs").iterdir())]
    return [
        "view",
        "qrels.txt",
        *files,
        "-m",
        "nDCG@10",
        "AP",
        "--pool",
        "judged",
        "--queries",
        "queries.tsv",
        "--documents",
        "docs.jsonl",
    ]


@dataclass
class House:
    """A running explorer."""

    folder: Path
    process: subprocess.Popen
    link: str


def started(folder: Path, arguments: list[str]) -> House:
    shell = Shell(folder)
    process = subprocess.Popen(
        shell.command(*arguments),
        cwd=folder,
        env=shell.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    return House(folder, process, process.stdout.readline().strip())


def stop(house: House) -> None:
    house.process.terminate()
    house.process.wait(timeout=600)
    assert house.process.stdout is not None
    house.process.stdout.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """The explorer of a small collection, in a process of its own."""
    folder = tmp_path_factory.mktemp("view")
    made = started(folder, collection(folder))
    yield made
    stop(made)


@pytest.fixture
def opened(browser, house):
    """Return a function that opens the link; every message and foreign request is recorded."""
    contexts = []

    def opener(size="desktop", path="", **options):
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        base = re.match(r"http://127\.0\.0\.1:\d+", house.link)[0]
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith((base, "data:")) or page.said.append(r.url))
        page.goto(house.link)
        if path:
            page.goto(base + path)
        return page

    yield opener
    for context in contexts:
        context.close()


def ids(page) -> list[str]:
    return page.locator("#queries tbody a bdi").all_inner_texts()


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_a_reader_goes_from_the_table_to_a_document(opened, size, scheme):
    page = opened(size, color_scheme=scheme)
    assert len(ids(page)) == 50
    paper = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert paper < 0.05 if scheme == "dark" else paper > 0.8
    page.get_by_label("first system").select_option("bm25")
    page.wait_for_url(re.compile("a=bm25"))
    page.get_by_label("second system").select_option("dense")
    page.wait_for_url(re.compile("b=dense"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#queries tbody a").first.click()
    page.wait_for_url(re.compile("/query/"))  # waits for the whole page
    page.wait_for_selector(".sides")
    assert page.locator(".side").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator(".grade.unjudged").count() > 0
    weak = page.evaluate(CONTRASTS)
    assert [t for colour, under, t in weak if contrast(colour, under) < 4.5] == []
    page.get_by_text("whole text").first.click()
    page.wait_for_selector(".text")
    assert page.said == []


CONTRASTS = """() => [...document.querySelectorAll('h1,h2,p,.rank,.grade,.facts,.id,mark,button,label,.snippet-text')]
  .filter(e => e.textContent.trim() && e.getClientRects().length)
  .map(e => {
    let under = e;
    const clear = (c) => c === 'rgba(0, 0, 0, 0)' || c === 'transparent';
    while (under && clear(getComputedStyle(under).backgroundColor)) under = under.parentElement;
    return [getComputedStyle(e).color, getComputedStyle(under ?? document.body).backgroundColor, e.textContent.slice(0, 40)];
  })"""


def test_the_table_sorts_filters_and_has_links(opened):
    page = opened(path="/?a=bm25&b=dense&sort=query&order=up")
    assert ids(page) == [f"q{k:03d}" for k in range(50)]
    page.get_by_text("Next page").click()
    page.wait_for_url(re.compile("page=2"))
    assert ids(page)[0] == "q050"
    page.locator("th a", has_text="difference").click()
    page.wait_for_url(re.compile("sort=difference"))
    cells = page.locator("#queries tbody td.up").all_inner_texts()
    values = [float(c.replace("−", "-")) for c in cells]
    assert values == sorted(values, reverse=True)
    page.get_by_label("search").fill("whale")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("find=whale"))
    assert all("whale" in t for t in page.locator("#queries tbody .words").all_inner_texts())
    link = page.url
    again = opened(path=link[len(re.match(r"http://[^/]+", link)[0]) :])
    assert ids(again) == ids(page)


def test_everything_by_keyboard(opened):
    page = opened(path="/?a=bm25&b=dense&sort=query&order=up")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/query/1"))
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/query/2"))
    page.keyboard.press("p")
    page.wait_for_url(re.compile("/query/1"))
    expected = re.search(r"/query/(\d+)", page.locator("#different").get_attribute("href"))[1]
    page.keyboard.press("d")
    page.wait_for_url(re.compile(f"/query/{expected}"))
    page.keyboard.press("u")
    page.wait_for_selector("#queries")
    page.wait_for_load_state()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "find"
    page.keyboard.type("n")  # a letter in the search is not a command
    assert page.locator("input[name=find]").input_value() == "n"
    assert page.said == []


def test_lines_join_the_same_documents(opened):
    page = opened(path="/query/1?a=bm25&b=dense")
    found = page.evaluate(
        """() => { const [a, b] = [...document.querySelectorAll('.side')].map(s =>
             new Set([...s.querySelectorAll('[data-document]')].map(r => r.dataset.document)));
             return [[...a].filter(d => b.has(d)).length, document.querySelectorAll('.lines path').length]; }"""
    )
    assert found[0] == found[1] > 5


def test_contributions_add_up_to_the_score(opened):
    page = opened(path="/query/1?a=bm25&b=dense&m=nDCG%4010")
    side = page.locator(".side").first
    total = float(re.search(r"nDCG@10 ([\d.]+)", side.locator(".lead").inner_text())[1])
    added = re.findall(r"adds ([\d.]+)", " ".join(side.locator(".facts").all_inner_texts()))
    assert sum(map(float, added)) == pytest.approx(total, abs=0.006)


def test_a_swap_and_a_note(opened, house):
    page = opened(path="/query/2?a=bm25&b=dense")
    form = page.locator(".swap").first
    form.locator("input[name=first]").fill("1")
    form.locator("input[name=second]").fill("9")
    form.get_by_role("button").click()
    page.wait_for_selector(".swapped")
    assert "→" in page.locator(".swapped").inner_text()
    page.get_by_label("Your note").fill("look here <b>")
    page.get_by_role("button", name="Save the note").click()
    page.wait_for_url(re.compile("#note"))
    assert page.get_by_label("Your note").input_value() == "look here <b>"
    (line,) = (house.folder / "qrels.txt.notes.jsonl").read_text().splitlines()
    assert json.loads(line)["query"] == "q002"
    assert page.said == []


def test_hostile_texts_are_inert(opened):
    for path in ("/", *(f"/query/{k}?a=%3Cb%3Eodd&b=bm25" for k in range(4)), "/document?id=d0"):
        page = opened(path=path)
        assert page.said == []
        assert page.locator("main img, main b, main script").count() == 0
        text = page.locator("main").inner_text()
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script>alert(1)</script>" in text


def test_without_javascript(browser, house):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(house.link)
    page.locator("#queries tbody a").first.click()
    page.wait_for_url(re.compile("/query/"))
    first = page.url
    page.get_by_text("Next →").click()
    page.wait_for_url(lambda url: url != first)
    assert page.locator(".side").count() == 2
    context.close()


@pytest.mark.parametrize("size", ["desktop", pytest.param("phone", marks=pytest.mark.slow)])
def test_the_real_collection(browser, real_data, tmp_path, size):
    folder = real_data / "trec" / "dlhard"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    runs = [str(folder / "runs" / name) for name in ("bm25.run.gz", "bm25+electra-mp.run.gz")]
    queries = {line.split()[0] for line in (folder / "dl_hard-doc.qrels").read_text().splitlines()}
    (tmp_path / "queries.tsv").write_text("".join(f"{q}\twords of {q}\n" for q in sorted(queries)))
    lines = [line for run in runs for line in gzip.decompress(Path(run).read_bytes()).splitlines()]
    ranked = {line.split()[2].decode() for line in lines}
    (tmp_path / "documents.tsv").write_text(
        "".join(f"{d}\tsome words of {d}\n" for d in sorted(ranked))
    )
    index = ["--index", str(tmp_path / "index.sqlite"), "--notes", str(tmp_path / "notes.jsonl")]
    arguments = ["view", str(folder / "dl_hard-doc.qrels"), *runs, "--pool", "judged", *index]
    texts = ["--queries", "queries.tsv", "--documents", "documents.tsv"]
    made = started(tmp_path, [*arguments, *texts])
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        page.goto(made.link)
        assert page.locator("#queries tbody tr").count() == len(queries) == 50
        page.locator("#queries tbody a").first.click()
        page.wait_for_url(re.compile("/query/"))
        page.wait_for_selector(".sides")
        assert page.locator(".side").first.locator("[data-document]").count() == 20
        page.get_by_text("Show all 100 documents").first.click()
        page.wait_for_url(re.compile("documents=100"))
        assert page.locator(".side").first.locator("[data-document]").count() == 100
        assert page.locator(".snippet-text mark", has_text="words").count() > 100
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    finally:
        context.close()
        stop(made)


@pytest.mark.parametrize("size", SIZES)
def test_generated_texts(browser, tmp_path, size):
    rows = [
        {
            "system": s,
            "item": f"i{k}",
            "text": f"the whale swims {s} {HOSTILE[k % 4]}",
            "references": ["a whale swims far"],
            "source": HOSTILE[0] * 20,
        }
        for k in range(5)
        for s in "ab"
    ]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = started(tmp_path, ["view", "--texts", "texts.jsonl"])
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height})
    try:
        page = context.new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.goto(made.link)
        page.get_by_label("measure").select_option("ROUGE-2")
        page.wait_for_url(re.compile("m=ROUGE-2"))
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector(".candidate")
        page.wait_for_load_state()
        marks = page.locator(".candidate >> nth=0 >> mark").all_inner_texts()
        assert marks == ["whale", "swims"]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("main img, main script").count() == 0
        page.keyboard.press("n")
        page.wait_for_url(lambda url: "/query/" in url)
        assert said == []
    finally:
        context.close()
        stop(made)


def test_a_phone_shows_the_whole_table_and_every_link(opened):
    page = opened("phone")
    right = "[...document.querySelectorAll('#queries tr')].map(r => Math.max(...[...r.cells].map(c => c.getBoundingClientRect().right)))"
    card = page.evaluate("document.querySelector('.grid').getBoundingClientRect().right")
    assert max(page.evaluate(right)) <= card
    heading = page.locator("#queries th bdi", has_text="difference")
    lines = "e => new Set([...e.getClientRects()].map(box => Math.round(box.top))).size"
    assert heading.evaluate(lines) == 1
    page.locator("#queries tbody a").nth(3).click()
    page.wait_for_url(re.compile("/query/"))
    links = page.evaluate(
        "[...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().right)"
    )
    assert len(links) == 5
    assert max(links) <= 390
    page.locator(".jump a").click()
    page.wait_for_url(re.compile("#second"))
    expect(page.locator("#second")).to_be_in_viewport()


def test_controls_are_on_one_line_and_filters_show_their_means(opened):
    page = opened()
    tops = page.evaluate(
        "[...document.querySelectorAll('.wishes select, .wishes input:not([type=hidden]), .wishes button')].map(e => Math.round(e.getBoundingClientRect().bottom))"
    )
    assert len(set(tops)) == 1
    assert page.locator(".part").count() == 0
    page.get_by_label("show").select_option("first")
    page.wait_for_url(re.compile("only=first"))
    page.locator(".part", has_text="of these").wait_for()
    assert page.locator(".jump").count() == 0
