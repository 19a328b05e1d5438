"""A report of 14 systems and 3 measures, on A4 paper and on a small laptop: nothing is lost."""

import re

import numpy as np
import pytest

import tare
from tare.chance._net_measures import with_chance

PARTS = ("bm25", "rm3", "bert-mp(zs)", "electra-mp", "parade-electra", "t5-mp")
MAX_PAGES = 12
MEASURES = ["nDCG@10", "AP", "RR"]
A4 = 210 - 2 * 12  # millimetres between the margins
PIXELS = 96 / 25.4  # per millimetre


def simulated():
    """Return 14 systems with long names on 50 queries."""
    random = np.random.default_rng(8)
    names = [f"{a}+{b}" for a in PARTS[:3] for b in PARTS[1:]][:14]
    qrels = {
        f"q{q}": {f"d{d}": int(random.random() < 0.3) * 2 for d in range(30)} for q in range(50)
    }
    runs = {
        name: {
            q: {d: g + random.normal(0, 2 + 0.1 * k) for d, g in grades.items()}
            for q, grades in qrels.items()
        }
        for k, name in enumerate(names)
    }
    return tare.evaluate(qrels, runs, with_chance(MEASURES), pool="judged")


def real(data):
    """Return the 14 systems of DL-HARD."""
    folder = data / "trec" / "dlhard"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    runs = tare.read_runs(sorted(folder.glob("runs/*.run.gz")))
    return tare.evaluate(folder / "dl_hard-doc.qrels", runs, with_chance(MEASURES), pool="judged")


@pytest.fixture(scope="module", params=["simulated", "real"])
def page(request, browser, tmp_path_factory):
    """Return the page of a report on a screen of 1280 pixels."""
    scores = (
        simulated() if request.param == "simulated" else real(request.getfixturevalue("real_data"))
    )
    path = scores.report(tmp_path_factory.mktemp("paper") / "report.html")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.goto(path.as_uri())
    opened.wait_for_selector("html[data-drawn]")
    yield opened
    context.close()


CUT = """() => [...document.querySelectorAll('.scroll')].flatMap((scroll) => {
  const room = scroll.closest('.grid').getBoundingClientRect().right + 1;
  return [...scroll.querySelectorAll('th, td')].filter((cell) => {
    const text = cell.querySelector('bdi, .head') ?? cell;
    return cell.getBoundingClientRect().right > room || text.scrollWidth > text.clientWidth + 1;
  }).map((cell) => cell.textContent.trim());
})"""


def test_no_column_is_cut_on_a_small_laptop(page):
    page.emulate_media(media="screen")
    assert page.evaluate(CUT) == []
    wide = "[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).length"
    assert page.evaluate(wide) == 0


def test_every_column_and_row_is_on_paper(page):
    size = page.viewport_size
    page.set_viewport_size({"width": int(A4 * PIXELS), "height": 900})
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    heads = page.locator("#systems th .head").all_inner_texts()
    for measure in MEASURES:
        assert {measure, f"Net({measure})"} <= set(heads)
    assert heads.count("letters") == len(MEASURES)
    assert heads.count("n") == 2
    assert page.locator("#pairs table >> nth=1 >> tbody tr").count() == 14 * 13 // 2
    page.emulate_media(media="screen")
    page.set_viewport_size(size)


def test_headings_are_whole_and_on_every_page(page):
    size = page.viewport_size
    page.set_viewport_size({"width": int(A4 * PIXELS), "height": 900})
    page.emulate_media(media="print")
    broken = page.evaluate(
        """() => [...document.querySelectorAll('th .head')].filter((head) => {
          const range = document.createRange();
          range.selectNodeContents(head);
          const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
          return lines.size > head.textContent.trim().split(/[\\s-]+/).length;
        }).map((head) => head.textContent)"""
    )
    # Chromium repeats the headings of a table on each page, but not boxes of buttons.
    boxes = page.evaluate(
        "[...new Set([...document.querySelectorAll('thead button')].map(b => getComputedStyle(b).display))]"
    )
    page.emulate_media(media="screen")
    page.set_viewport_size(size)
    assert [name for name in broken if max(map(len, name.split())) <= 12] == []
    assert boxes == ["contents"]


