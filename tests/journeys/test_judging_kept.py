"""Answers that a page keeps: what it says about them is true, and none is lost or counted against its author."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tare._judging import GateQuestion
from tare._web.judge.writer import Clock
from tests.journeys.test_judging_in_browser import link, press, someone
from tests.journeys.test_judging_unsent import KEPT, REFUSED, choices, pause
from tests.rooms import House, study_of

STORED = "Your answer is stored in this browser"
FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') } }"


@pytest.fixture
def later(monkeypatch):
    """A function that sets the server's clock ahead by some seconds."""
    now, ahead = Clock.now, [0.0]
    monkeypatch.setattr(Clock, "now", lambda clock: now(clock) + ahead[0])

    def set_ahead(seconds):
        ahead[0] += seconds

    return set_ahead


def revoke(house):
    owner = house.owner()
    found = re.search(r'name="csrf" value="(\w+)"', owner.open("/owner"))
    assert found is not None
    data = {"csrf": found[1], "assessor": "a1"}
    assert owner.client.post("/owner/revoke", data=data).status_code == 200


def sides(house):
    return [(m.lease.number, m.lease.swapped) for m in house.store.outcomes().judged]


@pytest.mark.parametrize("trouble", ["pause", "offline"])
def test_an_answer_whose_lease_has_lapsed_is_saved_when_its_author_returns(
    trouble, browser, tmp_path, later
):
    with House(study_of(lease=600.0), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            if trouble == "pause":
                pause(house, "yes")
                page.keyboard.press("2")
                page.get_by_text(STORED).wait_for()
            else:
                page.context.set_offline(True)
                page.keyboard.press("2")
                page.get_by_text("Not saved yet").wait_for()
            page.close()
            later(700)
            if trouble == "pause":
                pause(house, "no")
            page.context.set_offline(False)
            again = page.context.new_page()
            again.goto(link(house))
            again.get_by_text("An unsent answer has been saved.").wait_for()
            again.get_by_text("1 done").wait_for()
            assert again.evaluate(KEPT) == 0
        assert (choices(house), [number for number, _ in sides(house)]) == (["right"], [1])


def test_an_answer_counts_although_another_tab_has_shown_its_task_again(browser, tmp_path, later):
    with House(study_of(lease=600.0), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house)) as page:
            later(700)
            other = page.context.new_page()
            other.goto("/work")
            assert other.locator(".pair").text_content() == page.locator(".pair").text_content()
            page.bring_to_front()
            press(page, "1")
            expect(page.get_by_role("status")).to_have_text("Saved.")
        assert choices(house) == ["left"]


def test_without_storage_an_answer_is_kept_by_the_open_page(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            page.evaluate(FULL)
            pause(house, "yes")
            page.keyboard.press("1")
            page.get_by_text("kept only while this page stays open").wait_for()
            assert page.get_by_text(STORED).count() == 0
            pause(house, "no")
            page.get_by_text("An unsent answer has been saved.").wait_for()
            page.get_by_text("1 done").wait_for()
        assert choices(house) == ["left"]


def test_without_storage_the_page_asks_to_be_left_open(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house)) as page:
            page.evaluate(FULL)
            page.context.set_offline(True)
            page.keyboard.press("1")
            page.get_by_text("Leave this page open").wait_for()
            page.context.set_offline(False)
            page.get_by_text("1 done").wait_for()
        assert choices(house) == ["left"]


FOREIGN = [
    (200, {}),
    (200, None),
    (200, ["ok"]),
    (200, {"step": "task"}),
    (201, {"status": 200, "ok": True}),
    (404, {"detail": "Not Found"}),
    (400, {"message": "bad"}),
    (409, None),
    (403, {}),
    (410, {}),
]


@pytest.mark.parametrize(("status", "body"), FOREIGN)
def test_json_of_another_server_neither_accepts_nor_refuses_an_answer(
    status, body, browser, tmp_path
):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=("status of 4",)) as page:
            reply = {"status": status, "body": json.dumps(body), "content_type": "application/json"}
            others = [True]  # a route that is removed while it has a request can lose the request

            def answer(route):
                if others:
                    route.fulfill(**reply)
                else:
                    route.continue_()

            page.route("**/judge", answer)
            page.keyboard.press("1")
            page.get_by_text("Not saved yet").wait_for()
            assert page.evaluate(KEPT) == 1
            others.clear()
            page.get_by_text("1 done").wait_for()
            assert page.evaluate(KEPT) == 0
        assert choices(house) == ["left"]


def test_an_answer_that_was_undone_elsewhere_is_not_called_saved(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=("ERR_FAILED", "409")) as page:
            lost = []

            def lose_reply(route):
                if not lost:
                    assert route.fetch().status == 200
                    lost.append(house.assessor().post("/undo", submission="undo-on-another-device"))
                    route.abort()
                else:
                    route.continue_()

            page.route("**/judge", lose_reply)
            page.keyboard.press("1")
            expect(page.get_by_role("status")).to_contain_text("was saved and later undone")
            assert lost[0].status_code == 200
            page.get_by_text("0 done").wait_for()
        assert choices(house) == []


def test_a_withdrawn_invitation_is_named_and_nothing_is_sent_again(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            page.evaluate(
                "() => { window.timers = []; const set = setTimeout; window.setTimeout = (f, ms) => { timers.push(ms); return set(f, ms); } }"
            )
            revoke(house)
            page.keyboard.press("1")
            said = page.get_by_role("status")
            expect(said).to_contain_text("This invitation was withdrawn.")
            expect(said).to_contain_text("was not saved and will not be sent again")
            assert [ms for ms in page.evaluate("timers") if ms >= 10_000] == []
            assert page.evaluate(KEPT) == 1
        assert choices(house) == []


def test_a_corrected_answer_replaces_the_first_one(browser, tmp_path):
    """Somebody else's link was opened in the same browser, so that the server refuses the answers."""
    with House(study_of(overlap=2), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house, 0), accepted=REFUSED) as page:
            other = page.context.new_page()
            other.goto(link(house, 1))
            page.bring_to_front()
            said = page.get_by_role("status")
            for key in ("1", "2"):
                page.keyboard.press(key)
                expect(said).to_contain_text(STORED)
                page.evaluate("document.getElementById('said').textContent = ''")
            found = page.evaluate("Object.values(localStorage).map((v) => JSON.parse(v)).flat()")
            assert [one["fields"]["choice"] for one in found] == ["right"]
            other.goto(link(house, 0))
            expect(other.get_by_role("status")).to_have_text("An unsent answer has been saved.")
            assert choices(house) == ["right"]
            # The first tab learns that its answer has arrived.
            expect(said).to_have_text("An unsent answer has been saved.")
            page.get_by_text("1 done").wait_for()
        assert choices(house) == ["right"]


def test_a_test_that_cannot_be_repeated_is_not_sent_for_ever(browser, tmp_path):
    gate = (GateQuestion("Two and two?", ("three", "four"), 2),)
    study = study_of(gate=gate, gate_attempts=1)
    with (
        House(study, str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house), accepted=("409",)) as page,
    ):
        elsewhere = house.assessor()
        elsewhere.client.post(
            "/gate",
            json={"csrf": elsewhere.csrf, "submission": "gate-on-another-device", "gate-0": "1"},
        )
        page.get_by_label("four").check()
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("status")).to_have_text("There are no attempts left.")
        assert page.evaluate(KEPT) == 0
