"""Answers and preferences in the explorer: in a browser, by keyboard, on a phone, without other requests."""

from __future__ import annotations

import itertools
import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.test_report_in_browser import contrast
from tests.journeys.test_view_in_browser import CONTRASTS, HOSTILE, SIZES
from tests.rooms import stop

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def serving(tmp_path):
    """Return a function that serves files in this process, on a free port; it returns the link."""
    running = []

    def serve(inputs: Any, scored: Any) -> str:
        from tare._web.guard import Access, new_token
        from tare._web.judge.server import listen, server_of
        from tare._web.view import ServedView, application, opened_index
        from tare._web.view.server import Notes

        index = opened_index(inputs, scored, path=tmp_path / "index.sqlite", say=lambda text: None)
        access = Access(new_token())
        opened = listen("127.0.0.1", 0)
        port = opened.getsockname()[1]
        served = ServedView(index, Notes(tmp_path / "notes.jsonl"), access, "test")
        server = server_of(application(served))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
        thread.start()
        running.append((server, thread, index))
        return f"http://127.0.0.1:{port}/open/{access.token}"

    yield serve
    for server, thread, index in running:
        stop(server, thread, at_once=True)
        index.close()


@pytest.fixture
def watched(browser):
    """Return a function that opens a page; every message, dialog and foreign request is recorded."""
    contexts = []

    def opener(link: str, size: str, path: str, **options):
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        (base,) = re.findall(r"^http://127\.0\.0\.1:\d+", link)
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.startswith((base, "data:")) or page.said.append(r.url))
        page.goto(link)
        page.goto(base + path)
        return page

    yield opener
    for context in contexts:
        context.close()


def check_page(page) -> None:
    """Check width, contrast and that foreign texts are texts."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    weak = page.evaluate(
        CONTRASTS.replace("mark,", "mark,.importance,.who,.counts,.remark,.pairs td,")
    )
    assert [t for colour, under, t in weak if contrast(colour, under) < 4.5] == []
    expect(page.locator("main img, main b, main script")).to_have_count(0)
    text = page.locator("main").inner_text()
    assert "\u202e" not in text
    assert "\x1b" not in text


def signed(text: str) -> float:
    return float(text.replace("−", "-"))


def test_answers_with_nuggets(serving, watched, tmp_path):
    from tare._web.view import AnswerFiles, ViewInputs

    labels = ("support", "partial_support", "not_support")
    rows = [
        {
            "qid": f"t{t}",
            "run_id": s,
            "query": f"question {t} {HOSTILE[t]}",
            "answer_text": HOSTILE[k] * 30,
            "nuggets": [
                {
                    "text": f"fact {n} {HOSTILE[n]}",
                    "importance": ("vital", "okay")[n % 2],
                    "assignment": labels[(t * k + n * (k + 1)) % 3],
                }
                for n in range(4)
            ],
        }
        for t in range(4)
        for k, s in enumerate(("one", "<b>two"))
    ]
    path = tmp_path / "assignments.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = AnswerFiles((path,))
    link = serving(ViewInputs(path, (), answers=files), files.scores)
    for size, scheme in (("desktop", "dark"), ("phone", "light")):
        page = watched(link, size, "/?m=NuggetAll&sort=query&order=up", color_scheme=scheme)
        expect(page.locator("#queries tbody tr")).to_have_count(4)
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/query/1"))
        expect(page.locator("td.nugget")).to_have_count(4)
        total = re.search(r"difference ([+−]\d\.\d+)", page.locator(".subtitle").inner_text())[1]
        added = [t.split("\n")[0] for t in page.locator("td.adds").all_inner_texts()]
        assert sum(map(signed, added)) == pytest.approx(signed(total), abs=0.003)
        check_page(page)
        page.keyboard.press("n")
        page.wait_for_url(re.compile("/query/2"))
        expect(page.get_by_label("Your note")).to_have_value("")
        assert page.said == []
    page.get_by_label("Your note").fill("why?")
    page.get_by_role("button", name="Save the note").click()
    page.wait_for_url(re.compile("#note"))
    expect(page.get_by_label("Your note")).to_have_value("why?")
    (line,) = (tmp_path / "notes.jsonl").read_text().splitlines()
    assert json.loads(line)["query"] == "t2"


def test_the_human_labels_of_ikat(serving, watched, real_data: Path):
    from tare._web.view import AnswerFiles, ViewInputs

    folder = real_data / "nuggets" / "ikat24"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    labels, nuggets = folder / "human_matching_labels.csv", folder / "gold_nuggets_human.jsonl.gz"
    columns = (("importance", "passage_grade"),)
    files = AnswerFiles((labels,), (nuggets,), columns=columns, unassigned="skip")
    link = serving(ViewInputs(labels, (), answers=files), lambda: files.scores(["NuggetAll"]))
    page = watched(link, "desktop", "/find?query=14_10&a=nii-1&b=uva-3")
    # Counted from the file with awk: 7 nuggets of 14_10, nii-1 has 4 of 7, uva-3 has 2 of 5.
    expect(page.locator("td.nugget")).to_have_count(7)
    assert page.locator(".counts").all_inner_texts() == [
        "4 support, 3 no support",
        "2 support, 3 no support, 2 not assigned",
    ]
    assert page.said == []


def test_preferences_between_documents(serving, watched, tmp_path):
    import tare
    from tare._web.view import ViewInputs

    odd = HOSTILE[0]
    documents = ["a", "b", "c", odd]
    (tmp_path / "prefs.txt").write_text(
        "".join(
            f"q{q} {one} {two} {(one, two)[(q + k) % 2]}\n"
            for q in range(3)
            for k, (one, two) in enumerate(itertools.combinations(documents, 2))
        )
    )
    runs = (tmp_path / "one.run", tmp_path / "two.run")
    for k, path in enumerate(runs):
        order = documents[::-1] if k else documents
        path.write_text(
            "".join(
                f"q{q} Q0 {d} {r} {9 - r} t\n" for q in range(3) for r, d in enumerate(order, 1)
            )
        )
    inputs = ViewInputs(tmp_path / "prefs.txt", runs, of_preferences=True)
    prefs = tare.read_preferences(tmp_path / "prefs.txt")
    link = serving(inputs, lambda: tare.evaluate(prefs, list(map(str, runs)), ["nPrf@3"]))
    for size, scheme in (("desktop", "light"), ("phone", "dark")):
        page = watched(link, size, "/?sort=query&order=up", color_scheme=scheme)
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile("/query/0"))
        expect(page.locator(".side")).to_have_count(2)
        expect(page.locator(".pairs td.winner")).to_have_count(6)
        # One ranking is the other one reversed: each preference is agreed with by one of the two.
        expect(page.locator(".pairs .grade", has_text="violates")).to_have_count(6)
        expect(page.locator(".pairs .grade", has_text="agrees")).to_have_count(6)
        check_page(page)
        page.keyboard.press("n")
        page.wait_for_url(re.compile("/query/1"))
        assert page.said == []