def test_it_takes_at_most_twelve_pages(page):
    page.emulate_media(media="print")
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True)))
    page.emulate_media(media="screen")
    assert 5 < pages <= MAX_PAGES


def test_the_labels_of_pairs_are_whole(page):
    labels = page.locator("#pairs .chart >> nth=0 >> svg .role-axis-label text").all_text_contents()
    pairs = [label for label in labels if "−" in label and not re.fullmatch(r"−?[\d.]+", label)]
    assert len(pairs) == 13
    assert not any("…" in label for label in pairs)
    assert not any("\n" in label for label in pairs)


def test_any_of_the_91_pairs_can_be_selected(page):
    chooser = page.locator("#pairs .chart select")
    assert chooser.count() == 2
    for k in range(2):
        assert chooser.nth(k).locator("option").count() == 14
    shown = "() => [...document.querySelectorAll('#pairs .mark-rect path')].map(p => p.getAttribute('d')).join()"
    before = page.evaluate(shown)
    chooser.nth(0).select_option(index=9)
    chooser.nth(1).select_option(index=13)
    page.wait_for_function(f"before => ({shown})() !== before", arg=before)


def test_the_problems_in_the_data_are_on_one_card(page):
    cards = page.locator(".headlines li strong").all_inner_texts()
    assert sum("in the data" in card for card in cards) <= 1


def on_paper(page, script):
    """Return what a script finds while the page is printed."""
    size = page.viewport_size
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.set_viewport_size({"width": int(A4 * PIXELS), "height": 900})
    page.emulate_media(media="print")
    found = page.evaluate(script)
    page.emulate_media(media="screen")
    page.set_viewport_size(size)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    return found


def test_charts_are_drawn_for_the_width_of_paper(page):
    """A chart of 1,200 pixels would be shrunk to the width of a page, and its letters with it."""
    drawn = (
        "[...document.querySelectorAll('.chart svg.marks')].map(svg => svg.viewBox.baseVal.width)"
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")  # other tests changed the width
    before = page.evaluate(drawn)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    printed = page.evaluate(drawn)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(printed) >= 6
    assert max(printed) < 900 < min(before)
    assert page.evaluate(drawn) == before


def test_paper_names_the_systems_of_a_chart_and_has_no_hints_for_the_pointer(page):
    shown = on_paper(page, "document.getElementById('report').innerText")
    names = on_paper(
        page,
        "[...document.querySelectorAll('.vega-bindings select')].map(s => [s.checkVisibility(), s.value])",
    )
    assert len(names) >= 4
    assert all(visible and name for visible, name in names)
    for hint in ("Click a heading", "Select a system", "Select any two"):
        assert hint not in shown
        assert hint in page.inner_text("#report")


def test_the_right_border_of_a_card_is_on_the_page(page):
    right = on_paper(
        page,
        "Math.max(...[...document.querySelectorAll('.grid, figure, .headlines li')].map(e => e.getBoundingClientRect().right)) - innerWidth",
    )
    assert right <= -1


def test_no_line_of_the_chart_of_p_values_hides_another(page):
    legend = page.locator("#measures .chart >> nth=1 >> .role-legend-label text")
    assert legend.all_text_contents() == MEASURES


def test_systems_against_chance_are_in_the_order_of_the_other_tables(page):
    first = page.locator("#systems table >> nth=0 >> tbody tr td:first-child").all_inner_texts()
    card = page.locator("#chance .grid", has_text="Test of each system against chance")
    assert card.locator("tbody tr td:first-child").all_inner_texts() == first
    assert not any(note.startswith("!") for note in page.locator("#report .note").all_inner_texts())
