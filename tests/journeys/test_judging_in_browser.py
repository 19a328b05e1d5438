"""Judging in a real browser: by keyboard, interrupted, on small screens, and without scripts."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from tare._judging import GateQuestion
from tests.rooms import House, study_of

expect = pytest.importorskip("playwright.sync_api").expect

SAVED = "document.getElementById('said').textContent == 'Saved.'"


@contextmanager
def someone(browser, house, path, *, accepted=("ERR_INTERNET_DISCONNECTED",), **options):
    """A page in a browser of its own; what it complains of is an error, unless it is accepted."""
    context = browser.new_context(base_url=house.url, **options)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.complaints = complaints
    page.goto(path)
    yield page
    context.close()
    assert [c for c in complaints if not any(words in c for words in accepted)] == []


def link(house, place=0):
    return f"/join/{house.keys.assessors[place][1]}"


def press(page, *keys):
    """Presses keys, the last of which sends an answer."""
    number = page.locator("input[name=number]").first.get_attribute("value")
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(
        "n => !document.querySelector(`input[name=number][value='${n}']`)", arg=number
    )


def mark(page, reference, start, end):
    """Selects words as a mouse would. The browser reports that to the page later, perhaps after the next event."""
    page.evaluate(
        """([reference, start, end]) => {
            const text = document.querySelector(`[data-reference="${reference}"]`);
            const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            let before = 0;
            for (let node; (node = walk.nextNode()); before += node.length) {
                if (start >= before && start <= before + node.length) range.setStart(node, start - before);
                if (end >= before && end <= before + node.length) { range.setEnd(node, end - before); break; }
            }
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }""",
        [reference, start, end],
    )


def judge_markup(page):
    """Two units; one has words in both texts, after a letter that takes two places in UTF-16."""
    mark(page, 0, 0, 9)
    page.keyboard.press("n")
    units = page.locator(".units > li")  # what is said goes when a draft is kept
    units.nth(0).wait_for()
    mark(page, 1, 0, 9)
    page.keyboard.press("a")
    units.nth(0).locator(".part").nth(1).wait_for()
    body = page.locator("[data-reference='0']").text_content()
    fell = len(body[: body.index("fell")].encode("utf-16-le")) // 2
    mark(page, 0, fell, fell + 4)
    page.click("#unit")
    page.keyboard.type("it fell")
    page.get_by_role("button", name="New unit from selection").click()
    units.nth(1).wait_for()
    press_button(page, "Submit")


def press_button(page, name):
    number = page.locator("input[name=number]").first.get_attribute("value")
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_function(
        "n => !document.querySelector(`input[name=number][value='${n}']`)", arg=number
    )


BY_KEYBOARD = {
    "preference": lambda page: press(page, "1"),
    "conditional": lambda page: press(page, "2"),
    "headtohead": lambda page: press(page, "3"),
    "grades": lambda page: press(page, "3"),
    "ratings": lambda page: press(page, "4", "2", "Enter"),
    "scus": lambda page: press(page, "y", "n", "Enter"),
    "markup": judge_markup,
}
ANSWERS = {
    "preference": {"choice": "left"},
    "conditional": {"choice": "right"},
    "headtohead": {"choice": "equal"},
    "grades": {"grade": 2},
    "ratings": {"ratings": {"readability": 4, "coherence": 2}},
    "scus": {"present": {"1": True, "2": False}},
}


def test_a_selection_is_kept_although_the_browser_reports_it_late(browser, tmp_path):
    """The field for the name of a unit takes the focus before the browser reports a selection."""
    with (
        House(study_of("markup"), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
    ):
        page.evaluate(
            """() => {
                const field = document.getElementById("unit");
                getSelection().selectAllChildren(document.querySelector("[data-reference='0']"));
                field.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
                field.focus();
                getSelection().removeAllRanges();
            }"""
        )
        page.get_by_role("button", name="New unit from selection").click()
        expect(page.locator(".units > li")).to_have_count(1)


@pytest.mark.parametrize("kind", list(BY_KEYBOARD))
def test_a_whole_journey_by_keyboard(kind, browser, tmp_path):
    judge = BY_KEYBOARD[kind]
    study = study_of(kind, guidelines="# How\nRead **both**.", overlap=2)
    with House(study, str(tmp_path / "s.db")) as house:
        tasks = len(study.tasks)
        with someone(browser, house, link(house)) as page:
            page.keyboard.press("g")
            judge(page)
            assert page.evaluate(SAVED)
            assert "1 done" in page.inner_text(".progress")
            page.keyboard.press("u")
            page.get_by_text("0 done").wait_for()
            judge(page)
        with someone(browser, house, link(house), viewport={"width": 360, "height": 740}) as page:
            assert "1 done" in page.inner_text(".progress")
            wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            assert page.evaluate(wide)
            for _ in range(tasks - 1):
                judge(page)
            code = page.inner_text("#code")
            assert len(code) == 8
            assert page.evaluate(wide)
        with someone(browser, house, link(house, 1)) as other:
            assert "0 done" in other.inner_text(".progress")
            for _ in range(tasks):
                judge(other)
            assert other.inner_text("#code") != code
        found = house.store.outcomes(texts=kind == "markup")
        assert len(found.judged) == 2 * tasks
        if kind == "markup":
            assert found.units()["text"].to_list()[:3] == ["reference", "reference", "fell"]
            assert found.units()["label"].to_list()[:3] == ["reference", "reference", "it fell"]
        else:
            assert {str(j.answer) for j in found.judged} == {str(ANSWERS[kind])}
        kinds = [e.kind for e in house.store.events()]
        assert kinds.count("undone") == 1


def test_the_gate_and_a_judgement_that_is_not_possible(browser, tmp_path):
    gate = (GateQuestion("Two and two?", ("three", "four"), 2),)
    with (
        House(study_of(gate=gate), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
    ):
        page.get_by_label("three").check()
        page.get_by_role("button", name="Submit", exact=True).click()
        page.get_by_text("1 attempt left").wait_for()
        page.get_by_label("four").check()
        page.get_by_role("button", name="Submit", exact=True).click()
        page.get_by_role("button", name="A is better").wait_for()
        page.keyboard.press("4")
        page.keyboard.press("Enter")
        page.get_by_text("Please explain in a few words").wait_for()
        page.keyboard.type("1 is in Greek")
        page.keyboard.press("Enter")
        page.get_by_text("1 done").wait_for()
        assert house.store.outcomes().judged[0].answer == {
            "choice": "cannot",
            "reason": "1 is in Greek",
        }


def test_without_a_network_nothing_is_lost_and_nothing_counts_twice(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house)) as page:
            page.context.set_offline(True)
            page.keyboard.press("1")
            page.get_by_text("Not saved yet").wait_for()
            page.keyboard.press("2")  # not while one is on its way
            page.context.set_offline(False)
            page.get_by_text("1 done").wait_for()
            page.context.set_offline(True)
            page.keyboard.press("2")
            page.get_by_text("Not saved yet").wait_for()
            page.close()  # and the browser is shut
            page.context.set_offline(False)
            again = page.context.new_page()
            again.goto("/work")
            again.get_by_text("2 done").wait_for()
        assert [j.answer["choice"] for j in house.store.outcomes().judged] == ["left", "right"]


def test_drafts_of_ratings_come_back_elsewhere(browser, tmp_path):
    with House(study_of("ratings"), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house)) as page:
            page.keyboard.press("5")
            page.get_by_text("Draft kept.").wait_for()
        with someone(browser, house, link(house)) as page:
            assert page.locator("input[name=rating-0]:checked").get_attribute("value") == "5"
            press(page, "3", "Enter")  # the first scale that is open
        assert house.store.outcomes().judged[0].answer["ratings"] == {
            "readability": 5,
            "coherence": 3,
        }


def test_the_owner_watches_and_exports(browser, tmp_path):
    with (
        House(study_of(overlap=2), str(tmp_path / "s.db")) as house,
        someone(browser, house, f"/owner/{house.keys.owner}") as owner,
        someone(browser, house, link(house)) as ann,
    ):
        assert owner.inner_text("#judged").startswith("0")
        press(ann, "1")
        press(ann, "2")
        owner.wait_for_function(
            "() => document.getElementById('judged').textContent.startsWith('2')"
        )
        with owner.expect_download() as download:
            owner.get_by_role("link", name="preferences").click()
        lines = download.value.path().read_text().splitlines()
        assert len(lines) == 2
        owner.get_by_label("Number of invitations").fill("1")
        owner.get_by_role("button", name="Create links").click()
        new = owner.get_by_label("Link of a4").input_value()
        owner.get_by_role("button", name="Pause the study").click()
        owner.get_by_role("button", name="Resume the study").wait_for()
        with someone(browser, house, new) as late:
            assert "paused" in late.inner_text("h1")
        owner.get_by_role("button", name="Resume the study").click()
        owner.get_by_role("button", name="Pause the study").wait_for()
        owner.set_viewport_size({"width": 1280, "height": 900})
        table = "document.querySelector('[aria-label=\"Table of assessors\"]')"
        assert owner.evaluate(f"{table}.scrollWidth <= {table}.clientWidth")
        owner.get_by_role("button", name="Withdraw a1").click()
        owner.get_by_text("withdrawn").wait_for()
        owner.set_viewport_size({"width": 360, "height": 740})
        assert owner.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )


@pytest.mark.parametrize(
    "kind", ["preference", "conditional", "headtohead", "grades", "ratings", "scus"]
)
def test_without_javascript(kind, browser, tmp_path):
    study = study_of(kind, guidelines="Read both.")
    with House(study, str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), java_script_enabled=False) as page:
            for done in range(len(study.tasks)):
                expect(page.locator(".progress")).to_contain_text(f"{done} done")
                if kind in ("ratings", "scus"):
                    for name in sorted(
                        {i.get_attribute("name") for i in page.locator(".scale input").all()}
                    ):
                        page.locator(f"input[name={name}]").first.check(force=True)
                    page.get_by_role("button", name="Submit", exact=True).click()
                else:
                    page.locator(".choices button").first.click()
                if done == 0:
                    page.get_by_role("button", name="Undo the last answer").click()
                    page.get_by_text("0 done").wait_for()
                    page.reload()
                    if kind in ("ratings", "scus"):
                        page.locator("summary", has_text="I cannot judge this").click()
                        page.locator("#reason").fill("no")
                        page.get_by_role("button", name="Submit without a judgement").click()
                    else:
                        page.locator(".choices button").last.click()
            expect(page.locator("#code")).to_be_visible()
        assert len(house.store.outcomes().judged) == len(study.tasks)


def test_a_screen_reader_finds_its_way(browser, tmp_path):
    study = study_of("conditional", guidelines="Read both.")
    with (
        House(study, str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
    ):
        for role, name in (
            ("main", None),
            ("navigation", "Study"),
            ("heading", None),
            ("form", "Your answer"),
            ("article", "A"),
            ("article", "B"),
            ("progressbar", "Progress"),
        ):
            found = page.get_by_role(role, name=name) if name else page.get_by_role(role)
            assert found.count() >= 1, (role, name)
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.locator("html").get_attribute("lang") == "en"
        for button in page.get_by_role("button").all():
            assert button.inner_text().strip()
        for field in page.locator("input:not([type=hidden])").all():
            name = field.get_attribute("id")
            assert page.locator(f"label[for='{name}']").count() == 1 or field.evaluate(
                "f => !!f.closest('label')"
            )
        press(page, "1")
        assert page.evaluate("document.activeElement.id") == "step"
        expect(page.get_by_role("status")).to_have_text("Saved.")
