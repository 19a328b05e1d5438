"""An undo that comes late removes no later answer, and the page says what happened."""

from __future__ import annotations

from playwright.sync_api import expect

from tare._judging import GateQuestion
from tests.journeys.test_judging_in_browser import link, press, someone
from tests.journeys.test_judging_unsent import KEPT, REFUSED, choices
from tests.rooms import House, study_of


def test_an_undo_that_did_not_reach_the_server_is_not_sent_later(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            press(page, "1")
            page.context.set_offline(True)
            page.keyboard.press("u")
            page.get_by_text("The undo probably did not reach the server").wait_for()
            assert page.evaluate(KEPT) == 0
            page.close()
            elsewhere = house.assessor()
            for choice in ("right", "equal", "left"):
                assert elsewhere.judge({"choice": choice}).status_code == 200
            page.context.set_offline(False)
            again = page.context.new_page()
            again.goto("/work")
            again.get_by_text("4 done").wait_for()
            press(again, "2")
            expect(again.get_by_role("status")).to_have_text("Saved.")
        assert choices(house) == ["left", "right", "equal", "left", "right"]
        assert "undone" not in [e.kind for e in house.store.events()]


def test_an_undo_that_an_older_version_kept_is_forgotten(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            press(page, "1")
            page.evaluate("""() => {
                const csrf = document.getElementById("step").dataset.csrf;
                const fields = { csrf, submission: `undo-${csrf.slice(0, 24)}-2` };
                localStorage.setItem(`tare-unsent-${csrf.slice(0, 16)}`, JSON.stringify([{ action: "/undo", fields }]));
            }""")
            page.goto("/work")
            press(page, "2")
            expect(page.get_by_role("status")).to_have_text("Saved.")
            assert page.evaluate(KEPT) == 0
        assert choices(house) == ["left", "right"]


def test_an_undo_can_be_tried_again(browser, tmp_path):
    """Its reply was lost: the second one has no further effect."""
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=("ERR_FAILED",)) as page:
            press(page, "1")
            press(page, "2")

            def lose_reply(route):
                route.fetch()
                route.abort()

            page.route("**/undo", lose_reply)
            page.keyboard.press("u")
            page.get_by_text("Please try again.").wait_for()
            page.unroute("**/undo")
            page.keyboard.press("u")
            page.get_by_text("Undone.").wait_for()
            page.get_by_text("1 done").wait_for()
        assert choices(house) == ["left"]


def test_an_undo_in_a_stale_tab_removes_no_later_answer(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            press(page, "1")
            other = page.context.new_page()
            other.goto("/work")
            press(other, "2")
            press(other, "3")
            page.bring_to_front()
            page.keyboard.press("u")
            page.get_by_text("nothing was undone").first.wait_for()
            page.get_by_text("3 done").wait_for()
            assert choices(house) == ["left", "right", "equal"]
            page.keyboard.press("u")
            expect(page.get_by_role("status")).to_have_text("Undone.")
        assert choices(house) == ["left", "right"]


def test_a_test_that_was_sent_later_and_failed_is_not_called_a_saved_answer(browser, tmp_path):
    gate = (GateQuestion("Two and two?", ("three", "four"), 2),)
    with House(study_of(gate=gate), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            for place, words in (
                (0, "were not all correct"),
                (1, "You have passed the questions at the beginning."),
            ):
                page.context.set_offline(True)
                page.locator("input[type=radio]").nth(place).check()
                page.get_by_role("button", name="Submit", exact=True).click()
                page.get_by_text("Not saved yet").wait_for()
                page.close()
                page.context.set_offline(False)
                page = page.context.new_page()
                page.goto("/work")
                page.get_by_text(words).wait_for()
                assert page.get_by_text("has been saved").count() == 0
        assert [e.data["passed"] for e in house.store.events() if e.kind == "gate"] == [False, True]


def test_a_failed_test_is_not_called_saved(browser, tmp_path):
    gate = (GateQuestion("Two and two?", ("three", "four"), 2),)
    with (
        House(study_of(gate=gate), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
    ):
        page.get_by_label("three").check()
        page.get_by_role("button", name="Submit", exact=True).click()
        page.get_by_text("1 attempt left").wait_for()
        expect(page.get_by_role("status")).to_contain_text("were not all correct")
