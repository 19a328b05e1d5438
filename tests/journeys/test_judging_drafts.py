"""What the page says while drafts are saved: a reply that comes late hides no newer message."""

from __future__ import annotations

from contextlib import contextmanager

from tests.journeys.test_judging_in_browser import link, mark, press_button, someone
from tests.rooms import House, study_of

LISTEN = """() => {
    window.heard = [];
    const said = document.getElementById("said");
    new MutationObserver(() => heard.push(said.textContent)).observe(said, { childList: true });
}"""


@contextmanager
def slow_drafts(page):
    """Requests that save a draft, held back until the test lets them go."""
    held = []
    page.route("**/draft", lambda route: held.append(route))
    yield held
    page.unroute("**/draft")


def wait_for_drafts(page, held, count):
    for _ in range(200):
        if len(held) >= count:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{len(held)} of {count} drafts were sent")


def let_go(page, route):
    """Lets a request go and waits for its reply."""
    with page.expect_response("**/draft") as reply:
        route.continue_()
    assert reply.value.json() is not None


def first_unit(page):
    page.evaluate(LISTEN)
    mark(page, 0, 0, 9)
    page.keyboard.press("n")
    page.locator(".units > li").nth(0).wait_for()


def test_a_late_reply_hides_no_newer_message(browser, tmp_path):
    with (
        House(study_of("markup"), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
        slow_drafts(page) as held,
    ):
        first_unit(page)
        wait_for_drafts(page, held, 1)
        mark(page, 1, 0, 9)
        page.keyboard.press("a")
        page.locator(".part").nth(1).wait_for()
        let_go(page, held[0])
        wait_for_drafts(page, held, 2)
        let_go(page, held[1])
        page.get_by_text("Draft kept.").wait_for()
        assert page.evaluate("heard") == [
            "Unit 1 made.",
            "Added to unit 1.",
            "Added to unit 1. Draft kept.",
        ]


def test_drafts_are_sent_one_after_another(browser, tmp_path):
    """An older draft that is slow can not replace a newer one."""
    with (
        House(study_of("markup"), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
        slow_drafts(page) as held,
    ):
        first_unit(page)
        wait_for_drafts(page, held, 1)
        for place in (0, 1):
            mark(page, place, 0, 9)
            page.keyboard.press("a")
            page.locator(".part").nth(place + 1).wait_for()
            page.wait_for_timeout(600)  # longer than the pause before a draft is sent
        assert len(held) == 1
        let_go(page, held[0])
        wait_for_drafts(page, held, 2)
        let_go(page, held[1])
        page.get_by_text("Draft kept.").wait_for()
        assert len(held) == 2
        sent = [
            len(route.request.post_data_json["draft"]["units"][0]["contributors"]) for route in held
        ]
        assert sent == [1, 3]


def test_a_late_reply_is_not_shown_for_the_next_task(browser, tmp_path):
    with (
        House(study_of("markup"), str(tmp_path / "s.db")) as house,
        someone(browser, house, link(house)) as page,
        slow_drafts(page) as held,
    ):
        first_unit(page)
        wait_for_drafts(page, held, 1)
        press_button(page, "Submit")
        page.get_by_text("Saved.").wait_for()
        held[0].fulfill(json={"kept": True})  # as the server replied before the answer arrived
        page.wait_for_timeout(300)
        assert page.evaluate("heard") == ["Unit 1 made.", "Saved."]
