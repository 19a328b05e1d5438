"""A blind slice in a browser: nothing of the model's labels reaches assessors; the owner sees the estimates."""

from __future__ import annotations

import itertools
import json
import re
import secrets
import time
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from tare._judging.design import Text
from tare._web.judge import pages
from tare._web.judge.writer import Clock
from tare.studies import judges
from tests.rooms import House, study_of
from tests.slices import answers_of, grades_folder, pairs_file, plan, summaries_folder

KEYS = {
    "grades": ("2",),
    "preference": ("1",),
    "headtohead": ("2",),
    "ratings": ("4", "2", "Enter"),
    "scus": ("y", "n", "y", "Enter"),
}
OTHER = {  # the same file with other labels
    "model.qrels": lambda line: line[:-1] + str(3 - int(line[-1])),
    "pairs.csv": lambda line: line.replace("left", "none").replace("equal", "left"),
    "preferences.csv": lambda line: ",".join([*line.split(",")[:3], "equal"]),
    "ratings.csv": lambda line: ",".join([*line.split(",")[:2], "1", "1"]),
    "presence.csv": lambda line: line[:-1] + str(1 - int(line[-1])),
}


@pytest.fixture
def folder(tmp_path):
    pairs_file(tmp_path, queries=4)
    grades_folder(tmp_path, queries=4, documents=3)
    return summaries_folder(tmp_path, items=4)


def small(folder, kind, **judge):
    return plan(folder, kind, more="per_assessor = 4", **{"slice": 3} | judge)


@contextmanager
def predictable(monkeypatch):
    """Make tokens and times the same in every study."""
    numbers = itertools.count(1)
    with monkeypatch.context() as changed:
        changed.setattr(secrets, "token_hex", lambda n=32: f"{next(numbers):0{2 * n}x}")
        changed.setattr(secrets, "token_urlsafe", lambda n=32: f"{next(numbers):043}")
        changed.setattr(pages, "new_submission", lambda: f"{next(numbers):032x}")
        changed.setattr(Clock, "now", lambda self: 1_700_000_000.0)
        yield


def everything_sent(browser, study, place, keys):
    """Return all that the server sends to an assessor who answers, goes back, and downloads the answers."""
    sent = []

    def keep(route):
        response = route.fetch(max_redirects=0)
        path = urlsplit(response.url).path
        if path != "/draft":  # depends on how fast the keys are pressed
            headers = {k: v for k, v in response.headers.items() if k != "date"}
            sent.append((path, response.status, headers, response.body()))
        route.fulfill(response=response)

    with House(study, place) as house:
        context = browser.new_context(base_url=house.url)
        context.set_default_timeout(120_000)
        context.route("**/*", keep)
        page = context.new_page()
        page.goto(f"/join/{house.keys.assessors[0][1]}")
        for n in range(5):
            number = page.locator("input[name=number]").first.get_attribute("value")
            for key in keys:
                page.keyboard.press(key)
            page.wait_for_function(
                "n => !document.querySelector(`input[name=number][value='${n}']`)", arg=number
            )
            if n == 1:
                page.keyboard.press("u")
                page.get_by_text("1 done").wait_for()
        page.locator("#code").wait_for()
        page.goto("/work")
        page.evaluate("fetch('/mine.jsonl').then(r => r.text())")
        page.goto("/link", wait_until="networkidle")
        context.close()
        url = house.url.encode()
        return sorted(
            (p, s, json.dumps(h, sort_keys=True), body.replace(url, b"")) for p, s, h, body in sent
        )


@pytest.mark.parametrize(
    ("kind", "judge"),
    [
        ("grades", {"measure": "nDCG@3"}),
        ("grades", {"draw": "documents", "slice": 2, "measure": "DCG@3", "width": 0.1}),
        ("preference", {}),
        ("ratings", {}),
        pytest.param("headtohead", {}, marks=pytest.mark.slow),
        pytest.param("scus", {}, marks=pytest.mark.slow),
    ],
)
def test_assessors_get_the_same_bytes_under_other_labels(kind, judge, browser, folder, monkeypatch):
    found, labels = [], []
    for turn in range(2):
        study = small(folder, kind, **judge)
        labels.append(study.slice.answers)
        with predictable(monkeypatch):
            found.append(everything_sent(browser, study, str(folder / f"{turn}.db"), KEYS[kind]))
        name = json.loads(re.search(r"labels = (.+)", (folder / "study.toml").read_text())[1])
        head, *rest = (folder / name).read_text().splitlines()
        table = name.endswith(".csv")
        changed = [head if table else OTHER[name](head), *(OTHER[name](line) for line in rest)]
        (folder / name).write_text("\n".join(changed) + "\n")
    assert labels[0] != labels[1]
    assert len(found[0]) > 10
    assert any(b"Your completion code" in body for *_, body in found[0])
    assert found[0] == found[1]


