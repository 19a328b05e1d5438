"""Answers that the server refuses or never gets stay in the browser until it has accepted them."""

from __future__ import annotations

import re

from tests.journeys.test_judging_in_browser import link, someone
from tests.rooms import House, study_of

KEPT = "Object.entries(localStorage).filter(([k, v]) => v.includes('submission')).length"
REFUSED = ("423", "401", "403", "ERR_INTERNET_DISCONNECTED", "409")


def pause(house: House, paused: str) -> None:
    owner = house.owner()
    found = re.search(r'name="csrf" value="(\w+)"', owner.open("/owner"))
    assert found is not None
    csrf = found[1]
    assert (
        owner.client.post("/owner/pause", data={"csrf": csrf, "paused": paused}).status_code == 200
    )


def choices(house: House) -> list[str]:
    return [j.answer["choice"] for j in house.store.outcomes().judged]


def test_an_answer_refused_while_paused_is_kept_and_sent_when_the_study_goes_on(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            pause(house, "yes")
            page.keyboard.press("1")
            page.get_by_text("Your answer is stored in this browser").wait_for()
            page.get_by_text("The study is paused; your answer was not saved.").first.wait_for()
            assert page.evaluate(KEPT) == 1
            page.reload()
            page.get_by_text("Your answer is stored in this browser").wait_for()
            assert page.get_by_text("has been saved").count() == 0
            assert (page.evaluate(KEPT), choices(house)) == (1, [])
            pause(house, "no")
            page.reload()
            page.get_by_text("An unsent answer has been saved.").wait_for()
            page.get_by_text("1 done").wait_for()
            assert page.evaluate(KEPT) == 0
        assert choices(house) == ["left"]


def test_it_is_sent_from_an_open_page_too(browser, tmp_path):
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            pause(house, "yes")
            page.keyboard.press("2")
            page.get_by_text("Your answer is stored in this browser").wait_for()
            pause(house, "no")
            page.get_by_text("An unsent answer has been saved.").wait_for()
        assert choices(house) == ["right"]


def test_what_was_unsent_when_a_study_was_paused_is_not_called_saved(browser, tmp_path):
    """It was left by a browser without a network, and came back to a study that takes nothing."""
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            page.context.set_offline(True)
            page.keyboard.press("1")
            page.get_by_text("Not saved yet").wait_for()
            pause(house, "yes")
            page.close()
            page.context.set_offline(False)
            again = page.context.new_page()
            again.goto("/work")
            again.get_by_text("Your answer is stored in this browser").wait_for()
            assert again.get_by_text("has been saved").count() == 0
            assert choices(house) == []
            pause(house, "no")
            again.reload()
            again.get_by_text("An unsent answer has been saved.").wait_for()
        assert choices(house) == ["left"]


def test_another_assessor_in_the_same_browser_erases_nothing(browser, tmp_path):
    with House(study_of(overlap=2), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house, 0), accepted=REFUSED) as page:
            pause(house, "yes")
            page.keyboard.press("1")
            page.get_by_text("Your answer is stored in this browser").wait_for()
            pause(house, "no")
            page.goto(link(house, 1))
            page.keyboard.press("2")
            page.get_by_text("1 done").wait_for()
            assert choices(house) == ["right"]
            page.goto(link(house, 0))
            page.get_by_text("An unsent answer has been saved.").wait_for()
        assert {j.assessor: j.answer["choice"] for j in house.store.outcomes().judged} == {
            "a1": "left",
            "a2": "right",
        }


def test_an_answer_that_can_never_be_accepted_is_named(browser, tmp_path):
    """Meanwhile the same person has answered elsewhere."""
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            page.context.set_offline(True)
            page.keyboard.press("1")
            page.get_by_text("Not saved yet").wait_for()
            page.close()
            house.assessor().judge({"choice": "right"})
            page.context.set_offline(False)
            again = page.context.new_page()
            again.goto("/work")
            again.get_by_text("An unsent answer could not be saved").wait_for()
            assert again.evaluate(KEPT) == 0
        assert choices(house) == ["right"]


def test_only_the_study_can_accept_an_answer(browser, tmp_path):
    """A page of a proxy or of a hotel's network is no acknowledgement, whatever its status."""
    with House(study_of(), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=REFUSED) as page:
            page.route("**/judge", lambda route: route.fulfill(status=200, body="<p>Welcome</p>"))
            page.keyboard.press("1")
            page.get_by_text("Not saved yet").wait_for()
            assert page.evaluate(KEPT) == 1
            page.unroute("**/judge")
            page.get_by_text("1 done").wait_for()
            assert page.evaluate(KEPT) == 0
        assert choices(house) == ["left"]


def test_an_incomplete_answer_stays_in_its_form(browser, tmp_path):
    with House(study_of("ratings"), str(tmp_path / "s.db")) as house:
        with someone(browser, house, link(house), accepted=("422",)) as page:
            page.keyboard.press("4")
            page.evaluate(
                "document.querySelectorAll('[required]').forEach((i) => i.required = false)"
            )
            page.get_by_role("button", name="Submit", exact=True).click()
            page.get_by_text("Rate coherence from 1 to 3.").wait_for()
            assert page.locator("input[name=rating-0]:checked").get_attribute("value") == "4"
            assert page.evaluate(KEPT) == 0
        assert house.store.outcomes().judged == ()
