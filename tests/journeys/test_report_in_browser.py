"""The report in a browser: offline, sorting, tooltips, dark mode, print, phone."""

import re

import numpy as np
import pytest

import tare as library
from tare._data.simulation import simulate
from tare._measures.scores import Scores
from tare._signature import Signature
from tare.chance._net_measures import with_chance
from tare.report._queries import rankings
from tare.report._report import report_of_scores
from tare.report._score_table import context_of
from tests.unit.report.test_page import hostile_scores

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return a report of a simulated collection, and one with hostile names."""
    folder = tmp_path_factory.mktemp("reports")
    collection = simulate(queries=30, documents=60, seed=4)
    scores = library.evaluate(
        collection.qrels, collection.runs, with_chance(["nDCG@10", "P@5"]), pool="judged"
    )
    return {
        "plain": (scores.report(folder / "plain.html", title="Five systems"), scores),
        "hostile": (hostile_scores().report(folder / "hostile.html"), hostile_scores()),
    }


@pytest.fixture
def opened(browser):
    """Return a function that opens a page offline and records console messages."""
    contexts = []

    def opener(path, size="desktop", **options):
        width, height = SIZES[size]
        context = browser.new_context(
            offline=True, viewport={"width": width, "height": height}, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.said = []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda r: r.url.startswith("file:") or page.said.append(r.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn]")
        return page

    yield opener
    for context in contexts:
        context.close()


def column(page, table: int, number: int) -> list[str]:
    cells = f"table.sortable >> nth={table} >> tbody tr:not(.folded) td:nth-child({number})"
    return page.locator(cells).all_inner_texts()


def test_every_chart_is_drawn_offline_without_messages(opened, reports):
    page = opened(reports["plain"][0])
    assert page.said == []
    charts = page.locator(".chart")
    assert charts.count() >= 8
    for k in range(charts.count()):
        box = charts.nth(k).locator("svg").first.bounding_box()
        assert box["width"] > 300
        assert box["height"] > 50
    assert page.locator(".broken").count() == 0


def test_clicking_a_heading_sorts_and_keeps_missing_cells_last(opened, reports):
    path, scores = reports["plain"]
    page = opened(path)
    means = [scores.means()[s]["nDCG@10"] for s in scores.systems]
    head = page.locator("table.sortable >> nth=0 >> thead th:nth-child(2)")
    button = head.locator("button")
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, 0, 2) == [f"{m:.3f}" for m in sorted(means, reverse=True)]
    button.press("Enter")  # by keyboard as well
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, 0, 2) == [f"{m:.3f}" for m in sorted(means)]
    page.locator("table.sortable >> nth=0 >> thead th:nth-child(1) button").click()
    assert column(page, 0, 1) == sorted(scores.systems)
    kinds = page.locator("#chance table.sortable >> nth=0 >> thead th:nth-child(3) button")
    for _ in range(2):
        kinds.click()
        shown = page.locator(
            "#chance table.sortable >> nth=0 >> tbody td:nth-child(3)"
        ).all_inner_texts()
        assert "–" not in shown or shown.index("–") == len(shown) - shown.count("–")


def test_a_dot_has_a_tooltip_with_its_query(opened, reports):
    path, scores = reports["plain"]
    page = opened(path)
    dot = page.locator(
        "#chance .chart >> nth=0 >> svg .mark-symbol path[aria-roledescription=point]"
    )
    dot.first.scroll_into_view_if_needed()
    dot.first.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    tooltip = page.locator("#vg-tooltip-element").inner_text()
    query = re.search(r"q\d{3}", tooltip).group()
    assert query in scores.items
    mean = scores.select(items=[query])["nDCG@10"].matrix().mean()
    assert f"{mean:.3f}" in tooltip


def test_another_system_can_be_selected_in_the_scatter_plot(opened, reports):
    page = opened(reports["plain"][0])
    chooser = page.locator("#chance select").first
    before = page.locator("#chance svg").first.inner_html()
    chooser.select_option("dense")
    page.wait_for_function(
        "before => document.querySelector('#chance svg').innerHTML !== before", arg=before
    )


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG."""
    parts = [int(x) / 255 for x in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


CONTRASTS = """() => [...document.querySelectorAll(
  'h1,h2,h3,p,td,th .head,nav a,strong,figcaption,pre,button,.headlines span,.chart svg text')]
  .filter(e => e.textContent.trim() && e.getClientRects().length && !e.closest('.mark-text'))
  .map(e => {
    let under = e;
    const clear = (c) => c === 'rgba(0, 0, 0, 0)' || c === 'transparent';
    while (under && clear(getComputedStyle(under).backgroundColor)) under = under.parentElement;
    const style = getComputedStyle(e);
    return [e.tagName === 'text' ? style.fill : style.color,
            getComputedStyle(under ?? document.body).backgroundColor, e.textContent.slice(0, 40)];
  })"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(opened, reports, scheme):
    page = opened(reports["plain"][0], color_scheme=scheme)
    found = page.evaluate(CONTRASTS)
    assert len(found) > 100
    weak = {text for colour, under, text in found if contrast(colour, under) < 4.5}
    assert weak == set()


def test_dark_mode_follows_the_system_and_the_button(opened, reports):
    page = opened(reports["plain"][0], color_scheme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    label = "getComputedStyle(document.querySelector('.chart svg text')).fill"
    assert luminance(page.evaluate(paper)) < 0.05
    assert luminance(page.evaluate(label)) > 0.3
    page.locator("#theme").click()
    assert luminance(page.evaluate(paper)) > 0.8
    assert luminance(page.evaluate(label)) < 0.2
    assert page.locator("#theme").inner_text() == "Dark"


def test_print_is_light_and_shows_all_rows(opened, reports):
    page = opened(reports["plain"][0], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) == 1
    assert luminance(page.evaluate("getComputedStyle(document.querySelector('h1')).color")) < 0.1
    assert not page.locator("header.top").is_visible()
    hidden = page.evaluate(
        "[...document.querySelectorAll('tbody tr')].filter(r => !r.getClientRects().length).length"
    )
    assert hidden == 0
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_or_wider_than_the_screen(opened, reports, size, name):
    page = opened(reports[name][0], size)
    assert page.said == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    wide = page.evaluate(
        """() => [...document.querySelectorAll('h1,h2,h3,p,li,figure,.grid,.snippet,.chart svg')]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert wide == []


def test_hostile_names_are_shown_and_not_executed(opened, reports):
    path, scores = reports["hostile"]
    page = opened(path)
    assert page.said == []
    shown = column(page, 0, 1)
    assert sorted(shown) == sorted(scores.systems)
    assert page.locator("main img, main b, main script").count() == 0
    options = page.locator("#pairs select option").all_inner_texts()
    assert any("<script>alert(1)</script>" in option for option in options)
    bar = page.locator("#pairs svg .mark-rect path").first
    bar.scroll_into_view_if_needed()
    bar.hover(force=True)
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert page.locator("#vg-tooltip-element img, #vg-tooltip-element b").count() == 0


def test_the_keyboard_reaches_all_controls(opened, reports):
    page = opened(reports["plain"][0])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.tagName + (document.activeElement.closest('th') ? ' th' : '')"
            )
        )
    assert {"A", "BUTTON", "BUTTON th", "DIV"} <= reached