MEASURES = {
    "grades": "nDCG@3",
    "preference": None,
    "headtohead": None,
    "ratings": None,
    "scus": None,
}


@pytest.mark.parametrize("kind", list(MEASURES))
def test_the_owner_sees_what_estimate_says_of_the_export(kind, browser, folder, tare):
    grades_folder(folder, queries=4, documents=5)
    study = plan(folder, kind, slice=3, **({"measure": "nDCG@3"} if kind == "grades" else {}))
    answers = answers_of(study, folder)
    with House(study, str(folder / "s.db")) as house:
        assessor = house.assessor()
        for _ in study.tasks:
            lease = _lease(house)
            assert assessor.judge(answers[lease]).status_code == 200
        context = browser.new_context(base_url=house.url)
        page = context.new_page()
        page.goto(f"/owner/{house.keys.owner}")
        seen = [
            row.locator("th, td").all_inner_texts()
            for row in page.locator("#estimates tbody tr").all()
        ]
        kappas = page.locator("#slice .kappa").all_inner_texts()
        context.close()
        names = ["slice", "model"] if kind == "grades" else ["slice-scores", "model-scores"]
        owner = house.owner()
        for name in {*names, "slice", "model"}:
            exported = owner.client.get(f"/owner/export/{name}.csv")
            assert exported.status_code == 200
            (folder / f"{name}.csv").write_bytes(exported.content)
        if kind == "grades":
            done = tare("judge", "export", str(folder / "s.db"), "--what", "slice")
            assert done.out.encode() == (folder / "slice.csv").read_bytes()
    runs = ["good.run", "poor.run"] if kind == "grades" else []
    given = [str(folder / f) for f in (*(f"{n}.csv" for n in names), *runs)]
    measure = ["-m", MEASURES[kind]] if MEASURES[kind] else []
    done = tare("estimate", *given, *measure, "--show", "estimates", "--format", "json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    rows = rows if isinstance(rows, list) else rows["rows"]
    wanted = [
        [
            r["measure"],
            r["system"],
            _number(r["estimate"]),
            f"{_number(r['low'])} to {_number(r['high'])}",
            _number(r["people"]),
            f"{_number(r['people_low'])} to {_number(r['people_high'])}",
            _number(r["judge"]),
            _number(r["bias"]),
        ]
        for r in rows
    ]
    assert [row[:8] for row in seen] == wanted
    assert len(kappas) == (2 if kind == "ratings" else 1)
    if kind != "ratings":  # the audit takes all dimensions together
        audit = judges(str(folder / "slice.csv"), str(folder / "model.csv")).rows()[0]
        assert kappas == [_number(audit["kappa"])]


def _number(value):
    return f"{value:.3f}"


def _lease(house):
    """Return the task of the assessor, assigning one if there is none."""
    house.visitors[0].open("/work")
    events = house.store.events()
    return next(e.data["task"] for e in reversed(events) if e.kind == "assigned")


def test_a_study_stops_when_the_interval_is_narrow_enough(browser, tmp_path):
    folder = grades_folder(tmp_path, queries=40, documents=1)
    study = plan(folder, slice=40, measure="DCG@1", width=50.0)
    answers = answers_of(study, folder)
    with House(study, str(folder / "s.db")) as house:
        assessor = house.assessor()
        for _ in range(30):
            assert assessor.judge(answers[_lease(house)]).status_code == 200
        end = time.monotonic() + 600
        while not any(e.kind == "stopped" for e in house.store.events()):
            assert time.monotonic() < end, "the study did not stop"
            time.sleep(0.1)
        other = house.assessor(1)
        assert "There are no tasks left" in other.open("/work")
        context = browser.new_context(base_url=house.url)
        page = context.new_page()
        page.goto(f"/owner/{house.keys.owner}")
        assert "It was narrow enough at 30." in page.inner_text("#slice")
        page.get_by_role("button", name="Continue the study").click()
        page.wait_for_selector("text=open")
        assert "narrow enough at" not in page.inner_text("#slice")
        context.close()
        assert 'name="number"' in other.open("/work")


@pytest.mark.parametrize("size", [{"width": 360, "height": 640}, {"width": 640, "height": 360}])
def test_on_a_phone_the_answers_do_not_cover_the_second_text(browser, tmp_path, size):
    study = study_of("preference", both_bad=True)
    texts = {name: Text(text.body * 40) for name, text in study.texts.items()}
    with House(replace(study, texts=texts), str(tmp_path / "s.db")) as house:
        context = browser.new_context(base_url=house.url, viewport=size)
        page = context.new_page()
        page.goto(f"/join/{house.keys.assessors[0][1]}")
        page.locator("#text-b").scroll_into_view_if_needed()
        text, bar = (
            page.locator(which).bounding_box() for which in (".pair .text >> nth=1", ".bar")
        )
        assert bar["y"] >= text["y"] + text["height"]
        context.close()