@pytest.mark.parametrize("size", SIZES)
def test_rankings_open_by_click_and_by_link(opened, tmp_path, size):
    from playwright.sync_api import expect

    from tests.unit.report.test_rankings import collection, scores_of

    files = collection(tmp_path)
    context = context_of(scores_of(files))
    made = report_of_scores(context, "Rankings", rankings(context, files, 6))
    page = opened(made.write(tmp_path / "r.html"), size)
    queries = page.locator("details.ranked-query")
    expect(queries).to_have_count(6)
    expect(page.locator(".ranking").first).to_be_hidden()
    queries.first.locator("summary").click()
    expect(queries.first.locator(".ranking")).to_have_count(2)
    expect(queries.first.locator(".ranking").first).to_be_visible()
    if size == "desktop":
        expect(queries.first.locator(".lines path")).to_have_count(12)
    assert page.url.endswith("#query-1")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("location.hash = 'query-4'")
    expect(queries.nth(3).locator(".ranking").first).to_be_visible()
    queries.nth(4).locator("summary").focus()
    page.keyboard.press("Enter")
    expect(queries.nth(4).locator(".ranking").first).to_be_visible()
    assert page.said == []


def test_a_large_report_stays_usable(opened, tmp_path):
    random = np.random.default_rng(6)
    measures = tuple(f"M{k}" for k in range(3))
    skill = random.random((60, 1, 1))
    values = np.clip(skill * 0.5 + random.random((60, 500, 3)) * 0.5, 0, 1)
    scores = Scores(
        tuple(f"s{k}" for k in range(60)),
        tuple(f"q{k}" for k in range(500)),
        measures,
        values,
        tuple(Signature.of(m, {"n": 500}) for m in measures),
    )
    page = opened(scores.report(tmp_path / "large.html"))
    assert page.said == []
    assert page.evaluate("document.querySelectorAll('svg path').length") < 12_000
    page.locator("#systems .more").first.click()
    assert len(column(page, 0, 1)) == 60
